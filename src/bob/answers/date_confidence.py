"""How far the dates of an answer's sources can be trusted (SPEC E1)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from bob.answers.values import DateConfidence, Level, Source


def date_confidence(sources: Sequence[Source], today: date, outdated_after_days: int) -> DateConfidence:
    """High when every source says itself when it was written, low when none does.

    A file's modification time is no such statement: copying or cloning sets it anew. It still counts for
    what may be outdated, since nothing is younger than its last change.
    """
    dated = {s.chunk.document_id: _dated(s) for s in sources}
    days = [day for day, _ in dated.values() if day is not None]
    if not days:
        return DateConfidence("low", "no source has a date")
    newest, oldest = max(days), min(days)
    own = sum(1 for day, kind in dated.values() if day is not None and kind != "mtime")
    total = len({s.chunk.document_id for s in sources})
    age = (today - newest).days
    outdated = age > outdated_after_days
    level: Level
    if own == total:
        level, reason = "high", "every source states its date"
    elif own:
        level = "medium"
        reason = f"{own} of {total} sources state their date; of the others only the last change is known"
    else:
        level, reason = "low", "no source states its date; only the last change of the files is known"
    if outdated:
        reason += f"; the newest is from {newest.isoformat()} and may be outdated"
    return DateConfidence(level, reason, newest, oldest, outdated)


def _dated(source: Source) -> tuple[date | None, str | None]:
    """A source's date and how it is known. The file of a decision is copied; the day in its text stays."""
    standing = source.decision
    if standing is not None and standing.decision.date_kind in ("text", "user"):
        return standing.decision.date, standing.decision.date_kind
    return source.chunk.source_date, source.chunk.source_date_kind
