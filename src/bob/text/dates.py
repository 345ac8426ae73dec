"""Reads dates, as exact as they are written: a day, a month, a year, a decade; in seven languages.

Numbers alone ("4/3/2021") are read in the order that the caller declares. What is no day of the calendar
("30 February") is no date. Every pattern takes time linear in the length of the text.
"""

from __future__ import annotations

import re
import unicodedata
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache
from typing import Literal

from bob.text import lexicon

DateOrder = Literal["day first", "month first"]

MONTH_NUMBER = {
    name: number
    for language in lexicon.LANGUAGES
    for number, names in enumerate(lexicon.lines("months", language), 1)
    for name in names
}
"""The number of each month, from 1, by its name in small letters, also by a short one."""

_SHORT_MONTH_NUMBER = lexicon.numbers("months before a year")
MONTH_NAMES = tuple(names[0].capitalize() for names in lexicon.lines("months", "en"))
"""The English names of the months, January first."""

MONTHS_WRITTEN = (
    *MONTH_NAMES,
    *(names[0].capitalize() for names in lexicon.lines("months", "de")),
    *(names[0] for names in lexicon.lines("months", "pt")),
)
"""The whole names of the months as they are written in running text, in English, German and Portuguese."""


_VERBS = lexicon.words("months that are verbs")
MONTHS = rf"{lexicon.either({*MONTHS_WRITTEN} - {verb.capitalize() for verb in _VERBS})}|" + "|".join(
    rf"(?-i:(?<!^){verb.capitalize()})" for verb in _VERBS
)
"""The part of a pattern that matches these names in whatever letters; "may" is a month only as "May", and not
where a text begins."""

_BEHIND_PREPOSITION = re.compile(
    rf"(?<!\w)(?:{lexicon.any_of('before a month', 'en')}|{lexicon.any_of('before a day', 'en')}|"
    rf"{lexicon.either(lexicon.words('articles', 'en'))})\s\Z"
)
_LONGEST_PREPOSITION = 12

_MONTH = rf"(?P<month>{lexicon.either(MONTH_NUMBER)})\b\.?"
_SHORT_MONTH = rf"(?P<month>{lexicon.either(_SHORT_MONTH_NUMBER)})\b\.?"
_FOUR_DIGITS = r"(?P<year>1\d\d\d|20\d\d)"
_YEAR = rf"{_FOUR_DIGITS}(?!\w|[.,]++\d)"
YEAR_OF_EDITION = r"(?:19|20)\d\d"
"""A year as files, headings and editions are called by it."""
_DAY = r"(?P<day>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th|\.?º|\.|er)?"
_TWO_DIGIT_DAY, _TWO_DIGIT_MONTH = r"(?P<day>0[1-9]|[12]\d|3[01])", r"(?P<number>0[1-9]|1[0-2])"
_OF = r"(?:\s++(?:(?:day\s++)?of|del?|(?:\(\w{1,20}\)\s++)?dias?\s++do\s++m[êe]s\s++de))?"
_NUMBER_OF_DAY, _NUMBER_OF_MONTH = r"(?P<day>0?[1-9]|[12]\d|3[01])", r"(?P<number>0?[1-9]|1[0-2])"
_TWO_DIGITS = r"(?P<short>\d\d)"
_BEFORE_DAY = rf"(?<!\w)(?:{lexicon.any_of('before a day')})\s"
"""Words behind which two numbers are a day and a month; alone they may be a version or a fraction."""
_NO_MORE = r"(?![\w/]|[.,:-]\d)"

_TO = rf"(?:\s?[–-]\s?|\s++(?:{lexicon.either(lexicon.words('up to a number'))})\s++(?:\w\w\w?\s++)?)"
"""Between the first day of several and the last, perhaps with an article: "bis zum"."""

