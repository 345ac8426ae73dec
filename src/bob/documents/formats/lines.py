"""A text as numbered lines, from which parsers build sections that point back at those lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate

from bob.core.document import Block, BlockKind, Section
from bob.core.errors import UnreadableError
from bob.core.locator import LineLocator

LineBlock = tuple[int, int, BlockKind]
"""First line, line after the last, kind; lines count from 0."""


class TextLines:
    """The lines of a text, which end at a line feed alone; a carriage return stays part of its line.

    `plain` holds them without carriage returns, for recognizing structure; their lengths may differ.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.starts = [0, *accumulate(len(line) + 1 for line in self.lines)]
        has_returns = "\r" in text
        self.plain = (
            [line.rstrip("\r").replace("\r", " ") for line in self.lines] if has_returns else self.lines
        )

    def __len__(self) -> int:
        return len(self.lines)

    def is_blank(self, line: int) -> bool:
        """Whether a line (from 0) has nothing but white space."""
        return not self.lines[line] or self.lines[line].isspace()

    def inked(self, first: int, last: int) -> tuple[int, int] | None:
        """The range of lines without blank ones at either end; None when all are blank."""
        while first < last and self.is_blank(first):
            first += 1
        while last > first and self.is_blank(last - 1):
            last -= 1
        return (first, last) if first < last else None

    def section(
        self,
        first: int,
        last: int,
        heading_path: Sequence[str] = (),
        blocks: Iterable[LineBlock] = (),
        context: str = "",
        delimiter: str = "|",
    ) -> Section | None:
        """Lines `first` to `last` (from 0, end excluded) as a section; None when they are blank.

        `blocks` ascend; lines that no block holds become paragraphs.
        """
        inked = self.inked(first, last)
        if inked is None:
            return None
        base = self.starts[inked[0]]
        made: list[Block] = []
        reached = inked[0]
        for block_first, block_last, kind in blocks:
            within = self.inked(max(block_first, reached), min(block_last, inked[1]))
            if within is None:
                continue
            made.extend(self._block(*paragraph, base) for paragraph in self.paragraphs(reached, within[0]))
            made.append(self._block(*within, kind, base))
            reached = within[1]
        made.extend(self._block(*paragraph, base) for paragraph in self.paragraphs(reached, inked[1]))
        return Section(
            text=self.text[base : self.starts[inked[1]] - 1],
            locator=LineLocator(
                heading=heading_path[-1] if heading_path else None,
                start_line=inked[0] + 1,
                end_line=inked[1],
            ),
            heading_path=tuple(heading_path),
            blocks=tuple(made),
            context=context,
            delimiter=delimiter,
        )

    def paragraphs(self, first: int, last: int, kind: BlockKind = "paragraph") -> list[LineBlock]:
        """The runs of lines between blank ones."""
        line_blocks: list[LineBlock] = []
        begin = -1
        for index in range(first, last):
            if self.is_blank(index):
                if begin >= 0:
                    line_blocks.append((begin, index, kind))
                begin = -1
            elif begin < 0:
                begin = index
        if begin >= 0:
            line_blocks.append((begin, last, kind))
        return line_blocks

    def _block(self, first: int, last: int, kind: BlockKind, base: int) -> Block:
        return Block(self.starts[first] - base, self.starts[last] - 1 - base, kind, first + 1)


_ENTRY_OF_CONTENTS = re.compile(
    r"\s*\S.{0,200}?(?:\.{5,}|(?: \.){4,}|…{2,}|·{5,}|(?: ·){4,})\s*(?:\d{1,4}|[ivxlc]{1,6})\s*$"
)


def is_entry_of_contents(line: str) -> bool:
    """Whether a line is one of a printed table of contents, with dots before the number of its page.

    >>> is_entry_of_contents("2. Duties ........ 7"), is_entry_of_contents("Wait ..... then 7 of us go.")
    (True, False)
    """
    dotted = "...." in line or ". ." in line or "……" in line or "··" in line or "· ·" in line
    return dotted and _ENTRY_OF_CONTENTS.match(line) is not None


def with_line_feeds(text: str) -> str:
    """The text with line feeds for all ends of lines, for formats whose places are no lines."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def found_sections(sections: Iterable[Section | None]) -> tuple[Section, ...]:
    """The sections that are there.

    Raises:
        UnreadableError: "no-text" when there is none.
    """
    parsed = tuple(section for section in sections if section is not None)
    if not parsed:
        raise UnreadableError("no-text", "the file has no text in it")
    return parsed


def first_heading(sections: Iterable[Section]) -> str:
    """The outermost heading of the first section that has one, "" where none has."""
    return next((section.heading_path[0] for section in sections if section.heading_path), "")
