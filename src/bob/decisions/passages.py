"""Reads passages as lines with a role: no decision stands in code, in a quotation or in a heading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from bob.core.decision import Passage
from bob.core.locator import Locator
from bob.text.markup import closes_fence, opened_fence
from bob.text.sentences import DECISION_HINTS

Role = Literal["text", "blank", "heading", "table", "code", "quote", "front_matter"]

LIST_ITEM = re.compile(r"\s*(?:[-*+•‣◦]|\d{1,3}[.)])\s")

_QUOTE = re.compile(r"\s{0,3}>")
_TABLE = re.compile(r"\s*\|.*\|\s*|\s*\+[-=+]{3,}\+\s*")
_ADORNMENT = re.compile(r"\s*([^\w\s])\1{2,}\s*")
_MARKDOWN_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_OUTLINE_HEADING = re.compile(r"(?:=+|\*+)\s+\S")
_INDENTED = re.compile(r"(?: {4}|\t)\s*\S")
_LITERAL_LEAD = re.compile(
    r"(?!\s*\.\.).*::\s*|\s*\.\.\s+(?:code|code-block|highlight|literalinclude|parsed-literal|sourcecode)::.*"
)
_HEADING_WITHIN = 3  # lines of a section
_EXPLICIT = re.compile(r"\s*\.\.\s")
_FRONT_MATTER_ENDS = ("---", "...", "+++")


class LineRoles:
    """The roles of the lines of one section, asked for in order."""

    def __init__(self, heading: str, source_type: str, *, may_have_front_matter: bool) -> None:
        self._heading = letters(heading)
        self._lines_to_heading = _HEADING_WITHIN
        self._source_type = source_type
        self._may_have_front_matter = may_have_front_matter
        self._in_front_matter = False
        self._in_comment = False
        self._fence = ""
        self._literal_indent: int | None = None
        self._in_list = False

    def next(self, text: str) -> Role:
        """The role of the next line."""
        role = self._role(text)
        if role == "text":
            self._in_list = LIST_ITEM.match(text) is not None or (self._in_list and text[:1] in (" ", "\t"))
        return role

    def _role(self, text: str) -> Role:
        if self._is_front_matter(text):
            return "front_matter"
        if self._is_code(text):
            return "code"
        if not text.strip():
            return "blank"
        if self._is_heading(text):
            return "heading"
        if _TABLE.fullmatch(text):
            return "table"
        if self._is_literal(text):
            return "code"
        return "quote" if _QUOTE.match(text) else "text"

    def _is_front_matter(self, text: str) -> bool:
        if self._in_front_matter:
            self._in_front_matter = text.rstrip() not in _FRONT_MATTER_ENDS
            return True
        if self._may_have_front_matter and text.strip():
            self._may_have_front_matter = False
            self._in_front_matter = text.rstrip() in ("---", "+++")
        return self._in_front_matter

    def _is_code(self, text: str) -> bool:
        """Whether the line stands in a code fence or a comment, or is the mark of one."""
        if self._fence:
            if closes_fence(text, self._fence):
                self._fence = ""
            return True
        if self._in_comment:
            self._in_comment = "-->" not in text
            return True
        if marks := opened_fence(text):
            self._fence = marks
            return True
        if text.lstrip().startswith("<!--"):
            self._in_comment = "-->" not in text
            return not text.partition("-->")[2].strip()
        return False

    def _is_heading(self, text: str) -> bool:
        if self._source_type in ("markdown", "notebook") and _MARKDOWN_HEADING.match(text):
            return True
        if _ADORNMENT.fullmatch(text):
            return True
        if not self._lines_to_heading or not self._heading:
            return False
        # Above the heading there may be labels and comments; it is underlined, or has nothing around it.
        is_heading = letters(text) == self._heading
        if self._source_type == "plain":
            is_heading = is_heading or bool(_OUTLINE_HEADING.match(text) and self._heading in letters(text))
        self._lines_to_heading = 0 if is_heading else self._lines_to_heading - 1
        return is_heading

    def _is_literal(self, text: str) -> bool:
        indent = len(text) - len(text.lstrip())
        if self._literal_indent is not None:
            if indent > self._literal_indent:
                return True
            self._literal_indent = None
        if self._source_type == "markdown":
            return _INDENTED.match(text) is not None and not self._in_list
        if self._source_type == "restructured" and _EXPLICIT.match(text) and "::" not in text:
            return True  # a label, a footnote or a comment
        if self._source_type == "restructured" and _LITERAL_LEAD.fullmatch(text):
            self._literal_indent = indent
            return text.lstrip().startswith("..")
        return False


def letters(text: str) -> str:
    """The letters and digits of a text, in lower case: what two spellings of one heading share."""
    return "".join(character for character in text.lower() if character.isalnum())


# A line that begins so begins a paragraph of its own: "Agreed: ...", "**Action:** ...".
_LABEL = re.compile(r"\s*(?:[^\w\s\[(`<]{1,3}\s*)?(?:[^\W\d_][\w/-]*+[ \t]?){1,3}[*_]{0,3}:[*_]{0,3}(?:\s|$)")
_BULLET = re.compile(r"\s*(?:[-*+•‣◦]|\d{1,3}[.)]|[a-z]\))\s+(?:\[[ xX]\]\s+)?")


@dataclass(frozen=True, slots=True)
class Span:
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

    def part(self, start: int, end: int) -> Span:
        """A range within this one, counted from its start, without white space at its ends."""
        text = self.text[start:end]
        begin = self.start + start + len(text) - len(text.lstrip())
        return Span(self.passage, begin, max(begin, self.start + start + len(text.rstrip())))


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a passage, without its end."""

    span: Span
    role: Role

    @property
    def text(self) -> str:
        """The line's text."""
        return self.span.text


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines that belong together: a paragraph, or a list item without its bullet; `indent` in characters."""

    span: Span
    is_item: bool
    indent: int

    @property
    def text(self) -> str:
        """The paragraph's text, line ends included."""
        return self.span.text


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
        return "\n".join(passage.text for passage in self.passages).lower()

    @cached_property
    def has_cue(self) -> bool:
        """Whether a word stands in it, or above it, without which there is no decision."""
        headings = "\n".join(self.path).lower()
        return any(hint in self.lowered or hint in headings for hint in DECISION_HINTS)

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
            if block and (line.role != "text" or is_new or line.span.passage is not block[0].span.passage):
                yield _joined(block)
                block = []
            if line.role == "text":
                block.append(line)
        if block:
            yield _joined(block)


def read_sections(passages: Sequence[Passage], source_type: str) -> list[Section]:
    """The passages in order as sections."""
    sections: list[Section] = []
    start = 0
    while start < len(passages):
        end = start + 1
        while end < len(passages) and passages[end].heading_path == passages[start].heading_path:
            end += 1
        sections.append(
            Section(passages[start].heading_path, passages[start:end], source_type, is_first=start == 0)
        )
        start = end
    return sections


def _lines(passages: Sequence[Passage], roles: LineRoles) -> Iterator[Line]:
    for passage in passages:
        start = 0
        for text in passage.text.split("\n"):
            yield Line(Span(passage, start, start + len(text)), roles.next(text))
            start += len(text) + 1


def _joined(block: Sequence[Line]) -> Paragraph:
    first, last = block[0].span, block[-1].span
    bullet = _BULLET.match(first.text)
    span = Span(first.passage, first.start, last.end)
    return Paragraph(
        span.part(bullet.end() if bullet else 0, last.end - first.start),
        is_item=bullet is not None,
        indent=len(first.text) - len(first.text.lstrip()),
    )
