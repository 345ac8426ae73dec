"""What names a passage and its document, and the dates of both."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import PurePath

from bob.core.document import LAST_CHANGE
from bob.core.search import FoundChunk, Place
from bob.text.dates import YEAR_OF_EDITION, StatedDate, dates_in, months_of_cells, nearest_year

_YEARS = re.compile(rf"(?<![\d.]){YEAR_OF_EDITION}(?!\d)")


def label_of(chunk: FoundChunk, *, its_own_date: bool = False) -> str:
    """What names a chunk: its title, headings, file name, folder and date, or that only where it is its own
    and not the day of its last change. Of the folders above a file only the nearest says what it is of
    ("season-2024/schedule.ics"): the others are those of a machine."""
    dated = chunk.source_date is not None and not (its_own_date and chunk.source_date_kind in LAST_CHANGE)
    day = chunk.source_date.isoformat() if dated and chunk.source_date else ""
    return " ".join((chunk.title, *chunk.heading_path, *PurePath(chunk.path).parts[-2:], day))


def document_day(place: FoundChunk | Place) -> date | None:
    """The day that a document states of itself, or the first of a month."""
    return None if place.source_date_kind in LAST_CHANGE else place.source_date


def dates_of(place: FoundChunk | Place, text: str) -> Iterator[StatedDate]:
    """The dates that a text of a document states, and the months that are all of a cell. A month without its
    year is of the year in which it is nearest to the document's day: minutes of June 2026 that say "the end
    of May" speak of May 2026; one without a day, of the year that it is called by."""
    written = document_day(place)
    named = None if written else _year_named(place)
    for stated in (*dates_in(text), *months_of_cells(text)):
        if stated.year or not stated.month:
            yield stated
        elif written is not None:
            yield replace(stated, year=nearest_year(stated.month, written))
        elif named is not None:
            yield replace(stated, year=named)
        else:
            yield stated


def _year_named(source: FoundChunk | Place) -> int | None:
    """The only year in what a document, and the headings above a passage of it, are called."""
    called = " ".join((source.title, PurePath(source.path).name, *source.heading_path))
    years = set(_YEARS.findall(called))
    return int(years.pop()) if len(years) == 1 else None


def dates_naming(chunk: FoundChunk) -> Iterator[StatedDate]:
    """The dates of what names a passage, without the day of its last change: that is no time it speaks of."""
    return dates_of(chunk, label_of(chunk, its_own_date=True))
