"""Tables that are drawn in text: grids of `+---+` and `|`, and columns under rules of `====` or `----`.

A row may take several lines there. It is written as one row of Markdown, at the line at which it begins.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from bob.documents.formats import markdown_lines
from bob.text.tables import LONGEST_FILL

_BORDER = re.compile(r"[ \t]*\+(?:[-=]{2,}\+)+$")
_RULE = re.compile(r"[ \t]*(?:={2,}(?:[ \t]+=+)+|-{3,}(?:[ \t]{1,20}-{2,})+)$")
_MOST_LINES = 200_000
"""Of a table."""

_RETRIED_LINES = 2_000
"""Of lines that are drawn like a grid and are none: in a longer run no other is looked for."""


def write_tables(lines: list[str], first: int = 0, last: int | None = None) -> list[tuple[int, int]]:
    """Write each table of the lines `first` to `last` (end excluded) as rows of Markdown; the first line and
    the one after the last of each."""
    last = len(lines) if last is None else last
    written: list[tuple[int, int]] = []
    index = first
    while index < last:
        line = lines[index].rstrip()
        end = index
        if line.lstrip().startswith("+") and _BORDER.match(line):
            end, index = _grid(lines, index, last)
        elif ("= " in line or "- " in line) and _RULE.match(line):
            end, index = _columns(lines, index, last, written[-1][1] if written else first)
        if end > index:
            written.append((index, end))
        index = max(end, index + 1)
    return written


def _grid(lines: list[str], first: int, last: int) -> tuple[int, int]:
    """Write the grid that begins at a line; the line after it, and its first. The same where it is no table
    of rows: the line behind which another may begin."""
    end = first
    while end < min(last, first + _MOST_LINES) and lines[end].strip()[:1] in ("+", "|"):
        end += 1
    none = (end, end) if end - first > _RETRIED_LINES else (first, first)
    drawn = [line.strip() for line in lines[first:end]]
    borders = [number for number, line in enumerate(drawn) if _BORDER.match(line)]
    columns = {column for number in borders for column, sign in enumerate(drawn[number]) if sign == "+"}
    cuts = sorted(columns)
    if len(borders) < 2 or borders[-1] != len(drawn) - 1 or len(cuts) < 3:
        return none
    grid = _Grid(cuts)
    for number, line in enumerate(drawn):
        if not grid.take(first + number, line):
            return none
    rows = grid.written()
    markdown_lines.place_rows(lines, first, end, rows, grid.head_rows if grid.head_rows < len(rows) else 0)
    return end, first


@dataclass(eq=False, slots=True)
class _Cell:
    """What stands in a cell, line for line."""

    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(filter(None, self.lines))


@dataclass(slots=True)
class _Grid:
    """The rows of a grid whose columns begin at `cuts`; a cell that spans rows or columns is of each."""

    cuts: list[int]
    head_rows: int = 0
    _rows: list[tuple[int, list[_Cell]]] = field(default_factory=list)
    _open: dict[int, _Cell] = field(default_factory=dict)
    """The cells that are being read, by their columns."""

    _begin: int | None = None
    """The line at which the row that is being read begins."""

    def take(self, number: int, line: str) -> bool:
        """Read a line; False where it is of no grid."""
        cells = _cells_at(line, self.cuts)
        ended = [cell for cell in cells if self._is_border(line, cell)]
        if not ended and not (line.startswith("|") and line.endswith("|")):
            return False
        if not ended and self._begin is None:
            self._begin = number
        if ended and self._begin is not None:
            self._rows.append((self._begin, [cell for _, cell in sorted(self._open.items())]))
            self._begin = None
            self.head_rows = self.head_rows or (len(self._rows) if "=" in line and _BORDER.match(line) else 0)
        for begin, after, text in cells:
            if (begin, after, text) in ended:
                for column in range(begin, after):
                    self._open.pop(column, None)
            else:
                cell = self._open.setdefault(begin, _Cell())
                cell.lines.append(text)
                self._open.update(dict.fromkeys(range(begin, after), cell))
        return True

    def _is_border(self, line: str, cell: tuple[int, int, str]) -> bool:
        """Whether a line ends the cells of some columns."""
        begin, after, text = cell
        left, right = self.cuts[begin], self.cuts[after]
        return line[left : left + 1] == line[right : right + 1] == "+" and bool(text) and not text.strip("-=")

    def written(self) -> list[tuple[int, list[str]]]:
        """The rows, each with its line."""
        written: list[tuple[int, list[str]]] = []
        for number, cells in self._rows:
            texts = [cell.text for cell in cells]
            is_one = len(set(map(id, cells))) == 1
            for column in range(1, len(cells)):
                is_same = cells[column] is cells[column - 1]
                if is_same and (is_one or len(cells[column].text) > LONGEST_FILL):
                    texts[column] = ""
            written.append((number, texts))
        return written


def _cells_at(line: str, cuts: list[int]) -> list[tuple[int, int, str]]:
    """The cells of a line of a grid: the column of each, the one after its last, and its text."""
    cells: list[tuple[int, int, str]] = []
    begin = 0
    for number in range(1, len(cuts)):
        cut = cuts[number]
        if cut >= len(line) or line[cut] in "|+":
            cells.append((begin, number, line[cuts[begin] + 1 : cut].strip(" |")))
            begin = number
    return cells


def _columns(lines: list[str], rule: int, last: int, floor: int) -> tuple[int, int]:
    """Write the table that a rule belongs to; the line after it, and its first. The same where it is none.

    A table of reStructuredText has a rule above its head, one below, and one at its end. One with a single
    rule has its head right above it and ends at an empty line.
    """
    marks = list(re.finditer(r"[=-]+", lines[rule].expandtabs()))
    starts = [mark.start() for mark in marks]
    sign = lines[rule].strip()[0]
    rules = [rule]
    end = rule + 1
    while end < min(last, rule + _MOST_LINES) and len(rules) < 3:
        line = lines[end].rstrip()
        if _RULE.match(line) and line.strip()[0] == sign:
            rules.append(end)
            if len(rules) > 1 and (end + 1 >= last or not lines[end + 1].strip()):
                break
        elif sign == "-" and not line.strip():
            break
        end += 1
    if sign == "=" or len(rules) > 1:
        if len(rules) < 2:
            return rule, rule
        first, head, end = rule, rules[1] if len(rules) > 2 else rule, rules[-1] + 1
    elif rule > floor and lines[rule - 1].strip() and (rule < 2 or not lines[rule - 2].strip()):
        first, head = rule - 1, rule
    else:
        return rule, rule
    rows: list[tuple[int, list[str]]] = []
    for index in range(first, end):
        # The columns stand where a tab reaches to, not where it begins.
        line = lines[index].rstrip().expandtabs()
        if not line.strip() or _RULE.match(line) or set(line.strip()) <= {"-", " "}:
            continue
        cells = [
            line[start:stop].strip().removeprefix("| ")  # a line of its own within the cell
            for start, stop in zip(starts, [*starts[1:], None], strict=True)
        ]
        goes_on = rows and not cells[0] and (index > head) == (rows[-1][0] > head)
        if goes_on:
            rows[-1] = (
                rows[-1][0],
                [f"{one} {two}".strip() for one, two in zip(rows[-1][1], cells, strict=True)],
            )
        else:
            rows.append((index, cells))
    if sum(line < head for line, _ in rows) > 1:
        return rule, rule
    if len(rows) < 2:
        return rule, rule
    markdown_lines.place_rows(lines, first, end, rows, int(any(line < head for line, _ in rows)))
    return end, first
