"""Finds the dates that a text states, as exact as it states them: a day, a month, a year, a decade."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from bob.answer.ranges import TakenRanges
from bob.domain.months import MONTH_NAMES, MONTH_NUMBER

_MONTH = rf"(?P<month>{'|'.join(sorted(MONTH_NUMBER, key=len, reverse=True))})\b\.?"
_YEAR = r"(?P<year>1[0-9]\d\d|20\d\d)(?![\d.,]*\d|\w)"
_DAY = r"(?P<day>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th|\.|º|er)?"
_OF = r"(?:\s+(?:of|de|del))?"
_FORMS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<![\w-])(?P<year>1[0-9]\d\d|20\d\d)-(?P<number>0[1-9]|1[0-2])"
        r"(?:-(?P<day>0[1-9]|[12]\d|3[01]))?(?![\w-])",
        r"(?<![\w/])(?P<year>1[0-9]\d\d|20\d\d)/(?P<number>0?[1-9]|1[0-2])/(?P<day>0?[1-9]|[12]\d|3[01])(?![\w/])",
        r"(?<![\w./])(?P<day>0?[1-9]|[12]\d|3[01])(?P<separator>[./])(?P<number>0?[1-9]|1[0-2])(?P=separator)"
        r"(?P<year>1[0-9]\d\d|20\d\d)(?![\w/])",
        rf"\b{_DAY}{_OF}\s+{_MONTH}(?:,?{_OF}\s+{_YEAR})?",
        rf"\b{_MONTH}\s+{_DAY}(?![\d:.%]|\s*(?:%|percent))(?:,?\s+{_YEAR})?",
        rf"\b{_MONTH},?{_OF}\s+{_YEAR}",
        r"\b(?:the\s+)?(?P<decade>1[0-9]\d|20\d)0'?s\b",
    )
)


_DIGIT = re.compile(r"\d")
_MONTH_OR_DIGIT = re.compile(rf"\d|\b(?:{'|'.join(sorted({n[:3].capitalize() for n in MONTH_NUMBER}))})")
_MONTH_ALONE = re.compile(
    r"(?:(?<=\bin )|(?<=\bby )|(?<=\bsince )|(?<=\buntil )|(?<=\bfrom )|(?<=\blast )|(?<=\bearly )|"
    r"(?<=\blate )|(?<=\bduring )|(?<=\bthrough )|(?<=\bIn )|(?<=\bBy )|(?<=\bof )|(?<=\bbefore )|"
    r"(?<=\bafter )|(?<=\btill )|(?<=\bmid[ -])|(?<=\bnext )|(?<=\bthis )|(?<=\bevery ))"
    rf"(?P<month>{'|'.join(MONTH_NAMES)})\b(?!\s+\d)"
)
_BARE_YEAR = re.compile(rf"(?<!\d){_YEAR}(?!\s+[a-z]+s\b|\s?(?:%|[kMG]?B\b|ms\b))")
_BEFORE_YEAR = re.compile(
    r"(?:\b(?:in|since|of|by|from|until|during|after|before|around|early|late|year|em|im Jahr|en|seit|desde|"
    r"depuis|Copyright|and|to|,|\(c\))\s|[(,-])$"
)


@dataclass(frozen=True, slots=True)
class StatedDate:
    """A date at a range of a text; what it does not state is None. A decade has its first year alone."""

    start: int
    end: int
    year: int | None
    month: int | None = None
    day: int | None = None
    decade: bool = False

    @property
    def shown(self) -> str:
        """The date as a person reads it."""
        if self.decade:
            return f"{self.year}s"
        parts = (str(self.day or ""), MONTH_NAMES[self.month - 1] if self.month else "", str(self.year or ""))
        return " ".join(part for part in parts if part)


def dates_in(plain: str) -> list[StatedDate]:
    """The dates of a text without markup, in order, none inside another."""
    found: list[StatedDate] = []
    if not _MONTH_OR_DIGIT.search(plain):
        return found
    taken = TakenRanges(len(plain))
    for form in _FORMS if _DIGIT.search(plain) else ():
        for match in form.finditer(plain):
            date = _read(match)
            if not taken.meets(date.start, date.end):
                found.append(date)
                taken.add(date.start, date.end)
    for match in _MONTH_ALONE.finditer(plain):
        if not taken.meets(*match.span()):
            found.append(_read(match))
            taken.add(*match.span())
    for match in _BARE_YEAR.finditer(plain):
        if not taken.meets(*match.span()) and _BEFORE_YEAR.search(
            plain, max(0, match.start() - 10), match.start()
        ):
            found.append(StatedDate(match.start(), match.end(), int(match["year"])))
    return sorted(found, key=lambda each: each.start)


def _read(match: re.Match[str]) -> StatedDate:
    said = match.groupdict()
    if said.get("decade"):
        return StatedDate(match.start(), match.end(), 10 * int(said["decade"]), decade=True)
    month = int(said["number"]) if said.get("number") else MONTH_NUMBER.get((said.get("month") or "").lower())
    day = int(said["day"]) if said.get("day") else None
    year = int(said["year"]) if said.get("year") else None
    return StatedDate(match.start(), match.end(), year, month, day)


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
