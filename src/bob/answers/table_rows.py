"""Rows of tables that an answer may quote: those of delimited text (CSV), and what of a long row is told."""

from __future__ import annotations

from dataclasses import replace

from bob.answers.units import Unit, unit_at
from bob.text.tables import delimited_rows, named_cells, names_columns, shown_cells, sniff_delimiter
from bob.text.words import stems_of

LONG_ROW, SHORT_CELL = 400, 60
"""The characters of a row of which not all is told, and of a cell whose words tell what it is about."""


def rows_of(text: str, head: str) -> list[Unit]:
    """The rows of a chunk, each with the names of its columns. `head` is the row that names them, "" where
    the chunk begins with it, or there is none."""
    lines = text.split("\n")
    above = head.splitlines()
    delimiter = sniff_delimiter([*above, *lines])
    columns = next((cells for _, _, cells in delimited_rows(above, delimiter)), [])
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    rows: list[Unit] = []
    for first, after, cells in delimited_rows([line.rstrip("\r") for line in lines], delimiter):
        row = text[starts[first] : starts[after] - 1]
        start, end = starts[first] + len(row) - len(row.lstrip()), starts[first] + len(row.rstrip())
        if start >= end:
            continue
        if not columns and not rows and names_columns(cells):
            columns = cells
            rows.append(unit_at(text, start, end, "head"))
        else:
            unit = unit_at(text, start, end, "row")
            # A long row may be cut: then it has not as many cells as there are columns.
            is_whole = len(cells) == len(columns)
            named = named_cells(columns, [" ".join(cell.split()) for cell in cells]) if is_whole else ()
            rows.append(replace(unit, line=shown_cells(named), cells=named) if named else unit)
    return rows


def narrowed(row: Unit, stems: set[str]) -> Unit:
    """A long row with no more than what it is of, its first cell of words, and the cells that have to do with
    a question, by the stems of its words: those under such a name, and short ones with such a word."""
    if len(row.line) <= LONG_ROW:
        return row
    first = next((cell for cell in row.cells if any(map(str.isalpha, cell[1]))), None)
    cells = tuple(
        (column, cell)
        for column, cell in row.cells
        if (column, cell) == first
        or not stems.isdisjoint(stems_of(column))
        or (len(cell) <= SHORT_CELL and not stems.isdisjoint(stems_of(cell)))
    )
    return replace(row, line=shown_cells(cells), cells=cells) if len(cells) > 1 else row


def empty_of(row: Unit, stems: set[str]) -> tuple[str, ...]:
    """The columns that a question names, by the stems of its words, and whose cells are empty in a row."""
    empty = [column for column, cell in row.cells if column and not cell]
    return tuple(column for column in empty if stems_of(column) <= stems)
