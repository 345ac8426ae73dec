"""Takes the text out of HTML that stands inside other formats (mail, EPUB), as pieces with their kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from bob.core.document import Block, BlockKind

# fmt: off
_SKIPPED = frozenset({
    "script", "style", "template", "noscript", "svg", "math", "iframe", "object", "head", "title", "select",
    "textarea", "button",
})
_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "div", "dl",
    "dt",
    "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr",
    "html", "li", "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "tfoot", "thead",
    "tr", "ul", "td", "th",
})
# fmt: on
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LAYOUT = ("table", "ul", "ol", "pre", "h1", "h2", "h3", "h4")  # a row with these in it is no row of data
_CELLS = frozenset({"td", "th"})
_CELL_JOINT = " | "
_SPACE = re.compile(r"[ \t\r\n\f]+")
_INVISIBLE = re.compile("[\u00ad\u200b\u200c\u2060\ufeff\u034f]")  # mail is padded with them by the hundred


@dataclass(frozen=True, slots=True)
class Piece:
    """A block of text, not empty; a heading has a level from 1 to 6, all other pieces 0."""

    text: str
    kind: BlockKind = "paragraph"
    level: int = 0


def html_pieces(markup: bytes | str, encoding: str | None = None) -> list[Piece]:
    """The visible text of HTML in order; nothing for what is no markup at all. Never raises on bad HTML.

    `encoding` is what the container says of bytes; the document's own word is taken without it.
    """
    data = markup.encode("utf-8", "replace") if isinstance(markup, str) else markup
    parser = etree.HTMLParser(
        encoding="utf-8" if isinstance(markup, str) else encoding,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
        huge_tree=True,  # long threads of replies nest deeper than libxml2's usual limit
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        return []
    return element_pieces(root) if root is not None else []


def element_pieces(root: etree._Element) -> list[Piece]:
    """The visible text below an element of HTML, or of XHTML with its namespace."""
    return list(_Walk().pieces(root))


def join_pieces(pieces: list[Piece], offset: int = 0) -> tuple[str, tuple[Block, ...]]:
    """The pieces as one text with their blocks; `offset` is where this text will begin in a larger one."""
    parts: list[str] = []
    blocks: list[Block] = []
    for number, piece in enumerate(pieces):
        tight = number > 0 and piece.kind == pieces[number - 1].kind and piece.kind in ("list", "table")
        joint = "" if not parts else "\n" if tight else "\n\n"
        offset += len(joint)
        blocks.append(Block(offset, offset + len(piece.text), piece.kind, number))
        parts += (joint, piece.text)
        offset += len(piece.text)
    return "".join(parts), tuple(blocks)


@dataclass(slots=True)
class _Walk:
    """One pass over a tree, without recursion: bad HTML nests thousands deep."""

    _buffer: list[str] = field(default_factory=list)
    _quotes: int = 0
    _verbatim: int = 0
    _items: int = 0
    _level: int = 0
    _rows: list[bool] = field(default_factory=list)
    _item_begins: bool = False

    def pieces(self, root: etree._Element) -> Iterator[Piece]:
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            tag = element.tag.rpartition("}")[2].lower() if isinstance(element.tag, str) else ""
            if event == "start":
                if tag in _SKIPPED or not tag:
                    walk.skip_subtree()
                    continue
                if tag in _BLOCKS:
                    yield from self._flush(tag)
                if tag == "tr":
                    self._rows.append(_is_data_row(element))
                self._enter(tag, 1)
                self._buffer.append(element.text or "")
            else:
                if tag in _BLOCKS:
                    yield from self._flush(tag)
                if tag and tag not in _SKIPPED:
                    self._enter(tag, -1)
                if tag == "tr":
                    self._rows.pop()
                self._buffer.append(element.tail or "" if element is not root else "")
        yield from self._flush("")

    def _enter(self, tag: str, step: int) -> None:
        self._quotes += step * (tag == "blockquote")
        self._verbatim += step * (tag == "pre")
        self._items += step * (tag == "li")
        self._level = _HEADINGS.get(tag, 0) if step > 0 else 0 if tag in _HEADINGS else self._level
        if step > 0 and tag == "br":
            self._buffer.append("\x00")
        if step > 0 and tag == "li":
            self._item_begins = True
        if step < 0 and tag in _CELLS and self._rows and self._rows[-1]:
            self._buffer.append("\x01")

    def _flush(self, tag: str) -> Iterator[Piece]:
        in_row = bool(self._rows) and self._rows[-1]
        if in_row and tag != "tr":  # paragraphs inside a cell stay in its row
            self._buffer.append(" ")
            return
        raw, self._buffer = "".join(self._buffer), []
        text = _INVISIBLE.sub("", raw)
        if self._verbatim:
            text = text.replace("\x00", "\n").strip("\r\n")
        else:
            lines = (_SPACE.sub(" ", line).strip() for line in text.split("\x00"))
            text = "\n".join(line for line in lines if line)
        cells = [cell.strip() for cell in text.split("\x01")]
        if len(cells) > 1:
            text = _CELL_JOINT.join(cells if cells[-1] else cells[:-1])
        if not text.strip(" |\n"):
            return
        yield self._piece(text, row=in_row)
        self._item_begins = False

    def _piece(self, text: str, *, row: bool) -> Piece:
        if self._level:
            return Piece(text, "heading", self._level)
        if self._verbatim:
            return Piece(text, "code")
        if row:
            return Piece(text, "table")
        if self._quotes:
            return Piece(text, "quote")
        if self._items:
            indent = "  " * min(self._items - 1, 8)
            return Piece(f"{indent}{'- ' if self._item_begins else '  '}{text}", "list")
        return Piece(text)


def _is_data_row(row: etree._Element) -> bool:
    """Whether a table row is one of data; mail is laid out with tables that hold whole texts."""
    cells = [child for child in row if child.tag in _CELLS]
    return len(cells) > 1 and next(row.iterdescendants(*_LAYOUT), None) is None
