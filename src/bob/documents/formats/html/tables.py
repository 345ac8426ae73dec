"""Tables of HTML as rows of text: spans are filled in, and a head that the page marks stands above a rule.

A table that only lays out a page is none; `bob.documents.formats.html.markup` reads what is in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from lxml import etree

from bob.core.document import BlockKind
from bob.documents.formats.html.inline_markup import is_all_bold, name_of, words_of
from bob.text.tables import LONGEST_FILL, are_words_over_numbers, lines_of, rule_below

TextOf = Callable[[etree._Element], str]

_OF_LAYOUT = ("table", "pre", "h1", "h2", "h3", "h4")
_LONGEST_CELL = 1_000
"""Characters of a cell in a table that marks no head: with more it is a column of a page."""
_FEW_ROWS, _LONGEST_OF_FEW = 2, 400
"""The same of so few rows, which may be columns of a page more often than a table."""
_LONGEST_GROUP = 80
"""Characters of a cell as wide as the table that names the rows below it; a longer one is a remark."""
_MOST_FILLED = 10_000
"""Cells of one table that spans fill in."""
_WIDEST_SPAN = 100

_SAYS_NOTHING = re.compile(r"[\s|:+=-]*")


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of a row, with those that span it; which are heads; whether one cell is all of it."""

    cells: list[str]
    heads: list[bool]
    in_head: bool
    is_bold: bool
    is_single: bool

    @property
    def names_columns(self) -> bool:
        """Whether the page marks each cell that has words as a head, and there is more than one."""
        return sum(map(bool, self.cells)) > 1 and all(
            head for head, cell in zip(self.heads, self.cells, strict=True) if cell
        )


@dataclass(slots=True)
class _Grid:
    """Fills in what spans rows and columns, as far as that is worth it."""

    text_of: TextOf
    rows: list[Row] = field(default_factory=list)
    _open: dict[int, tuple[int, str, bool]] = field(default_factory=dict)
    _filled: int = 0

    def add(self, row: etree._Element) -> None:
        cells: list[str] = []
        heads: list[bool] = []
        own = [cell for cell in row if name_of(cell) in {"td", "th"}]
        for cell in own:
            self._continue_spans(cells, heads)
            text, is_head = self.text_of(cell), name_of(cell) == "th"
            tall, wide = _span(cell, "rowspan"), min(_span(cell, "colspan"), _WIDEST_SPAN)
            self._filled += (wide - 1) * (len(own) > 1)
            for number in range(wide):
                if number and self._filled > _MOST_FILLED:
                    break
                shown = text if number == 0 or (len(own) > 1 and len(text) <= LONGEST_FILL) else ""
                if tall > 1:
                    self._open[len(cells)] = (tall - 1, shown if len(text) <= LONGEST_FILL else "", is_head)
                cells.append(shown)
                heads.append(is_head)
        self._continue_spans(cells, heads)
        parent = row.getparent()
        self.rows.append(
            Row(
                cells,
                heads,
                in_head=parent is not None and name_of(parent) == "thead",
                is_bold=sum(map(bool, cells)) > 1
                and all(is_all_bold(cell) or not "".join(cell.itertext()).strip() for cell in own),
                is_single=len(own) == 1 and len(cells) == min(_span(own[0], "colspan"), _WIDEST_SPAN),
            )
        )

    def _continue_spans(self, cells: list[str], heads: list[bool]) -> None:
        while len(cells) in self._open:
            column = len(cells)
            left, text, is_head = self._open.pop(column)
            self._filled += 1
            if left > 1 and self._filled <= _MOST_FILLED:
                self._open[column] = (left - 1, text, is_head)
            cells.append(text)
            heads.append(is_head)


def table_blocks(table: etree._Element, text_of: TextOf) -> list[tuple[str, BlockKind]] | None:
    """The table as blocks of text: its caption, its rows, remarks below it; None for one that is layout."""
    marks_heads = next(table.iterdescendants("th", "caption"), None) is not None
    if not words_of(table, "role").isdisjoint({"presentation", "none"}) or _has(table, _OF_LAYOUT):
        return None
    grid = _Grid(text_of)
    for row in table.iterdescendants("tr"):
        grid.add(row)
    rows = [row for row in grid.rows if not _SAYS_NOTHING.fullmatch("".join(row.cells))]
    width = max((len(row.cells) for row in rows), default=0)
    if not marks_heads and _is_layout(rows):
        return None
    captions = [text for caption in table.iterchildren("caption") if (text := text_of(caption))]
    above, rows, below = _remarks(rows, width)
    blocks: list[tuple[str, BlockKind]] = [(text, "paragraph") for text in (*captions, *above)]
    if rows:
        blocks.append(_body(rows, width))
    return [*blocks, *((text, "paragraph") for text in below)]


