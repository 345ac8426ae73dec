"""The rows of a table in a text, each with the names of its columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from bob.answers.units.text_lines import Lines, Passage, goes_on
from bob.text.markup import readable
from bob.text.table_heads import belongs_to_head
from bob.text.tables import (
    cells_between_bars,
    groups_of,
    is_head,
    is_rule,
    joined_names,
    marked_head,
    named_cells,
)

IN_TABLE = re.compile(r"\s*\||.* \|(?: |$)")
"""A line that is a row where others stand around it."""
_MOST_OF_GROUP = 80
"""A longer line without bars inside a table is a remark."""
_MOST_GROUP_LINES = 3
"""So many lines without bars may stand together inside a table."""


def rows_at(lines: Lines, index: int, head: str) -> tuple[list[Passage], int]:
    """Rows that stand under one another, each with the names of its columns; `head` is the row that names
    them where it stands before the text, and below it what the first row is of."""
    stop = _table_end(lines, index, is_sure=bool(head))
    rows = [number for number in range(index, stop) if not is_rule(lines[number])]
    cells = [cells_between_bars(lines[row]) for row in rows]
    names, _, of = head.partition("\n")
    columns = cells_between_bars(names) if "|" in names else []
    if columns:
        first, after = _repeated_head(cells, columns)
    else:
        marked = marked_head([lines[number] for number in range(index, stop)])
        first, after = 0, sum(row < index + marked for row in rows)
        # Below a head without words the first of two rows names what stands in the second: | 2-5 | 6-8 | 9 |.
        is_below_rule = index > 0 and is_rule(lines[index - 1])
        lies = is_below_rule and len(cells) == 2 and len(cells[0]) == len(cells[1]) > 2 and all(cells[0])
        after = after or int(lies or is_head(cells[0], cells[1:]))
        columns = joined_names(cells[:after])
    columns = [readable(name) for name in columns]
    width = max(len(columns), *map(len, cells))
    padded = [row + [""] * (width - len(row)) for row in cells]
    groups = [""] * after + groups_of(padded[after:])
    table: list[Passage] = []
    for number, (row, own, group) in enumerate(zip(rows, padded, groups, strict=True)):
        if first <= number < after:
            table.append(lines.passage(row, row, "head"))
        elif number < first or not any(own):
            table.append(lines.passage(row, row, "row"))
        elif len(cells[number]) == 1 and len(own[0]) > _MOST_OF_GROUP:
            table.append(lines.passage(row, row, "prose"))
        else:
            named = named_cells(columns, list(map(readable, own)), readable(group or of)) if columns else ()
            table.append(replace(lines.passage(row, row, "row"), cells=named))
    return table, stop


def _table_end(lines: Lines, index: int, *, is_sure: bool) -> int:
    """The line after a table. Lines without bars belong to it where rows follow: they name groups of rows."""
    stop = after = index + 1
    while after < len(lines) and after - stop < _MOST_GROUP_LINES:
        line = lines[after]
        is_sure = is_sure or is_rule(line)
        if is_rule(line) or IN_TABLE.match(line) or (is_sure and "|" in line):
            stop = after + 1
        elif not goes_on(line):
            break
        after += 1
    return stop


def _repeated_head(cells: Sequence[Sequence[str]], columns: Sequence[str]) -> tuple[int, int]:
    """Where the rows of a head stand among those of its table, from the first to the row after the last."""
    first = next((number for number, row in enumerate(cells) if belongs_to_head(row, columns)), 0)
    after = first
    while after < len(cells) and belongs_to_head(cells[after], columns):
        after += 1
    return first, after
