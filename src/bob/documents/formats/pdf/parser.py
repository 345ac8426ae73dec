"""Reads PDF: a section a page, by PDFium, with the outline as heading path and form values as text."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Sequence
from datetime import date

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from bob.core.document import Block, ParsedDocument, Section, SourceDate
from bob.core.errors import UnreadableError
from bob.core.locator import PageLocator
from bob.core.protocols import SourceFile
from bob.documents.formats.metadata import language_of
from bob.documents.formats.office.package import clean_title, split_keywords
from bob.documents.formats.pdf.forms import form_values
from bob.documents.formats.pdf.layout import Line, Paragraph, fold_title, page_paragraphs, text_and_blocks
from bob.documents.formats.pdf.lines import UNSEEN, page_lines
from bob.documents.formats.pdf.pages import carry_sentences, words_of_lines
from bob.documents.formats.pdf.running import without_running_lines

# The library tells of odd outlines and forms; what matters of that is in the document or the error.
logging.getLogger("pypdfium2").setLevel(logging.CRITICAL)

# PDFium keeps global state and is not safe to call from two threads at once.
PDFIUM_LOCK = threading.Lock()

DEFAULT_MAX_PAGES = 10_000  # the longest manuals have some 6,000; beyond, it is data and no document
DEFAULT_MAX_CHARS = 50_000_000  # text that one document may have; the Bible has 4 million
_MAX_OUTLINE = 20_000

_DATE = re.compile(r"(?:D:)?\s*(\d{4})-?(\d{2})?-?(\d{2})?")

Outline = dict[int, list[tuple[str, ...]]]
"""Heading paths that begin on a page, by the page's index."""


class PdfParser:
    """Reads `.pdf`. Pages without text are left out and counted in `extra["pages_without_text"]`."""

    name = "pdf"
    suffixes = frozenset({".pdf"})

    def __init__(self, max_pages: int = DEFAULT_MAX_PAGES, max_chars: int = DEFAULT_MAX_CHARS) -> None:
        self._max_pages = max_pages
        self._max_chars = max_chars

    def parse(self, source: SourceFile) -> ParsedDocument:
        """The document, a section for each page that has text.

        Raises:
            UnreadableError: "encrypted", "damaged", "no-text", or what reading the file raises.
        """
        data = source.read_bytes()
        with PDFIUM_LOCK:
            document = open_pdf(data)
            try:
                return self._read(document)
            except pdfium.PdfiumError as error:
                raise UnreadableError("damaged", "the PDF is damaged") from error
            finally:
                document.close()

    def _read(self, document: pdfium.PdfDocument) -> ParsedDocument:
        document.init_forms()  # before any page is loaded, as the library asks
        total = len(document)
        pages: list[list[Line]] = []
        forms: list[str] = []
        pictures = broken = chars = 0
        for index in range(min(total, self._max_pages)):
            try:
                lines, form, pictured = _read_page(document, index)
            except pdfium.PdfiumError:
                lines, form, pictured = [], "", False
                broken += 1
            pages.append(lines)
            forms.append(form)
            pictures += pictured and not lines
            chars += sum(len(line.text) for line in lines) + len(form)
            if chars > self._max_chars:
                break
        if broken == total:
            raise UnreadableError("damaged", "the PDF is damaged: no page of it can be read")
        sections = _sections(pages, forms, _outline(document), total)
        if not sections:
            raise _without_text(total, pictures)
        extra = {
            "pages": str(total),
            "pages_without_text": _if_any(
                sum(not lines and not form for lines, form in zip(pages, forms, strict=True))
            ),
            "pages_damaged": _if_any(broken),
            "truncated": f"read {len(pages):,} of {total:,} pages" if len(pages) < total else "",
        }
        return _with_properties(document, sections, {key: value for key, value in extra.items() if value})


def open_pdf(data: bytes) -> pdfium.PdfDocument:
    """The document, which its caller closes; hold PDFIUM_LOCK. Raises UnreadableError."""
    # Readers accept a header within the first kilobyte; PDFium as well.
    if b"%PDF-" not in data[:1024]:
        raise UnreadableError("damaged", "damaged, or not a PDF")
    try:
        document = pdfium.PdfDocument(data)
        if len(document) == 0:
            raise UnreadableError("damaged", "the PDF is damaged: it has no pages")
    except pdfium.PdfiumError as error:
        if error.err_code == pdfium_c.FPDF_ERR_PASSWORD:
            raise UnreadableError("encrypted", "needs a password") from error
        if error.err_code == pdfium_c.FPDF_ERR_SECURITY:
            raise UnreadableError("encrypted", "encrypted by an unsupported method") from error
        raise UnreadableError("damaged", "the PDF is damaged") from error
    return document


