"""Reads passages as lines with a role: no decision stands in code, in a quotation or in a heading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bob.domain.decision import Passage
from bob.domain.locator import Locator
from bob.extract.roles import LIST_ITEM, LineRoles, Role

# A line that begins so begins a paragraph of its own: "Agreed: ...", "**Action:** ...".
_LABEL = re.compile(r"\s*(?:[^\w\s\[(`<]{1,3}\s*)?(?:[^\W\d_][\w/-]*[ \t]?){1,3}[*_]{0,3}:[*_]{0,3}(?:\s|$)")
_BULLET = re.compile(r"\s*(?:[-*+•‣◦]|\d{1,3}[.)]|[a-z]\))\s+(?:\[[ xX]\]\s+)?")


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
class Paragraph:
    """Lines that belong together: a paragraph, or a list item without its bullet; `indent` in characters."""

    place: Place
    is_item: bool
    indent: int

    @property
    def text(self) -> str:
        """The paragraph's text, line ends included."""
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

    def paragraphs(self) -> Iterator[Paragraph]:
        """The paragraphs and list items of what people wrote as prose, and labelled lines each on its own."""
        block: list[Line] = []
        for line in self.lines:
            is_new = LIST_ITEM.match(line.text) or _LABEL.match(line.text)
            if block and (line.role != "text" or is_new or line.place.passage is not block[0].place.passage):
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
        roles = LineRoles(path[-1] if path else "", source_type, may_have_front_matter=at == 0)
        found.append(Section(path, tuple(_lines(passages[at:end], roles))))
        at = end
    return found


def _lines(passages: Sequence[Passage], roles: LineRoles) -> Iterator[Line]:
    for passage in passages:
        start = 0
        for text in passage.text.split("\n"):
            yield Line(Place(passage, start, start + len(text)), roles.next(text))
            start += len(text) + 1


def _joined(block: Sequence[Line]) -> Paragraph:
    first, last = block[0].place, block[-1].place
    bullet = _BULLET.match(first.text)
    place = Place(first.passage, first.start, last.end)
    return Paragraph(
        place.part(bullet.end() if bullet else 0, last.end - first.start),
        is_item=bullet is not None,
        indent=len(first.text) - len(first.text.lstrip()),
    )