_FORMS = (
    rf"(?<![\w-]){_FOUR_DIGITS}-{_TWO_DIGIT_MONTH}-{_TWO_DIGIT_DAY}(?=T\d\d)",
    rf"(?<![\w-]){_FOUR_DIGITS}-{_TWO_DIGIT_MONTH}(?:-{_TWO_DIGIT_DAY})?(?![\w-])",
    rf"(?<![\w-]){_FOUR_DIGITS}-{_NUMBER_OF_MONTH}-{_NUMBER_OF_DAY}(?![\w-])",
    rf"(?<![\w/]){_FOUR_DIGITS}/{_NUMBER_OF_MONTH}/{_NUMBER_OF_DAY}(?![\w/])",
    # One digit for the month or day would be a version.
    rf"(?<![\w.]){_FOUR_DIGITS}\.{_TWO_DIGIT_MONTH}\.{_TWO_DIGIT_DAY}(?!\w|\.\d)",
    rf"(?<![\w./-])(?P<first>\d\d?)º?(?P<separator>[./-])(?P<second>\d\d?)(?P=separator){_FOUR_DIGITS}"
    r"(?![\w/-])",
    rf"(?<![\w./-])(?P<first>\d\d?)º?(?P<separator>/)(?P<second>\d\d?)/{_TWO_DIGITS}(?![\w/]|[.:-]\d)",
    rf"(?<![\w./,-]){_NUMBER_OF_DAY}\.\s?{_NUMBER_OF_MONTH}\.\s?{_FOUR_DIGITS}(?![\w/-])",
    rf"(?<![\w./-]){_NUMBER_OF_DAY}-{_MONTH}-(?:{_FOUR_DIGITS}|{_TWO_DIGITS})(?![\w/-])",
    rf"(?<![\w./,-])(?P<first>\d\d)(?P<separator>\.)(?P<second>0\d)\.{_TWO_DIGITS}{_NO_MORE}",
    rf"{_BEFORE_DAY}(?P<date>{_NUMBER_OF_DAY}\.{_NUMBER_OF_MONTH}\.{_TWO_DIGITS}){_NO_MORE}",
    rf"{_BEFORE_DAY}(?P<date>{_NUMBER_OF_DAY}\.{_NUMBER_OF_MONTH}\.)(?![\w/])",
    rf"(?<![\w./,-]){_TWO_DIGIT_DAY}\.{_TWO_DIGIT_MONTH}\.(?=\s?[,;:)–-]|\s[^\W\d_A-Z])",
    rf"{_BEFORE_DAY}(?P<date>(?![1-3]/[2-4]\b)(?P<first>\d\d?)º?(?P<separator>/)(?P<second>\d\d?)){_NO_MORE}",
    rf"(?<![\w./,:-])(?P<first>\d\d)(?P<separator>/)(?P<second>0[1-9]){_NO_MORE}",
    rf"(?<![\w./,:-])(?P<first>0[1-9])(?P<separator>/)(?P<second>1[3-9]|2\d|3[01]){_NO_MORE}",
    rf"(?<![\w./-]){_TWO_DIGIT_MONTH}/{_YEAR}(?![/-])",
    rf"(?<![\w./-])(?P<number>0[1-9])\.{_YEAR}(?![/-])",
    # The first day of several: "14–20/07".
    rf"(?<![\w./,:-]){_NUMBER_OF_DAY}\.?(?={_TO}\d\d?(?P<separator>[/.])"
    rf"{_NUMBER_OF_MONTH}(?:(?P=separator){_FOUR_DIGITS}?)?(?![\w/]|\.\d))",
    rf"\b{_DAY}{_OF}\s++{_MONTH}(?:,?{_OF}\s++{_YEAR})?",
    rf"\b{_DAY}(?={_TO}\d\d?(?:st|nd|rd|th|\.)?{_OF}\s++{_MONTH}(?:,?{_OF}\s++{_YEAR})?)",
    rf"\b{_DAY}(?:\s++de)?\s++{_SHORT_MONTH}(?:\s++de)?\s++{_YEAR}",
    # The first day of several, and the last: "May 3-5, 2024".
    rf"\b{_MONTH}\s++{_DAY}(?={_TO}(?:3[01]|[12]\d|[1-9])(?:st|nd|rd|th)?,?\s++{_YEAR})",
    rf"\b{_MONTH}\s++\d\d?(?:st|nd|rd|th)?{_TO}(?P<date>{_DAY},?\s++{_YEAR})",
    rf"\b{_MONTH}\s++{_DAY}(?![\d:.%]|\s*+(?:%|percent))(?:,?\s++{_YEAR})?",
    rf"\b{_MONTH},?{_OF}\s++{_YEAR}",
    r"\b(?P<decade>1\d\d|20\d)0'?s\b",
)
_NAME_FORM = (
    rf"(?<!\d){_FOUR_DIGITS}(?P<separator>[-/._]?){_TWO_DIGIT_MONTH}(?P=separator)"
    rf"{_TWO_DIGIT_DAY}(?!\d)"
)
_YEAR_LAST_IN_NAME = (
    rf"(?<![\d._-])(?P<first>\d\d?)(?P<separator>[-._])(?P<second>\d\d?)(?P=separator){_FOUR_DIGITS}(?!\d)"
)
_MONTH_IN_NAME = (
    rf"(?<!\d){_FOUR_DIGITS}(?:[-_.]{_TWO_DIGIT_MONTH}(?!\d)"
    r"|(?P<number_behind>0[1-9]|1[0-2])(?=[-_. ][^\W\d_]))"
)
_FIELD_FORMS = (
    _NAME_FORM,
    rf"(?<!\d){_FOUR_DIGITS}(?P<separator>[-/.]){_NUMBER_OF_MONTH}(?P=separator){_NUMBER_OF_DAY}(?!\d)",
)
"""How file names and the fields of programs have it, too; in running text these may be other numbers."""

