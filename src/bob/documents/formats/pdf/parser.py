"""Reads PDF: a section a page, by PDFium, with the outline as heading path and form values as text."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import islice

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from bob.core.document import Block, ParsedDocument, Section, SourceDate
from bob.core.errors import UnreadableError
from bob.core.locator import PageLocator
from bob.core.protocols import SourceFile
from bob.documents.formats.left_out import is_missed, said_of
from bob.documents.formats.lines import is_entry_of_contents
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
_OF_TAGS = "Structure Bookmarks"  # made of the tags of paragraphs; no outline that somebody wrote
_FEW_CHARACTERS = 200  # of a page that may be a scanned one with a stamp
_LEAST_AREA = 0.1  # of a page: a smaller picture is a logo
_LEAST_SEGMENTS = 100  # letters that are drawn as shapes have some ten each
_TOO_LONG = "the document is too long"

_DATE = re.compile(r"(?:D:)?\s*(\d{4})-?(\d{2})?-?(\d{2})?")

Outline = dict[int, list[tuple[str, ...]]]
"""Heading paths that begin on a page, by the page's index."""


class PdfParser:
    """Reads `.pdf`. Pages without text, such as scanned ones, are left out and named."""

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
        pages: list[_Page] = []
        broken: list[int] = []
        chars = 0
        for index in range(min(total, self._max_pages)):
            try:
                page = _read_page(document, index)
            except pdfium.PdfiumError:
                page = _Page()
                broken.append(index + 1)
            pages.append(page)
            chars += sum(len(line.text) for line in page.lines) + len(page.form)
            if chars > self._max_chars:
                break
        if len(broken) == total:
            raise UnreadableError("damaged", "the PDF is damaged: no page of it can be read")
        texts = without_running_lines([page.lines for page in pages])
        forms = [page.form for page in pages]
        read = [[line for line in lines if not is_entry_of_contents(line.text)] for lines in texts]
        sections = _sections(read, forms, _outline(document), total)
        if not sections:
            raise _without_text(total, any(page.pictured for page in pages))
        shown = [
            number
            for number, (page, lines) in enumerate(zip(pages, texts, strict=True), start=1)
            if page.shows_something and not lines and not page.form
        ]
        left_out = [
            *said_of("page", broken, "is damaged", "are damaged"),
            *said_of("page", shown, "has no text (scanned?)", "have no text (scanned?)"),
            *said_of("page", range(len(pages) + 1, total + 1), "is left out", "are left out", _TOO_LONG),
            *(f"attached file {name} is not read" for name in _attached_documents(document)),
        ]
        return replace(_with_properties(document, sections, {"pages": str(total)}), left_out=tuple(left_out))


@dataclass(frozen=True, slots=True)
class _Page:
    """Lines and form values of a page; whether it has a picture, and whether one that may be of text."""

    lines: list[Line] = field(default_factory=list)
    form: str = ""
    pictured: bool = False
    shows_something: bool = False


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


def _read_page(document: pdfium.PdfDocument, index: int) -> _Page:
    page = document[index]
    try:
        text_page = page.get_textpage()
        try:
            lines = page_lines(text_page, page.get_rotation())
        finally:
            text_page.close()
        form = form_values(document, page)
        if sum(len(line.text) for line in lines) > _FEW_CHARACTERS:
            return _Page(lines, form)  # what it shows besides is a figure
        return _Page(lines, form, *_pictures(page))
    finally:
        page.close()


def _pictures(page: pdfium.PdfPage) -> tuple[bool, bool]:
    """Whether a page has a picture, and whether it shows something in which text may be: a picture that is
    larger than a logo, or a drawing of more than some rules and boxes."""
    width, height = page.get_size()
    pictured, area, segments = False, 0.0, 0
    for item in page.get_objects([pdfium_c.FPDF_PAGEOBJ_IMAGE, pdfium_c.FPDF_PAGEOBJ_PATH], max_depth=3):
        if item.type == pdfium_c.FPDF_PAGEOBJ_PATH:
            segments += max(pdfium_c.FPDFPath_CountSegments(item), 0)
        else:
            pictured = True
            left, bottom, right, top = item.get_bounds()
            # One within a form is measured in that form's units.
            area += abs((right - left) * (top - bottom)) if item.level == 0 else width * height
        if area >= width * height * _LEAST_AREA or (pictured and segments >= _LEAST_SEGMENTS):
            return pictured, True
    return pictured, segments >= _LEAST_SEGMENTS


def _attached_documents(document: pdfium.PdfDocument) -> list[str]:
    """The names of the files in a PDF; the data of an electronic invoice say what its page says."""
    try:
        names = [document.get_attachment(index).get_name() for index in range(document.count_attachments())]
    except pdfium.PdfiumError:
        return []
    names = [" ".join(UNSEEN.sub("", name).split()) or "without a name" for name in names]
    return [name for name in names if is_missed(name) and not name.lower().endswith(".xml")]


def _outline(document: pdfium.PdfDocument) -> Outline:
    outline: Outline = {}
    path: list[str] = []
    for bookmark in islice(document.get_toc(), _MAX_OUTLINE):
        title = " ".join(bookmark.get_title().split())
        destination = bookmark.get_dest()
        del path[bookmark.level :]
        path.append(title)
        if path[0] == _OF_TAGS:
            continue
        page = destination.get_index() if destination is not None else None
        if page is not None and title:
            outline.setdefault(page, []).append(tuple(part for part in path if part))
    return outline


def _sections(
    pages: Sequence[Sequence[Line]], forms: Sequence[str], outline: Outline, total: int
) -> tuple[Section, ...]:
    sections: list[Section] = []
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
    own = [paragraph for paragraph in page if not paragraph.first.is_running]
    return bool(first) and fold_title(text_and_blocks(own[:5])[0][:400]).startswith(first)


def _common(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """What the paths share: a page under two headings is under neither, but under their parent."""
    shared: list[str] = []
    for names in zip(*paths, strict=False):
        if len(set(names)) > 1:
            break
        shared.append(names[0])
    return tuple(shared)


def _without_text(pages: int, pictures: bool) -> UnreadableError:
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