def _read_page(document: pdfium.PdfDocument, index: int) -> tuple[list[Line], str, bool]:
    """Lines, form values, and whether the page has a picture."""
    page = document[index]
    try:
        text_page = page.get_textpage()
        try:
            lines = page_lines(text_page, page.get_rotation())
        finally:
            text_page.close()
        form = form_values(document, page)
        pictured = not lines and any(
            True for _ in page.get_objects([pdfium_c.FPDF_PAGEOBJ_IMAGE], max_depth=3)
        )
        return lines, form, pictured
    finally:
        page.close()


def _outline(document: pdfium.PdfDocument) -> Outline:
    outline: Outline = {}
    path: list[str] = []
    for count, bookmark in enumerate(document.get_toc()):
        if count >= _MAX_OUTLINE:
            break
        title = " ".join(bookmark.get_title().split())
        destination = bookmark.get_dest()
        del path[bookmark.level :]
        path.append(title)
        page = destination.get_index() if destination is not None else None
        if page is not None and title:
            outline.setdefault(page, []).append(tuple(part for part in path if part))
    return outline


def _sections(
    pages: Sequence[Sequence[Line]], forms: Sequence[str], outline: Outline, total: int
) -> tuple[Section, ...]:
    sections: list[Section] = []
    pages = without_running_lines(pages)
    words = words_of_lines(pages)
    paragraphs = [
        page_paragraphs(lines, {fold_title(path[-1]) for path in outline.get(index, [])} - {""}, words)
        for index, lines in enumerate(pages)
    ]
    # Before the ends of sentences are carried, since a heading has to be the first on its page.
    begins = [_begins_with(page, outline.get(index, [])) for index, page in enumerate(paragraphs)]
    carry_sentences(paragraphs, words)
    current: tuple[str, ...] = ()
    for index, page in enumerate(paragraphs):
        begun = outline.get(index, [])
        text, blocks = text_and_blocks(page)
        heading_path = _common(begun if begins[index] else [current, *begun])
        current = begun[-1] if begun else current
        if forms[index]:
            start = len(text) + 2 if text else 0
            text = f"{text}\n\n{forms[index]}" if text else forms[index]
            blocks = (*blocks, Block(start, len(text), "table", len(blocks)))
        if text:
            locator = PageLocator(part=len(sections), end_char=len(text), page=index + 1, total_pages=total)
            sections.append(Section(text, locator, heading_path, blocks))
    return tuple(sections)


def _begins_with(page: Sequence[Paragraph], begun: Sequence[tuple[str, ...]]) -> bool:
    first = fold_title(begun[0][-1]) if begun else ""
    return bool(first) and fold_title(text_and_blocks(page[:5])[0][:400]).startswith(first)


def _common(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """What the paths share: a page under two headings is under neither, but under their parent."""
    shared: list[str] = []
    for names in zip(*paths, strict=False):
        if len(set(names)) > 1:
            break
        shared.append(names[0])
    return tuple(shared)


def _without_text(pages: int, pictures: int) -> UnreadableError:
    noun = "1 page" if pages == 1 else f"{pages:,} pages"
    if pictures:
        return UnreadableError("no-text", f"scanned: pictures of pages without text ({noun})")
    return UnreadableError("no-text", f"has no text ({noun})")


def _with_properties(
    document: pdfium.PdfDocument, sections: tuple[Section, ...], extra: dict[str, str]
) -> ParsedDocument:
    values = document.get_metadata_dict(skip_empty=True)
    author = " ".join(values.get("Author", "").split())
    return ParsedDocument(
        title=clean_title(UNSEEN.sub("", values.get("Title", ""))),
        source_type="pdf",
        sections=sections,
        source_date=_pdf_date(values.get("ModDate", "")) or _pdf_date(values.get("CreationDate", "")),
        language=language_of(sections),
        tags=split_keywords(UNSEEN.sub("", values.get("Keywords", ""))),
        extra=extra | ({"author": author} if author else {}),
    )


def _pdf_date(text: str) -> SourceDate | None:
    match = _DATE.match(text)
    if match is None or int(match[1]) < 1985:  # the format is of 1993; lower years are broken clocks
        return None
    try:
        return SourceDate(date(int(match[1]), int(match[2] or 1), int(match[3] or 1)), "properties")
    except ValueError:
        return None


def _if_any(count: int) -> str:
    return str(count) if count else ""
