"""Reads the lines of a PDF page: their text, where they stand, their font, and the gaps between cells.

All lengths are in points, on the page as it is shown, with y growing upward as in PDF.
"""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import median
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from bob.documents.formats.pdf.layout import Line
from bob.documents.formats.pdf.tables import Cell

_HYPHEN = "\ufffe"  # PDFium's sign for a hyphen and the line break after it
_LINE_BREAK = re.compile(f"(\r\n|{_HYPHEN}|[\r\n])")
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f\ufffd\ufffe\uffff\u00ad\u200b]")
"""Characters of a PDF's text that nobody sees."""

_SYMBOLS = str.maketrans(
    "\uf0fc\uf0fb\uf0fe\uf0a8\uf06f\uf0e0\uf0e8\uf04a\uf0b8\uf0b0\uf0b1\uf0b3\uf0a3\uf0b4", "✓✗☑☐☐→→☺÷°±≥≤×"
)
"""What the letters of Wingdings and Symbol show that most documents have."""
_BULLET = re.compile(r"^[●○▪▫■◦‣⁃➢°_\uf0a7\uf0b7\uf0d8] (?=[^\s_])")
"""What marks an item of a list, in the many forms that fonts give it."""

_OWN_HYPHEN = re.compile(r"[^\W_]-$")
_BLANKS = re.compile(r"(?<=\S)\s+(?=\S)")
_BOLD_NAME = re.compile(rb"bold|black|heavy|demi|cmbx|-bd\b", re.IGNORECASE)
_BOLD_WEIGHT = 600
_BOLD_FLAG = 1 << 18
_ITALIC_NAME = re.compile(rb"italic|oblique|cmti", re.IGNORECASE)
_ITALIC_FLAG = 1 << 6

# Gaps in ems. Words stand 0.2 to 0.6 apart, also in justified text; monospaced ones 0.6.
_LEAST_GAP = 0.95
_SURE_GAP = 2.5  # no word space is as wide; a narrower gap is one of columns if another line has it as well
_GAP_TO_WORD_SPACE = 2.5
_WIDE_WORD_SPACE = 1.5  # times the usual one: as wide as justified text gets
_ROWS_NEARBY = 6
_FEW_GAPS = 3
_EVEN = 0.05
_COLUMN_STEP = 4.0  # edges of cells within four points are one column's
_MOST_GAPS = 200  # more is no row that anybody reads

_ACCENTS = {
    "´": "\u0301",
    "`": "\u0300",
    "ˆ": "\u0302",
    "˜": "\u0303",
    "¨": "\u0308",
    "¸": "\u0327",
    "ˇ": "\u030c",
    "˚": "\u030a",
    "˘": "\u0306",
    "˝": "\u030b",
    "˛": "\u0328",
}
"""Accents that stand as characters of their own, as LaTeX sets them, and what they are upon a letter."""

_ACCENT = re.compile(f"[{''.join(_ACCENTS)}]")
_DOTLESS = {"ı": "i", "ȷ": "j"}
_LETTERS_LEFT = 8  # of an accent: a letter's box may begin behind that of the one before it
_NO_SPACE = 0.15  # ems: letters of one word stand closer


class _Box(NamedTuple):
    left: float
    bottom: float
    right: float
    top: float


class _Font(NamedTuple):
    y: float
    size: float
    bold: bool
    italic: bool


def page_lines(text_page: pdfium.PdfTextPage, rotation: int) -> list[Line]:
    """The lines of a page in the order in which they were written; `rotation` is the page's own."""
    return _without_chance_gaps(_Reader(text_page, rotation).lines())


