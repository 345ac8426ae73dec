"""Finds the links in Markdown text: wiki links, inline links, images, and links by reference.

Regular expressions over text whose code and comments are blanked out: a Markdown parser's inline pass takes
minutes where a large memory's links are looked at, this takes seconds. Where links lead is
`bob.notes.link_targets`'s part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

from bob.text.markup import closes_fence, opened_fence

LinkKind = Literal["wiki", "embed", "inline", "image", "reference"]
"""`[[x]]`, `![[x]]`, `[a](x)`, `![a](x)`, and `[label]: x` where a link or an image uses the label."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link as it stands in a text.

    `target` is where it leads without the part after `#`, which is `anchor` (each "" when there is none),
    escapes and percent signs decoded; an external address is whole. `text` is what a reader sees. `line`
    counts from 1. `start` to `end` (excluded) are the characters of target and anchor as they are written,
    for putting others in their place; a reference's are those of its definition.
    """

    kind: LinkKind
    target: str
    anchor: str
    text: str
    line: int
    start: int
    end: int

    @property
    def is_external(self) -> bool:
        """Whether it leads out of the files: an address with a scheme, or one that a program fills in."""
        return bool(_EXTERNAL.match(self.target))

    @property
    def is_wiki(self) -> bool:
        """Whether it names a note instead of giving a path."""
        return self.kind in ("wiki", "embed")


_EXTERNAL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|.*(?:\{\{|\{%|<%|\$\{)")
_BEFORE_FENCE = re.compile(r" {0,3}(?:>[ ]?)*[ \t]*(?:[-*+] +|\d+[.)] +)?")
"""The marks of quotations and of an item of a list, in which a block of code may stand."""
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_INDENTED = re.compile(r" {4}|\t| {1,3}\t")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_MARKS = re.compile(r"(`+)")
_ESCAPED_BRACKET = re.compile(r"\\[\[\]!]")
_PARAGRAPHS = re.compile(r"(\n[ \t]*\n)")

_TITLE = r"""(?:\s+(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\)))?"""
_ADDRESS = (
    r"(?:<([^<>\n]*)>|((?:[^\s()<\\]|\\.|\((?:[^\s()\\]|\\.)*\))(?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*\))*)?)"
)
_INLINE = re.compile(rf"\]\([ \t]*+\n?[ \t]*+{_ADDRESS}{_TITLE}\s*\)")
_DEFINITION = re.compile(
    rf"^ {{0,3}}\[([^\[\]\n^][^\[\]\n]*)\]:[ \t]*+\n?[ \t]*+{_ADDRESS}{_TITLE}[ \t]*$", re.MULTILINE
)
_LABEL = re.compile(r"\[([^\[\]]{1,300})\](?![:(])")
_WIKI = re.compile(r"\[\[([^\[\]\n|\\]*)(?:\\?\|([^\[\]\n]*))?\]\](?!\()")
_ESCAPE = re.compile(r"""\\([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~])""")
_LONGEST_TEXT = 2_000
"""Characters of a link's text: what opens further away is no link but an odd text."""


def may_have_links(text: str) -> bool:
    """Whether it is worth looking; cheap."""
    return "](" in text or "[[" in text or "]:" in text


def find_links(text: str) -> list[Link]:
    """The links of a Markdown text in the order of their places, none from code or comments."""
    if not may_have_links(text):
        return []
    shown = blank_code(text)
    # Escaped brackets are characters like others; the range stays as long, so that places stay true.
    bare = _ESCAPED_BRACKET.sub("  ", shown) if "\\" in shown else shown
    links = [*_wiki(bare), *_inline(text, bare)]
    if "]:" in bare:
        links += _references(bare)
    return sorted(links, key=lambda link: link.start)


def blank_code(text: str) -> str:
    """The text with code (blocks and spans) and comments as spaces: as long, with the same lines."""
    text = _without_blocks(text)
    if "`" not in text:
        return text
    # Spans end with their paragraph.
    return "".join(_without_spans(part) if "`" in part else part for part in _PARAGRAPHS.split(text))


def _without_spans(paragraph: str) -> str:
    """The paragraph without spans: each begins with a run of marks, and ends with the next one as long."""
    if "``" in paragraph or "\\`" in paragraph:
        return _without_mixed_spans(_MARKS.split(paragraph))
    # Nearly always: every second piece is code, and a last mark that is alone is just that.
    pieces = paragraph.split("`")
    closed = (len(pieces) - 1) // 2 * 2
    pieces[1:closed:2] = [_spaces(piece) for piece in pieces[1:closed:2]]
    blanked = " ".join(pieces[: closed + 1])
    return blanked if closed == len(pieces) - 1 else f"{blanked}`{pieces[-1]}"


