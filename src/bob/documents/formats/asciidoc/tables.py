"""The rows of an AsciiDoc table: a cell stands on a line of its own, or many on one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bob.text.tables import delimited_rows

_MARK = re.compile(r"[|,:!]={3,}$")
_CELL = re.compile(
    r"(?:(?:^|(?<=\s))(?:(?P<repeat>\d{1,2})\*|(?:(?P<wide>\d{1,2})?(?:\.(?P<high>\d{1,2}))?)?\+)?"
    r"[<^>]?(?:\.[<^>])?[adehlmsv]?)?(?<!\\)\|"
)
_COLUMNS = re.compile(r"cols=(?:\"([^\"]*)\"|([^,\]]*))")
_TIMES = re.compile(r"\s*(\d{1,2})\*")
_ITEM = re.compile(r"(?:\*{1,5}|-|\.{1,5})[ \t]+")
_MOST_COLUMNS = 100


_Reaching = tuple[int, str]
"""Into how many rows below a cell reaches, and its text."""


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a table, each with the line at which it begins (from 0); `has_head` says that the first
    line looks like a head."""

    rows: list[tuple[int, list[str]]]
    has_head: bool


@dataclass(slots=True)
class _Cell:
    line: int
    text: str
    wide: int = 1
    high: int = 1


def is_table_mark(line: str) -> bool:
    """Whether a line begins or ends a table."""
    return _MARK.match(line) is not None


def delimited_table(lines: Sequence[str], separator: str) -> Table:
    """A table whose cells have a separator between them."""
    groups = delimited_rows(lines, separator)
    rows = [(first, [cell.strip() for cell in cells]) for first, _, cells in groups if any(cells)]
    return Table(rows, _has_head(lines, rows))


def asciidoc_rows(lines: Sequence[str], style: str) -> Table:
    """A table whose cells begin with a bar; `style` are its attributes.

    >>> asciidoc_rows(["|Day |Hours", "", "|Monday", "|9 to 12"], "").rows
    [(0, ['Day', 'Hours']), (2, ['Monday', '9 to 12'])]
    """
    cells = _cells(lines)
    if not cells:
        return Table([], has_head=False)
    columns = _columns(style) or sum(cell.wide for cell in cells if cell.line == cells[0].line)
    rows: list[tuple[int, list[str]]] = []
    coming: dict[int, _Reaching] = {}
    reaching: dict[int, _Reaching] = {}
    current: list[str] = []
    line = 0
    for cell in cells:
        if not current:
            line, coming, reaching = cell.line, reaching, {}
        _repeat(current, coming, reaching)
        for number in range(min(cell.wide, max(columns - len(current), 1))):
            if cell.high > 1:
                reaching[len(current)] = (cell.high - 1, cell.text)
            current.append("" if number else cell.text)
        _repeat(current, coming, reaching)
        if len(current) >= columns:
            rows.append((line, current))
            current = []
    if any(current):
        rows.append((line, current))
    return Table(rows, _has_head(lines, rows))


def _repeat(current: list[str], coming: dict[int, _Reaching], reaching: dict[int, _Reaching]) -> None:
    """Say again in a row what reaches into it from the row above."""
    while len(current) in coming:
        left, text = coming.pop(len(current))
        if left > 1:
            reaching[len(current)] = (left - 1, text)
        current.append(text)


def _columns(style: str) -> int:
    match = _COLUMNS.search(style)
    if match is None:
        return 0
    columns = 0
    for part in (match[1] or match[2] or "").replace(";", ",").split(","):
        times = _TIMES.match(part)
        columns += int(times[1]) if times else 1
    return min(columns, _MOST_COLUMNS)


def _cells(lines: Sequence[str]) -> list[_Cell]:
    cells: list[_Cell] = []
    for index, line in enumerate(lines):
        marks = list(_CELL.finditer(line))
        before = line[: marks[0].start()] if marks else line
        if cells and before.strip() and not is_table_mark(before):
            text = before.strip()
            joint = "; " if _ITEM.match(text) and cells[-1].text else " "
            cells[-1].text = f"{cells[-1].text}{joint}{_ITEM.sub('', text, count=1)}".strip()
        for number, mark in enumerate(marks):
            end = marks[number + 1].start() if number + 1 < len(marks) else len(line)
            text = _ITEM.sub("", line[mark.end() : end].strip().replace("\\|", "|"), count=1)
            cell = _Cell(index, text, int(mark["wide"] or 1), int(mark["high"] or 1))
            cells += [cell] + [_Cell(index, text) for _ in range(int(mark["repeat"] or 1) - 1)]
    return cells


def _has_head(lines: Sequence[str], rows: Sequence[tuple[int, list[str]]]) -> bool:
    """Whether the first line holds a whole row, and an empty one stands below it."""
    if len(rows) < 2 or not lines or not lines[0].strip() or rows[0][0] != 0:
        return False
    return len(lines) > 1 and not lines[1].strip() and rows[1][0] > 1
