"""Writes a text of another markup as Markdown, line for line.

Each line of what is written stands at the number of the line that it was made of, so the places of its
chunks are lines of the file, and all that reads Markdown reads it: headings, tables, lists, code and quotes.
What nobody is to read (comments, settings) becomes an empty line.
"""

from __future__ import annotations

import dataclasses
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol, runtime_checkable

from bob.core.document import ParsedDocument, SourceDate
from bob.core.protocols import SourceFile
from bob.documents.formats.lines import TextLines, first_heading, found_sections
from bob.documents.formats.markdown import markdown_sections
from bob.text.languages import detect_language
from bob.text.tables import row_of, rule_below

IN_TABLE = "||"
"""A line of a table that has no row: the rows around it are those of one table."""

FENCE = "```"
_LONGEST_VALUE = 60
"""Characters of what stands behind a name: a longer value is told as an item of a list."""

_LINE_BREAK = "  "
"""At the end of a field: what stands below it is not a part of it."""

_SEPARATORS = re.compile(r"[_\s-]+")


@runtime_checkable
class WrittenParser(Protocol):
    """A parser whose documents are not the text of the file but one with the same lines."""

    def written(self, source: SourceFile) -> str:
        """The text in which a document's places count."""


@dataclass(slots=True)
class WrittenText:
    """A text of another markup as Markdown, and what it says of itself."""

    source: str
    title: str = ""
    day: date | None = None
    language: str | None = None
    tags: list[str] = dataclasses.field(default_factory=list)
    written: str = ""


class MarkupParser(ABC):
    """Reads files of one markup as the Markdown that `read_markup` makes of them."""

    @abstractmethod
    def read_markup(self, text: str) -> WrittenText:
        """A text of this markup."""

    def parse(self, source: SourceFile) -> ParsedDocument:
        """Sections by heading, with line locators.

        Raises:
            UnreadableError: as `SourceFile.read_text` does, and "no-text".
        """
        text = self.read_markup(source.read_text())
        return markdown_document(
            text.written, title=text.title, day=text.day, tags=text.tags, language=text.language
        )

    def written(self, source: SourceFile) -> str:
        """The file as Markdown, with the lines that it has."""
        return self.read_markup(source.read_text()).written


def field(name: str, value: str, *, as_it_is: bool = False) -> str:
    """A line that states a value under its name, which begins with a large letter unless it is to stay as it
    is; "" without a value.

    >>> field("BUDGET", "42000"), field("url-site", "")
    ('Budget: 42000  ', '')
    """
    name = name.strip() if as_it_is else _SEPARATORS.sub(" ", name).strip()
    value = " ".join(value.split())
    if not name or not value:
        return ""
    if not as_it_is:
        name = name[0].upper() + (name[1:].lower() if name.isupper() else name[1:])
    is_short = len(value) <= _LONGEST_VALUE and name.count(" ") < 3
    return f"{name}: {value}{_LINE_BREAK}" if is_short else f"- {name}: {value}"


def place_rows(
    lines: list[str], first: int, last: int, rows: Sequence[tuple[int, Sequence[str]]], head_rows: int
) -> None:
    """Write a table into the lines `first` to `last` (end excluded), each row at its own line as far as there
    is room; rows for which there is none share the last line. The first `head_rows` name the columns."""
    entries = [(line, row_of(cells)) for line, cells in rows]
    if not entries or last <= first:
        return
    room = last - first
    if head_rows and len(entries) < room:
        # The rule stands right under the rows of the head, so they make room for it where they can.
        below = entries[head_rows][0] if len(entries) > head_rows else last
        line = max(min(entries[head_rows - 1][0], below - 2), first)
        head = [(line - number, text) for number, (_, text) in enumerate(reversed(entries[:head_rows]))]
        width = max(len(cells) for _, cells in rows[:head_rows])
        entries[:head_rows] = [*reversed(head), (line + 1, rule_below(width))]
    surplus = [text for _, text in entries[room:]]
    entries = entries[:room]
    if surplus:
        entries[-1] = (entries[-1][0], "; ".join([entries[-1][1], *surplus]))
    places = [line for line, _ in entries]
    for index in reversed(range(len(places))):
        places[index] = min(places[index], (places[index + 1] if index + 1 < len(places) else last) - 1)
    for index in range(len(places)):
        places[index] = max(places[index], places[index - 1] + 1 if index else first)
    lines[first:last] = [""] * room
    lines[places[0] : places[-1] + 1] = [IN_TABLE] * (places[-1] + 1 - places[0])
    for place, (_, text) in zip(places, entries, strict=True):
        lines[place] = text


def closed_up(lines: Sequence[str | None]) -> list[str]:
    """The lines, of which None is nothing: within a paragraph the lines below it move up.

    >>> closed_up(["# A", None, "one", None, "two", "", None])
    ['# A', '', 'one', 'two', '', '', '']
    """
    closed: list[str] = []
    dropped = 0
    for line in [*lines, ""]:
        if line is None and closed and closed[-1] and not closed[-1].startswith("#"):
            dropped += 1
        elif line:
            closed.append(line)
        else:
            closed += [""] * (dropped + 1)
            dropped = 0
    return closed[: len(lines)]


def markdown_document(
    text: str, *, title: str, day: date | None, source_type: str = "plain", tags: Sequence[str] = (),
    language: str | None = None,
) -> ParsedDocument:  # fmt: skip
    """The document of a text that was written as Markdown.

    Raises:
        UnreadableError: "no-text".
    """
    sections = found_sections(markdown_sections(TextLines(text)))
    return ParsedDocument(
        title=title or first_heading(sections),
        source_type=source_type,
        sections=sections,
        source_date=SourceDate(day, "front_matter") if day is not None else None,
        language=language or detect_language(text),
        tags=tuple(dict.fromkeys(tags)),
    )
