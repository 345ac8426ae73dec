"""Takes the text out of HTML: that of pages, and that inside other formats (mail, EPUB, notebooks)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from lxml import etree

from bob.core.document import Block, BlockKind
from bob.documents.formats.html.inline_markup import (
    BLOCKS,
    LeavesOut,
    is_all_bold,
    is_unseen,
    name_of,
    name_words,
    replaced,
    shown_lines,
    shown_text,
    stands_apart,
    text_of,
)
from bob.documents.formats.html.tables import table_blocks
from bob.text.markup import may_name_section
from bob.text.tables import line_of

HEADINGS = {f"h{level}": level for level in range(1, 7)}
_OF_TITLE = frozenset({*HEADINGS, "p"})
_ENDS = (".", "!", ":", ";")
_LONGEST_HEADING = 250
"""Characters; a longer one is a paragraph in large letters, or a tag that was never closed."""
_BOLD_HEADING = max(HEADINGS.values()) + 1
"""The level of a bold line that names what follows it, below all others."""
_ASIDE = frozenset({"aside", "details", "article", "blockquote", "figure", "li", "dd", "fieldset"})
_ASIDE_ROLES = frozenset({"tablist", "tabpanel", "dialog", "tooltip", "complementary", "note"})
"""Elements and roles that a heading in them does not reach out of."""
_NOTES = frozenset(
    {"note", "tip", "warning", "caution", "important", "danger", "admonition", "callout", "infobox", "alert"}
)
_MOST_BLANK = 4
"""Empty paragraphs between a bold line and what it names."""
_MOST_IN_LINE = 100
"""Elements within a bold line: Word has one for every few words."""
_SECTIONS = frozenset({"section", "div", "article", "header", "hgroup"})
_DEEPEST_INDENT = 8
_LONGEST_IN_ROW = 200
"""Characters of a cell of data in a table that lays out a page."""
_EMPTY_LINES = re.compile(r"\n{2,}")
_LANGUAGE_OF_CODE = re.compile(r"\b(?:code|highlight|sourcecode|prettyprint|brush|language-\S)")
_FENCES = ("```", "~~~")
_LONGEST_FENCED = 1_000
"""Characters between two fences, so that no chunk begins or ends between them."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A block of text, not empty; a heading has a level from 1 to 7, all other pieces 0.

    `path` are the headings that it stands under, a heading's own as the last one; `anchor` is the name of the
    nearest of them that can be linked to. `quotes` is how many quotations it stands in.
    """

    text: str
    kind: BlockKind = "paragraph"
    level: int = 0
    path: tuple[str, ...] = ()
    anchor: str | None = None
    quotes: int = 0


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


def element_pieces(
    root: etree._Element, leaves_out: LeavesOut = is_unseen, *, bold_headings: bool = False
) -> list[Piece]:
    """The text below an element of HTML, or of XHTML with its namespace, but for what `leaves_out` names.

    With `bold_headings` a paragraph that is bold and short names the paragraphs beside it that follow.
    """
    return list(_Walk(leaves_out, bold_headings).pieces(root))


def sections_of(pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
    """Pieces that stand under the same headings: one of them begins a section, and so does its end."""
    section: list[Piece] = []
    for piece in pieces:
        if section and (piece.level or piece.path != section[-1].path):
            yield section
            section = []
        section.append(piece)
    if section:
        yield section


def join_pieces(pieces: Sequence[Piece], offset: int = 0) -> tuple[str, tuple[Block, ...]]:
    """The pieces as one text with their blocks; `offset` is where this text will begin in a larger one."""
    parts: list[str] = []
    blocks: list[Block] = []
    for number, piece in enumerate(pieces):
        tight = number > 0 and piece.kind == pieces[number - 1].kind == "list"
        joint = "" if not parts else "\n" if tight else "\n\n"
        offset += len(joint)
        blocks.append(Block(offset, offset + len(piece.text), piece.kind, number))
        parts += (joint, piece.text)
        offset += len(piece.text)
    return "".join(parts), tuple(blocks)


def fenced(code: str, language: str = "") -> Iterator[Piece]:
    """Code between fences, in parts that are cut at its empty lines, or at any where those are far apart."""
    lines = code.split("\n")
    if any(line.lstrip().startswith(_FENCES) for line in lines):
        yield Piece(code, "code")
        return
    start = 0
    while start < len(lines):
        end, size, empty = start, 0, start
        while end < len(lines) and (end == start or size + len(lines[end]) < _LONGEST_FENCED):
            empty = empty if lines[end].strip() else end
            size += len(lines[end]) + 1
            end += 1
        end = empty if empty > start and end < len(lines) else end
        part = "\n".join(lines[start:end]).strip("\n").rstrip()
        if part:
            yield Piece(f"```{language}\n{part}\n```", "code")
        start = end


@dataclass(slots=True)
class _Container:
    """An open block: the headings above it, which hold again behind it if it keeps its own to itself."""

    element: etree._Element
    tag: str
    above: tuple[_Heading, ...]
    is_aside: bool


@dataclass(frozen=True, slots=True)
class _Heading:
    level: int
    title: str
    anchor: str | None


@dataclass(slots=True)
class _List:
    """An open list; `number` is that of its last item, None where they have none."""

    number: int | None
    form: str = "1"


@dataclass(slots=True)
class _Walk:
    """One pass over a tree, without recursion: bad HTML nests thousands deep."""

    leaves_out: LeavesOut
    bold_headings: bool = False
    _inline: list[str] = field(default_factory=list)
    _open: list[_Container] = field(default_factory=list)
    _path: tuple[_Heading, ...] = ()
    _lists: list[_List] = field(default_factory=list)
    _items: int = 0
    _quotes: int = 0
    _mark: str = ""
    _says_nothing_yet: bool = False

    def pieces(self, root: etree._Element) -> Iterator[Piece]:
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            tag = name_of(element)
            if event == "end":
                yield from self._close(element)
                if element is not root:
                    self._add(element.tail)
                continue
            self._inline += [" "] if stands_apart(element, tag) else []
            seen = replaced(element, tag, self._inline[-1] if self._inline else "", self.leaves_out)
            whole = self._whole(element, tag) if seen is None else None
            if seen is not None:
                if tag in BLOCKS:
                    yield from self._flush()
                self._inline += [seen] if seen else []
                walk.skip_subtree()
            elif whole is not None:
                yield from self._flush()
                yield from map(self._placed, whole)
                walk.skip_subtree()
            else:
                yield from self._enter(element, tag)
                self._add(element.text)
        yield from self._flush()

    def _add(self, text: str | None) -> None:
        if text:
            self._inline.append(shown_text(text))

    def _whole(self, element: etree._Element, tag: str) -> list[Piece] | None:
        """The pieces of an element that is read at once; None when its children are to be walked."""
        if tag in HEADINGS:
            title = text_of(element, self._reads_in_heading)
            if len(title) > _LONGEST_HEADING:
                return None
            return [Piece(title, "heading", HEADINGS[tag], anchor=_anchor(element))] if title else []
        if tag == "hgroup":
            return self._heading_group(element)
        if tag in {"pre", "listing"}:
            return _code(element, text_of(element, self.leaves_out, verbatim=True))
        if tag == "table":
            blocks = table_blocks(element, lambda cell: text_of(cell, self.leaves_out))
            return None if blocks is None else [Piece(*block) for block in blocks]
        if tag == "tr" and _is_data_row(element):
            texts = [text_of(cell, self.leaves_out) for cell in element if name_of(cell) in {"td", "th"}]
            texts = [text for text in texts if text]
            if len(texts) > 1 and all(len(text) <= _LONGEST_IN_ROW for text in texts):
                return [Piece(line_of(texts), "table")]
        return None

    def _heading_group(self, group: etree._Element) -> list[Piece] | None:
        """A title in several parts, such as the number of a chapter and its name, as one; None where a part
        is more than that."""
        if any(name_of(part) not in _OF_TITLE for part in group.iterchildren(etree.Element)):
            return None
        texts = ((part, text_of(part, self._reads_in_heading)) for part in group.iterchildren(etree.Element))
        parts = [(part, text) for part, text in texts if text]
        heads = [part for part, _ in parts if name_of(part) in HEADINGS]
        subtitles = [text for part, text in parts if part not in heads]
        title = " – ".join(text for _, text in parts)
        if not heads or len(title) > _LONGEST_HEADING or any(text.endswith(_ENDS) for text in subtitles):
            return None
        level = min(HEADINGS[name_of(head)] for head in heads)
        return [Piece(title, "heading", level, anchor=_anchor(heads[0]))]

    def _reads_in_heading(self, element: etree._Element, tag: str) -> bool:
        return self.leaves_out(element, tag) and tag != "button"

    def _placed(self, piece: Piece) -> Piece:
        """The piece under the headings above it; a heading takes its place among them."""
        if piece.level:
            heading = _Heading(piece.level, piece.text, piece.anchor)
            self._path = (*(above for above in self._path if above.level < piece.level), heading)
        self._says_nothing_yet = piece.level > 0
        anchors = (heading.anchor for heading in reversed(self._path) if heading.anchor)
        path = tuple(heading.title for heading in self._path)
        return Piece(piece.text, piece.kind, piece.level, path, next(anchors, None), self._quotes)

    def _enter(self, element: etree._Element, tag: str) -> Iterator[Piece]:
        if tag not in BLOCKS:
            return
        yield from self._flush()
        is_aside = tag in _ASIDE or element.get("role") in _ASIDE_ROLES or is_note(element)
        self._open.append(_Container(element, tag, self._path, is_aside))
        if tag in {"ul", "ol"}:
            number = _number(element.get("start"), 1) - 1 if tag == "ol" else None
            self._lists.append(_List(number, element.get("type") or "1"))
        elif tag == "li":
            self._items += 1
            self._mark = self._next_mark(element)
        elif tag == "blockquote":
            self._quotes += 1

    def _next_mark(self, item: etree._Element) -> str:
        numbered = self._lists[-1] if self._lists else _List(None)
        if numbered.number is None:
            return "- "
        numbered.number = _number(item.get("value"), numbered.number + 1)
        if numbered.form in {"a", "A"} and 0 < numbered.number <= 26:
            return f"{chr(ord(numbered.form) + numbered.number - 1)}. "
        return f"{numbered.number}. "

    def _close(self, element: etree._Element) -> Iterator[Piece]:
        if not self._open or self._open[-1].element is not element:
            return
        level = 0
        if self.bold_headings and not (self._items or self._quotes) and _names_following(element):
            level = _BOLD_HEADING
        yield from self._flush(level)
        container = self._open.pop()
        if not level:
            # A bold line names only what stands beside it.
            self._path = tuple(
                heading
                for heading in self._path
                if heading.level < _BOLD_HEADING or heading in container.above
            )
        if container.is_aside and not self._says_nothing_yet:
            # The title of a page is its title behind the article, too.
            titles = tuple(heading for heading in self._path if heading.level == 1)
            self._path = container.above or (titles if container.tag == "article" else ())
        if container.tag in {"ul", "ol"}:
            self._lists.pop()
        elif container.tag == "li":
            self._items -= 1
            self._mark = ""
        elif container.tag == "blockquote":
            self._quotes -= 1

    def _flush(self, level: int = 0) -> Iterator[Piece]:
        if not self._inline:
            return
        text = shown_lines(self._inline)
        self._inline.clear()
        if level and text:
            yield self._placed(Piece(text, "heading", level))
            return
        for part in _EMPTY_LINES.split(text):
            if part.strip():
                yield self._placed(self._block(part))

    def _block(self, text: str) -> Piece:
        if self._items:
            indent = "  " * min(self._items - 1, _DEEPEST_INDENT)
            mark, self._mark = self._mark or "  ", ""
            return Piece(f"{indent}{mark}{text}", "list")
        return Piece(text, "quote" if self._quotes else "paragraph")


def _names_following(element: etree._Element) -> bool:
    """Whether a paragraph is bold, short and no sentence, and one that is not stands behind it.

    Of several bold ones in a row only the second and last may name what follows: a date below a title does.
    """
    if not _is_bold_line(element):
        return False
    before = _beside(element, etree._Element.getprevious)
    following = _beside(element, etree._Element.getnext)
    if following is None or name_of(following) in HEADINGS or is_all_bold(following):
        return False
    before = before if before is not None and _is_bold_line(before) else None
    above = _beside(before, etree._Element.getprevious) if before is not None else None
    return name_of(following) in BLOCKS and not (above is not None and _is_bold_line(above))


def _is_bold_line(element: etree._Element) -> bool:
    if name_of(element) not in {"p", "div", "center"}:
        return False
    inner = list(islice(element.iterdescendants(), _MOST_IN_LINE))
    if len(inner) == _MOST_IN_LINE or any(name_of(part) in BLOCKS or name_of(part) == "br" for part in inner):
        return False
    return is_all_bold(element) and may_name_section(text_of(element))


def _beside(
    element: etree._Element, step: Callable[[etree._Element], etree._Element | None]
) -> etree._Element | None:
    """The nearest element on one side that has text; None where text of the parent comes before it."""
    current: etree._Element | None = element
    for _ in range(_MOST_BLANK):
        last, current = current, step(current) if current is not None else None
        if current is None or last is None:
            return None
        between = (last if step is etree._Element.getnext else current).tail
        if between and between.strip():
            return None
        if text_of(current):
            return current
    return None


def _number(text: str | None, otherwise: int) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 9 else otherwise


def _code(element: etree._Element, text: str) -> list[Piece]:
    """Preformatted text, between fences where the page says that it is code; none for numbers of lines."""
    if not re.search(r"[^\d\s]", text):
        return []
    inner = next(element.iterchildren("code"), element)
    parent = element.getparent()
    classes = " ".join(
        each.get("class") or "" for each in (element, inner, parent) if each is not None
    ).lower()
    is_code = inner is not element or _LANGUAGE_OF_CODE.search(classes) is not None
    return list(fenced(text)) if is_code else [Piece(text, "code")]


def _is_data_row(row: etree._Element) -> bool:
    """Whether a row of a table that lays out a page is one of data, as in the bills that shops send."""
    cells = [child for child in row if name_of(child) in {"td", "th"}]
    blocks = row.iterdescendants("table", "ul", "ol", "pre", "p", *HEADINGS)
    return len(cells) > 1 and next(blocks, None) is None


def is_note(element: etree._Element) -> bool:
    """Whether an element is a note within a text, as manuals have them, by its role or its class."""
    return element.get("role") == "note" or not _NOTES.isdisjoint(name_words(element, "class"))


def _anchor(heading: etree._Element) -> str | None:
    """The name of a heading, of what is in it or just before it, or of the section that it opens."""
    inside = (inner.get("id") or inner.get("name") for inner in heading.iter())
    name = next((anchor for anchor in inside if anchor), None)
    before, parent = heading.getprevious(), heading.getparent()
    if name is None and before is not None and _is_target(before):
        name = before.get("id") or before.get("name")
        before = before.getprevious()
    opens = before is None and parent is not None and name_of(parent) in _SECTIONS
    return name or (parent.get("id") if opens and parent is not None else None)


def _is_target(element: etree._Element) -> bool:
    """Whether an element is only there to be linked to."""
    has_text = bool((element.text or "").strip()) or len(element) > 0 or bool((element.tail or "").strip())
    return name_of(element) in {"a", "span"} and element.get("href") is None and not has_text
