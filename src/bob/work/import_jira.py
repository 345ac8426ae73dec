"""Reads what Jira exports: a CSV file, or the JSON of a search."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from bob.core.errors import UsageError
from bob.work.import_record import BadRow, ImportedItem, bad_moment, lines, moment

_CUSTOM = re.compile(r"Custom field \((.+)\)")
_KEY = "Issue key"
_TYPE = "Issue Type"
_BLOCKS = frozenset({"paragraph", "heading", "codeBlock", "listItem", "blockquote", "tableRow", "rule"})
_CSV_MOMENTS = ("%d/%b/%y %I:%M %p", "%d/%b/%Y %I:%M %p", "%d/%b/%y %H:%M", "%Y-%m-%d %H:%M")


def read(text: str) -> Iterator[ImportedItem | BadRow]:
    """The items in order. Raises UsageError: it is neither of the two."""
    if text.lstrip("\ufeff \r\n\t")[:1] in ("{", "["):
        yield from _json_items(text)
    else:
        yield from _csv_items(text)


def _csv_items(text: str) -> Iterator[ImportedItem | BadRow]:
    rows = lines(text)
    _, header = next(rows, ("", []))
    names = [cell.strip() for cell in header]
    if "Summary" not in names or _KEY not in names:
        raise UsageError(f"not an export of Jira: the first line has no columns Summary and {_KEY}")
    for where, cells in rows:
        if len(cells) > len(names):
            yield BadRow(where, f"{len(cells)} cells, but the first line has {len(names)}")
            continue
        # A column stands several times, once for each of its values.
        values: dict[str, list[str]] = {}
        for name, cell in zip(names, cells, strict=False):
            if cell.strip():
                values.setdefault(name, []).append(cell.strip())

        def first(name: str, values: dict[str, list[str]] = values) -> str:
            return values.get(name, [""])[0]

        if not first(_KEY):
            yield BadRow(where, f"{_KEY} is missing")
            continue
        fields = {
            match[1]: ", ".join(value) for name, value in values.items() if (match := _CUSTOM.match(name))
        }
        for name, column in (("Labels", "Labels"), ("Component", "Component/s")):
            given = values.get(column) or values.get(column.removesuffix("/s") + "s")
            if given:
                fields[name] = ", ".join(given)
        created = _csv_moment(first("Created"))
        if created is None and first("Created"):
            yield bad_moment(f"{where} ({first(_KEY)})", first("Created"))
            continue
        yield ImportedItem(
            f"{where} ({first(_KEY)})",
            first(_KEY),
            first("Summary"),
            first("Description"),
            tuple(filter(None, (first("Status"), first("Status Category")))),
            tuple(filter(None, (first("Priority"),))),
            first(_TYPE),
            first("Assignee"),
            fields,
            created,
        )


def _csv_moment(written: str) -> datetime | None:
    for form in _CSV_MOMENTS:
        try:
            return moment(datetime.strptime(written, form).isoformat())
        except ValueError:
            continue
    return moment(written)


def _json_items(text: str) -> Iterator[ImportedItem | BadRow]:
    try:
        parsed = json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise UsageError("it is no JSON") from error
    records = parsed.get("issues") if isinstance(parsed, dict) else parsed
    if not isinstance(records, list):
        raise UsageError("not a search result of Jira: there is no list of items")
    for index, record in enumerate(records, 1):
        if not isinstance(record, dict) or not isinstance(record.get("fields"), dict):
            yield BadRow(f"item {index}", "fields is missing")
        elif not _text(record.get("key")):
            yield BadRow(f"item {index}", "key is missing")
        else:
            yield _json_item(f"item {index} ({record['key']})", _text(record["key"]), record["fields"])


def _json_item(where: str, key: str, values: Mapping[str, Any]) -> ImportedItem:
    status = values.get("status")
    kind = status.get("statusCategory") if isinstance(status, dict) else None
    statuses = (_name(status), _name(kind), _name(kind, "key"))
    assignee = values.get("assignee")
    fields = {
        name: ", ".join(filter(None, (_name(value) or _text(value) for value in values.get(column) or ())))
        for name, column in (("Labels", "labels"), ("Component", "components"))
        if isinstance(values.get(column), list) and values[column]
    }
    return ImportedItem(
        where,
        key,
        _text(values.get("summary")),
        _description(values.get("description")),
        tuple(filter(None, statuses)),
        tuple(filter(None, (_name(values.get("priority")),))),
        _name(values.get("issuetype")),
        _name(assignee, "emailAddress") or _name(assignee, "displayName") or _name(assignee),
        fields,
        moment(_text(values.get("created"))),
    )


def _description(value: Any) -> str:
    """Plain text, also of a document in Atlassian's format."""
    if not isinstance(value, dict):
        return _text(value)
    parts: list[str] = []
    waiting: list[Any] = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            parts.append(node)
        elif isinstance(node, dict):
            if isinstance(node.get("text"), str):
                parts.append(node["text"])
            after = ["\n"] if node.get("type") in (*_BLOCKS, "hardBreak") else []
            content = node.get("content")
            waiting += [*after, *reversed(content if isinstance(content, list) else [])]
    return "".join(parts).strip()


def _name(value: Any, key: str = "name") -> str:
    return _text(value.get(key)) if isinstance(value, dict) else ""


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