def _is_layout(rows: list[Row]) -> bool:
    """Whether rows without heads are parts of a page: one column has all the words, or a cell is too long."""
    filled = {column for row in rows for column, cell in enumerate(row.cells) if cell}
    longest = max((len(cell) for row in rows for cell in row.cells), default=0)
    return len(filled) < 2 or longest > (_LONGEST_CELL if len(rows) > _FEW_ROWS else _LONGEST_OF_FEW)


def _remarks(rows: list[Row], width: int) -> tuple[list[str], list[Row], list[str]]:
    """The texts as wide as the table above and below its rows, and these."""
    if width < 2:
        return [], rows, []
    first, last = 0, len(rows)
    while first < last and rows[first].is_single:
        first += 1
    while last > first and rows[last - 1].is_single:
        last -= 1
    inner: list[Row] = []
    below: list[str] = []
    for row in rows[first:last]:
        if row.is_single and len(row.cells[0]) > _LONGEST_GROUP:
            below.append(row.cells[0])
        else:
            inner.append(row)
    below += (row.cells[0] for row in rows[last:])
    return [row.cells[0] for row in rows[:first]], inner, below


def _body(rows: list[Row], width: int) -> tuple[str, BlockKind]:
    count = _head_rows(rows)
    if width == 1:
        items = [f"- {row.cells[0]}" for row in rows[count:]]
        return "\n".join([row.cells[0] for row in rows[:count]] + items), "list"
    if not count and all(row.heads[0] and not any(row.heads[1:]) and any(row.cells[1:]) for row in rows):
        # Each row is named, no column is: "Monday | closed".
        return "\n".join(
            f"- {row.cells[0]}: {', '.join(filter(None, row.cells[1:]))}" for row in rows
        ), "list"
    lines = [_padded(row.cells, width) for row in rows[count:]]
    heads: dict[int, list[str]] = {}
    if count:
        again = [number for number, row in enumerate(rows[count:]) if number and row.names_columns]
        heads = {number: lines[number] for number in again if len(again) < len(lines) - 1}
        heads[0] = _joined([_padded(row.cells, width) for row in rows[:count]])
    if 0 in heads and _is_counted(heads[0], rows[count:]):
        heads = {number: cells[1:] for number, cells in heads.items()}
        lines = [cells[1:] for cells in lines]
    return _written(lines, heads), "table"


def _head_rows(rows: Sequence[Row]) -> int:
    """How many rows at the top name the columns, as the page marks them."""
    in_head = sum(row.in_head for row in rows)
    if in_head and in_head < len(rows):
        return in_head
    count = next((number for number, row in enumerate(rows) if not row.names_columns), 0)
    if not count and len(rows) > 1 and rows[0].is_bold and not rows[1].is_bold:
        count = 1
    if not count and len(rows) > 1 and all(rows[0].heads) and len(rows[0].cells) == 1:
        count = int(not all(rows[1].heads))
    if not count and not any(any(row.heads) for row in rows):
        count = int(are_words_over_numbers([row.cells for row in rows]))
    return count


def _joined(heads: Sequence[Sequence[str]]) -> list[str]:
    """Rows of heads as one: "Price a night" above "Low season" is "Price a night, Low season"."""
    return [", ".join(dict.fromkeys(filter(None, column))) for column in zip(*heads, strict=True)]


def _is_counted(head: Sequence[str], rows: Sequence[Row]) -> bool:
    """Whether the first column only counts the rows, as libraries that write tables have it."""
    firsts = [row.cells[0] for row in rows if row.heads[0]]
    return len(head) > 2 and not head[0] and firsts == [str(number) for number in range(len(rows))]


def _written(lines: Sequence[Sequence[str]], heads: dict[int, list[str]]) -> str:
    """A line a row, a rule under each head; a head of a number above 0 is the row of that number."""
    rows: list[Sequence[str]] = []
    ruled: set[int] = set()
    for number, line in enumerate(lines):
        if number in heads:
            ruled.add(len(rows))
            rows.append(heads[number])
        if number not in heads or number == 0:
            rows.append(line)
    return "\n".join(
        f"{line}\n{rule_below(len(row))}" if number in ruled else line
        for number, (row, line) in enumerate(zip(rows, lines_of(rows), strict=True))
    )


def _padded(cells: Sequence[str], width: int) -> list[str]:
    return [*cells, *[""] * (width - len(cells))]


def _has(table: etree._Element, names: Sequence[str]) -> bool:
    return next(table.iterdescendants(*names), None) is not None


def _span(cell: etree._Element, name: str) -> int:
    value = (cell.get(name) or "").strip()
    return max(int(value), 1) if value.isascii() and value.isdigit() and len(value) < 6 else 1
