"""The rows of a LaTeX table: cells that span columns or rows are filled in, and rules mark the head."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from bob.documents.formats.latex.commands import DROPPED
from bob.documents.formats.latex.tokens import Tokens
from bob.text.tables import LONGEST_FILL, MOST_HEAD_ROWS

_RULES = ("hline", "Hline", "midrule", "toprule", "bottomrule")
_PARTIAL_RULES = ("cline", "cmidrule")
_ROW_END = ("\\\\", "\\tabularnewline")


@dataclass(slots=True)
class Table:
    """The rows of a table, each with the line at which it begins (from 0), and how many of them stand above
    the first rule and name the columns."""

    rows: list[tuple[int, list[str]]] = field(default_factory=list)
    head_rows: int = 0
    _is_ruled: bool = False
    _is_spanned: bool = False
    """Whether a cell of the last row spans columns: a partial rule below it parts it from their names."""

    _reaching: dict[int, tuple[int, str]] = field(default_factory=dict)
    """Into how many rows below the cell of a column reaches, and its text."""

    def note_rule(self, *, is_partial: bool = False) -> None:
        """Note a line that is drawn over the width, or a part: the first below a row may end the head."""
        if self.rows and not self._is_ruled and not (is_partial and self._is_spanned):
            self._is_ruled = True
            self.head_rows = len(self.rows) if len(self.rows) <= MOST_HEAD_ROWS else 0

    def add_row(self, line: int, cells: list[_Cell]) -> None:
        """Add a row that begins at a line; one without words is none."""
        row: list[str] = []
        for cell in cells:
            text = cell.text or self._from_above(len(row))
            if cell.high > 1 and len(text) <= LONGEST_FILL:
                self._reaching[len(row)] = (cell.high - 1, text)
            is_filled = len(cells) > 1 and len(text) <= LONGEST_FILL
            row += [text, *[text if is_filled else ""] * (cell.wide - 1)]
        if any(cell.text for cell in cells):
            self.rows.append((line, row))
            self._is_spanned = any(cell.wide > 1 for cell in cells)

    def _from_above(self, column: int) -> str:
        left, text = self._reaching.pop(column, (0, ""))
        if left > 1:
            self._reaching[column] = (left - 1, text)
        return text


@dataclass(frozen=True, slots=True)
class _Cell:
    text: str
    wide: int
    high: int


def read_table(tokens: Tokens, begin: int, end: int, text_of: Callable[[int, int], str]) -> Table:
    """The table whose rows stand from one token to another; `text_of` reads the tokens of a cell."""
    table = Table()
    cells: list[_Cell] = []
    first_of_row = begin_of_cell = position = begin
    while position <= end:
        token = tokens[position] if position < end else _ROW_END[0]
        if position < end and tokens.command(position) in _RULES:
            table.note_rule()
        elif position < end and tokens.command(position) in _PARTIAL_RULES:
            table.note_rule(is_partial=True)
        if token == "&" or token in _ROW_END:
            wide, high = (tokens.span(begin_of_cell, position, name) for name in ("multicolumn", "multirow"))
            cells.append(_Cell(text_of(begin_of_cell, position), wide, high))
            begin_of_cell = position + 1
        if token in _ROW_END:
            table.add_row(tokens.line_of(_first_shown(tokens, first_of_row, position)), cells)
            begin_of_cell = first_of_row = tokens.after_options(position + 1)
            cells = []
        position = (tokens.close(position) or position) + 1 if token == "{" else position + 1
    if table.head_rows == len(table.rows):
        table.head_rows = 0
    return table


def _first_shown(tokens: Tokens, index: int, end: int) -> int:
    """The first token of a row that is no space, no rule, and nothing else that shows nothing."""
    while index < end:
        name = tokens.command(index)
        if name in DROPPED:
            index = tokens.after_arguments(index + 1, DROPPED[name])
        elif tokens[index].isspace() or name in _RULES:
            index += 1
        else:
            break
    return index
