"""Tells whether a date that a source states bears out the one that a claim states."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from bob.text.dates import StatedDate


def completed(date: StatedDate, years: Collection[int | None]) -> Iterator[StatedDate]:
    """A date without a year, with each of the years that its text states elsewhere; any other as it is."""
    if date.year is not None or date.month is None:
        yield date
        return
    for year in (None, *years):
        yield replace(date, year=year)


def date_bears_out(claimed: StatedDate, found: StatedDate) -> bool:
    """Whether a date says all that the claimed one says; a source may be more exact than a claim."""
    if claimed.decade:
        return found.year is not None and found.year // 10 == (claimed.year or 0) // 10
    if found.decade:
        return False
    pairs = ((claimed.year, found.year), (claimed.month, found.month), (claimed.day, found.day))
    return all(asked is None or asked == said for asked, said in pairs)


def differences(claimed: StatedDate, found: StatedDate) -> Iterator[str]:
    """The parts that both dates state and in which they differ: year, month, day."""
    for name in ("year", "month", "day"):
        asked, said = getattr(claimed, name), getattr(found, name)
        if asked is not None and said is not None and asked != said:
            yield name