def _without_mixed_spans(pieces: list[str]) -> str:
    last = len(pieces) - 2
    index = 1
    while index < last:
        marks = pieces[index]
        closing = index + 2
        while closing <= last and pieces[closing] != marks:
            closing += 2
        if closing > last or pieces[index - 1][-1:] == "\\":
            index += 2
            continue
        pieces[index : closing + 1] = [_spaces(piece) for piece in pieces[index : closing + 1]]
        index = closing + 2
    return "".join(pieces)


def _without_blocks(text: str) -> str:
    """The text without blocks of code and comments."""
    if "```" in text or "~~~" in text or "\n    " in text or "\n\t" in text:
        text = _without_code_blocks(text)
    return _COMMENT.sub(_blank, text) if "<!--" in text else text


def _without_code_blocks(text: str) -> str:
    unlinked: list[str] = []
    fence = ""
    in_list, after_blank = False, True
    for line in text.split("\n"):
        inner = _BEFORE_FENCE.sub("", line, count=1)
        if fence:
            fence = "" if closes_fence(inner, fence) else fence
            unlinked.append(" " * len(line))
            after_blank = True
        elif fence := opened_fence(inner):
            unlinked.append(" " * len(line))
        elif not line.strip():
            unlinked.append(line)
            after_blank = True
        elif _INDENTED.match(line) and after_blank and not in_list:
            unlinked.append(" " * len(line))
        else:
            if _LIST_ITEM.match(line):
                in_list = True
            elif after_blank and not line[0].isspace():
                in_list = False
            unlinked.append(line)
            after_blank = False
    return "\n".join(unlinked)


def _wiki(bare: str) -> Iterator[Link]:
    if "[[" not in bare:
        return
    for match in _WIKI.finditer(bare):
        named = match[1]
        target, _, anchor = named.partition("#")
        if not named.strip():
            continue
        start, end = match.span(1)
        # What is shown without words of its own is what was named.
        shown = match[2] if match[2] is not None else named
        is_embedded = match.start() > 0 and bare[match.start() - 1] == "!"
        kind: LinkKind = "embed" if is_embedded else "wiki"
        yield Link(kind, target.strip(), anchor.strip(), shown.strip(), _line(bare, start), start, end)


def _inline(text: str, bare: str) -> Iterator[Link]:
    if "](" not in bare:
        return
    for match in _INLINE.finditer(bare):
        opening = _opening(bare, match.start())
        if opening is None:
            continue
        is_image = opening > 0 and bare[opening - 1] == "!"
        shown = " ".join(text[opening + 1 : match.start()].split())
        yield _addressed("image" if is_image else "inline", match, (1, 2), shown, bare, opening)


def _references(bare: str) -> Iterator[Link]:
    definitions = list(_DEFINITION.finditer(bare))
    if not definitions:
        return
    used = {_label(match[1]) for match in _LABEL.finditer(bare)}
    defined: set[str] = set()
    for match in definitions:
        label = _label(match[1])
        # The first definition of a label is the one that counts.
        if label in used and label not in defined and (match[2] or match[3]):
            defined.add(label)
            yield _addressed("reference", match, (2, 3), match[1], bare, match.start(1))


def _addressed(
    kind: LinkKind, match: re.Match[str], groups: tuple[int, int], shown: str, bare: str, at: int
) -> Link:
    """The link of a match whose address stands in one of two groups: in angle brackets, or bare."""
    group = groups[0] if match[groups[0]] is not None else groups[1]
    written = match[group] or ""
    start, end = match.span(group) if match[group] is not None else (match.end() - 1,) * 2
    address = _ESCAPE.sub(r"\1", written)
    if _EXTERNAL.match(address):
        return Link(kind, address, "", shown, _line(bare, at), start, end)
    path, _, anchor = address.partition("#")
    return Link(kind, unquote(path.partition("?")[0]), unquote(anchor), shown, _line(bare, at), start, end)


def _opening(bare: str, closing: int) -> int | None:
    """Where the bracket opens that closes there, within the same paragraph."""
    depth = 0
    for index in range(closing, max(-1, closing - _LONGEST_TEXT), -1):
        character = bare[index]
        if character == "]":
            depth += 1
        elif character == "[":
            depth -= 1
            if depth == 0:
                return index
        elif character == "\n" and bare[index - 1 : index] == "\n":
            return None
    return None


def _label(text: str) -> str:
    return " ".join(text.casefold().split())


def _blank(match: re.Match[str]) -> str:
    return _spaces(match[0])


def _spaces(code: str) -> str:
    return "\n".join(" " * len(line) for line in code.split("\n")) if "\n" in code else " " * len(code)


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1
