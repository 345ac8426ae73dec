"""Reads a date where it stands unmistakably: "2021-03-04", "4 March 2021", never "3/4/2021"."""

from __future__ import annotations

import re
from datetime import date

from bob.domain.months import MONTH_NUMBER

_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.|er)?"
_MONTH = r"(?P<month>[^\W\d_]{3,10})\.?"
_FORMS = (
    re.compile(rf"(?<![\d-]){_YEAR}([-/.])(?P<month>\d\d?)\2(?P<day>\d\d?)(?![\d-])"),
    re.compile(rf"(?<!\d){_DAY}\s+(?:de\s+)?{_MONTH},?\s+(?:de\s+)?{_YEAR}(?!\d)"),
    re.compile(rf"(?<!\w){_MONTH}\s+{_DAY},?\s+{_YEAR}(?!\d)"),
)


def date_in(text: str) -> date | None:
    """The only date in a text; None when there is none, or more than one."""
    found = {each for form in _FORMS for match in form.finditer(text) if (each := _date(match)) is not None}
    return found.pop() if len(found) == 1 else None


def _date(match: re.Match[str]) -> date | None:
    month = match["month"].lower()
    try:
        return date(
            int(match["year"]), int(month) if month.isdigit() else MONTH_NUMBER[month], int(match["day"])
        )
    except (KeyError, ValueError):
        return None
