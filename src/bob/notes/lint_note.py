"""A note as the linter sees it: front matter, headings, code, and what kind of note it is."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Literal

from markdown_it import MarkdownIt

from bob.notes.links import Link, find_links
from bob.notes.lint_front_matter import Front, read_front

Kind = Literal["meeting", "decision", "project", "trip"]
"""The kinds of which rules ask something; all other notes are alike."""
_KINDS: dict[str, Kind] = {
    **{"meeting": "meeting", "decision": "decision", "project": "project", "trip": "trip"},
    "adr": "decision",
}

_BLOCKS = MarkdownIt("commonmark").disable(["normalize", "inline", "text_join", "reference"])
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_RECORD_NAME = re.compile(
    r"(?:^|/)(?:adr|rfc)[-_ ]?\d+[^/]*$|/(?:adrs?|decisions?)/(?:.*/)?\d+[-_ ][^/]*$", re.IGNORECASE
)
_MEETING_TITLE = re.compile(r"(?:.*\b(?:meeting|stand-?up|retrospective|reunião)\b)", re.IGNORECASE)
_MEETING_PART = re.compile(r"attendees|participants|agenda|present|participantes|pauta", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading with its level and text; lines count from 0, `end_line` is the one after it."""

    level: int
    text: str
    line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced code block; `closed` unless it runs to the end of what it stands in."""

    line: int
    end_line: int
    closed: bool


class Note:
    """A Markdown text, its name (a path with slashes), and its parts, found when they are asked for."""

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name
        raw = text.split("\n")
        self.starts = [0, *accumulate(len(line) + 1 for line in raw)]
        self.lines = [line.rstrip("\r").replace("\r", " ") for line in raw]
        self.newline = "\r\n" if "\r\n" in text else "\n"

    @cached_property
    def front(self) -> Front:
        """The front matter."""
        return read_front(self.text, self.lines, self.starts)

    @cached_property
    def _blocks(self) -> tuple[list[Heading], list[Fence], frozenset[int]]:
        skipped = self.front.lines
        tokens = _BLOCKS.parse("\n" * skipped + "\n".join(self.lines[skipped:]))
        headings: list[Heading] = []
        fences: list[Fence] = []
        code: set[int] = set()
        for at, token in enumerate(tokens):
            if token.map is None:
                continue
            first, last = token.map
            if token.type == "heading_open" and token.level == 0:
                text = re.sub(r"[*_`]", "", tokens[at + 1].content)
                headings.append(Heading(int(token.tag[1:]), " ".join(text.split()), first, last))
            elif token.type in ("fence", "code_block"):
                code.update(range(first, last))
                if token.type == "fence":
                    fences.append(Fence(first, last, self._closes(token.markup, first, last)))
        return headings, fences, frozenset(code)

    def _closes(self, markup: str, first: int, last: int) -> bool:
        line = self.lines[min(last, len(self.lines)) - 1].lstrip(" \t>").rstrip()
        return last - first > 1 and len(line) >= len(markup) and set(line) == set(markup)

    @property
    def headings(self) -> list[Heading]:
        """All headings that stand in no list or quotation."""
        return self._blocks[0]

    @property
    def fences(self) -> list[Fence]:
        """All fenced code blocks."""
        return self._blocks[1]

    @cached_property
    def prose(self) -> list[str]:
        """The lines with front matter, code and comments blanked, each as long as before."""
        code = self._blocks[2]
        hidden = [
            " " * len(line) if at < self.front.lines or at in code else line
            for at, line in enumerate(self.lines)
        ]
        if not any("<!--" in line for line in hidden):
            return hidden
        # Up to the last end alone: a beginning without one is not looked for to the end of the text.
        before, end, rest = "\n".join(hidden).rpartition("-->")
        blanked = _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), before + end)
        return (blanked + rest).split("\n")

    @cached_property
    def links(self) -> list[Link]:
        """All links of the text below the front matter."""
        return [each for each in find_links(self.text) if each.start >= self.starts[self.front.lines]]

    @cached_property
    def title(self) -> str:
        """The title of the front matter, else the first heading of the first level."""
        return self.front.text("title") or next((each.text for each in self.headings if each.level == 1), "")

    @cached_property
    def kind(self) -> Kind | None:
        """What the front matter says (`kind` or `type`), else what name and headings show beyond doubt."""
        said = self.front.text("kind", "type").lower()
        if said:
            return _KINDS.get(said)
        titles = [each.text.lower() for each in self.headings]
        if {"status", "decision"} <= set(titles) or _RECORD_NAME.search(self.name):
            return "decision"
        if _MEETING_TITLE.match(self.title) and any(_MEETING_PART.match(each) for each in titles):
            return "meeting"
        return None

    def section(self, heading: Heading) -> range:
        """The lines below a heading, up to the next of its level or a higher one."""
        for each in self.headings:
            if each.line > heading.line and each.level <= heading.level:
                return range(heading.end_line, each.line)
        return range(heading.end_line, len(self.lines))

    def sections(self, title: re.Pattern[str]) -> Iterator[tuple[Heading, range]]:
        """The sections whose heading fits."""
        for each in self.headings:
            if title.match(each.text):
                yield each, self.section(each)

    def line_range(self, line: int) -> tuple[int, int]:
        """Where a line's text (without white space at its ends) begins and ends."""
        text = self.lines[line]
        start = self.starts[line]
        return start + len(text) - len(text.lstrip()), start + len(text.rstrip())

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of a character, both from 1."""
        line = min(bisect_right(self.starts, offset) - 1, len(self.lines) - 1)
        return line + 1, offset - self.starts[line] + 1

    @property
    def top(self) -> tuple[int, int]:
        """What findings point at that concern the note as a whole: its first line of text."""
        line = next((at for at, each in enumerate(self.lines) if each.strip()), 0)
        return self.line_range(line)
