"""Finds out when a source was written and in which language."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from bob.core.document import Section, SourceDate
from bob.text.dates import date_in_name, month_in_name
from bob.text.languages import detect_language


def resolve_source_date(parsed_date: SourceDate | None, path: Path, mtime: float) -> SourceDate:
    """When the source was written: what it says itself, else its name, else when the file was changed. What
    is of a month is of its first day.

    `mtime` is in seconds since 1970; the day is that of UTC, so that it is the same on every machine.
    """
    if parsed_date is not None:
        return parsed_date
    named = date_in_name(path.name) or month_in_name(path.name)
    if named is not None:
        return SourceDate(named, "file_name")
    return SourceDate(datetime.fromtimestamp(mtime, UTC).date(), "mtime")


_SAMPLED_SECTIONS = 20  # the first ones may be covers and tables of contents
_SAMPLE_OF_EACH = 2_000
_TAG = re.compile(r"[a-z]{2,3}(?![a-z])", re.IGNORECASE)


def language_of(sections: Iterable[Section], declared: str | None = None) -> str | None:
    """The language of the text, else the one that the file declares, as two or three lower-case letters.

    Programs declare the language of their menus, so the text has the first word.
    """
    sample = "\n".join(section.text[:_SAMPLE_OF_EACH] for section in islice(sections, _SAMPLED_SECTIONS))
    tag = _TAG.match(declared or "")
    return detect_language(sample) or (tag[0].lower() if tag else None)
