"""Finds out when a source was written."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from bob.core.document import SourceDate
from bob.text.dates import date_in_name


def resolve_source_date(parsed_date: SourceDate | None, path: Path, mtime: float) -> SourceDate:
    """When the source was written: what it says itself, else its name, else when the file was changed.

    `mtime` is in seconds since 1970; the day is that of UTC, so that it is the same on every machine.
    """
    if parsed_date is not None:
        return parsed_date
    named = date_in_name(path.name)
    if named is not None:
        return SourceDate(named, "file_name")
    return SourceDate(datetime.fromtimestamp(mtime, UTC).date(), "mtime")
