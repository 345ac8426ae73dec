"""The blocks of a draft in Markdown: where each one's text lies, and which lists, quotes and tables hold it.

markdown-it says what the blocks are; this module adds the character ranges that its tokens lack. It knows
nothing of sentences or claims.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_LINE_END = re.compile(r"\r\n|\n|\r")
_BEFORE_TEXT = re.compile(r"(?:[ \t>]|[-+*](?=\s)|\d{1,9}[.)](?=\s))*")
_PREFIX = re.compile(r"[\s>]*")
_CONTAINERS = {
    "list_item_open": "item",
    "blockquote_open": "quote",
    "bullet_list_open": "list",
    "ordered_list_open": "numbered",
    "table_open": "table",
}


@dataclass(frozen=True, slots=True)
class Container:
    """A list, an item, a quote or a table: its lines, without blank ones at the end. `number` orders those
    of a draft; `marker` is that of an item of a numbered list ("3.")."""

    kind: str
    number: int
    first: int
    stop: int
    marker: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """Lines `first` to before `stop` of a draft. Kinds: paragraph, heading, head, row, code, other.

    `segments` are the ranges of the draft that hold its text, a line each, without the markers before them;
    `containers` go from the outermost to the innermost.
    """

    kind: str
    first: int
    stop: int
    segments: tuple[tuple[int, int], ...]
    containers: tuple[Container, ...] = ()
    level: int = 0


@lru_cache(maxsize=1)
def markdown() -> MarkdownIt:
    """CommonMark with tables and strikethrough, as the answers are shown."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


def lines_of(draft: str) -> list[tuple[int, int]]:
    """The ranges of a draft's lines without their ends."""
    blocks, start = [], 0
    for end in _LINE_END.finditer(draft):
        blocks.append((start, end.start()))
        start = end.end()
    return [*blocks, (start, len(draft))]


def text_prefix(line: str) -> str:
    """What stands before a line's text: quote signs and indent, the markers of items included."""
    match = _BEFORE_TEXT.match(line)
    return match[0] if match else ""


def blocks_of(draft: str) -> tuple[list[Block], dict[str, Any]]:
    """The blocks of a draft in order, and markdown-it's environment: the link references it defines."""
    environment: dict[str, Any] = {}
    tokens = markdown().parse(draft, environment)
    reader = _Reader(draft)
    for index, token in enumerate(tokens):
        reader.read(token, tokens[index + 1] if index + 1 < len(tokens) else None)
    return reader.blocks, environment


class _Reader:
    """Follows the tokens and keeps the containers that are open."""

    def __init__(self, draft: str) -> None:
        self.draft = draft
        self.lines = lines_of(draft)
        self.blocks: list[Block] = []
        self._open: list[Container] = []
        self._count = 0
        self._in_head = False

    def read(self, token: Token, following: Token | None) -> None:
        """Take the next token; `following` is the one after it."""
        kind = token.type
        if kind in _CONTAINERS:
            first, stop = self._range(token)
            marker = token.info + token.markup if token.info and kind == "list_item_open" else ""
            self._open.append(Container(_CONTAINERS[kind], self._count, first, stop, marker))
            self._count += 1
        elif kind.replace("_close", "_open") in _CONTAINERS:
            self._open.pop()
        elif kind in ("thead_open", "thead_close"):
            self._in_head = kind == "thead_open"
        elif kind in ("paragraph_open", "heading_open") and following is not None:
            name = kind.removesuffix("_open")
            level = int(token.tag[1]) if name == "heading" else 0
            self._add(name, token, self._text_lines(token, following.content), level)
        elif kind == "tr_open":
            self._add("head" if self._in_head else "row", token, self._cells(token))
        elif kind in ("fence", "code_block"):
            self._add("code", token, self._code_lines(token))
        elif kind in ("html_block", "hr"):
            self._add("other", token, ())

    def _add(self, kind: str, token: Token, segments: Sequence[tuple[int, int]], level: int = 0) -> None:
        first, stop = self._range(token)
        self.blocks.append(Block(kind, first, stop, tuple(segments), tuple(self._open), level))

    def _range(self, token: Token) -> tuple[int, int]:
        first, stop = token.map or (0, 0)
        while stop > first + 1 and not self._line(stop - 1).strip(" \t>"):
            stop -= 1
        return first, stop

    def _line(self, index: int) -> str:
        start, end = self.lines[index]
        return self.draft[start:end]

    def _text_lines(self, token: Token, content: str) -> list[tuple[int, int]]:
        cells = []
        for index, cell in enumerate(content.split("\n"), self._range(token)[0]):
            start, _ = self.lines[index]
            line = self._line(index)
            position = line.replace("\0", "\ufffd").rfind(cell.strip())
            if position < 0:
                prefix = _PREFIX.match(line)
                position = prefix.end() if prefix else 0
                cells.append((start + position, start + len(line.rstrip())))
            else:
                cells.append((start + position, start + position + len(cell.strip())))
        return cells

    def _cells(self, token: Token) -> list[tuple[int, int]]:
        start, end = self.lines[self._range(token)[0]]
        line = self.draft[start:end]
        quoted = re.match(r"[\s>]*(?:[-*+]\s+|\d+[.)]\s+)*\|?\s*", line) if "|" in line else None
        first = quoted.end() if quoted else 0
        last = len(line.rstrip())
        if line.rstrip().endswith("|") and not line.rstrip().endswith("\\|"):
            last = len(line.rstrip()[:-1].rstrip())
        return [(start + first, start + last)] if first < last else []

    def _code_lines(self, token: Token) -> list[tuple[int, int]]:
        first, stop = token.map or (0, 0)
        body = token.content.count("\n") + (not token.content.endswith("\n") and bool(token.content))
        begin = first + 1 if token.type == "fence" else first
        return [self.lines[index] for index in range(begin, min(begin + body, stop))]
