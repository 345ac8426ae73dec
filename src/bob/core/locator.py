"""Locators: where in a source a piece of text stands, precise enough to open the place (SPEC B2).

Two families. A `LineLocator` points into the file's own text (Markdown, code, CSV, ...) and is resolved
without a parser; a `GitLocator` is one that also names the commit whose text it is. All others are
`PartLocator`s: the parser extracts the text of a *part* (a PDF page, a sheet, a slide, a mail message), and
the locator gives the part's ordinal and a character range in it, beside the keys that a person uses to find
the place (`page`, `sheet_name`, ...).

For both families one property holds: the text at a chunk's locator is the chunk's text, to the byte.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class LineLocator:
    """Whole lines of a text file, numbered from 1, both ends included.

    `start_column` and `end_column` (characters, from 0, end excluded, each within its own line) are given
    only when the text begins or ends inside a line, as with a paragraph kept on one very long line. A line
    ends at "\\n" alone, so that numbers agree with editors; a "\\r" before it is part of the line.
    """

    kind: ClassVar[str] = "lines"

    heading: str | None = None
    start_line: int
    end_line: int
    start_column: int | None = None
    end_column: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.start_line <= self.end_line:
            raise ValueError(f"lines {self.start_line} to {self.end_line} are not a range")

    def narrowed(
        self, text: str, start: int, end: int, *, first: int | None = None, last: int | None = None
    ) -> LineLocator:
        """The locator of `text[start:end]`, where `text` is what this locator points at."""
        before, inside = text[:start], text[start:end]
        start_line = self.start_line + before.count("\n")
        end_line = start_line + inside.count("\n")
        line_begin = before.rfind("\n") + 1
        column = start - line_begin + (self.start_column or 0 if line_begin == 0 else 0)
        end_begin = max(text.rfind("\n", 0, end) + 1, 0)
        end_column = end - end_begin + (self.start_column or 0 if end_begin == 0 else 0)
        reaches_line_end = end == len(text) and self.end_column is None
        reaches_line_end = reaches_line_end or (end < len(text) and text[end] == "\n")
        return replace(
            self,
            start_line=start_line,
            end_line=end_line,
            start_column=column or None,
            end_column=None if reaches_line_end else end_column,
        )

    def text_in(self, source: str) -> str:
        """The text at this place of `source`, the decoded text of the whole file.

        Raises:
            LookupError: the file has fewer lines, or shorter ones, than the locator says.
        """
        lines = source.split("\n")
        if self.end_line > len(lines):
            raise LookupError(f"the file has {len(lines)} lines, not {self.end_line}")
        chosen = lines[self.start_line - 1 : self.end_line]
        if self.end_column is not None:
            chosen[-1] = chosen[-1][: self.end_column]
        if self.start_column is not None:
            chosen[0] = chosen[0][self.start_column :]
        return "\n".join(chosen)


@dataclass(frozen=True, slots=True, kw_only=True)
class GitLocator(LineLocator):
    """Lines of a file as a commit of a git repository has it; `git_file` is its path in the repository."""

    kind: ClassVar[str] = "git"

    git_file: str
    git_commit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PartLocator:
    """A character range (end excluded) in the extracted text of one part; `part` counts from 0."""

    kind: ClassVar[str] = "part"

    part: int
    start_char: int = 0
    end_char: int = 0

    def narrowed(
        self, text: str, start: int, end: int, *, first: int | None = None, last: int | None = None
    ) -> Self:
        """The locator of `text[start:end]`, where `text` is what this locator points at.

        `first` and `last` are the native positions (paragraph, row, cell) of the blocks that the range
        touches, where they are known; locators that show such a position override this.
        """
        return replace(self, start_char=self.start_char + start, end_char=self.start_char + end)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLocator(PartLocator):
    """A page of a PDF, numbered from 1."""

    kind: ClassVar[str] = "page"

    page: int
    total_pages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ParagraphLocator(PartLocator):
    """Paragraphs of a Word document, numbered from 0 in document order (table rows count as one each)."""

    kind: ClassVar[str] = "paragraph"

    parent_heading: str | None = None
    paragraph_index: int = 0
    last_paragraph_index: int = 0

    def narrowed(
        self, text: str, start: int, end: int, *, first: int | None = None, last: int | None = None
    ) -> ParagraphLocator:
        """As in `PartLocator`; also moves the paragraph numbers."""
        range_ = PartLocator.narrowed(self, text, start, end)
        return replace(
            range_,
            paragraph_index=self.paragraph_index if first is None else first,
            last_paragraph_index=self.last_paragraph_index if last is None else last,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetLocator(PartLocator):
    """Rows of a sheet, numbered from 1 as the spreadsheet program shows them."""

    kind: ClassVar[str] = "sheet"

    sheet_name: str
    row_count: int
    first_row: int = 1
    last_row: int = 1

    def narrowed(
        self, text: str, start: int, end: int, *, first: int | None = None, last: int | None = None
    ) -> SheetLocator:
        """As in `PartLocator`; also moves the row numbers. A line is a row, and rows without text have none:
        where such stand in between, the range of rows is no smaller than what can be told from the lines."""
        before, after = text.count("\n", 0, start), text.count("\n", end)
        return replace(
            PartLocator.narrowed(self, text, start, end),
            first_row=self.first_row + before if first is None else first,
            last_row=self.last_row - after if last is None else last,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SlideLocator(PartLocator):
    """A slide of a presentation, numbered from 1; `notes` when the text stands in the speaker's notes."""

    kind: ClassVar[str] = "slide"

    slide: int
    total_slides: int
    notes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChapterLocator(PartLocator):
    """A chapter file inside an EPUB, with the nearest heading."""

    kind: ClassVar[str] = "chapter"

    chapter: str
    heading: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageLocator(PartLocator):
    """A message of a mail file, numbered from 1; `message_id` as the message gives it."""

    kind: ClassVar[str] = "message"

    message: int
    total_messages: int
    subject: str | None = None
    message_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CellLocator(PartLocator):
    """A cell of a notebook, numbered from 1, with the nearest heading."""

    kind: ClassVar[str] = "cell"

    cell: int
    cell_type: str
    heading: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeLocator(PartLocator):
    """A section of a recipe: "description", "ingredients", "instructions", ..."""

    kind: ClassVar[str] = "recipe"

    section: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementLocator(PartLocator):
    """A section of an HTML page, by its heading and the anchor of the nearest element that has one."""

    kind: ClassVar[str] = "element"

    heading: str | None = None
    anchor: str | None = None