_DIGIT = re.compile(r"\d")
_MONTH_ALONE = "|".join(
    rf"(?<!\w)(?:{lexicon.any_of('before a month', language)})[ -]"
    rf"(?P<{language}>{lexicon.either(names)})\b(?!\s+\d)"
    for language, names in (
        ("en", MONTH_NAMES),
        ("pt", [names[0] for names in lexicon.lines("months", "pt")]),
        ("de", [names[0].capitalize() for names in lexicon.lines("months", "de")]),
    )
)
_BARE_YEAR = rf"(?<!\d){_YEAR}(?!\s+[a-z]+s\b|\s?(?:%|[kMG]?B\b|ms\b))"
_YEARS = r"(?<![\w/.-])(?P<from>1[5-9]\d\d|20\d\d)[-–/](?P<to>\d\d)(?![\w/–-]|[.,]\d)"
"""A year and the last two digits of a later one: 1988-90."""
_BEFORE_YEAR = rf"(?:(?<!\w)(?:{lexicon.either([*lexicon.phrases('before a year'), ','])})\s|[(-]|(?<!\d),)\Z"
_LONGEST_BEFORE_YEAR = 12

_BEFORE_PERIOD = "|".join(
    rf"(?P<{name}>(?<!\w)(?:{lexicon.any_of(section)})(?:\s+\w{{1,3}})?\s*\Z)"
    for name, section in (
        ("earlier", "earlier than a date"),
        ("later", "later than a date"),
        ("on", "from a date on"),
        ("up_to", "up to a date"),
    )
)
"""Behind the word an article may stand: "vor dem 5. Mai"."""
_LONGEST_BEFORE_PERIOD = 30
_ONE_DAY = timedelta(1)

_LONGEST_FIELD = 100
"""Characters of a field in which its date is looked for."""

_EARLIEST, _LATEST = 1900, 2099
"""Years that a document or a decision can be of; other ones are other numbers, or what it tells of."""

_LAST_SHORT_YEAR = 44
"""Two digits of a year: up to this one they are of the century after 2000, and else of the one before: more
is told of people who were born in 1962 than of what will be in 2062."""

_ISO_START = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?\Z")


