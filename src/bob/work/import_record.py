"""What readers make of a row of an export; CSV files with a header row."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from bob.core.errors import UsageError
from bob.core.moments import written_moment


@dataclass(frozen=True, slots=True)
class ImportedItem:
    """An item of an export.

    Attributes:
        where: for messages: "line 3".
        key: how the export calls the item, the same in the next export; None: the row is all there is.
        statuses, priorities: the tracker's words, the most exact first.
        fields: further values by name, as text.
    """

    where: str
    key: str | None
    title: str
    description: str = ""
    statuses: tuple[str, ...] = ()
    priorities: tuple[str, ...] = ()
    category: str = ""
    assignee_id: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that is no item, and why."""

    where: str
    reason: str


_STATUSES = {
    "OPEN": ("TODO", "TO_DO", "NEW", "BACKLOG", "REOPENED", "SELECTED_FOR_DEVELOPMENT", "TRIAGE", "READY"),
    "IN_PROGRESS": ("DOING", "STARTED", "ACTIVE", "IN_REVIEW", "REVIEW", "IN_DEVELOPMENT", "INDETERMINATE"),
    "BLOCKED": ("ON_HOLD", "WAITING", "STALLED"),
    "DONE": ("CLOSED", "RESOLVED", "FIXED", "COMPLETE", "COMPLETED", "FINISHED", "MERGED"),
    "ARCHIVED": ("ARCHIVE",),
}
_PRIORITIES = {
    "LOW": ("LOWEST", "MINOR", "TRIVIAL", "P3", "P4"),
    "MEDIUM": ("NORMAL", "MAJOR", "MODERATE", "P2"),
    "HIGH": ("IMPORTANT", "P1"),
    "URGENT": ("HIGHEST", "CRITICAL", "BLOCKER", "IMMEDIATE", "P0"),
}


def known_status(words: Sequence[str], allowed: Sequence[str]) -> str | None:
    """The first of the tracker's words that is one of ours, by itself or by what it means.

    >>> known_status(["In QA", "In Progress"], ["OPEN", "IN_PROGRESS"])
    'IN_PROGRESS'
    """
    return _known(words, allowed, _STATUSES)


def known_priority(words: Sequence[str], allowed: Sequence[str]) -> str | None:
    """The same for how urgent an item is.

    >>> known_priority(["Blocker"], ["LOW", "URGENT"])
    'URGENT'
    """
    return _known(words, allowed, _PRIORITIES)


def _known(words: Sequence[str], allowed: Sequence[str], meant: Mapping[str, Sequence[str]]) -> str | None:
    for each in words:
        word = re.sub(r"[\s-]+", "_", each.strip()).upper()
        if word in allowed:
            return word
        for ours, theirs in meant.items():
            if word in theirs and ours in allowed:
                return ours
    return None


def moment(written: str) -> datetime | None:
    """A date and time as trackers write it, in ISO 8601; None if it is none. Without a zone it is UTC."""
    return written_moment(written.strip())


_KNOWN = {
    "id": ("id", "key", "number"),
    "title": ("title", "summary", "name", "subject"),
    "description": ("description", "body", "details"),
    "status": ("status", "state"),
    "priority": ("priority",),
    "category": ("category", "type"),
    "assignee": ("assignee", "assigned to", "owner"),
    "created": ("created", "created_at", "created at"),
}
"""What columns may be called; the first name that is there counts."""


def bad_moment(where: str, written: str) -> BadRow:
    """A row that says when it was created in a way that nothing here reads."""
    return BadRow(where, f"created: «{written}» is no date in ISO 8601, such as 2024-12-31")


def read(text: str) -> Iterator[ImportedItem | BadRow]:
    """The rows in order. Raises UsageError: it is no CSV with a title column."""
    rows = lines(text)
    header = next(rows, None)
    if header is None:
        raise UsageError("the file is empty; its first line names the columns")
    names = [cell.strip() for cell in header[1]]
    columns = {kind: _column(names, called) for kind, called in _KNOWN.items()}
    if columns["title"] is None:
        raise UsageError(f"the first line has no column title; it has {', '.join(filter(None, names))}")
    for where, cells in rows:
        if len(cells) > len(names):
            yield BadRow(where, f"{len(cells)} cells, but the first line has {len(names)}")
            continue
        row = cells + [""] * (len(names) - len(cells))

        def cell(kind: str, row: list[str] = row) -> str:
            index = columns[kind]
            return row[index].strip() if index is not None else ""

        used = set(columns.values())
        created = moment(cell("created"))
        if created is None and cell("created"):
            yield bad_moment(where, cell("created"))
            continue
        fields: dict[str, list[str]] = {}
        for index, (name, value) in enumerate(zip(names, row, strict=True)):
            if index not in used and name and value.strip():
                fields.setdefault(name, []).append(value.strip())
        yield ImportedItem(
            where,
            cell("id") or None,
            cell("title"),
            cell("description"),
            (cell("status"),) if cell("status") else (),
            (cell("priority"),) if cell("priority") else (),
            cell("category"),
            cell("assignee"),
            {name: ", ".join(values) for name, values in fields.items()},
            created,
        )


def lines(text: str) -> Iterator[tuple[str, list[str]]]:
    """The rows of a CSV file that are not empty, each with its line; the mark between cells is that which
    the first line has most of."""
    first = text.lstrip("\ufeff").partition("\n")[0]
    mark = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text.lstrip("\ufeff"), newline=""), delimiter=mark)
    while True:
        where = f"line {reader.line_num + 1}"
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise UsageError(f"{where}: {error}") from error
        if cells is None:
            return
        if any(cell.strip() for cell in cells):
            yield where, cells


def _column(names: list[str], called: tuple[str, ...]) -> int | None:
    lower = [name.lower() for name in names]
    return next((lower.index(name) for name in called if name in lower), None)
