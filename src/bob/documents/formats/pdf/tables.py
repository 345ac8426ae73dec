"""Makes text of the rows of a table on a PDF page, each cell in its column; knows nothing of PDF."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from bob.core.document import BlockKind
from bob.text.tables import is_head, is_number, lines_of, rule_below

_MOST_COLUMNS = 60  # more is no table, but a drawing

_HEAD_LEVELS = 2
_UNNAMED = 0.3  # of a column's width: as bad as a name that far from the middle of its columns
_LEAST_OVERLAP = 0.3  # of a word's share of its cell

_BULLET = re.compile(r"[^\w\s(\[{$€£+-]")
_MARK = re.compile(r"[§.(]? ?(?:\d{1,3}|\d+(?:\.\d+)+|[a-zA-Z]|[ivxlcIVXLC]{2,7})\w?[.):]*")
"""What numbers the text behind it, and is no cell of its own."""

_SIGN = re.compile(r"(?:^|(?<=\d)[^\S\n]+)([A-Z]{0,3}[$£€¥])$")
"""The sign of a currency before its amount, which spreadsheets set at the other edge of the cell."""
_YEAR = re.compile(r"(?:19|20)\d\d")
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
    levels = _levels_joined(rows)
    table = _aligned([levels, *rows[_HEAD_LEVELS:]] if levels else rows)
    if table is not None and levels:
        first, *below = lines_of(table)
        return "\n".join((first, rule_below(len(table[0])), *below)), "table"
    if table is not None and is_head(table[0], table[1:]):
        return "\n".join(lines_of(table)), "table"
    texts = [[cell.text for cell in row] for row in rows]
    lines = lines_of(texts)
    if is_head(texts[0], texts[1:]):
        # The names do not stand above the cells that are counted to them.
        lines[0] += "\n"
    return "\n".join(lines), "list"


def _aligned(rows: Sequence[Row]) -> list[list[str]] | None:
    """The texts of the cells, with an empty one where a row has nothing in a column that others have; None if
    the rows have no columns in common."""
    columns = _columns_of(rows)
    parted = [_parted(row, columns) for row in rows]
    names = _parted(rows[0], columns, _are_numbers(parted[1:], columns))
    # Names of several words above columns of their own leave some without.
    parted[0] = names if len(names) >= len(columns) - 1 else rows[0]
    table = [_in_columns(row, columns) for row in parted]
    return [row for row in table if row] if columns and all(table) else None


def _columns_of(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """The columns in which the cells stand, none where they are too many."""
    columns: list[tuple[float, float]] = []
    for row in sorted(rows, key=len, reverse=True):
        for cell in row:
            _put_in_column(columns, cell)
        if len(columns) > _MOST_COLUMNS:
            return []
    return columns


def _are_numbers(rows: Sequence[Row], columns: Sequence[tuple[float, float]]) -> list[bool]:
    """For each column whether most of its cells are numbers."""
    numbers = [0] * len(columns)
    for cell in (cell for row in rows for cell in row):
        column = _column_of(columns, cell)
        if column is not None:
            numbers[column] += -1 if _LETTER.search(cell.text) else 1
    return [count > 0 for count in numbers]


def _levels_joined(rows: Sequence[Row]) -> Row:
    """The names of the columns where those of the first row each span several of the second; else nothing."""
    if len(rows) <= _HEAD_LEVELS or len(rows[0]) > len(rows[1]):
        return []
    upper, lower, *body = rows
    columns = _columns_of(rows[1:])
    if len(columns) <= _HEAD_LEVELS:
        return []
    are_numbers = _are_numbers([_parted(row, columns) for row in body], columns)
    texts = _in_columns(_parted(lower, columns, are_numbers), columns)
    if not texts or not all(texts[1:]) or not all(are_numbers[1:]) or any(map(_is_value, texts)):
        return []
    if any(is_number(cell.text) for cell in upper):
        return []
    has_label = _column_of(columns, upper[0]) == 0
    label, above = (upper[0].text, upper[1:]) if has_label else ("", upper)
    spans = _spans(above, columns)
    if all(start + 1 == end for start, end in spans):
        return []
    names = [" ".join(part for part in (label, texts[0]) if part), *texts[1:]]
    for cell, (start, end) in zip(above, spans, strict=True):
        names[start:end] = [f"{cell.text} {name}" for name in names[start:end]]
    return [Cell(name, *column) for name, column in zip(names, columns, strict=True) if name]


def _spans(cells: Row, columns: Sequence[tuple[float, float]]) -> list[tuple[int, int]]:
    """The columns, but the first, that each cell stands above: those in whose middle it is, or nearly."""
    usual = (columns[-1][1] - columns[0][1]) / (len(columns) - 1)
    # For each column and number of cells before it: how far they are from the middle, and their spans.
    best: dict[tuple[int, int], tuple[float, list[tuple[int, int]]]] = {(1, 0): (0.0, [])}
    for end in range(2, len(columns) + 1):
        for count in range(min(end, len(cells) + 1)):
            ways = []
            if (end - 1, count) in best:
                far, spans = best[end - 1, count]
                ways.append((far + usual * _UNNAMED, spans))
            for start in range(1, end):
                if count and (start, count - 1) in best:
                    far, spans = best[start, count - 1]
                    cell = cells[count - 1]
                    off = abs(cell.left + cell.right - columns[start][0] - columns[end - 1][1]) / 2
                    ways.append((far + off, [*spans, (start, end)]))
            if ways:
                best[end, count] = min(ways)
    return best.get((len(columns), len(cells)), (0.0, []))[1]


def _is_value(text: str) -> bool:
    return is_number(text) and not _YEAR.fullmatch(text)


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