Locator = (
    LineLocator
    | GitLocator
    | PageLocator
    | ParagraphLocator
    | SheetLocator
    | SlideLocator
    | ChapterLocator
    | MessageLocator
    | CellLocator
    | RecipeLocator
    | ElementLocator
)

_KINDS: dict[str, type[Any]] = {
    each.kind: each
    for each in (
        LineLocator,
        GitLocator,
        PageLocator,
        ParagraphLocator,
        SheetLocator,
        SlideLocator,
        ChapterLocator,
        MessageLocator,
        CellLocator,
        RecipeLocator,
        ElementLocator,
    )
}


def locator_to_json(locator: Locator) -> dict[str, Any]:
    """The locator as JSON: its kind and the keys of SPEC B2; keys without a value are left out."""
    values = {field.name: getattr(locator, field.name) for field in fields(locator)}
    return {"kind": locator.kind} | {name: value for name, value in values.items() if value is not None}


def locators_to_json(locators: Iterable[Locator]) -> list[dict[str, Any]]:
    """What `locator_to_json` gives for each of the locators, in order."""
    return [locator_to_json(locator) for locator in locators]


def locators_from_json(values: Iterable[dict[str, Any]]) -> list[Locator]:
    """The inverse of `locator_to_json` for each of the values, in order. Raises ValueError as it does."""
    return [locator_from_json(value) for value in values]


def locator_from_json(value: dict[str, Any]) -> Locator:
    """The inverse of `locator_to_json`.

    Raises:
        ValueError: the kind is unknown, or a key is missing or not one of the kind's.
    """
    rest = dict(value)
    kind = rest.pop("kind", None)
    if kind not in _KINDS:
        raise ValueError(f"unknown kind of locator {kind!r}; use one of {', '.join(sorted(_KINDS))}")
    try:
        built: Locator = _KINDS[kind](**rest)
    except TypeError as error:
        raise ValueError(f"bad {kind} locator: {error}") from error
    return built


@dataclass(frozen=True, slots=True)
class CitedPlace:
    """Where the number of a reply leads. It has no text of the source: that stands in the reply."""

    n: int
    document_id: int
    path: str
    title: str
    heading_path: tuple[str, ...]
    locator: Locator

    def to_json(self) -> dict[str, Any]:
        """The place as JSON."""
        return {
            "n": self.n,
            "document_id": self.document_id,
            "path": self.path,
            "title": self.title,
            "heading_path": list(self.heading_path),
            "locator": locator_to_json(self.locator),
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> CitedPlace:
        """What `to_json` wrote."""
        headings = tuple(value["heading_path"])
        locator = locator_from_json(value["locator"])
        return cls(value["n"], value["document_id"], value["path"], value["title"], headings, locator)


def meets(one: Locator, other: Locator) -> bool:
    """Whether two places of a document have something in common."""
    if isinstance(one, LineLocator) or isinstance(other, LineLocator):
        if not (isinstance(one, LineLocator) and isinstance(other, LineLocator)):
            return False
        if one.start_line > other.end_line or other.start_line > one.end_line:
            return False
        if one.start_line != one.end_line or (other.start_line, other.end_line) != (one.start_line,) * 2:
            return True
        return (one.start_column or 0) < _end(other) and (other.start_column or 0) < _end(one)
    return one.part == other.part and one.start_char < other.end_char and other.start_char < one.end_char


def _end(locator: LineLocator) -> float:
    return float("inf") if locator.end_column is None else locator.end_column


def ranges_meeting(
    place: Locator, text: str, ranges: Iterable[tuple[int, int]], other: Locator
) -> list[bool]:
    """Which ranges of the text at a place have something in common with another place."""
    return [meets(place.narrowed(text, start, end), other) for start, end in ranges]
