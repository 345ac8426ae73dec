"""Shows one part of a file as it is now: its text, and a page of a PDF as a picture with a quote's boxes.

For a worker process: PDFium and the other parsers read what anybody may have written.
"""

from __future__ import annotations

import re
import struct
import unicodedata
import zlib
from bisect import bisect_left
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bob.core.errors import UnreadableError
from bob.core.locator import locator_to_json
from bob.documents.formats.parser_registry import ParserRegistry
from bob.documents.formats.source import LocalFile

_MOST_PIXELS = 16_000_000
"""Of a picture: a page of A0 on a large screen."""

_UNSEEN = re.compile("[\\s_✓✗☑☐→☺÷±≥≤×\uf000-\uf0ff\ufffe\u00ad|\\\\´`ˆ˜¨¸ˇ˚˘˝˛•●○▪▫■◦‣⁃➢°\u0300-\u036f-]")
"""What differs between the text of a page and the text that is quoted of it: white space and hyphens, bars
between the cells of a row, the forms of bullets and signs of Wingdings, and accents that are set apart from
their letters."""

_DOTLESS = {"ı": "i", "ȷ": "j"}
_LEAST_FOUND = 20
"""Characters of a quote that have to stand in one piece."""

Box = tuple[float, float, float, float]
"""Left, top, right, bottom as shares of the page's width and height, from its upper left corner."""


@dataclass(frozen=True, slots=True)
class PartJob:
    """Which part of a file to read; `page` and `quote` for the boxes of a quote on a PDF's page, from 1."""

    path: str
    max_bytes: int
    part: int
    page: int | None = None
    quote: str = ""


@dataclass(frozen=True, slots=True)
class PartText:
    """A part with its own locator, as JSON; `parts` is how many the file has."""

    text: str
    heading_path: tuple[str, ...]
    locator: dict[str, Any]
    parts: int
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class PageJob:
    """Which page to draw, from 1, and how wide, in pixels."""

    path: str
    max_bytes: int
    page: int
    width: int


def read_part(job: PartJob) -> PartText:
    """The part.

    Raises:
        UnreadableError: the file cannot be read, or has no such part any more ("vanished").
    """
    source = LocalFile(Path(job.path), job.max_bytes)
    parser = ParserRegistry().parser_for(Path(job.path))
    if parser is None:
        raise UnreadableError("unsupported", "no parser takes such files")
    sections = parser.parse(source).sections
    if job.part >= len(sections):
        raise UnreadableError("vanished", f"the file has {len(sections)} parts now, not {job.part + 1}")
    section = sections[job.part]
    boxes = quote_boxes(source.read_bytes(), job.page, job.quote) if job.page and job.quote else ()
    return PartText(
        section.text, section.heading_path, locator_to_json(section.locator), len(sections), boxes
    )


def draw_page(job: PageJob) -> bytes:
    """The page as a PNG.

    Raises:
        UnreadableError: the file cannot be read, is no PDF, or has no such page ("vanished").
    """
    import pypdfium2 as pdfium

    data = LocalFile(Path(job.path), job.max_bytes).read_bytes()
    try:
        with pdfium.PdfDocument(data) as document:
            _check_page(document, job.page)
            document.init_forms()
            page = document[job.page - 1]
            wide, high = page.get_size()
            scale = min(job.width / max(wide, 1), (_MOST_PIXELS / max(wide * high, 1)) ** 0.5)
            bitmap = page.render(scale=scale, rev_byteorder=True, prefer_bgrx=False)
            return _png(bytes(bitmap.buffer), bitmap.width, bitmap.height, bitmap.stride, bitmap.n_channels)
    except pdfium.PdfiumError as error:
        raise UnreadableError("damaged", "the PDF cannot be drawn") from error


def quote_boxes(data: bytes, page_number: int, quote: str) -> tuple[Box, ...]:
    """Where a quote stands on a page of a PDF, a box a line; empty where it is not found."""
    import pypdfium2 as pdfium

    try:
        with pdfium.PdfDocument(data) as document:
            _check_page(document, page_number)
            page = document[page_number - 1]
            text_page = page.get_textpage()
            text_range = _range_of(text_page.get_text_range(), quote)
            if text_range is None or page.get_rotation():
                return ()
            wide, high = page.get_size()
            left, bottom = page.get_cropbox()[:2]
            rectangles = [
                text_page.get_rect(rectangle)
                for rectangle in range(text_page.count_rects(text_range[0], text_range[1] - text_range[0]))
            ]
    except pdfium.PdfiumError:
        return ()
    return tuple(
        (
            _share(x0 - left, wide),
            _share(high - (y1 - bottom), high),
            _share(x1 - left, wide),
            _share(high - (y0 - bottom), high),
        )
        for x0, y0, x1, y1 in rectangles
    )


def _range_of(text: str, quote: str) -> tuple[int, int] | None:
    """The characters of `text` that the quote covers, without what is read differently than it is set.

    Of a quote that goes on overleaf, or of a row whose cells have several lines, the part that stands in one
    piece, from its beginning on.
    """
    positions, letters = _compared(text)
    _, needle = _compared(quote)
    length = len(needle)
    start = letters.find(needle) if needle else -1
    if start < 0 and needle:
        # What begins a text that is found is found as well.
        length = bisect_left(range(len(needle)), True, key=lambda count: needle[: count + 1] not in letters)
        start = letters.find(needle[:length]) if length >= min(_LEAST_FOUND, len(needle)) else -1
    return None if start < 0 else (positions[start], positions[start + length - 1] + 1)


def _compared(text: str) -> tuple[list[int], str]:
    """The characters that are compared, and where in the text each stands."""
    positions: list[int] = []
    letters: list[str] = []
    for index, character in enumerate(text):
        if not _UNSEEN.fullmatch(character):
            letter = unicodedata.normalize("NFD", character)[0]
            positions.append(index)
            letters.append(_DOTLESS.get(letter, letter))
    return positions, "".join(letters)


def _check_page(document: Any, page: int) -> None:
    if page > len(document):
        raise UnreadableError("vanished", f"the file has {len(document)} pages, not {page}")


def _share(length: float, whole: float) -> float:
    return round(min(max(length / max(whole, 1), 0.0), 1.0), 5)


def _png(pixels: bytes, width: int, height: int, stride: int, channels: int) -> bytes:
    """Rows of 8-bit RGB or RGBA as a PNG: its header, the rows without a filter, its end."""
    rows = b"".join(b"\x00" + pixels[row * stride : row * stride + width * channels] for row in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, {3: 2, 4: 6, 1: 0}[channels], 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in parts
    )
