"""Reads EPUB books: the chapters in reading order, a section for each heading in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from bob.core.document import ParsedDocument, Section, SourceDate
from bob.core.errors import UnreadableError
from bob.core.locator import ChapterLocator
from bob.core.protocols import SourceFile
from bob.documents.archive import Archive, open_archive
from bob.documents.epub_package import Package, read_package
from bob.documents.language import language_of
from bob.documents.markup import Piece, html_pieces, join_pieces
from bob.documents.office import clean_title

DEFAULT_MAX_CHARS = 50_000_000  # text that one book may have; the Bible has 4 million
_WHAT = "an EPUB book"
_MAX_HEADING = 250
# HTML5 is encoded in UTF-8 unless it says otherwise, which XHTML does in its first line.
_ENCODING = re.compile(rb"encoding=[\"']([A-Za-z0-9._-]{1,40})[\"']")


class EpubParser:
    """Reads `.epub`; books that a shop has locked cannot be read."""

    name = "epub"
    suffixes = frozenset({".epub"})

    def __init__(self, max_chars: int = DEFAULT_MAX_CHARS) -> None:
        self._max_chars = max_chars

    def parse(self, source: SourceFile) -> ParsedDocument:
        """The book, a section for each heading of each chapter.

        Raises:
            UnreadableError: "encrypted", "damaged", "zip-bomb", "no-text", or what reading the file raises.
        """
        archive = open_archive(source.read_bytes(), _WHAT)
        package = read_package(archive, _WHAT)
        sections: list[Section] = []
        room = self._max_chars
        missing = 0
        for chapter in package.chapters:
            pieces = _chapter_pieces(archive, chapter)
            missing += pieces is None
            for section in _sections(pieces or [], chapter, package, len(sections)):
                sections.append(section)
                room -= len(section.text)
            if room < 0:
                break
        if not sections:
            if missing:
                raise UnreadableError("damaged", "the book is damaged: its chapters cannot be read")
            raise UnreadableError("no-text", "holds no text: pictures of pages, or nothing")
        extra = {
            "author": package.author,
            "chapters_damaged": str(missing) if missing else "",
            "truncated": f"read the first {self._max_chars:,} characters" if room < 0 else "",
        }
        return ParsedDocument(
            title=clean_title(package.title),
            source_type="epub",
            sections=tuple(sections),
            source_date=SourceDate(package.day, "properties") if package.day else None,
            language=language_of(sections, package.language),
            tags=package.subjects,
            extra={key: value for key, value in extra.items() if value},
        )


def _chapter_pieces(archive: Archive, chapter: str) -> list[Piece] | None:
    """The text of a chapter file; None when it is missing or cannot be unpacked."""
    try:
        data = archive.read(chapter) or archive.read(unquote(chapter))
    except UnreadableError:
        return None
    if data is None:
        return None
    declared = _ENCODING.search(data[:200])
    encoding = declared[1].decode("ascii") if declared else "utf-8"
    try:
        return html_pieces(data, encoding)
    except LookupError:  # an encoding that libxml2 does not know
        return html_pieces(data.decode("utf-8", "replace"))


def _sections(pieces: Sequence[Piece], chapter: str, package: Package, part: int) -> Iterator[Section]:
    """One section a heading; text before any heading stands under the file's name in the contents."""
    named = package.titles.get(chapter, "")
    path: list[tuple[int, str]] = []
    for group in _under_headings(pieces):
        for piece in group:
            if piece.level and len(piece.text) <= _MAX_HEADING:
                title = " ".join(piece.text.split())
                path = [*(each for each in path if each[0] < piece.level), (piece.level, title)]
        names = [name for _, name in path] or ([named] if named else [])
        text, blocks = join_pieces(group)
        locator = ChapterLocator(
            part=part, end_char=len(text), chapter=chapter, heading=names[-1] if names else None
        )
        yield Section(text, locator, tuple(names), blocks)
        part += 1


def _under_headings(pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
    """Pieces with the headings above them: "Chapter 1" and "The Storm" without text between stay together."""
    group: list[Piece] = []
    for piece in pieces:
        if piece.level and group and not all(each.level for each in group):
            yield group
            group = []
        group.append(piece)
    if group:
        yield group
