"""Makes paragraphs of the lines of a PDF page by where they stand; knows nothing of PDF libraries.

All lengths are in points, with y growing upward as in PDF.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from bob.core.document import Block, BlockKind

# Ratios found by reading the output for some fifty public PDFs (papers, forms, slides, exported notes).
_LEAST_DROP = 4.0  # no text is set closer; less is a superscript
_PITCH_QUANTILE = 0.3  # lines of a paragraph are closer than most else on the page
_PARAGRAPH_GAP = 1.35  # times the page's usual line pitch: more white than between lines
_SAME_LINE = 0.25  # of the pitch: cells of one table row, or a superscript
_SIZE_CHANGE = 1.15
_SHORT_LINE = 0.8  # of a full line's width: the line was ended on purpose
_ALIGNED = 0.02
_FULL_QUANTILE = 0.85
_OWN_LINES = 8
_MAX_COLUMNS = 100  # more is a drawing, whose labels are no lines of text
_COLUMN_STEP = 20.0  # left edges within twenty points are one column's
_LEAST_CAPITALS = 8  # characters; shorter lines in capitals are codes and acronyms
_INDENT = (4.0, 60.0)  # a first line's indent; more is another column
_EDGE_LINES = 3  # running headers and footers are among the first or last three lines by height
_EDGE_STEP = 6.0  # heights within six points are the same
_EDGE_SHARE = 0.3  # of all pages: odd and even pages, or chapters, may have headers of their own
_EDGE_PAGES = 3

_SENTENCE_END = re.compile(r"[.!?:;…。]['\")\]”’»]*$")
_ITEM = re.compile(r"(?:[•◦▪▫■□●○‣⁃–—*·➢✓☐☑-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{2,5})[.)])\s+\S")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, its baseline `y`, its edges, and its font size; `hyphenated` when a word goes on."""

    text: str
    y: float = 0.0
    left: float = 0.0
    right: float = 0.0
    size: float = 0.0
    hyphenated: bool = False


EdgeKey = tuple[str, int]


def running_lines(pages: Sequence[Sequence[Line]]) -> frozenset[EdgeKey]:
    """What stands at the edge of many pages at the same height, digits aside: headers, footers, numbers."""
    if len(pages) < _EDGE_PAGES:
        return frozenset()
    counts = Counter(key for lines in pages for key in {_edge_key(line) for line in _edges(lines)})
    least = max(_EDGE_PAGES, math.ceil(len(pages) * _EDGE_SHARE))
    return frozenset(key for key, count in counts.items() if count >= least)


def without_running(lines: Sequence[Line], running: Collection[EdgeKey]) -> list[Line]:
    """The lines of a page but those found by `running_lines`."""
    if not running:
        return list(lines)
    dropped = {id(line) for line in _edges(lines) if _edge_key(line) in running}
    return [line for line in lines if id(line) not in dropped]


def page_text(lines: Sequence[Line], headings: Collection[str] = ()) -> tuple[str, tuple[Block, ...]]:
    """The page's text and its blocks, paragraphs parted by an empty line.

    `headings` are titles (folded by `fold_title`) of the outline: a paragraph that is one becomes a heading.
    """
    parts: list[str] = []
    blocks: list[Block] = []
    offset = 0
    for number, paragraph in enumerate(_paragraphs(lines, headings)):
        text = _joined(paragraph)
        kind: BlockKind = "heading" if fold_title(text) in headings else "paragraph"
        offset += 2 if parts else 0
        blocks.append(Block(offset, offset + len(text), kind, number))
        parts.append(text)
        offset += len(text)
    return "\n\n".join(parts), tuple(blocks)


def fold_title(title: str) -> str:
    """A title without case, spaces and leading number, so that outline and page compare equal."""
    return re.sub(r"^[\d.]+|\W", "", title.casefold())


def _edges(lines: Sequence[Line]) -> list[Line]:
    by_height = sorted(lines, key=lambda line: line.y)
    return by_height[:_EDGE_LINES] + by_height[max(_EDGE_LINES, len(lines) - _EDGE_LINES) :]


def _edge_key(line: Line) -> EdgeKey:
    return _DIGITS.sub("#", "".join(line.text.split())), round(line.y / _EDGE_STEP)


def _paragraphs(lines: Sequence[Line], headings: Collection[str]) -> list[list[tuple[str, Line]]]:
    """Paragraphs of lines, each with what joins it to the line before."""
    drops = sorted(a.y - b.y for a, b in pairwise(lines) if a.y - b.y > _LEAST_DROP)
    pitch = drops[int(len(drops) * _PITCH_QUANTILE)] if drops else 12.0
    groups: list[list[tuple[str, Line]]] = []
    before: Line | None = None
    edges = _right_edges(lines)
    for line in lines:
        if before is None or _stands_alone(before, headings) or _stands_alone(line, headings):
            joint = None
        else:
            joint = _joint(before, line, pitch, edges[_column(before)])
        if joint is None:
            groups.append([("", line)])
        else:
            groups[-1].append((joint, line))
        before = line
    return groups


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


