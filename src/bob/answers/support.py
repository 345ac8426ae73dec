"""Whether what was found answers the question at all: the rule by which Bob abstains (SPEC E1).

A logistic model of a few signals, trained by `bench/abstention.py` on questions asked of their own corpus
and of another one; that command prints the weights below and the two error rates on held-out sets, which
docs/leaderboard.md keeps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date

from bob.answers.values import DateConfidence, Level, Source

ANSWERS_FROM = 0.5
"""The support from which an answer is given."""

_BIAS = -4.88
_WEIGHTS = {
    "unit_cosine": 2.71,
    "chunk_cosine": 2.25,
    "chunk_coverage": 2.01,
    "context_coverage": 2.28,
    "fit": 0.20,
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """The signals, each between 0 and 1.

    Cosines are those of the best unit and the best chunk with the question (of the unit, while vectors are
    pending). Coverage is the share of the question's words, weighted by their rarity, that a text has: the
    best chunk with its headings, or the best unit with its headings; a word that no document has counts as
    the rarest of all. `fit` is 1 when the best unit has what the question wants (a number, a date, a
    reason), 0 when not, one half when the question does not tell.
    """

    unit_cosine: float = 0.0
    chunk_cosine: float = 0.0
    chunk_coverage: float = 0.0
    context_coverage: float = 0.0
    fit: float = 0.0

    def to_json(self) -> dict[str, float]:
        """The signals as the audit shows them."""
        return {name: round(value, 4) for name, value in asdict(self).items()}


def support(evidence: Evidence) -> float:
    """The probability that the evidence answers the question."""
    signals = asdict(evidence)
    weighted = sum(weight * signals[name] for name, weight in _WEIGHTS.items())
    return 1 / (1 + math.exp(-(_BIAS + weighted)))


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