@cache
def _compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern, made when it is first needed: they take longer to make than a command does to start."""
    return re.compile(pattern, flags)


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

    @property
    def exact(self) -> date | None:
        """The day, where the text states it with its year."""
        return date(self.year, self.month, self.day) if self.year and self.month and self.day else None


def dates_in(text: str, order: DateOrder | None = "day first") -> list[StatedDate]:
    """The dates of a text without markup, in order, none inside another.

    With an `order` of None, numbers that more than one order reads ("4/3/2021") are no date.
    """
    collector = _Found(text, order)
    if _DIGIT.search(text):
        for form in _FORMS:
            collector.take(form)
        for match in _compiled(_YEARS).finditer(text):
            first = int(match["from"])
            last = first - first % 100 + int(match["to"])
            if last > first:
                collector.add(StatedDate(*match.span("from"), first))
                collector.add(StatedDate(*match.span("to"), last))
    for match in _compiled(_MONTH_ALONE).finditer(text):
        start, end = match.span(match.lastgroup or 0)
        collector.add(StatedDate(start, end, None, MONTH_NUMBER[text[start:end].lower()]))
    for match in _compiled(_BARE_YEAR).finditer(text):
        before = max(0, match.start() - _LONGEST_BEFORE_YEAR)
        if _compiled(_BEFORE_YEAR, re.IGNORECASE).search(text, before, match.start()):
            collector.add(StatedDate(match.start(), match.end(), int(match["year"])))
    return collector.in_order()


@dataclass(frozen=True, slots=True)
class Period:
    """The days from the `first` to the `last`, both included; None where it has no such end."""

    first: date | None
    last: date | None

    @property
    def is_open(self) -> bool:
        """Whether it is all the time before or after a date."""
        return self.first is None or self.last is None

    def has(self, stated: StatedDate) -> bool:
        """Whether a day of a date is in the period; of one without its year that is not known."""
        own = _days_of(stated)
        if own is None:
            return False
        return (self.first is None or self.first <= own[1]) and (self.last is None or own[0] <= self.last)


def period_of(text: str, stated: StatedDate) -> Period | None:
    """The days that a text means by a date that it states, by the word before it; None without a year.

    >>> text = "before May 2026 and since 3 June 2026"
    >>> [period_of(text, stated) for stated in dates_in(text)]
    [Period(first=None, last=datetime.date(2026, 4, 30)), Period(first=datetime.date(2026, 6, 3), last=None)]
    """
    own = _days_of(stated)
    if own is None:
        return None
    first, last = own
    before = text[max(0, stated.start - _LONGEST_BEFORE_PERIOD) : stated.start]
    match = _compiled(_BEFORE_PERIOD, re.IGNORECASE).search(before)
    if match is None:
        return Period(first, last)
    if match.lastgroup == "earlier":
        return Period(None, first - _ONE_DAY)
    if match.lastgroup == "later":
        return Period(last + _ONE_DAY, None)
    return Period(first, None) if match.lastgroup == "on" else Period(None, last)


def _days_of(stated: StatedDate) -> tuple[date, date] | None:
    """The first day and the last of what a date is: a day, a month, a year or a decade."""
    if stated.year is None:
        return None
    if stated.month is None:
        return date(stated.year, 1, 1), date(stated.year + (9 if stated.decade else 0), 12, 31)
    last = monthrange(stated.year, stated.month)[1]
    return date(stated.year, stated.month, stated.day or 1), date(
        stated.year, stated.month, stated.day or last
    )


def nearest_year(month: int, day: date) -> int:
    """The year in which a month is nearest to a day; the earlier one where both are as near.

    >>> nearest_year(5, date(2026, 6, 19)), nearest_year(12, date(2026, 1, 9))
    (2026, 2025)
    """
    years = (day.year - 1, day.year, day.year + 1)
    return min(years, key=lambda year: abs(12 * (year - day.year) + month - day.month))


def read_date(field: str, order: DateOrder | None = None) -> date | None:
    """The date that a metadata field gives, such as "2025-01-31T10:00" or "4 de março de 2021", or None.

    A month without a day is its first day. Of several dates the first day counts.
    """
    dates = _dates_of_field(field[:_LONGEST_FIELD], order)
    exact = next((day for date_ in dates if (day := date_.exact)), None)
    months = (
        date(date_.year, date_.month, 1) for date_ in dates if date_.year and date_.month and not date_.day
    )
    return exact or next(months, None)


def only_day(text: str) -> date | None:
    """The only day that a text states; None when it states none, or several."""
    days = {day for stated in _possible(text, None, _FORMS) if (day := stated.exact)}
    return days.pop() if len(days) == 1 else None


def first_day(value: str) -> date | None:
    """The first day of a year, a month or a day that is all that the value says; None for anything else."""
    value = value.strip()
    if match := _ISO_START.match(value):
        return _day(int(match[1]), int(match[2] or 1), int(match[3] or 1))
    dates = _dates_of_field(value[:_LONGEST_FIELD], None)
    if len(dates) != 1 or (dates[0].start, dates[0].end) != (0, len(value)) or not dates[0].year:
        return None
    return _day(dates[0].year, dates[0].month or 1, dates[0].day or 1)


def date_in_name(name: str) -> date | None:
    """The date in a file's name, such as 2025-01-31, 2025_01_31, 20250131 or 31_01_2025, or None.

    >>> date_in_name("22_10_2024 minutes.pdf"), date_in_name("03_04_2024.pdf")
    (datetime.date(2024, 10, 22), None)
    """
    return _in_name(_NAME_FORM, name) or _in_name(_YEAR_LAST_IN_NAME, name)


def month_in_name(name: str) -> date | None:
    """The first day of the month in a file's name, such as 2025-01, 2025_01 or 202501-minutes, or None.

    >>> month_in_name("2025-01-minutes.md"), month_in_name("release-2025.1.md")
    (datetime.date(2025, 1, 1), None)
    >>> month_in_name("202310-events.md"), month_in_name("202310123.md")
    (datetime.date(2023, 10, 1), None)
    """
    return _in_name(_MONTH_IN_NAME, name)


def date_in_folders(folders: Sequence[str]) -> date | None:
    """The date of the innermost folder that has one and nothing else for its name: 2025-02-19, or 2025, 02
    and 19 within each other.

    >>> date_in_folders(["blog", "2025", "02", "19"]), date_in_folders(["2025-02-19", "a"])
    (datetime.date(2025, 2, 19), datetime.date(2025, 2, 19))
    """
    for end in range(len(folders), 0, -1):
        for name in (folders[end - 1], "-".join(folders[max(0, end - 3) : end])):
            if _compiled(_NAME_FORM).fullmatch(name) and (day := date_in_name(name)):
                return day
    return None


def _in_name(form: str, name: str) -> date | None:
    """What a form finds in a file's name; the first day, where it has none."""
    match = _compiled(form).search(name)
    if match is None:
        return None
    groups = match.groupdict()
    if "first" in groups:
        ordered = _ordered(int(groups["first"]), int(groups["second"]), groups["separator"], None)
    else:
        ordered = int(groups.get("day", 1)), int(groups["number"] or groups["number_behind"])
    day = _day(int(groups["year"]), ordered[1] or 0, ordered[0] or 0)
    return day if day and _EARLIEST <= day.year <= _LATEST else None


