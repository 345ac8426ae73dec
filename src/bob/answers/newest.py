"""The newest of a series of dated places: the releases of a change log, the minutes of a folder (SPEC E1).

A question for "the latest release" or for "what was last said about travel" is answered from the newest place
that has to do with it, not from the one that is most like the question.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from heapq import nlargest
from pathlib import PurePath

from bob.answers.dated_places import document_day
from bob.answers.question import NewestOf, Series
from bob.core.search import Filters, FoundChunk, Hit, Place, Query
from bob.text import lexicon
from bob.text.dates import YEAR_OF_EDITION, dates_in, period_of
from bob.text.names import version_of_heading, versions_in
from bob.text.words import words_in, words_of

RELEVANT_FROM = 0.6
"""A day of a series has to do with the question when its best passage has so much of the best one's score."""

MOST_SEARCHED = 300
"""So many passages are looked at for a series, and so many of one."""

MOST_OF_NEWEST = 4
"""Of the newest day so many passages are read, where others may tell more."""

MOST_DAYS = 3
"""So many days are tried, the newest first, where what is newest does not answer."""

_BEST = 5
"""By so many of its passages it shows how much a series has to do with a question."""

_NUMBER = re.compile(r"\d{1,100}")
_TIME_OF_FOLDER = re.compile(rf"(?:{YEAR_OF_EDITION})?[-_ ]?(?:q[1-4]|[01]\d)?(?<=.)", re.IGNORECASE)
_YEAR_OF_FILE = re.compile(rf"(?<!\d){YEAR_OF_EDITION}(?!\d)[-_. ]?|[-_ ]{YEAR_OF_EDITION}(?=\.)")
_LETTERS = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class DatedPlaces:
    """A series: the headings of one document, or the documents of a folder, whose `path` this is. Where a
    document a year has headings, it is that of their folder, and they are `called` so."""

    path: str
    of_headings: bool
    called: str = ""

    def is_of(self, place: FoundChunk | Place) -> bool:
        """Whether a place is of the document, or of one in the folder itself, and in none below it; folders
        and files that are called by years are one: "2024/", "2024-news.md"."""
        if self.called and place.path == str(PurePath(self.path, self.called)):
            return True
        return self == _series_at(place.path, of_headings=self.of_headings)

    def within(self, filters: Filters) -> Filters:
        """The conditions that what is searched is of this series, besides others."""
        return Filters(path_prefixes=(self.path,), as_of=filters.as_of, within=filters)


@dataclass(frozen=True, slots=True)
class Newest:
    """The newest place of a series: its day and version, and the heading that states them, or "" where the
    document does."""

    series: DatedPlaces
    day: date
    version: str
    heading: str

    def within(self, query: Query) -> Query:
        """The query, of this place alone."""
        filters = self.series.within(query.filters)
        if self.heading:
            return replace(query, filters=filters, phrases=(*query.phrases, self.heading))
        of_day = replace(filters, after=self.day, before=self.day + timedelta(days=1))
        return replace(query, filters=of_day)

    def holds(self, chunk: FoundChunk) -> bool:
        """Whether a passage stands in this place, and does not only speak of it."""
        return self.series.is_of(chunk) and (not self.heading or self.heading in chunk.heading_path)

    def is_stated(self, text: str) -> bool:
        """Whether a text states the version, or the day of a series without versions."""
        if self.version:
            return self.version in (version_of_heading(text), *versions_in(text))
        return any(stated.exact == self.day for stated in dates_in(text))


def series_of(chunk: FoundChunk) -> DatedPlaces | None:
    """The series that a passage is of; None for one whose place states no day."""
    if document_day(chunk) is not None:
        return _series_at(chunk.path, of_headings=False)
    return None if _dated_heading(chunk) is None else _series_at(chunk.path, of_headings=True)


def _series_at(path: str, *, of_headings: bool) -> DatedPlaces:
    """The series of the places of a document."""
    file = PurePath(path)
    if of_headings:
        called, years = _YEAR_OF_FILE.subn("", file.name)
        return DatedPlaces(str(file.parent), True, called) if years else DatedPlaces(path, True)
    folder = next((folder for folder in file.parents if not _TIME_OF_FOLDER.fullmatch(folder.name)), file)
    return DatedPlaces(str(folder), False)


def series_asked_for(asked: NewestOf, hits: Sequence[Hit]) -> DatedPlaces | None:
    """The series that has most to do with a question, of those that are called by the words for whose it is;
    None without one. Of versions are those that state one, and files that are called a change log."""
    scores: dict[DatedPlaces, list[float]] = defaultdict(list)
    names: dict[DatedPlaces, set[str]] = defaultdict(set)
    fitting: set[DatedPlaces] = set()
    for hit in hits:
        series = series_of(hit.chunk)
        if series is not None:
            scores[series].append(hit.score)
            names[series] |= _names_of(hit.chunk)
            place = _place_of(hit.chunk, series, asked.series)
            if asked.series != "versions" or (place and place.version) or _is_change_log(series):
                fitting.add(series)
    whose, kind = _stems(asked.whose), _stems(lexicon.phrases(asked.series))
    called = [series for series in fitting if whose <= names[series]]
    # A change log may name its software in its text alone.
    naming = (
        hit.chunk for hit in hits if not asked.about and not whose.isdisjoint(_stems((hit.chunk.text,)))
    )
    return max(
        called or fitting.intersection(filter(None, map(series_of, naming))),
        key=lambda series: (bool(kind & names[series]), sum(nlargest(_BEST, scores[series]))),
        default=None,
    )


