"""Makes paragraphs of the lines of a PDF page by where they stand; knows nothing of PDF libraries.

All lengths are in points, with y growing upward as in PDF.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from bob.core.document import Block, BlockKind
from bob.documents.formats.pdf.tables import Cell, Row, cells_of, table_text
from bob.documents.formats.pdf.words import is_broken_address, joint_of_word

# Ratios found by reading the output for some fifty public PDFs (papers, forms, slides, exported notes).
_LEAST_DROP = 4.0  # no text is set closer; less is a superscript
_PITCH_QUANTILE = 0.3  # lines of a paragraph are closer than most else on the page
_PARAGRAPH_GAP = 1.35  # times the page's usual line pitch: more white than between lines
_SAME_LINE = 0.25  # of the pitch or the font's size: cells of one table row, or a superscript
_SIZE_CHANGE = 1.15
_SHORT_LINE = 0.8  # of a full line's width: the line was ended on purpose
_ALIGNED = 0.02
_ALIGNED_LINES = 3  # two may end at one edge by chance
_ROOM = 1.3  # times the usual width of a word's letters, since some are wider
_WIDEST_LETTER = 1.2  # of the font's size, on average in a line
_CELL_GAP = 0.95  # of the font's size: more than between words
ROW_GAP = 3.2  # of the font's size: rows of a table may stand far apart
_SAME_EDGE = 3.0
_MOST_OF_CELL = 2_000  # characters
_MOST_CELLS = 60  # more is a drawing
_CELL_LINES = 8  # of the first cells in a row whose cells have several; more is a column of text
_NAME_LINES = 4  # of the first of three cells, since pages have three columns of text, but not four
_CELL_PITCH = 1.8  # times the font's size: lines of one cell stand closer
_SAME_ROW = 0.8  # times the font's size: two lines one below the other stand farther apart
_LEAST_CELLS = 3  # in such a row: two texts side by side are as often columns of a page
_FULL_QUANTILE = 0.85
_OWN_LINES = 8
_MAX_COLUMNS = 100  # more is a drawing, whose labels are no lines of text
_COLUMN_STEP = 20.0  # left edges within twenty points are one column's
_LEAST_CAPITALS = 8  # characters; shorter lines in capitals are codes and acronyms
_INDENT = (4.0, 60.0)  # a first line's indent; more is another column

_SENTENCE_END = re.compile(r"[.!?:;…。]['\")\]”’»]*$")
_LETTER = re.compile(r"[^\W\d_]{2}")
_ITEM = re.compile(
    r"(?:[•◦▪▫■□●○‣⁃–—*·➢✓☐☑°§\uf0a7\uf0b7\uf0d8-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{2,5})[.)])\s+\S"
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, its baseline `y`, its edges, and its font size; `hyphenated` when a word goes on.

    `cells` are its parts when there are wide gaps in it. It `is_running` if it stands on later pages as well.
    `depth` is how far below `y` the last line of its cells stands, where those have several.
    """

    text: str
    y: float = 0.0
    left: float = 0.0
    right: float = 0.0
    size: float = 0.0
    hyphenated: bool = False
    bold: bool = False
    italic: bool = False
    cells: tuple[Cell, ...] = ()
    is_running: bool = False
    depth: float = 0.0


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, a heading or a table, with the first and the last of its lines.

    `is_full` when the last reaches the edge of its column.
    """

    text: str
    kind: BlockKind
    first: Line
    last: Line
    is_full: bool = False


def page_text(
    lines: Sequence[Line], headings: Collection[str] = (), words: Collection[str] = ()
) -> tuple[str, tuple[Block, ...]]:
    """The page's text and its blocks, as of `page_paragraphs`."""
    return text_and_blocks(page_paragraphs(lines, headings, words))


def text_and_blocks(paragraphs: Sequence[Paragraph]) -> tuple[str, tuple[Block, ...]]:
    """The text of the paragraphs, parted by an empty line, and the block that each is."""
    blocks: list[Block] = []
    offset = 0
    for number, paragraph in enumerate(paragraphs):
        blocks.append(Block(offset, offset + len(paragraph.text), paragraph.kind, number))
        offset += len(paragraph.text) + 2
    return "\n\n".join(paragraph.text for paragraph in paragraphs), tuple(blocks)


def fold_title(title: str) -> str:
    """A title without case, spaces and leading number, so that outline and page compare equal."""
    return re.sub(r"^[\d.]+|\W", "", title.casefold())


def page_paragraphs(
    lines: Sequence[Line], headings: Collection[str] = (), words: Collection[str] = ()
) -> list[Paragraph]:
    """The paragraphs and tables of a page.

    `headings` are titles (folded by `fold_title`) of the outline: a paragraph that is one becomes a heading.
    `words` are those of `split_words` that the document has elsewhere.
    """
    layout = _Layout(_wraps_joined(_rows_joined(lines), words), headings, words)
    return [
        replace(_paragraph(group, headings), is_full=layout.is_full(group.last)) for group in layout.groups()
    ]