def _dates_of_field(text: str, order: DateOrder | None) -> list[StatedDate]:
    return _possible(text, order, (*_FIELD_FORMS, *_FORMS))


def _possible(text: str, order: DateOrder | None, forms: Sequence[str]) -> list[StatedDate]:
    collector = _Found(unicodedata.normalize("NFC", text), order)
    for form in forms:
        collector.take(form)
    return [stated for stated in collector.in_order() if stated.year and _EARLIEST <= stated.year <= _LATEST]


class _Found:
    """The dates found so far, and the characters that they take."""

    def __init__(self, text: str, order: DateOrder | None) -> None:
        self._text = text
        self._order = order
        self._dates: list[StatedDate] = []
        self._taken = bytearray(len(text))

    def take(self, form: str) -> None:
        """Add what a form matches."""
        for match in _compiled(form, re.IGNORECASE).finditer(self._text):
            stated = _read(match, self._order)
            start, end = match.span("date" if "date" in match.groupdict() else 0)
            self._add(start, end, replace(stated, start=start, end=end) if stated else None)

    def add(self, stated: StatedDate) -> None:
        """Add one, unless it overlaps another."""
        self._add(stated.start, stated.end, stated)

    def _add(self, start: int, end: int, stated: StatedDate | None) -> None:
        if any(self._taken[start:end]):
            return
        # No part of what is no day of the calendar is a date, either.
        self._taken[start:end] = b"\1" * (end - start)
        if stated is not None:
            self._dates.append(stated)

    def in_order(self) -> list[StatedDate]:
        """The dates in the order of the text."""
        return sorted(self._dates, key=lambda stated: stated.start)


