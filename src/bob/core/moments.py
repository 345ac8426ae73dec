"""Moments as databases and other programs write them, read as datetimes in UTC."""

from __future__ import annotations

from datetime import UTC, datetime

FIRST, LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
"""The first moment that the calendar has, and the last."""


def kept_moment(seconds: float, first: datetime = FIRST, last: datetime = LAST) -> datetime:
    """A moment as the database has it, which other programs or older versions of Bob may have written; one
    before the `first` or after the `last` is that one."""
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError):
        return first if seconds < 0 else last
    return min(max(moment, first), last)


def written_moment(text: str) -> datetime | None:
    """A date and time in ISO 8601; None if it is none. Without a zone it is UTC.

    >>> written_moment("2025-01-31T10:00"), written_moment("noon")
    (datetime.datetime(2025, 1, 31, 10, 0, tzinfo=datetime.timezone.utc), None)
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