class _Group:
    """Lines of one paragraph with what joins each to the one before, or the rows of one table."""

    __slots__ = ("first", "last", "lines", "rows")

    def __init__(self, line: Line, row: Row) -> None:
        self.first = self.last = line
        self.lines = [line.text]
        self.rows = [row] if len(row) > 1 else []


class _Layout:
    """How the lines of a page stand to each other."""

    def __init__(self, lines: Sequence[Line], headings: Collection[str], words: Collection[str]) -> None:
        drops = sorted(a.y - b.y for a, b in pairwise(lines) if a.y - b.y > _LEAST_DROP)
        self._pitch = drops[int(len(drops) * _PITCH_QUANTILE)] if drops else 12.0
        self._lines = lines
        self._headings = headings
        self._words = words
        self._edges = _right_edges(lines)
        self._rights = Counter(round(line.right / _SAME_EDGE) for line in lines)

    def groups(self) -> list[_Group]:
        """The lines as paragraphs and tables, in order."""
        groups: list[_Group] = []
        rows = self._rows()
        for number, (whole, row) in enumerate(zip(self._lines, rows, strict=True)):
            following = rows[number + 1] if number + 1 < len(rows) else []
            # Behind a number a text goes on as any other; a field is a line of its own.
            is_text = not row or (len(row) == 1 and not whole.cells[0].text.endswith(":"))
            line = replace(whole, cells=()) if is_text else whole
            if not groups or not self._add(groups[-1], line, row, following):
                groups.append(_Group(line, row))
        return groups

    def _rows(self) -> list[Row]:
        """The cells of each line, none where it is one of a text."""
        rows: list[Row] = []
        for number, line in enumerate(self._lines):
            in_text = number > 0 and not rows[-1] and self._fills_column(self._lines[number - 1], line)
            rows.append([] if in_text else cells_of(line.cells))
        return rows

    def _fills_column(self, before: Line, line: Line) -> bool:
        """Whether a sentence of the line before goes on in a line with the same edges, so that its wide gaps
        only justify it."""
        near = 0 < before.y - line.y <= max(self._pitch, line.size) * _PARAGRAPH_GAP
        edges = (before.left - line.left, before.right - line.right)
        in_sentence = line.text[:1].islower() and not ends_sentence(before.text)
        return near and in_sentence and all(abs(edge) < _SAME_EDGE for edge in edges)

    def _add(self, group: _Group, line: Line, row: Row, following: Row) -> bool:
        """Adds a line to the group before it, if it belongs there."""
        before = group.last
        if before.is_running != line.is_running:
            return False
        if group.rows or len(row) > 1:
            if not group.rows or not self._add_to_table(group, line, row, following):
                return False
        else:
            alone = _stands_alone(before, self._headings) or _stands_alone(line, self._headings)
            joint = None if alone else self._joint(before, line)
            if joint is None:
                return False
            group.lines += (joint, line.text)
        group.last = line
        return True

    def _add_to_table(self, group: _Group, line: Line, row: Row, following: Row) -> bool:
        drop = group.last.y - group.last.depth - line.y
        if not 0 < drop <= max(self._pitch * _PARAGRAPH_GAP, line.size * ROW_GAP):
            return False
        if len(row) > 1:
            group.rows.append(row)
            return True
        above = group.rows[-1]
        if len(above) < 2 or drop > max(self._pitch, line.size) * _PARAGRAPH_GAP:
            return False
        lefts = [*(cell.left for cell in above[1:]), math.inf]
        for number, (cell, next_left) in enumerate(zip(above, lefts, strict=True)):
            if abs(cell.left - line.left) >= _SAME_EDGE or line.right > next_left:
                continue
            if (number or line.text[:1].islower()) and len(cell.text) < _MOST_OF_CELL:
                # The text of a cell goes on below.
                cut_word = group.last.hyphenated and cell.right == group.last.right
                joint = joint_of_word(cell.text, line.text, self._words) if cut_word else " "
                right = max(cell.right, line.right)
                above[number] = Cell(
                    f"{cell.text.rstrip('-') if cut_word else cell.text}{joint}{line.text}", cell.left, right
                )
                return True
            if not number and len(following) > 1:
                # The name of the rows below.
                group.rows.append([Cell(line.text, line.left, line.right)])
                return True
        return False

    def _joint(self, before: Line, line: Line) -> str | None:
        """What stands between two lines of one paragraph; None when a new paragraph begins."""
        goes_on = line.text[:1].islower()
        if before.hyphenated:
            return joint_of_word(before.text, line.text, self._words)
        drop = before.y - line.y
        if abs(drop) < self._pitch * _SAME_LINE:
            return " " if line.left >= before.left else "\n"
        ended = ends_sentence(before.text)
        if drop < 0:  # the next column or a box: a paragraph goes on only if its sentence does
            return None if ended or not goes_on else "\n" if is_item(line.text) else " "
        larger, smaller = max(before.size, line.size), min(before.size, line.size)
        if drop > self._pitch * _PARAGRAPH_GAP or (smaller > 0 and larger > smaller * _SIZE_CHANGE):
            return None
        if before.text.isupper() != line.text.isupper() and len(before.text) > _LEAST_CAPITALS < len(
            line.text
        ):
            return None  # a heading in capitals, set as close as the text
        if is_item(line.text):
            return "\n"
        edge = self._edges[_column(before)]
        width = before.right - before.left
        # Lines that end at one edge are a narrow column on a page that also has wide ones.
        aligned = abs(before.right - line.right) < width * _ALIGNED and self._ends_column(before)
        short = width < (edge - before.left) * _SHORT_LINE and not aligned
        if _has_gap(before) or _has_gap(line):
            return " " if goes_on else "\n"
        is_other = (before.bold, before.italic) != (line.bold, line.italic)
        if is_other and (short or ended) and not goes_on:
            return None  # a heading in bold or slanted letters, or the end of a text above one
        indented = _INDENT[0] < line.left - before.left < _INDENT[1]
        if is_broken_address(before.text, line.text) and not short:
            return ""
        if ended and (short or indented):
            return None
        deliberate = short or (not aligned and _would_have_fitted(before, line, edge))
        return "\n" if deliberate and not goes_on else " "

    def is_full(self, line: Line) -> bool:
        """Whether a line ends at the edge of its column, and not before."""
        return line.right - line.left >= (self._edges[_column(line)] - line.left) * _SHORT_LINE

    def _ends_column(self, line: Line) -> bool:
        step = round(line.right / _SAME_EDGE)
        return sum(self._rights[near] for near in (step - 1, step, step + 1)) >= _ALIGNED_LINES


