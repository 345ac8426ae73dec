"""Writes a cell's value as a person sees it: dates as ISO, numbers without the noise of binary fractions."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

_QUOTED = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')
_PERCENT_DECIMALS = re.compile(r"\.([0#?]+)\s*%")
_PRECISION = 15  # Excel keeps and shows fifteen digits; 0.1 + 0.2 is 0.3 there


def shown_value(value: object, number_format: str | None) -> str:
    """The text of a value on one line; `number_format` in Excel's notation decides on percent and time.

    >>> shown_value(0.1 + 0.2, "General"), shown_value(0.256, "0.0%"), shown_value(3.0, None)
    ('0.3', '25.6%', '3')
    """
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case int():
            return _percent(value, number_format or "") or str(value)
        case float():
            return _percent(value, number_format or "") or _number(value)
        case datetime():
            return _moment(value)
        case date():
            return value.isoformat()
        case time():
            return value.replace(microsecond=0).isoformat()
        case timedelta():
            return _duration(value)
    return " ".join(str(value).split())


def _number(value: float) -> str:
    # Excel shows 1E+21 as such; up to its precision whole numbers are written out, identifiers above all.
    if value.is_integer() and abs(value) < 10**_PRECISION:
        return str(int(value))
    return f"{value:.{_PRECISION}g}"


def _percent(value: float, number_format: str) -> str:
    code = _QUOTED.sub("", number_format).split(";")[0] if "%" in number_format else ""
    if "%" not in code:
        return ""
    decimals = _PERCENT_DECIMALS.search(code)
    return f"{value * 100:.{len(decimals[1]) if decimals else 0}f}%"


def _moment(value: datetime) -> str:
    # Fractions of a day are not exact: 12:00 is often kept as 11:59:59.9999.
    rounded = (value + timedelta(microseconds=500_000)).replace(microsecond=0) if value.year < 9999 else value
    if rounded.time() == time():
        return rounded.date().isoformat()
    return rounded.isoformat(sep=" ", timespec="seconds" if rounded.second else "minutes")


def _duration(value: timedelta) -> str:
    seconds = round(value.total_seconds())
    minutes, second = divmod(abs(seconds), 60)
    return f"{'-' if seconds < 0 else ''}{minutes // 60}:{minutes % 60:02d}:{second:02d}"