def newest_of(
    asked: NewestOf, series: DatedPlaces, places: Iterable[FoundChunk | Place], until: date
) -> Newest | None:
    """The newest of the places of a series until a day: of two versions of one day the higher. In a file
    with versions a heading without one is of none, unless most are of one: then it is a version by a name.
    Where some places are called by the words for whose it is, or for what it is of, the others are of
    another: receipts and minutes may lie in one folder."""
    of_series = [each for each in places if series.is_of(each)]
    kind = set[str]() if series.of_headings else _stems(lexicon.phrases(asked.series))
    for words in (_stems(asked.whose), kind):
        called = [each for each in of_series if words and not words.isdisjoint(_own_names(each, series))]
        of_series = called or of_series
    stated = {place for each in of_series if (place := _place_of(each, series, asked.series)) is not None}
    versions = {place for place in stated if place.version}
    if versions and not (series.of_headings and len(versions) > len(stated) / 2):
        stated = versions
    until_then = (place for place in stated if place.day <= until)
    return max(until_then, key=lambda place: (place.day, _order_of(place.version)), default=None)


def _place_of(place: FoundChunk | Place, series: DatedPlaces, what: Series) -> Newest | None:
    """What a place of a series states; None for one without a day."""
    day, heading = _stated_of(place, series)
    version = version_of_heading(heading or place.title) if what == "versions" else ""
    return None if day is None else Newest(series, day, version, heading)


def _order_of(version: str) -> tuple[list[int], bool, str, list[int]]:
    """What versions are sorted by: 1.0a2 comes before 1.0b1, and that before 1.0."""
    phase = next(iter(_LETTERS.findall(version)), "")
    release, _, rest = version.partition(phase) if phase else (version, "", "")
    return _numbers(release), not phase, phase, _numbers(rest)


def _numbers(text: str) -> list[int]:
    return [int(number) for number in _NUMBER.findall(text)]


def _is_change_log(series: DatedPlaces) -> bool:
    """Whether the headings of a file are of versions by what it is called: "CHANGELOG.md"."""
    called = words_of(PurePath(series.called or series.path).stem.lower())
    return series.of_headings and not set(called).isdisjoint(lexicon.words("change logs"))


def last_day(question: str) -> date | None:
    """The last day of the time that a question states: of "the end of 2023", "before May 2026"; None where it
    states none, or only what it is after.

    >>> last_day("What was the newest release in February 2024?")
    datetime.date(2024, 2, 29)
    """
    periods = [period for stated in dates_in(question) if (period := period_of(question, stated)) is not None]
    ends = [period.last for period in periods if period.last is not None]
    before = [period.last for period in periods if period.last is not None and period.first is None]
    return min(before) if before else max(ends, default=None)


def newest_first(
    hits: Sequence[Hit], of_series: Sequence[Hit], series: DatedPlaces, until: date, most: int
) -> Iterator[list[Hit]]:
    """At most `most` hits for each of the few newest days that have to do with the question: those of the
    day, and others, by their scores, without what else is in the series. Hits that are not of a day until
    then stay out of it."""
    stated = ((_stated_of(hit.chunk, series)[0], hit) for hit in of_series if series.is_of(hit.chunk))
    dated = [(day, hit) for day, hit in stated if day and day <= until]
    if not dated:
        yield list(hits)
        return
    least = RELEVANT_FROM * max(hit.score for _, hit in dated)
    for newest in sorted({day for day, hit in dated if hit.score >= least}, reverse=True)[:MOST_DAYS]:
        told = [hit for day, hit in dated if day == newest][:MOST_OF_NEWEST]
        ids = {hit.chunk.chunk_id for hit in told}
        others = [hit for hit in hits if hit.chunk.chunk_id not in ids and series_of(hit.chunk) != series]
        kept = sorted((*told, *others[: most - len(told)]), key=lambda hit: -hit.score)
        yield [replace(hit, rank=rank) for rank, hit in enumerate(kept, 1)]


def _stems(names: Iterable[str]) -> set[str]:
    return {word.stem for name in names for word in words_in(name)}


def _names_of(chunk: FoundChunk) -> set[str]:
    """The stems of what a passage's project, folder, file, title and headings are called."""
    return _stems((chunk.project, *PurePath(chunk.path).parts[-2:], chunk.title, *chunk.heading_path))


def _own_names(place: FoundChunk | Place, series: DatedPlaces) -> set[str]:
    """The stems of what a place of a series is called, and not its series: its headings, or its file."""
    if series.of_headings:
        return _stems(place.heading_path)
    return _stems((PurePath(place.path).name, place.title))


def _stated_of(place: FoundChunk | Place, series: DatedPlaces) -> tuple[date | None, str]:
    """The day that a place states, where it is one of the series, and the heading that does ("": the
    document)."""
    if not series.of_headings:
        return document_day(place), ""
    return _dated_heading(place) or (None, "")


def _dated_heading(place: FoundChunk | Place) -> tuple[date, str] | None:
    """The day that the headings state, the nearest first, and the heading."""
    stated = (
        (stated.exact, heading) for heading in reversed(place.heading_path) for stated in dates_in(heading)
    )
    return next(((day, heading) for day, heading in stated if day), None)