def _paragraph(group: _Group, headings: Collection[str]) -> Paragraph:
    kind: BlockKind
    if group.rows:
        text, kind = table_text(group.rows)
    else:
        text = "".join(group.lines) + ("-" if group.last.hyphenated else "")
        kind = "heading" if fold_title(text) in headings else "paragraph"
    return Paragraph(text, kind, group.first, group.last)


def _rows_joined(lines: Sequence[Line]) -> list[Line]:
    """The lines, those of one row of a table as one line, which some writers set one by one."""
    joined: list[Line] = []
    for line in lines:
        before = joined[-1] if joined else line
        gap = line.left - before.right
        in_row = is_in_row(before, line) and gap > line.size * _CELL_GAP
        in_row = in_row and before.is_running == line.is_running
        if joined and in_row and len(before.cells) < _MOST_CELLS:
            cells = (*(before.cells or (_whole(before),)), *(line.cells or (_whole(line),)))
            text = f"{before.text} {line.text}"
            joined[-1] = replace(before, text=text, right=line.right, cells=cells, hyphenated=False)
        else:
            joined.append(line)
    return joined


class _Row:
    """Cells side by side that are written one after the other, each with all its lines."""

    def __init__(self, line: Line) -> None:
        self.lines = [line]
        self._cells = [[(cell, line)] for cell in _parts(line)]

    def add(self, line: Line) -> bool:
        """Adds a line that goes on in the last cell or begins the next one; False if it does neither."""
        cells = [list(cell) for cell in self._cells]
        for part in _parts(line):
            if _goes_below(cells, part, line):
                cells[-1].append((part, line))
            elif _is_beside(cells, part, line):
                cells.append([(part, line)])
            else:
                return False
        self.lines.append(line)
        self._cells = cells
        return True

    def joined(self, words: Collection[str]) -> list[Line]:
        """One line of whole cells, or the lines as they are if they are no such row."""
        tall = [cell for cell in self._cells if len(cell) > 1]
        top, bottom = self._cells[0][0][1].y, self._cells[0][-1][1].y
        near = self.lines[0].size
        apart = any(cell[-1][1].y > top + near or cell[0][1].y < bottom - near for cell in self._cells)
        least = _LEAST_CELLS + (len(self._cells[0]) > _NAME_LINES)
        # A formula in an item has several lines as well.
        if len(self._cells) < least or not tall or apart or self.lines[0].text.startswith("•"):
            return self.lines
        cells = tuple(_whole_cell(cell, words) for cell in self._cells)
        heights = [line.y for line in self.lines]
        row = replace(
            self.lines[0],
            text=" ".join(cell.text for cell in cells),
            y=max(heights),
            right=max(cell.right for cell in cells),
            hyphenated=self.lines[-1].hyphenated,
            cells=cells,
            depth=max(heights) - min(heights),
        )
        return [row]


