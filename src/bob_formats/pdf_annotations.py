"""What readers marked and wrote in a PDF: highlights with the words below them, and comments, by PDFium.

Source: ISO 32000-1, 12.5 (annotations). The words of a highlight are not in the annotation: it has boxes
(QuadPoints), and the words are those characters of the page whose middle lies in one.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from bob.extensions import PDFIUM_LOCK, Highlight, LocalFile, UnreadableError, Work, clean_title, open_pdf

_MARKS = {
    pdfium_c.FPDF_ANNOT_HIGHLIGHT: "",
    pdfium_c.FPDF_ANNOT_UNDERLINE: "underlined",
    pdfium_c.FPDF_ANNOT_SQUIGGLY: "underlined",
    pdfium_c.FPDF_ANNOT_STRIKEOUT: "struck out",
}
_NO_COMMENTS = frozenset(
    (
        pdfium_c.FPDF_ANNOT_LINK,
        pdfium_c.FPDF_ANNOT_WIDGET,
        pdfium_c.FPDF_ANNOT_FILEATTACHMENT,
        pdfium_c.FPDF_ANNOT_POPUP,
    )
)
"""Links, forms and files hold nothing that a reader said, and a pop-up repeats its parent."""

_DATE = re.compile(r"(?:D:)?(\d{4})(\d{2})(\d{2})")
_HYPHENS = frozenset("\x02\ufffe\u00ad")
"""What PDFium gives for a hyphen at the end of a line, where a word goes on in the next."""
_MAX_ANNOTATIONS = 50_000
_MAX_QUADS = 5_000
_PERMANENT = 0  # FILEIDTYPE_PERMANENT

Quad = tuple[tuple[float, float], ...]
"""Four corners, in order around the box."""


@dataclass(frozen=True, slots=True)
class _Character:
    text: str
    x: float
    y: float
    is_blank: bool


def read_annotations(path: str, max_bytes: int) -> list[Highlight]:
    """The annotations of a PDF that hold words, by page and as they stand on it.

    Raises:
        UnreadableError: as `PdfParser.parse` does.
    """
    data = LocalFile(Path(path), max_bytes).read_bytes()
    with PDFIUM_LOCK:
        document = open_pdf(data)
        try:
            work = _work(document, Path(path))
            found = [each for index in range(len(document)) for each in _on_page(document, index, work)]
        except pdfium.PdfiumError as error:
            raise UnreadableError("damaged", "the PDF is damaged") from error
        finally:
            document.close()
    return found[:_MAX_ANNOTATIONS]


def _work(document: pdfium.PdfDocument, path: Path) -> Work:
    values = document.get_metadata_dict(skip_empty=True)
    length = pdfium_c.FPDF_GetFileIdentifier(document, _PERMANENT, None, 0)
    held = ctypes.create_string_buffer(length)
    pdfium_c.FPDF_GetFileIdentifier(document, _PERMANENT, held, length)
    title = " ".join(clean_title(values.get("Title", "")).split())
    # A file's identifier stays when it is annotated or moved; without one, what does not change must do.
    known = f"{path.name}\0{title}\0{len(document)}"
    identifier = held.raw[: length - 1].hex() if length > 1 else known
    return Work(
        title or path.stem, " ".join(values.get("Author", "").split()), str(path), f"pdf {identifier}"
    )


def _on_page(document: pdfium.PdfDocument, index: int, work: Work) -> list[Highlight]:
    try:
        page = document[index]
    except pdfium.PdfiumError:
        return []  # a broken page of a file whose others can be read
    try:
        count = min(pdfium_c.FPDFPage_GetAnnotCount(page), _MAX_ANNOTATIONS)
        characters: list[_Character] | None = None
        found: list[tuple[float, float, Highlight]] = []
        for at in range(count):
            annotation = pdfium_c.FPDFPage_GetAnnot(page, at)
            if not annotation:
                continue
            try:
                kind = pdfium_c.FPDFAnnot_GetSubtype(annotation)
                if kind in _NO_COMMENTS:
                    continue
                quads = _quads(annotation) if kind in _MARKS else []
                if quads and characters is None:
                    characters = _characters(page)
                words = _words(characters or [], quads)
                left, top = _corner(annotation)
                made = _highlight(annotation, work, words, index + 1, _MARKS.get(kind, ""))
                if made is not None:
                    found.append((-top, left, made))
            finally:
                pdfium_c.FPDFPage_CloseAnnot(annotation)
        return [each for _, _, each in sorted(found, key=lambda placed: placed[:2])]
    finally:
        page.close()


def _highlight(annotation: Any, work: Work, words: str, page: int, mark: str) -> Highlight | None:
    said = _string(annotation, b"Contents").strip()
    # Some programs write the marked words into the comment as well.
    comment = "" if "".join(said.split()) == "".join(words.split()) else said
    if not words and not comment:
        return None
    dated = _DATE.match(_string(annotation, b"CreationDate") or _string(annotation, b"M"))
    by = " ".join(_string(annotation, b"T").split())
    return Highlight(work, words, comment, f"page {page}", _day(dated), by, mark if words else "")


def _day(found: re.Match[str] | None) -> date | None:
    try:
        return date(int(found[1]), int(found[2]), int(found[3])) if found else None
    except ValueError:
        return None


def _string(annotation: Any, key: bytes) -> str:
    length = pdfium_c.FPDFAnnot_GetStringValue(annotation, key, None, 0)
    if length <= 2:
        return ""
    held = ctypes.create_string_buffer(length)
    pdfium_c.FPDFAnnot_GetStringValue(
        annotation, key, ctypes.cast(held, ctypes.POINTER(pdfium_c.FPDF_WCHAR)), length
    )
    text = held.raw[: length - 2].decode("utf-16-le", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _corner(annotation: Any) -> tuple[float, float]:
    """Left and top of an annotation's box, for the order in which it is read."""
    box = pdfium_c.FS_RECTF()
    if not pdfium_c.FPDFAnnot_GetRect(annotation, box):
        return 0.0, 0.0
    return min(box.left, box.right), max(box.top, box.bottom)


