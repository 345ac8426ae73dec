"""Rows of tables that an answer may quote: those of delimited text (CSV), and what they have empty."""

from __future__ import annotations

from dataclasses import replace

from bob.answers.units.unit import Unit, unit_at
from bob.text.table_heads import FEWEST_WORDS_OF_DATA, belongs_to_head, head_of, names_of
from bob.text.tables import delimited_rows, named_cells, shown_cells, sniff_delimiter
from bob.text.words import stems_of


def rows_of(text: str, head: str) -> list[Unit]:
    """The rows of a chunk, each with the names of its columns. `head` is the row that names them, "" where
    the chunk begins with it, or there is none; below it may stand what the first row of the chunk is of."""
    lines = text.split("\n")
    above = head.splitlines()
    delimiter = sniff_delimiter([*above, *lines])
    columns, of = _columns_of(above, delimiter)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    rows = delimited_rows([line.rstrip("\r") for line in lines], delimiter)
    texts = [[" ".join(cell.split()) for cell in cells] for _, _, cells in rows]
    if columns:
        named_from = next(
            (number for number, cells in enumerate(texts) if belongs_to_head(cells, columns)), 0
        )
    else:
        named_from, after = head_of(texts, fewest_words=FEWEST_WORDS_OF_DATA) or (len(rows), 0)
        columns = names_of(texts[named_from:after])
    units: list[Unit] = []
    for number, ((first, after_last, _), cells) in enumerate(zip(rows, texts, strict=True)):
        row = text[starts[first] : starts[after_last] - 1]
        start, end = starts[first] + len(row) - len(row.lstrip()), starts[first] + len(row.rstrip())
        if start >= end:
            continue
        while len(cells) > len(columns) and not cells[-1]:
            cells.pop()
        is_head = number >= named_from and belongs_to_head(cells, columns)
        unit = unit_at(text, start, end, "head" if is_head else "row")
        # A title above the head and a row that was cut have not as many cells as there are columns.
        is_named = number >= named_from and not is_head and len(cells) == len(columns)
        named = named_cells(columns, cells, of, is_data=True) if is_named else ()
        units.append(replace(unit, line=shown_cells(named), cells=named) if named else unit)
    return units


def _columns_of(head: list[str], delimiter: str) -> tuple[list[str], str]:
    rows = [[" ".join(cell.split()) for cell in cells] for _, _, cells in delimited_rows(head, delimiter)]
    return (rows[0] if rows else []), (rows[1][0] if len(rows) > 1 and rows[1] else "")


_NOTHING = " -–—?./"
"""What stands in a cell that states nothing."""


def empty_of(row: Unit, stems: set[str]) -> tuple[str, ...]:
    """The columns that a question names, by the stems of its words, and whose cells are empty in a row."""
    empty = {column: stems_of(column) for column, cell in row.cells if not cell.strip(_NOTHING)}
    # "From" has no stem that says something: no question asks for it by its name.
    return tuple(column for column, of_column in empty.items() if of_column and of_column <= stems)