def _wraps_joined(lines: Sequence[Line], words: Collection[str]) -> list[Line]:
    """The lines, those of one row of a table as one line where cells of it have several."""
    joined: list[Line] = []
    row: _Row | None = None
    for line in lines:
        if row is None or line.is_running or not row.add(line):
            joined += row.joined(words) if row else ()
            row = _Row(line)
    return joined + (row.joined(words) if row else [])


def _parts(line: Line) -> Sequence[Cell]:
    return line.cells or (_whole(line),)


def _goes_below(cells: Sequence[Sequence[tuple[Cell, Line]]], part: Cell, line: Line) -> bool:
    """Whether a part of a line goes on in the last cell: words below words, at one edge or centred."""
    cell, above = cells[-1][-1]
    most = _CELL_LINES if len(cells) < _LEAST_CELLS else _MOST_CELLS
    drop = above.y - line.y
    if not 0 <= drop <= line.size * _CELL_PITCH or len(cells[-1]) >= most:
        return False
    # The height of a line with cells is that of one of them.
    is_row = drop > line.size * _SAME_ROW
    if len(cells) == 1 and line.cells and is_row and not part.text[:1].islower():
        return False  # a row below the name of the rows, or below a title
    if not _LETTER.search(cells[-1][0][0].text) or (line.cells and not _LETTER.search(part.text)):
        return False
    if len(cells) > 1 and part.left <= max(beside.right for beside, _ in cells[-2]):
        return False
    shifts = (part.left - cell.left, part.right - cell.right, part.left + part.right - cell.left - cell.right)
    return min(abs(shift) for shift in shifts) < _SAME_EDGE


def _is_beside(cells: Sequence[Sequence[tuple[Cell, Line]]], part: Cell, line: Line) -> bool:
    """Whether a part of a line stands to the right of the last cell, and no lower than the row."""
    heights = [before.y for cell in cells for _, before in cell]
    if not min(heights) - line.size * _SAME_LINE < line.y < max(heights) + line.size * _CELL_LINES:
        return False
    return len(cells) < _MOST_CELLS and part.left > max(cell.right for cell, _ in cells[-1])


def _whole_cell(parts: Sequence[tuple[Cell, Line]], words: Collection[str]) -> Cell:
    text = parts[0][0].text
    for (cell, line), (below, _) in pairwise(parts):
        cut_word = line.hyphenated and cell.right == line.right
        text += (joint_of_word(text, below.text, words) if cut_word else " ") + below.text
    return Cell(text, min(cell.left for cell, _ in parts), max(cell.right for cell, _ in parts))


def is_in_row(before: Line, line: Line) -> bool:
    """Whether two lines stand at one height, as the cells of a row do."""
    return abs(before.y - line.y) < line.size * _SAME_LINE


def _whole(line: Line) -> Cell:
    return Cell(line.text, line.left, line.right)


def _has_gap(line: Line) -> bool:
    """Whether there is a wide gap in a line, so that it is not one of a paragraph's."""
    return bool(line.cells) or line.right - line.left > len(line.text) * line.size * _WIDEST_LETTER > 0


def _would_have_fitted(before: Line, line: Line, edge: float) -> bool:
    """Whether there was room for the next word: then the line was ended on purpose."""
    letter = (before.right - before.left) / max(len(before.text), 1)
    word = len(line.text.split(maxsplit=1)[0]) + 1
    return before.right + letter * word * _ROOM < edge


def ends_sentence(text: str) -> bool:
    """Whether a text ends where a sentence may end."""
    return bool(_SENTENCE_END.search(text[-20:]))


def is_item(text: str) -> bool:
    """Whether a text begins as an item of a list does."""
    return bool(_ITEM.match(text))


def _stands_alone(line: Line, headings: Collection[str]) -> bool:
    return bool(headings) and fold_title(line.text) in headings


def _column(line: Line) -> int:
    return round(line.left / _COLUMN_STEP)


def _right_edges(lines: Sequence[Line]) -> dict[int, float]:
    """Where full lines end, for each left edge: a high quantile, since a title may span two columns."""
    columns: dict[int, list[float]] = {}
    for line in lines:
        columns.setdefault(_column(line), []).append(line.right)
    return {column: _full_edge(column, columns) for column in columns}


def _full_edge(column: int, columns: dict[int, list[float]]) -> float:
    rights = sorted(columns[column])
    if len(rights) < _OWN_LINES and len(columns) <= _MAX_COLUMNS:
        # List items and captions: their neighbours show how wide a line gets.
        left = column * _COLUMN_STEP
        near = (right for column_left, others in columns.items() if column_left <= column for right in others)
        rights = sorted(right for right in near if right > left)
    return rights[int(len(rights) * _FULL_QUANTILE)] if rights else 0.0
