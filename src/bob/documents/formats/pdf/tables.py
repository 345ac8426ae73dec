"""Makes text of the rows of a table on a PDF page, each cell in its column; knows nothing of PDF."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from bob.core.document import BlockKind
from bob.text.tables import is_head, is_number, lines_of

_MOST_COLUMNS = 60  # more is no table, but a drawing

_LEAST_OVERLAP = 0.3  # of a word's share of its cell

_BULLET = re.compile(r"[^\w\s(\[{$€£+-]")
_MARK = re.compile(r"[§.(]? ?(?:\d{1,3}|\d+(?:\.\d+)+|[a-zA-Z]|[ivxlcIVXLC]{2,7})\w?[.):]*")
"""What numbers the text behind it, and is no cell of its own."""

_SIGN = re.compile(r"(?:^|(?<=\d)[^\S\n]+)([A-Z]{0,3}[$£€¥])$")
"""The sign of a currency before its amount, which spreadsheets set at the other edge of the cell."""
_LETTER = re.compile(r"[^\W\d_]")
_AMOUNT = re.compile(r"[-–−(]?\d|[-–—]$")


class Cell(NamedTuple):
    """A part of a line between wide gaps."""

    text: str
    left: float
    right: float


Row = list[Cell]


def cells_of(parts: Sequence[Cell]) -> Row:
    """The cells of a line: a number goes with the text behind it, the name of a field with its value, and the
    sign of a currency with its amount."""
    row: Row = []
    for part in parts:
        sign = _SIGN.search(row[-1].text) if row and _AMOUNT.match(part.text) else None
        if sign and not (sign.start() and part.text.endswith(sign[1])):
            before = row.pop()
            if sign.start():
                row.append(Cell(before.text[: sign.start()], before.left, before.right))
            row.append(Cell(f"{sign[1]}{part.text}", part.left if sign.start() else before.left, part.right))
        elif row and (row[-1].text.endswith(":") or (len(row) == 1 and _is_mark(row[0].text, parts))):
            row[-1] = Cell(f"{row[-1].text} {part.text}", row[-1].left, part.right)
        else:
            row.append(part)
    return row


def _is_mark(text: str, parts: Sequence[Cell]) -> bool:
    if _BULLET.fullmatch(text):
        return True
    return len(parts) == 2 and not parts[1].text[:1].isdigit() and bool(_MARK.fullmatch(text))


def table_text(rows: Sequence[Row]) -> tuple[str, BlockKind]:
    """The rows, a line each with bars between the cells, and the kind of block that they are.

    Only below names of columns does it matter in which of them a cell stands. Other rows are a list, since
    what is cut from it needs no head.
    """
    kind: BlockKind = "table"
    table = _aligned(rows)
    if table is None or not is_head(table[0], table[1:]):
        table, kind = [[cell.text for cell in row] for row in rows], "list"
    lines = lines_of(table)
    if kind == "list" and is_head(table[0], table[1:]):
        # The names do not stand above the cells that are counted to them.
        lines[0] += "\n"
    return "\n".join(lines), kind


def _aligned(rows: Sequence[Row]) -> list[list[str]] | None:
    """The texts of the cells, with an empty one where a row has nothing in a column that others have; None if
    the rows have no columns in common."""
    columns: list[tuple[float, float]] = []
    for row in sorted(rows, key=len, reverse=True):
        for cell in row:
            _put_in_column(columns, cell)
        if len(columns) > _MOST_COLUMNS:
            return None
    parted = [_parted(row, columns) for row in rows[1:]]
    numbers = [0] * len(columns)
    for cell in (cell for row in parted for cell in row):
        column = _column_of(columns, cell)
        if column is not None:
            numbers[column] += -1 if _LETTER.search(cell.text) else 1
    names = _parted(rows[0], columns, [count > 0 for count in numbers])
    # Names of several words above columns of their own leave some without.
    table = [_in_columns(names if len(names) >= len(columns) - 1 else rows[0], columns)]
    table += [_in_columns(row, columns) for row in parted]
    return [row for row in table if row] if all(table) else None


def _parted(row: Row, columns: Sequence[tuple[float, float]], are_numbers: Sequence[bool] = ()) -> Row:
    """The cells of a row, those parted that are numbers of several columns, too close for a gap.

    So are names above columns that mostly `are_numbers`.
    """
    parted: Row = []
    for cell in row:
        words = cell.text.split()
        least = (cell.right - cell.left) / max(len(words), 1) * _LEAST_OVERLAP
        over = [
            number
            for number, (left, right) in enumerate(columns)
            if min(right, cell.right) - max(left, cell.left) > least
        ]
        fits = all(are_numbers[number] for number in over) if are_numbers else all(map(is_number, words))
        if len(words) == len(over) > 1 and fits:
            parted += [Cell(word, *columns[number]) for word, number in zip(words, over, strict=True)]
        else:
            parted.append(cell)
    return parted


def _put_in_column(columns: list[tuple[float, float]], cell: Cell) -> None:
    """Widens the column that a cell stands in, up to its neighbours, or adds one."""
    number = _column_of(columns, cell)
    if number is None:
        position = sum(left < cell.left for left, _ in columns)
        columns.insert(position, (cell.left, cell.right))
        return
    left, right = columns[number]
    least = columns[number - 1][1] if number else cell.left
    most = columns[number + 1][0] if number + 1 < len(columns) else cell.right
    columns[number] = (min(left, max(cell.left, least)), max(right, min(cell.right, most)))


def _column_of(columns: Sequence[tuple[float, float]], cell: Cell) -> int | None:
    """The column that has most of a cell."""
    overlaps = [min(right, cell.right) - max(left, cell.left) for left, right in columns]
    most = max(overlaps, default=0.0)
    return overlaps.index(most) if most > 0 else None


def _in_columns(row: Row, columns: Sequence[tuple[float, float]]) -> list[str] | None:
    """The texts of a row, one for each column; None when two cells stand in the same."""
    texts = [""] * len(columns)
    for cell in row:
        number = _column_of(columns, cell)
        if number is None or texts[number]:
            return None
        texts[number] = cell.text
    return texts
