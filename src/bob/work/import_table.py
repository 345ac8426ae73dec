"""Reads a CSV file with a header row: known columns make the item, all others are custom fields."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from bob.core.errors import UsageError
from bob.work.import_record import BadRow, ImportedItem, moment

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


def read(text: str) -> Iterator[ImportedItem | BadRow]:
    """The rows in order. Raises UsageError: it is no CSV with a title column."""
    rows = lines(text)
    header = next(rows, None)
    if header is None:
        raise UsageError("the file is empty; its first line names the columns")
    names = [each.strip() for each in header[1]]
    columns = {kind: _column(names, called) for kind, called in _KNOWN.items()}
    if columns["title"] is None:
        raise UsageError(f"the first line has no column title; it has {', '.join(filter(None, names))}")
    for where, cells in rows:
        if len(cells) > len(names):
            yield BadRow(where, f"{len(cells)} cells, but the first line has {len(names)}")
            continue
        row = cells + [""] * (len(names) - len(cells))

        def cell(kind: str, row: list[str] = row) -> str:
            at = columns[kind]
            return row[at].strip() if at is not None else ""

        known = set(columns.values())
        yield ImportedItem(
            where,
            cell("id") or None,
            cell("title"),
            cell("description"),
            (cell("status"),) if cell("status") else (),
            (cell("priority"),) if cell("priority") else (),
            cell("category"),
            cell("assignee"),
            {
                name: value.strip()
                for at, (name, value) in enumerate(zip(names, row, strict=True))
                if at not in known and name and value.strip()
            },
            moment(cell("created")),
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
        if any(each.strip() for each in cells):
            yield where, cells


def _column(names: list[str], called: tuple[str, ...]) -> int | None:
    lower = [name.lower() for name in names]
    return next((lower.index(each) for each in called if each in lower), None)
