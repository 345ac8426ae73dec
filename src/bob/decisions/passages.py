"""Reads passages as lines with a role: no decision stands in code, in a quotation or in a heading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from bob.core.decision import Passage
from bob.core.locator import Locator
from bob.decisions.roles import LIST_ITEM, LineRoles, Role
from bob.text.cues import DECISION_HINTS

# A line that begins so begins a paragraph of its own: "Agreed: ...", "**Action:** ...".
_LABEL = re.compile(r"\s*(?:[^\w\s\[(`<]{1,3}\s*)?(?:[^\W\d_][\w/-]*+[ \t]?){1,3}[*_]{0,3}:[*_]{0,3}(?:\s|$)")
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


@dataclass(frozen=True)
class Section:
    """What stands under one heading: all consecutive passages with the same heading path.

    Its lines are read when they are first asked for: most sections of most documents never are.
    """

    path: tuple[str, ...]
    passages: Sequence[Passage]
    source_type: str
    is_first: bool

    @cached_property
    def lowered(self) -> str:
        """The whole text in lower case, to look for words in."""
        return "\n".join(each.text for each in self.passages).lower()

    @cached_property
    def has_cue(self) -> bool:
        """Whether a word stands in it, or above it, without which there is no decision."""
        headings = "\n".join(self.path).lower()
        return any(each in self.lowered or each in headings for each in DECISION_HINTS)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The lines; a code fence that a cut has split stays code on both sides."""
        roles = LineRoles(self.heading, self.source_type, may_have_front_matter=self.is_first)
        return tuple(_lines(self.passages, roles))

    @property
    def heading(self) -> str:
        """The last heading, or ""."""
        return self.path[-1] if self.path else ""

    @cached_property
    def paragraphs(self) -> tuple[Paragraph, ...]:
        """The paragraphs and list items of what people wrote as prose, and labelled lines each on its own."""
        return tuple(self._paragraphs())

    def _paragraphs(self) -> Iterator[Paragraph]:
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
    """The passages in order as sections."""
    found: list[Section] = []
    at = 0
    while at < len(passages):
        end = at + 1
        while end < len(passages) and passages[end].heading_path == passages[at].heading_path:
            end += 1
        found.append(Section(passages[at].heading_path, passages[at:end], source_type, is_first=at == 0))
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
