"""Reads passages as lines with a role: no decision stands in code, in a quotation or in a heading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from bob.domain.decision import Passage
from bob.domain.locator import Locator

Role = Literal["text", "heading", "code", "quote", "front_matter", "blank"]

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_QUOTE = re.compile(r" {0,3}>")
_ADORNMENT = re.compile(r"\s*([^\w\s])\1{2,}\s*")
_MARKDOWN_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_INDENTED = re.compile(r"(?: {4}|\t)\s*\S")
_LIST_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")
_LITERAL_LEAD = re.compile(
    r"(?:.*::|\s*\.\.\s+(?:code|code-block|literalinclude|parsed-literal|sourcecode)::.*)\s*"
)


@dataclass(frozen=True, slots=True)
class Place:
    """A range of characters (end excluded) in one passage of a document."""

    passage: Passage
    start: int
    end: int

    @property
    def text(self) -> str:
        """The text that stands there."""
        return self.passage.text[self.start : self.end]

    @property
    def locator(self) -> Locator:
        """Where that is in the source."""
        return self.passage.locator.narrowed(self.passage.text, self.start, self.end)

    def part(self, start: int, end: int) -> Place:
        """A range within this one, counted from its start, without white space at its ends."""
        text = self.text[start:end]
        begin = self.start + start + len(text) - len(text.lstrip())
        return Place(self.passage, begin, max(begin, self.start + start + len(text.rstrip())))


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a passage, without its end."""

    place: Place
    role: Role

    @property
    def text(self) -> str:
        """The line's text."""
        return self.place.text


@dataclass(frozen=True, slots=True)
class Section:
    """The lines under one heading: those of all consecutive passages with the same heading path."""

    path: tuple[str, ...]
    lines: tuple[Line, ...]

    @property
    def heading(self) -> str:
        """The last heading, or ""."""
        return self.path[-1] if self.path else ""

    def body(self) -> list[Line]:
        """The lines that people wrote as prose, lists, tables and fields, with the blank ones between."""
        return [each for each in self.lines if each.role in ("text", "blank")]

    def paragraphs(self) -> Iterator[Place]:
        """The paragraphs, list items each on their own, of the section's body."""
        block: list[Line] = []
        for line in self.lines:
            is_item = _LIST_ITEM.match(line.text) is not None
            if block and (line.role != "text" or is_item or line.place.passage is not block[0].place.passage):
                yield _joined(block)
                block = []
            if line.role == "text":
                block.append(line)
        if block:
            yield _joined(block)


def read_sections(passages: Sequence[Passage], source_type: str) -> list[Section]:
    """The passages in order as sections; a code fence that a cut has split stays code on both sides."""
    found: list[Section] = []
    at = 0
    while at < len(passages):
        end = at + 1
        while end < len(passages) and passages[end].heading_path == passages[at].heading_path:
            end += 1
        path = passages[at].heading_path
        lines = _lines(passages[at:end], path, source_type, is_first=at == 0)
        found.append(Section(path, tuple(lines)))
        at = end
    return found


def _joined(block: Sequence[Line]) -> Place:
    first, last = block[0].place, block[-1].place
    return Place(first.passage, first.start, last.end).part(0, last.end - first.start)


def _lines(
    passages: Sequence[Passage], path: tuple[str, ...], source_type: str, *, is_first: bool
) -> Iterator[Line]:
    roles = _Roles(path, source_type, is_first)
    for passage in passages:
        start = 0
        for text in passage.text.split("\n"):
            role = roles.role(text)
            yield Line(Place(passage, start, start + len(text)), role)
            start += len(text) + 1


class _Roles:
    """Tells the role of one line after the other of a section."""

    def __init__(self, path: tuple[str, ...], source_type: str, is_first: bool) -> None:
        self._heading = _letters(path[-1]) if path else ""
        self._source_type = source_type
        self._fence = ""
        self._literal_indent: int | None = None
        self._front_matter = is_first
        self._in_front_matter = False
        self._heading_is_open = bool(path)
        self._after_list = False
        self._before = ""

    def role(self, text: str) -> Role:
        """The role of the next line."""
        role = self._next(text)
        if text.strip():
            self._before = text
        if role == "text":
            self._after_list = _LIST_ITEM.match(text) is not None or (self._after_list and text[:1] in " \t")
        return role

    def _next(self, text: str) -> Role:
        if self._in_front_matter or (self._front_matter and text.rstrip() in ("---", "+++")):
            self._in_front_matter = not (self._in_front_matter and text.rstrip() in ("---", "...", "+++"))
            self._front_matter = False
            return "front_matter"
        if text.strip():
            self._front_matter = False
        fence = _FENCE.match(text)
        if self._fence:
            if fence and fence[1].startswith(self._fence) and not text.strip().strip(fence[1][0]):
                self._fence = ""
            return "code"
        if fence:
            self._fence = fence[1]
            return "code"
        if not text.strip():
            return "blank"
        if self._is_heading(text):
            return "heading"
        if self._is_literal(text):
            return "code"
        return "quote" if _QUOTE.match(text) else "text"

    def _is_heading(self, text: str) -> bool:
        if self._source_type in ("markdown", "notebook") and _MARKDOWN_HEADING.match(text):
            return True
        if _ADORNMENT.fullmatch(text):
            return True
        if self._heading_is_open:
            self._heading_is_open = False
            return bool(self._heading) and _letters(text) == self._heading
        return False

    def _is_literal(self, text: str) -> bool:
        indent = len(text) - len(text.lstrip())
        if self._literal_indent is not None:
            if indent > self._literal_indent:
                return True
            self._literal_indent = None
        if self._source_type == "markdown":
            return _INDENTED.match(text) is not None and not self._after_list
        if self._source_type == "restructured" and _LITERAL_LEAD.fullmatch(text):
            self._literal_indent = indent
        return False


def _letters(text: str) -> str:
    return "".join(each for each in text.lower() if each.isalnum())