def _joint(before: Line, line: Line, pitch: float, edge: float) -> str | None:
    """What stands between two lines of one paragraph; None when a new paragraph begins."""
    if before.hyphenated:
        # A word that goes on with a capital or a digit was written with its hyphen ("Al-Khwarizmi").
        return "" if line.text[:1].islower() else "-"
    drop = before.y - line.y
    if abs(drop) < pitch * _SAME_LINE:
        return " " if line.left >= before.left else "\n"
    ended = bool(_SENTENCE_END.search(before.text))
    if drop < 0:  # the next column or a box: a paragraph goes on only if its sentence does
        return None if ended or not line.text[:1].islower() else " "
    larger, smaller = max(before.size, line.size), min(before.size, line.size)
    if drop > pitch * _PARAGRAPH_GAP or (smaller > 0 and larger > smaller * _SIZE_CHANGE):
        return None
    if before.text.isupper() != line.text.isupper() and len(before.text) > _LEAST_CAPITALS < len(line.text):
        return None  # a heading in capitals, set as close as the text
    if _ITEM.match(line.text):
        return "\n"
    width = before.right - before.left
    # Two lines that end at one edge are a narrow column on a page that also has wide ones.
    aligned = abs(before.right - line.right) < width * _ALIGNED
    short = width < (edge - before.left) * _SHORT_LINE and not aligned
    indented = _INDENT[0] < line.left - before.left < _INDENT[1]
    if ended and (short or indented):
        return None
    return "\n" if short else " "


def _joined(paragraph: Sequence[tuple[str, Line]]) -> str:
    return "".join(joint + line.text for joint, line in paragraph)


_MAX_FIELDS = 2_000  # a page has room for no more
_PASSWORD_FLAG = 1 << 13  # what is typed there is shown as dots, and stays out of an index
_TICKED = (pdfium_c.FPDF_FORMFIELD_CHECKBOX, pdfium_c.FPDF_FORMFIELD_RADIOBUTTON)
_TYPED = (
    pdfium_c.FPDF_FORMFIELD_TEXTFIELD,
    pdfium_c.FPDF_FORMFIELD_COMBOBOX,
    pdfium_c.FPDF_FORMFIELD_LISTBOX,
)


def form_values(document: pdfium.PdfDocument, page: pdfium.PdfPage) -> str:
    """The filled-in fields of the page, a line each as "label: value"; "" when there are none."""
    return "\n".join(dict.fromkeys(_values(document, page)))


def _values(document: pdfium.PdfDocument, page: pdfium.PdfPage) -> Iterator[str]:
    for index in range(min(pdfium_c.FPDFPage_GetAnnotCount(page), _MAX_FIELDS)):
        annotation = pdfium_c.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        try:
            value = _value(document.formenv, annotation)
        finally:
            pdfium_c.FPDFPage_CloseAnnot(annotation)
        if value:
            yield value


def _value(form: pdfium.PdfFormEnv | None, annotation: object) -> str:
    kind = pdfium_c.FPDFAnnot_GetSubtype(annotation)
    if kind == pdfium_c.FPDF_ANNOT_FREETEXT:
        return _string(lambda *room: pdfium_c.FPDFAnnot_GetStringValue(annotation, b"Contents", *room))
    return _field(form, annotation) if kind == pdfium_c.FPDF_ANNOT_WIDGET and form else ""


def _field(form: pdfium.PdfFormEnv, annotation: object) -> str:
    kind = pdfium_c.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind in _TICKED and pdfium_c.FPDFAnnot_IsChecked(form, annotation):
        value = _string(lambda *room: pdfium_c.FPDFAnnot_GetFormFieldExportValue(form, annotation, *room))
        value = "yes" if value.lower() in ("", "on", "yes", "1") else value
    elif kind in _TYPED and not pdfium_c.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD_FLAG:
        value = _string(lambda *room: pdfium_c.FPDFAnnot_GetFormFieldValue(form, annotation, *room))
    else:
        value = ""
    if not value:
        return ""
    label = _string(lambda *room: pdfium_c.FPDFAnnot_GetFormFieldAlternateName(form, annotation, *room))
    label = label or _string(lambda *room: pdfium_c.FPDFAnnot_GetFormFieldName(form, annotation, *room))
    return f"{label}: {value}" if label else value


def _string(read: Callable[..., int]) -> str:
    """Calls a PDFium getter twice, for the size in bytes and for the UTF-16 text."""
    size = read(None, 0)
    if size <= 2:
        return ""
    room = (ctypes.c_ushort * (size // 2))()
    read(room, size)
    text = bytes(room)[: size - 2].decode("utf-16-le", "ignore")
    return " ".join(text.replace("\x00", "").split())