class _Reader:
    """The characters of a page, by their index in its text."""

    def __init__(self, text_page: pdfium.PdfTextPage, rotation: int) -> None:
        self._page = text_page
        self._rotation = rotation
        self._text: str = text_page.get_text_range()
        self._index: Sequence[int] = range(len(self._text))
        # PDFium looks the number of a character up; where it leaves none out of the text there is no need to.
        self._is_whole = text_page.count_chars() == len(self._text)
        self._rectangle = pdfium_c.FS_RECTF()

    def lines(self) -> list[tuple[Line, float]]:
        """The lines with each gap in them that may be one between cells, and their word space."""
        if _ACCENT.search(self._text):
            self._join_accents()
        pieces = _LINE_BREAK.split(self._text)
        lines = []
        offset = 0
        for text, ending in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
            line = self._line(text, offset, hyphenated=ending == _HYPHEN)
            if line:
                lines.append(line)
            offset += len(text) + len(ending)
        return lines

    def _line(self, text: str, offset: int, *, hyphenated: bool) -> tuple[Line, float] | None:
        clean = _clean(text)
        if not clean:
            return None
        clean = _BULLET.sub("• ", clean)
        if _OWN_HYPHEN.search(clean):
            clean, hyphenated = clean[:-1], True
        first = offset + len(text) - len(text.lstrip())
        last = offset + len(text.rstrip()) - 1
        fonts = [self._font(index) for index in self._sample(text, first, last)]
        size = max(font.size for font in fonts)
        cells, word_space = self._cells(text, offset, size)
        line = Line(
            clean,
            median(font.y for font in fonts),
            self._box(first).left,
            self._box(last).right,
            size,
            hyphenated=hyphenated,
            bold=fonts[0].bold and fonts[-1].bold,
            italic=all(font.italic for font in fonts),
            cells=cells,
        )
        return line, word_space

    def _sample(self, text: str, first: int, last: int) -> tuple[int, int, int]:
        middle = (first + last) // 2
        shift = middle - first + len(text) - len(text.lstrip())
        return first, middle - (middle > first and text[shift].isspace()), last

    def _cells(self, text: str, offset: int, size: float) -> tuple[tuple[Cell, ...], float]:
        """The line cut at its wide gaps, empty where it has none; and the space between its words, in ems."""
        blanks = list(_BLANKS.finditer(text))
        if size <= 0 or not blanks:
            return (), 0.0
        edges = [
            (self._box(offset + blank.start() - 1).right, self._box(offset + blank.end()).left)
            for blank in blanks
        ]
        spaces = [right - left for left, right in edges]
        if len(spaces) > _FEW_GAPS and max(spaces) - min(spaces) < _EVEN * size:
            return (), spaces[0] / size  # justified: the columns of a table are not all as far apart
        narrow = sorted(space for space in spaces if 0 < space < _LEAST_GAP * size)
        word_space = narrow[len(narrow) // 4] / size if narrow else 0.0
        wide = [number for number, space in enumerate(spaces) if space >= _LEAST_GAP * size]
        if not wide or len(wide) > _MOST_GAPS:
            return (), word_space
        starts = [0, *(blanks[number].end() for number in wide)]
        ends = [*(blanks[number].start() for number in wide), len(text)]
        first, last = len(text) - len(text.lstrip()), len(text.rstrip()) - 1
        lefts = [self._box(offset + first).left, *(edges[number][1] for number in wide)]
        rights = [*(edges[number][0] for number in wide), self._box(offset + last).right]
        cells = (
            Cell(_clean(text[start:end]), left, right)
            for start, end, left, right in zip(starts, ends, lefts, rights, strict=True)
        )
        return tuple(cell for cell in cells if cell.text), word_space

    def _join_accents(self) -> None:
        """Puts accents that stand apart upon their letters, and takes out the blanks that they brought."""
        characters = list(self._text)
        offset = 0
        for piece in _LINE_BREAK.split(self._text):
            if _ACCENT.search(piece):
                self._join_accents_of_line(characters, offset, offset + len(piece))
            offset += len(piece)
        # An emptied character is no longer in the text, so the ones behind it move up.
        self._index = [index for index, character in enumerate(characters) if character]
        self._text = "".join(characters)

    def _join_accents_of_line(self, characters: list[str], start: int, end: int) -> None:
        letters = sorted(
            (self._ink(index), index) for index in range(start, end) if characters[index].isalpha()
        )
        lefts = [box.left for box, _ in letters]
        joined = []
        for index in range(start, end):
            mark = _ACCENTS.get(characters[index])
            box = self._ink(index) if mark else None
            if not mark or not box:
                continue
            position = bisect_right(lefts, (box.left + box.right) / 2)
            for letter_box, letter in reversed(letters[max(position - _LETTERS_LEFT, 0) : position]):
                whole = unicodedata.normalize(
                    "NFC", _DOTLESS.get(characters[letter], characters[letter]) + mark
                )
                if len(whole) == 1 and _is_upon(box, letter_box):
                    characters[letter], characters[index] = whole, ""
                    joined.append(index)
                    break
        closed = start
        for index in joined:
            if index >= closed:
                closed = self._close_up(characters, index, start, end)

    def _close_up(self, characters: list[str], index: int, start: int, end: int) -> int:
        """One blank or none where accents were taken out, as the letters beside them stand; their end."""
        before, after = index - 1, index + 1
        while before >= start and (characters[before] == "" or characters[before].isspace()):
            before -= 1
        while after < end and (characters[after] == "" or characters[after].isspace()):
            after += 1
        if before < start or after >= end or _ACCENT.match(characters[after]):
            return after
        size = self._font(index).size
        gap = self._box(after).left - self._box(before).right
        characters[before + 1 : after] = [""] * (after - before - 1)
        if not -size < gap < _NO_SPACE * size:
            characters[index] = " "
        return after

    def _font(self, index: int) -> _Font:
        """Baseline, size, weight and slant of a character."""
        character = self._character(index)
        x, y = ctypes.c_double(), ctypes.c_double()
        if character < 0 or not pdfium_c.FPDFText_GetCharOrigin(self._page, character, x, y):
            return _Font(0.0, 0.0, False, False)
        shown = {90: -x.value, 180: -y.value, 270: x.value}
        size = pdfium_c.FPDFText_GetFontSize(self._page, character)
        matrix = pdfium_c.FS_MATRIX()
        if pdfium_c.FPDFText_GetMatrix(self._page, character, matrix):
            # Many writers set a font of one point and scale the text.
            size *= math.hypot(matrix.b, matrix.d)
        name = ctypes.create_string_buffer(128)
        flags = ctypes.c_int()
        pdfium_c.FPDFText_GetFontInfo(self._page, character, name, len(name), flags)
        bold = (
            pdfium_c.FPDFText_GetFontWeight(self._page, character) >= _BOLD_WEIGHT
            or bool(flags.value & _BOLD_FLAG)
            or bool(_BOLD_NAME.search(name.value))
        )
        italic = bool(flags.value & _ITALIC_FLAG) or bool(_ITALIC_NAME.search(name.value))
        return _Font(shown.get(self._rotation, y.value), size, bold, italic)

    def _box(self, index: int) -> _Box:
        """A character's room in its line."""
        rectangle = self._rectangle
        if not pdfium_c.FPDFText_GetLooseCharBox(self._page, self._character(index), rectangle):
            return _Box(0.0, 0.0, 0.0, 0.0)
        return self._as_shown(rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)

    def _ink(self, index: int) -> _Box:
        """Where a character is black."""
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        pdfium_c.FPDFText_GetCharBox(self._page, self._character(index), left, right, bottom, top)
        return self._as_shown(left.value, bottom.value, right.value, top.value)

    def _as_shown(self, left: float, bottom: float, right: float, top: float) -> _Box:
        match self._rotation:
            case 90:
                return _Box(bottom, -right, top, -left)
            case 180:
                return _Box(-right, -top, -left, -bottom)
            case 270:
                return _Box(-top, left, -bottom, right)
        return _Box(left, bottom, right, top)

    def _character(self, index: int) -> int:
        number = self._index[index]
        if self._is_whole:
            return number
        return int(pdfium_c.FPDFText_GetCharIndexFromTextIndex(self._page, number))


def _clean(text: str) -> str:
    """The text of a line as it is read, with single blanks.

    >>> _clean("\\uf0fc  Life jackets, 2 \\uf0b4 4")
    '✓ Life jackets, 2 × 4'
    """
    return " ".join(UNSEEN.sub("", text).translate(_SYMBOLS).split())


def _is_upon(accent: _Box, letter: _Box) -> bool:
    """Whether an accent stands over or under a letter, and close to it."""
    near = (letter.top - letter.bottom) / 2
    middle = (accent.left + accent.right) / 2
    over = letter.top - near < accent.bottom < letter.top + near
    under = letter.bottom - near < accent.top < letter.bottom + near
    return letter.left - 1 <= middle <= letter.right + 1 and (over or under)


def _without_chance_gaps(spaced: Sequence[tuple[Line, float]]) -> list[Line]:
    """The lines with their cells, without the gaps that only part words.

    A gap parts cells if it is wide beside the spaces between words, and either very wide or at the edge of a
    column, which lines nearby have as well.
    """
    usual = median([space for _, space in spaced if space > 0] or [0.0])
    edges = [_edges(line.cells[1:]) | {("left", _step(line.left))} for line, _ in spaced]
    lines = []
    for number, (line, space) in enumerate(spaced):
        if not line.cells:
            lines.append(line)
            continue
        nearby = edges[max(number - _ROWS_NEARBY, 0) : number] + edges[number + 1 : number + 1 + _ROWS_NEARBY]
        columns = set[tuple[str, int]]().union(*nearby)
        of_words = _GAP_TO_WORD_SPACE * min(space or usual, usual * _WIDE_WORD_SPACE)
        cells = line.cells[:1]
        for cell in line.cells[1:]:
            sure = of_words if _edges([cell]) & columns else _SURE_GAP
            if cell.left - cells[-1].right >= sure * line.size:
                cells = (*cells, cell)
            else:
                cells = (*cells[:-1], Cell(f"{cells[-1].text} {cell.text}", cells[-1].left, cell.right))
        lines.append(replace(line, cells=cells if len(cells) > 1 else ()))
    return lines


def _edges(cells: Iterable[Cell]) -> set[tuple[str, int]]:
    sides = ((side, edge) for cell in cells for side, edge in (("left", cell.left), ("right", cell.right)))
    return {(side, _step(edge)) for side, edge in sides}


def _step(edge: float) -> int:
    return round(edge / _COLUMN_STEP)
