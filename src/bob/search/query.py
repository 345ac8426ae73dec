"""The query syntax (SPEC D2). Whatever is typed means something: odd input is taken as words.

words that matter        ranked by
"exact phrase"           must occur
-word  -"a phrase"       must not occur
project:x type:pdf tag:x lang:pt path:notes/    only such documents; a value with spaces in quotes
after:2024 before:2025-06-30                    by source date: from its first day; up to its eve
decision:active                                 with a decision that is active, proposed, superseded,
                                                deprecated or rejected; any: with a decision
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from bob.core.filters import NO_FILTERS, Filters, Query
from bob.text.dates import first_day

_TOKEN = re.compile(
    r"""(?P<minus>-(?=["\w]))?(?:(?P<key>project|type|tag|lang|path|after|before|decision):)?"""
    r"""(?:"(?P<quoted>[^"]*)"|(?P<bare>\S+))""",
    re.IGNORECASE,
)
_FIELDS = {
    "project": "projects",
    "type": "source_types",
    "tag": "tags",
    "lang": "languages",
    "path": "path_prefixes",
}


_STATUSES = {
    status: status for status in ("active", "proposed", "superseded", "deprecated", "rejected", "any")
}
_STATUSES["accepted"] = "active"


def parse_query(typed: str, filters: Filters = NO_FILTERS) -> Query:
    """What a person typed, on top of filters that hold anyway. Never raises."""
    words: list[str] = []
    phrases: list[str] = []
    excluded: list[str] = []
    for token in _TOKEN.finditer(typed):
        key = (token["key"] or "").lower()
        value = token["quoted"] if token["quoted"] is not None else token["bare"]
        if key and value.strip() and not token["minus"]:
            narrowed = _narrowed(filters, key, value.strip())
            if narrowed is not None:
                filters = narrowed
                continue
        if key:
            # A key without a usable value, or with a minus, is taken as it was typed.
            words.append(token[0].lstrip("-"))
        elif token["minus"]:
            excluded.append(value)
        elif token["quoted"] is not None:
            if value.strip():
                phrases.append(value.strip())
                words.append(value.strip())
        else:
            words.append(value)
    return Query(" ".join(words), tuple(phrases), tuple(word for word in excluded if word.strip()), filters)


def _narrowed(filters: Filters, key: str, value: str) -> Filters | None:
    if key in _FIELDS:
        changed: dict[str, Any] = {_FIELDS[key]: (*getattr(filters, _FIELDS[key]), value)}
        return replace(filters, **changed)
    if key == "decision":
        status = _STATUSES.get(value.lower())
        return None if status is None else replace(filters, decisions=(*filters.decisions, status))
    day = first_day(value)
    if day is None:
        return None
    return replace(filters, after=day) if key == "after" else replace(filters, before=day)
