"""Reads EPUB books: the chapters in reading order, a section for each heading in them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from urllib.parse import unquote

from lxml import etree

from bob.core.document import ParsedDocument, Section, SourceDate
from bob.core.errors import UnreadableError
from bob.core.locator import ChapterLocator
from bob.core.protocols import SourceFile
from bob.documents.formats.archive import Archive, open_archive, parse_xml
from bob.documents.formats.html.markup import Piece, element_pieces, html_pieces, join_pieces
from bob.documents.formats.metadata import language_of
from bob.documents.formats.office.package import clean_title

# Fonts are scrambled so that they are not reused; the text of such a book is open.
_FONT_SCRAMBLING = frozenset({"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"})
_LOCKED = "protected by DRM; only the shop's own reader can open it"
_CHAPTER_TYPES = frozenset(
    {"application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document"}
)
_MAX_CHAPTERS = 20_000


@dataclass(frozen=True, slots=True)
class Package:
    """A book without its text: `chapters` are member names in reading order, `titles` their names."""

    chapters: tuple[str, ...]
    titles: dict[str, str]
    title: str = ""
    author: str = ""
    language: str = ""
    subjects: tuple[str, ...] = ()
    day: date | None = None


def read_package(archive: Archive, what: str) -> Package:
    """The package of the book in `archive`; `what` names the kind of file in reasons.

    Raises:
        UnreadableError: "damaged" (no package in it), or "encrypted".
    """
    name = _package_name(archive)
    root = archive.xml(name) if name else None
    if root is None:
        raise UnreadableError("damaged", f"damaged, or not {what}")
    folder = posixpath.dirname(name)
    items = {
        item.get("id", ""): (_member(folder, item.get("href", "")), item) for item in _named(root, "item")
    }
    spine = (items.get(reference.get("idref", "")) for reference in _named(root, "itemref"))
    chapters = [item[0] for item in spine if item and item[1].get("media-type", "") in _CHAPTER_TYPES]
    _refuse_locked(archive, set(chapters))
    contents = [
        member
        for member, item in items.values()
        if "nav" in item.get("properties", "").split() or item.get("media-type") == "application/x-dtbncx+xml"
    ]
    return Package(
        chapters=tuple(dict.fromkeys(chapters))[:_MAX_CHAPTERS],
        titles=_titles(archive, contents),
        title=_first(root, "title"),
        author=", ".join(dict.fromkeys(filter(None, map(_text, _metadata(root, "creator"))))),
        language=_first(root, "language"),
        subjects=tuple(dict.fromkeys(filter(None, map(_text, _metadata(root, "subject"))))),
        day=_day(root),
    )


def _package_name(archive: Archive) -> str:
    container = archive.xml("META-INF/container.xml")
    if container is not None:
        for root_file in _named(container, "rootfile"):
            path = unquote(root_file.get("full-path", ""))
            if path:
                return path
    return next((name for name in archive.names if name.lower().endswith(".opf")), "")


def _refuse_locked(archive: Archive, chapters: set[str]) -> None:
    root = archive.xml("META-INF/encryption.xml")
    for data in _named(root, "EncryptedData") if root is not None else ():
        method = next((element.get("Algorithm", "") for element in _named(data, "EncryptionMethod")), "")
        targets = {unquote(element.get("URI", "")) for element in _named(data, "CipherReference")}
        if method not in _FONT_SCRAMBLING and targets & chapters:
            raise UnreadableError("encrypted", _LOCKED)


def _titles(archive: Archive, contents: list[str]) -> dict[str, str]:
    """Names of chapter files by the tables of contents; the first name that a file gets is the chapter's."""
    titles: dict[str, str] = {}
    for member in contents:
        try:
            data = archive.read(member)
            root = parse_xml(data, member) if data else None
        except UnreadableError:
            continue  # a book is worth reading without its table of contents
        for target, title in _entries(root) if root is not None else ():
            chapter = _member(posixpath.dirname(member), target)
            if title:
                titles.setdefault(chapter, title)
    return titles


def _entries(root: etree._Element) -> Iterator[tuple[str, str]]:
    for link in _named(root, "a"):
        yield link.get("href", ""), " ".join(piece.text for piece in element_pieces(link))
    for point in _named(root, "navPoint"):
        content = next(_named(point, "content"), None)
        label = next(_named(point, "text"), None)
        if content is not None and label is not None:
            yield content.get("src", ""), _text(label)


def _member(folder: str, href: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(href.split("#", maxsplit=1)[0])))


def _day(root: etree._Element) -> date | None:
    """The book's own date; when it was converted ("modification") says nothing about its content."""
    for element in _metadata(root, "date"):
        event = next((value for key, value in element.attrib.items() if str(key).endswith("event")), "")
        text = _text(element)[:10]
        if event in ("modification", "conversion", "creation"):
            continue
        for shape in (text, f"{text}-01", f"{text}-01-01"):
            try:
                return date.fromisoformat(shape)
            except ValueError:
                continue
    return None


def _metadata(root: etree._Element, name: str) -> Iterator[etree._Element]:
    yield from root.iter("{http://purl.org/dc/elements/1.1/}" + name)


def _named(root: etree._Element, name: str) -> Iterator[etree._Element]:
    """Elements by their name in any namespace: old books leave it out or write their own."""
    yield from root.iter("{*}" + name)


def _first(root: etree._Element, name: str) -> str:
    return next(filter(None, map(_text, _metadata(root, name))), "")


def _text(element: etree._Element) -> str:
    return " ".join("".join(str(text) for text in element.itertext()).split())


DEFAULT_MAX_CHARS = 50_000_000  # text that one book may have; the Bible has 4 million
_WHAT = "an EPUB book"
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
        left_out: list[str] = []
        for number, chapter in enumerate(package.chapters, start=1):
            pieces = _chapter_pieces(archive, chapter)
            if pieces is None:
                left_out.append(f"chapter {_named_chapter(package, chapter)} is missing or damaged")
            for section in _sections(pieces or [], chapter, package, len(sections)):
                sections.append(section)
                room -= len(section.text)
            if room < 0 and number < len(package.chapters):
                last = _named_chapter(package, chapter)
                left_out.append(f"the chapters after {last} are left out: the book is too long")
                break
        if not sections:
            if left_out:
                raise UnreadableError("damaged", "the book is damaged: its chapters cannot be read")
            raise UnreadableError("no-text", "has no text, only pictures or nothing")
        return ParsedDocument(
            title=clean_title(package.title),
            source_type="epub",
            sections=tuple(sections),
            source_date=SourceDate(package.day, "properties") if package.day else None,
            language=language_of(sections, package.language),
            tags=package.subjects,
            extra={"author": package.author} if package.author else {},
            left_out=tuple(left_out),
        )


def _named_chapter(package: Package, chapter: str) -> str:
    """A chapter by its title in the table of contents, else by its file."""
    title = package.titles.get(chapter)
    return f'"{title}"' if title else chapter


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
    for group in _under_headings(pieces):
        names = group[-1].path or ((named,) if named else ())
        text, blocks = join_pieces(group)
        locator = ChapterLocator(
            part=part, end_char=len(text), chapter=chapter, heading=names[-1] if names else None
        )
        yield Section(text, locator, names, blocks)
        part += 1


def _under_headings(pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
    """Pieces with the headings above them: "Chapter 1" and "The Storm" without text between stay together."""
    group: list[Piece] = []
    for piece in pieces:
        begins = piece.level and not group[-1].level if group else False
        if begins or (group and not piece.level and piece.path != group[-1].path):
            yield group
            group = []
        group.append(piece)
    if group:
        yield group