def _quads(annotation: Any) -> list[Quad]:
    count = min(pdfium_c.FPDFAnnot_CountAttachmentPoints(annotation), _MAX_QUADS)
    found: list[Quad] = []
    for at in range(count):
        held = pdfium_c.FS_QUADPOINTSF()
        if pdfium_c.FPDFAnnot_GetAttachmentPoints(annotation, at, held):
            corners = ((held.x1, held.y1), (held.x2, held.y2), (held.x3, held.y3), (held.x4, held.y4))
            found.append(_around(corners))
    return found


def _around(corners: Quad) -> Quad:
    """The corners in order around the box: the standard says so, programs write them in rows."""
    first, second, third, fourth = corners
    x, y = sum(each[0] for each in corners) / 4, sum(each[1] for each in corners) / 4
    crosses = (second[0] - x) * (third[1] - y) - (second[1] - y) * (third[0] - x)
    turns = (first[0] - x) * (second[1] - y) - (first[1] - y) * (second[0] - x)
    return (first, second, third, fourth) if crosses * turns > 0 else (first, second, fourth, third)


def _characters(page: pdfium.PdfPage) -> list[_Character]:
    text_page = page.get_textpage()
    try:
        count = pdfium_c.FPDFText_CountChars(text_page)
        return [_character(text_page, at) for at in range(max(count, 0))]
    finally:
        text_page.close()


def _character(text_page: pdfium.PdfTextPage, at: int) -> _Character:
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    text = chr(min(pdfium_c.FPDFText_GetUnicode(text_page, at), 0x10FFFF))
    pdfium_c.FPDFText_GetCharBox(text_page, at, left, right, bottom, top)
    blank = text.isspace() or text in _HYPHENS or text == "\0"
    return _Character(text, (left.value + right.value) / 2, (bottom.value + top.value) / 2, blank)


def _words(characters: Sequence[_Character], quads: Sequence[Quad]) -> str:
    """The words whose characters lie in the boxes, in the order of the text."""
    if not quads:
        return ""
    within = [
        at
        for at, each in enumerate(characters)
        if not each.is_blank and any(_holds(quad, each.x, each.y) for quad in quads)
    ]
    parts: list[str] = []
    before = -1
    for at in within:
        if before >= 0 and at > before + 1:
            between = characters[before + 1 : at]
            parts.append("" if any(each.text in _HYPHENS for each in between) else " ")
        parts.append(characters[at].text)
        before = at
    return " ".join(re.sub("[\ud800-\udfff]", "", "".join(parts)).split())


def _holds(quad: Quad, x: float, y: float) -> bool:
    """Whether a point lies in a box of four corners, which may be turned."""
    sides = [_side(quad[at - 1], quad[at], x, y) for at in range(4)]
    return all(side >= 0 for side in sides) or all(side <= 0 for side in sides)


def _side(begin: tuple[float, float], end: tuple[float, float], x: float, y: float) -> float:
    return (end[0] - begin[0]) * (y - begin[1]) - (end[1] - begin[1]) * (x - begin[0])