def _read(match: re.Match[str], order: DateOrder | None) -> StatedDate | None:
    groups = match.groupdict()
    start, end = match.span()
    if groups.get("decade"):
        return StatedDate(start, end, 10 * int(groups["decade"]), decade=True)
    year = int(groups["year"]) if groups.get("year") else None
    if groups.get("short"):
        year = int(groups["short"])
        year += 1900 if year > _LAST_SHORT_YEAR else 2000
    if "first" in groups:
        order = "day first" if "º" in match[0] else order
        day, month = _ordered(int(groups["first"]), int(groups["second"]), groups["separator"], order)
    else:
        day = int(groups["day"]) if groups.get("day") else None
        month = int(groups["number"]) if groups.get("number") else _month((groups.get("month") or "").lower())
    if month is None or (day and _day(year or 2000, month, day) is None):
        return None
    if groups.get("month") in _VERBS and not year:
        before = max(0, start - _LONGEST_PREPOSITION)
        if not _BEHIND_PREPOSITION.search(match.string, before, start):
            return None
    return StatedDate(start, end, year, month, day)


def _month(name: str) -> int | None:
    return MONTH_NUMBER.get(name) or _SHORT_MONTH_NUMBER.get(name)


def _ordered(
    first: int, second: int, separator: str, order: DateOrder | None
) -> tuple[int | None, int | None]:
    """Day and month of two numbers; stops between them, or a number above 12, leave one order."""
    if separator == ".":
        return first, second
    if order is None and first <= 12 and second <= 12 and first != second:
        return None, None
    if second > 12 or (order == "month first" and first <= 12):
        return second, first
    return first, second


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


_WRITTEN = {written for name in MONTH_NUMBER for written in (name, name.capitalize())}
_MONTH_OF_CELL = rf"(?:^|[|;,:\t\"])[ ]*(?P<month>{lexicon.either(_WRITTEN)})\.?[ ]*(?=$|[|;,:\t\"])"


def months_of_cells(text: str) -> list[StatedDate]:
    """The months that are all that a cell of a table, the name of a column or a field holds.

    >>> [month.month for month in months_of_cells("Item | Jan | Feb\\nRent | 900 | 910, in May")]
    [1, 2]
    """
    found = _compiled(_MONTH_OF_CELL, re.MULTILINE).finditer(text)
    return [StatedDate(*match.span("month"), None, MONTH_NUMBER[match["month"].lower()]) for match in found]


_AGE = re.compile(r"([0-9]{1,5})\s*([dwmy])")
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}


def day_before(age: str, today: date) -> date | None:
    """The day that lies so far back; None for what is no age.

    >>> day_before("2w", date(2025, 3, 15)), day_before("soon", date(2025, 3, 15))
    (datetime.date(2025, 3, 1), None)
    """
    match = _AGE.fullmatch(age.strip().lower())
    days = int(match[1]) * _DAYS[match[2]] if match else None
    if days is None or days >= today.toordinal():
        return None
    return today - timedelta(days)
