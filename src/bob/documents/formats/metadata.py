"""Finds out when a source was written and in which language."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from bob.core.document import Section, SourceDate
from bob.text.dates import date_in_folders, date_in_name, month_in_name
from bob.text.languages import detect_language

_OF_MESSAGES = frozenset({"mail", "chat"})
"""Types of sources that are dated by each message, and better than by what their file is called."""


def resolve_source_date(
    parsed_date: SourceDate | None, path: Path, mtime: float, source_type: str = ""
) -> SourceDate:
    """When the source was written (SPEC B3): what it says itself, else its name or that of a folder, else
    what a program noted in it, else when the file was changed. What is of a month is of its first day.

    `mtime` is in seconds since 1970; the day is that of UTC, so that it is the same on every machine.
    """
    is_noted = parsed_date is not None and parsed_date.kind == "properties"
    if parsed_date is not None and (not is_noted or source_type in _OF_MESSAGES):
        return parsed_date
    named = date_in_name(path.name)
    if named is None and (month := month_in_name(path.name)):
        if parsed_date is not None and parsed_date.value.replace(day=1) == month:
            return parsed_date  # and says which day of the month
        named = month
    named = named or date_in_folders(path.parent.parts)
    if named is not None:
        return SourceDate(named, "file_name")
    return parsed_date or SourceDate(datetime.fromtimestamp(mtime, UTC).date(), "mtime")


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
