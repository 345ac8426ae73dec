"""Reads Word `.docx`: paragraphs and tables in document order, in sections by heading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from lxml import etree

from bob.core.document import Block, BlockKind, ParsedDocument, Section
from bob.core.errors import UnreadableError
from bob.core.locator import ParagraphLocator
from bob.core.protocols import SourceFile
from bob.documents.formats.archive import Archive, open_archive
from bob.documents.formats.metadata import language_of
from bob.documents.formats.office.package import main_part, read_properties, relationships
from bob.documents.formats.office.unread_parts import unread_in_text
from bob.documents.formats.office.word_runs import W
from bob.documents.formats.office.word_styles import (
    Numbering,
    Styles,
    boxes,
    children,
    paragraph_text,
    read_numbering,
    read_styles,
    single_cell,
    table_rows,
)
from bob.text.markup import may_name_section
from bob.text.tables import line_of

DEFAULT_MAX_CHARS = 50_000_000  # text that one document may have; the Bible has 4 million
_BOLD_LEVEL = 10  # of a bold paragraph that names what follows: below all styles of headings
_TABS = re.compile(r" *\t[\t ]*")
_LEAST_ROWS = 3  # of a table that is set with tabs: its head and two more
_MAX_HEADING = 250  # a longer "heading" is a paragraph that was styled so for its looks

_WHAT = "a Word file"
_MAIN = "word/document.xml"
# Text that stands outside the body, by the kind of its relationship: element, and heading to find it under.
_APPENDED = {
    "footnotes": (f"{W}footnote", "Footnotes"),
    "endnotes": (f"{W}endnote", "Endnotes"),
    "comments": (f"{W}comment", "Comments"),
}


@dataclass(frozen=True, slots=True)
class _Piece:
    """A paragraph or table row: its text, its kind, its number in the document, and that of the first row of
    its table; a heading has a level."""

    text: str
    kind: BlockKind
    position: int
    first: int
    level: int | None = None


class WordParser:
    """Reads `.docx`; headers and footers are left out, notes and comments come last."""

    name = "word"
    suffixes = frozenset({".docx", ".dotx"})

    def __init__(self, max_chars: int = DEFAULT_MAX_CHARS) -> None:
        self._max_chars = max_chars

    def parse(self, source: SourceFile) -> ParsedDocument:
        """The document, a section for each heading.

        Raises:
            UnreadableError: "encrypted", "damaged", "unsupported", "zip-bomb", "no-text", or what reading
                the file raises.
        """
        archive = open_archive(source.read_bytes(), _WHAT)
        main = main_part(archive, _MAIN, _WHAT)
        root = archive.xml(main)
        body = root.find(f"{W}body") if root is not None else None
        if body is None:
            raise UnreadableError("damaged", f"damaged, or not {_WHAT}")
        reader = _Reader(_styles(archive, main), _numbering(archive, main), self._max_chars)
        blocks = list(children(body))
        reader.look_ahead(blocks)
        for block in blocks:
            reader.take(block)
        left_out = list(unread_in_text(body))
        for element, heading in _appendices(archive, main, left_out):
            reader.append_notes(element, heading)
        if reader.full:
            left_out.append(f"only the first {self._max_chars:,} characters are read")
        sections = reader.sections()
        if not sections:
            raise UnreadableError("no-text", "holds no text")
        properties = read_properties(archive)
        return ParsedDocument(
            title=properties.title or reader.title,
            source_type="word",
            sections=sections,
            source_date=properties.source_date,
            language=language_of(sections, properties.language),
            tags=properties.tags,
            extra={"author": properties.author} if properties.author else {},
            left_out=tuple(left_out),
        )


@dataclass(slots=True)
class _Reader:
    """Goes through a document once, gathering pieces under headings."""

    styles: Styles
    numbering: Numbering
    room: int
    title: str = ""
    full: bool = False
    _texts: dict[etree._Element, str] = field(default_factory=dict)
    _names: set[etree._Element] = field(default_factory=set)
    _rows: set[etree._Element] = field(default_factory=set)
    _count: int = 0
    _path: list[tuple[int, str]] = field(default_factory=list)
    _pieces: list[_Piece] = field(default_factory=list)
    _sections: list[Section] = field(default_factory=list)

    def take(self, element: etree._Element) -> None:
        """Reads one paragraph or table of the body, with the text boxes that hang on it."""
        if self.full:
            return
        if element.tag == f"{W}p":
            self._take_paragraph(element)
        elif element.tag == f"{W}tbl" and (frame := single_cell(element)) is not None:
            for block in children(frame):
                self.take(block)
            return
        elif element.tag == f"{W}tbl":
            first = self._count
            for row in table_rows(element):
                self._add(row, "table", first=first)
        for box in boxes(element):
            for block in children(box):
                self.take(block)

    def look_ahead(self, blocks: Sequence[etree._Element]) -> None:
        """Finds what only the blocks around a paragraph tell of it; the text of each is made once."""
        self._texts = {block: paragraph_text(block) for block in blocks if block.tag == f"{W}p"}
        self._find_rows(blocks)
        self._find_names(blocks)

    def _find_names(self, blocks: Sequence[etree._Element]) -> None:
        """Finds the bold paragraphs that name what follows them. Of several in a row only the second and last
        may: a date below a title does."""
        inked = [block for block in blocks if block.tag != f"{W}p" or self._texts[block]]
        bold = [self._is_bold_line(block) for block in inked]
        for number, following in enumerate(inked[1:]):
            is_row = number > 1 and bold[number - 1] and bold[number - 2]
            if bold[number] and not is_row and not self._names_itself(following):
                self._names.add(inked[number])

    def _find_rows(self, blocks: Sequence[etree._Element]) -> None:
        """Finds the paragraphs that are rows of a table set with tabs: some below one another, with as many
        cells each. The names of fields and the lines of a table of contents are none."""
        widths = [self._tabbed_width(block) for block in blocks]
        start = 0
        for width, run in groupby(widths):
            count = sum(1 for _ in run)
            if width > 1 and count >= _LEAST_ROWS:
                self._rows.update(blocks[start : start + count])
            start += count

    def _tabbed_width(self, block: etree._Element) -> int:
        text = self._texts.get(block, "")
        properties = block.find(f"{W}pPr")
        if "\t" not in text or "\n" in text or self.styles.is_of_contents(properties):
            return 0
        cells = _TABS.split(text)
        is_row = self._is_plain(properties) and not any(cell.endswith(":") for cell in cells)
        return len(cells) if is_row else 0

    def _is_bold_line(self, block: etree._Element) -> bool:
        text = self._texts.get(block, "")
        if not text or "\n" in text or "\t" in text or not may_name_section(text):
            return False
        return self._is_plain(block.find(f"{W}pPr")) and self.styles.is_bold(block)

    def _is_plain(self, properties: etree._Element | None) -> bool:
        """Whether a paragraph is neither a heading nor an item of a list."""
        return self.styles.heading_level(properties) is None and self.styles.number(properties) is None

    def _names_itself(self, block: etree._Element) -> bool:
        """Whether a block is a heading or bold, and not what a bold line names."""
        if block.tag != f"{W}p":
            return False
        return self.styles.heading_level(block.find(f"{W}pPr")) is not None or self.styles.is_bold(block)

    def append_notes(self, notes: etree._Element, heading: str) -> None:
        """Reads footnotes or comments as a section of its own."""
        self._close_section()
        self._path = [(0, heading)]
        for note in notes:
            author = note.get(f"{W}author", "")
            for number, block in enumerate(children(note)):
                text = paragraph_text(block) if block.tag == f"{W}p" else "\n".join(table_rows(block))
                self._add(f"{author}: {text}" if author and text and number == 0 else text, "paragraph")

    def sections(self) -> tuple[Section, ...]:
        """All sections read so far that have text."""
        self._close_section()
        return tuple(self._sections)

    def _take_paragraph(self, element: etree._Element) -> None:
        text = self._texts[element] if element in self._texts else paragraph_text(element)
        properties = element.find(f"{W}pPr")
        level = self.styles.heading_level(properties) if text and len(text) <= _MAX_HEADING else None
        level = _BOLD_LEVEL if level is None and element in self._names else level
        label = self.numbering.label(properties, self.styles)
        if element in self._rows:
            self._add(line_of(_TABS.split(text)), "table")
        elif level is not None:
            self._begin_section(level, f"{label} {text}".strip() if label not in ("", "-") else text)
        elif label:
            indent = "  " * self.numbering.depth(properties, self.styles)
            self._add(f"{indent}{label} {text}" if text else "", "list")
        else:
            self._add(text, "code" if self.styles.is_code(properties) else "paragraph")

    def _begin_section(self, level: int, heading: str) -> None:
        self._close_section()
        line = " ".join(heading.split())
        if level == 0 and not self.title:
            self.title = line
        self._path = [*(heading for heading in self._path if heading[0] < level), (level, line)]
        self._add(heading, "heading", level)

    def _add(self, text: str, kind: BlockKind, level: int | None = None, *, first: int | None = None) -> None:
        if text.strip() and not self.full:
            first = self._count if first is None else first
            self._pieces.append(_Piece(text, kind, self._count, first, level))
            self.room -= len(text)
            self.full = self.room < 0
        self._count += 1

    def _close_section(self) -> None:
        pieces, self._pieces = self._pieces, []
        if not pieces:
            return
        parts: list[str] = []
        blocks: list[Block] = []
        index = 0
        for before, piece in zip([None, *pieces], pieces, strict=False):
            joint = "" if before is None else "\n" if _tight(before, piece) else "\n\n"
            index += len(joint)
            blocks.append(Block(index, index + len(piece.text), piece.kind, piece.position))
            parts += (joint, piece.text)
            index += len(piece.text)
        path = tuple(name for _, name in self._path)
        locator = ParagraphLocator(
            part=len(self._sections),
            end_char=index,
            parent_heading=path[-1] if path else None,
            paragraph_index=pieces[0].position,
            last_paragraph_index=pieces[-1].position,
        )
        self._sections.append(Section("".join(parts), locator, path, tuple(blocks)))


def _tight(before: _Piece, piece: _Piece) -> bool:
    """Whether two pieces are lines of one list, table or listing, without an empty paragraph between. Empty
    rows do not end a table: those below have the same columns."""
    followed = before.kind == piece.kind and before.position + 1 >= piece.first
    return followed and piece.kind in ("list", "table", "code")


def _related(
    archive: Archive, main: str, kind: str, left_out: list[str] | None = None
) -> etree._Element | None:
    target = next(
        (
            relationship.target
            for relationship in relationships(archive, main).values()
            if relationship.kind == kind
        ),
        None,
    )
    if target is None:
        return None
    try:
        return archive.xml(target)
    except UnreadableError:
        # The body is worth reading without its styles, numbers or notes.
        if left_out is not None:
            left_out.append(f"the {kind} are damaged")
        return None


def _styles(archive: Archive, main: str) -> Styles:
    return read_styles(_related(archive, main, "styles"))


def _numbering(archive: Archive, main: str) -> Numbering:
    return read_numbering(_related(archive, main, "numbering"))


def _appendices(archive: Archive, main: str, left_out: list[str]) -> Iterator[tuple[etree._Element, str]]:
    for kind, (tag, heading) in _APPENDED.items():
        root = _related(archive, main, kind, left_out)
        if root is None:
            continue
        for note in root.findall(tag):
            if note.get(f"{W}type", "normal") != "normal":
                root.remove(note)  # the line that separates notes from the page
        yield root, heading
