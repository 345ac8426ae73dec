"""Rows of tables that an answer may quote: those of delimited text (CSV), and what they have empty."""

from __future__ import annotations

from dataclasses import replace

from bob.answers.units import Unit, unit_at
from bob.text.tables import delimited_rows, named_cells, names_columns, shown_cells, sniff_delimiter
from bob.text.words import stems_of


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


def empty_of(row: Unit, stems: set[str]) -> tuple[str, ...]:
    """The columns that a question names, by the stems of its words, and whose cells are empty in a row."""
    empty = [column for column, cell in row.cells if column and not cell]
    return tuple(column for column in empty if stems_of(column) <= stems)
