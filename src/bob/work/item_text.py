"""Writes a work item as the text that the memory reads (SPEC K2), and says what of it is searched.

A status or a priority in a document is stale by rule, since a change of either indexes nothing anew: it is
kept, and not searched. Labels are the same in every document and would make all of them alike.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from bob.work.items import FieldType, WorkItem
from bob.work.values import clean_line, clean_text

_BEGINNING = "Work Item: "

_END = re.compile(
    r"(?:\n\nCategory:\n(?P<category>[^\n]+))?"
    r"\n\nStatus:\n[^\n]*"
    r"(?:\n\nPriority:\n[^\n]*)?"
    r"(?:\n\nCustom Fields:\n(?P<fields>(?:- [^\n]*\n?)+))?"
    r"\s*\Z"
)
_DESCRIPTION = "\n\nDescription:\n"


def searched_text(title: str, content: str) -> str:
    """The text to search for a resource; one that is no item's document is its title and content.

    >>> searched_text("Slow app", "Work Item: Slow app\\n\\nDescription:\\nFive seconds.\\n\\nStatus:\\nOPEN")
    'Slow app\\n\\nFive seconds.'
    """
    if not content.startswith(_BEGINNING):
        return content if content.startswith(title) else f"{title}\n\n{content}"
    end = _END.search(content)
    body = content[len(_BEGINNING) : end.start() if end else None].replace(_DESCRIPTION, "\n\n", 1)
    more = [end["category"], (end["fields"] or "").replace("\n- ", "\n").removeprefix("- ")] if end else []
    return "\n\n".join(part.strip() for part in (body, *more) if part and part.strip())


_ID = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?=.*\d)[0-9a-f]{12,}", re.IGNORECASE
)
_MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.,+-]*Z?|\d\d:\d\d(?::\d\d)?(?: ?[ap]m)?", re.IGNORECASE
)
SHOWN_TYPES = frozenset({FieldType.TEXT, FieldType.ENUM, FieldType.BOOLEAN})
"""Types of custom fields whose values may say something to a search by meaning."""

_AFFIRMED = {"true": "Yes", "false": "No"}


def build_document(item: WorkItem, types: Mapping[str, FieldType], redact: Callable[[str], str] = str) -> str:
    """The item in natural language. `types` has the type of each custom field by name; `redact` takes
    secrets out of a piece of text."""
    parts = [f"Work Item: {redact(clean_line(item.title))}"]
    description = redact(clean_text(item.description or ""))
    if description:
        parts.append(f"Description:\n{description}")
    category = redact(clean_line(item.category.name)) if item.category else ""
    if category:
        parts.append(f"Category:\n{category}")
    parts.append(f"Status:\n{item.status}")
    if item.priority:
        parts.append(f"Priority:\n{item.priority}")
    shown = ((name, shown_value(types[name], value)) for name, value in item.fields.items())
    # Name and value together: that "hunter2" is a secret is seen by the name of its field.
    fields = [f"- {redact(f'{clean_line(name)}: {value}')}" for name, value in shown if value]
    if fields:
        parts.append("\n".join(["Custom Fields:", *fields]))
    return "\n\n".join(parts)


def shown_value(field_type: FieldType, value: str | None) -> str | None:
    """A custom field's value as the document has it, from its canonical text; None where it says nothing to
    a search by meaning: no value, numbers, dates, ids, JSON.

    >>> shown_value(FieldType.BOOLEAN, "true"), shown_value(FieldType.TEXT, "4 711")
    ('Yes', None)
    """
    if value is None or field_type not in SHOWN_TYPES:
        return None
    if field_type is FieldType.BOOLEAN:
        return _AFFIRMED.get(value)
    line = clean_line(value)
    return None if not line or _is_data(line) else line


def _is_data(line: str) -> bool:
    """Whether the text is no language: numbers alone (also a date, a version, a telephone), an id, a moment,
    JSON."""
    if any(character.isdigit() for character in line) and not any(character.isalpha() for character in line):
        return True
    if _ID.fullmatch(line) or _MOMENT.fullmatch(line):
        return True
    if line[0] not in "{[":
        return False
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
