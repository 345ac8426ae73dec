"""The newest of a series of dated places: the releases of a change log, the minutes of a folder (SPEC E1).

A question for "the latest release" or for "what was last said about travel" is answered from the newest place
that has to do with it, not from the one that is most like the question.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import PurePath

from bob.core.document import LAST_CHANGE
from bob.core.search import Filters, FoundChunk, Hit
from bob.text.dates import StatedDate, dates_in

RELEVANT_FROM = 0.6
"""A day of a series has to do with the question when its best passage has so much of the best one's score."""

MOST_SEARCHED = 300
"""So many passages of a series are looked at."""

MOST_OF_NEWEST = 4
"""Of the newest day so many passages are read."""


@dataclass(frozen=True, slots=True)
class Series:
    """Dated places that follow each other: the headings of one document, or the documents of a folder.
    `path` is that of the document or folder."""

    path: str
    of_headings: bool

    def within(self, filters: Filters) -> Filters:
        """The conditions that what is searched is of this series, besides others."""
        return Filters(path_prefixes=(self.path,), as_of=filters.as_of, within=filters)


def series_of(chunk: FoundChunk) -> Series | None:
    """The series that a passage is of; None for one whose place states no day."""
    if _document_day(chunk) is not None:
        return Series(str(PurePath(chunk.path).parent), False)
    return None if _heading_day(chunk) is None else Series(chunk.path, True)


def last_day(question: str) -> date | None:
    """The last day of the time that a question states: of "the end of 2023", "May 2026"; None without one.

    >>> last_day("What was the newest release in February 2024?")
    datetime.date(2024, 2, 29)
    """
    ends = [end for stated in dates_in(question) if (end := _end(stated)) is not None]
    return max(ends, default=None)


def newest_first(
    hits: Sequence[Hit], of_series: Sequence[Hit], series: Series, until: date, most: int
) -> list[Hit]:
    """At most `most` hits: those of the newest day that has to do with the question, and the others, by their
    scores, without what is older in the series. Hits that are not of a day until then stay out of it."""
    dated = [(day, hit) for hit in of_series if (day := _day_of(hit.chunk, series)) and day <= until]
    if not dated:
        return list(hits)
    least = RELEVANT_FROM * max(hit.score for _, hit in dated)
    newest = max(day for day, hit in dated if hit.score >= least)
    told = [hit for day, hit in dated if day == newest][:MOST_OF_NEWEST]
    ids = {hit.chunk.chunk_id for hit in told}
    others = [hit for hit in hits if hit.chunk.chunk_id not in ids and series_of(hit.chunk) != series]
    kept = sorted((*told, *others[: most - len(told)]), key=lambda hit: -hit.score)
    return [replace(hit, rank=rank) for rank, hit in enumerate(kept, 1)]


def _day_of(chunk: FoundChunk, series: Series) -> date | None:
    """The day that the place of a passage states, where it is one of the series."""
    return _heading_day(chunk) if series.of_headings else _document_day(chunk)


def _document_day(chunk: FoundChunk) -> date | None:
    """The day that a document states of itself."""
    return None if chunk.source_date_kind in LAST_CHANGE else chunk.source_date


def _heading_day(chunk: FoundChunk) -> date | None:
    """The day that the headings state, the nearest first."""
    stated = (stated.exact for heading in reversed(chunk.heading_path) for stated in dates_in(heading))
    return next((day for day in stated if day), None)


def _end(stated: StatedDate) -> date | None:
    if stated.year is None:
        return None
    if stated.month is None:
        return date(stated.year + (9 if stated.decade else 0), 12, 31)
    return date(stated.year, stated.month, stated.day or monthrange(stated.year, stated.month)[1])
