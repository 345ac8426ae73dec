"""Reads what GitHub exports as JSON: `gh … list --json …`, or the REST form."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from bob.core.errors import UsageError
from bob.work.import_record import BadRow, ImportedItem, moment

_PRIORITY = re.compile(r"(?:prio(?:rity)?[\s:/_-]*)([a-z0-9]+)|(p[0-4])", re.IGNORECASE)
_PLACE = re.compile(r"(?:github\.com|/repos)/([\w.-]+/[\w.-]+)")


def read(text: str) -> Iterator[ImportedItem | BadRow]:
    """The items in order, without pull requests. Raises UsageError: it is no such export."""
    try:
        records = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError("it is no JSON") from error
    if not isinstance(records, list):
        raise UsageError("it is no JSON array")
    for index, record in enumerate(records, 1):
        where = f"item {index}"
        if not isinstance(record, dict):
            yield BadRow(where, "it is no JSON object")
        elif not isinstance(record.get("number"), int):
            yield BadRow(where, "number is missing")
        elif "pull_request" not in record:
            yield _item(f"{where} (#{record['number']})", record)


def _item(where: str, record: Mapping[str, Any]) -> ImportedItem:
    labels = _names(record.get("labels"), "name")
    priorities = [match[1] or match[2] for label in labels if (match := _PRIORITY.fullmatch(label))]
    plain = [label for label in labels if not _PRIORITY.fullmatch(label)]
    assignees = _names(record.get("assignees"), "login")
    fields = {"Labels": ", ".join(plain)} if plain else {}
    closed = moment(_text(record.get("closedAt") or record.get("closed_at")))
    if closed:
        fields["Closed"] = closed.date().isoformat()
    return ImportedItem(
        where,
        f"{_place(record)}#{record['number']}",
        _text(record.get("title")),
        _text(record.get("body")),
        (_text(record.get("state")),) if record.get("state") else (),
        tuple(priorities),
        plain[0] if plain else "",
        assignees[0] if assignees else "",
        fields,
        moment(_text(record.get("createdAt") or record.get("created_at"))),
    )


def _place(record: Mapping[str, Any]) -> str:
    """The repository as owner/name, where the export says it: numbers begin anew in each."""
    for key in ("repository_url", "html_url", "url"):
        match = _PLACE.search(_text(record.get(key)))
        if match:
            return match[1]
    return ""


def _names(values: Any, key: str) -> list[str]:
    items = values if isinstance(values, list) else []
    names = [_text(item.get(key)) if isinstance(item, dict) else _text(item) for item in items]
    return [name for name in names if name]


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
