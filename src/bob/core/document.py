"""What a parser makes of a file: sections with locators, and metadata (SPEC B); and the chunks of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from bob.core.locator import Locator

BlockKind = Literal["paragraph", "heading", "list", "table", "code", "quote", "front_matter"]

SourceDateKind = Literal["front_matter", "properties", "file_name", "git", "mtime"]
"""Where a source date comes from; all but those of LAST_CHANGE say when the content was written (SPEC B3)."""

LAST_CHANGE: frozenset[SourceDateKind] = frozenset({"git", "mtime"})
"""The kinds that tell the last change of a file, and little of what stands in it."""

_MOST_OF_CONTEXT = 500
"""So many characters of the head of a table an embedder sees: a longer one would outweigh the rows."""

Writer = Literal["bob", "assistant"]
"""Who wrote a passage that is no evidence: Bob, which prepared the note, or an assistant."""

WRITTEN_BY: dict[Writer, str] = {"bob": "Prepared by Bob.", "assistant": "Written by an assistant."}
"""What such a passage has as its context, in the index. It is found, and no answer quotes it."""


def writer_of(context: str) -> Writer | None:
    """Who wrote a passage with this context; None where it is evidence."""
    return next((writer for writer, mark in WRITTEN_BY.items() if context == mark), None)


@dataclass(frozen=True, slots=True)
class Block:
    """A range of a section's text (end excluded) that a reader would not want to see cut.

    `position` is the format's own number of the block (paragraph, row, cell line), for locators that show
    one. `kind` tells the chunker how to split a block that is too long: a table between rows, code between
    lines, a paragraph between sentences.
    """

    start: int
    end: int
    kind: BlockKind = "paragraph"
    position: int = 0


@dataclass(frozen=True, slots=True)
class Section:
    """Text under one heading, as it stands in the source, with the locator of the whole of it.

    `blocks` are ascending and do not overlap; text between them is white space only. No blocks means that
    the chunker finds paragraphs itself. `context` is text that the section's chunks need in order to be
    found though they do not contain it, such as a table's header row: it is indexed, never quoted.
    `delimiter` stands between the cells of its tables.
    """

    text: str
    locator: Locator
    heading_path: tuple[str, ...] = ()
    blocks: tuple[Block, ...] = ()
    context: str = ""
    delimiter: str = "|"


@dataclass(frozen=True, slots=True)
class SourceDate:
    """When a source was written, and how that is known."""

    value: date
    kind: SourceDateKind


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A file after parsing. `title` is empty when the source names none.

    `left_out` says what of the file could not be read, a short sentence a part: "pages 3 and 7 to 9 have no
    text". What nobody would look for, such as a running header, is not told.
    """

    title: str
    source_type: str
    sections: tuple[Section, ...]
    source_date: SourceDate | None = None
    language: str | None = None
    project: str | None = None
    tags: tuple[str, ...] = ()
    extra: dict[str, str] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of one section, byte-equal to the source at `locator`.

    `tokens` is the chunker's estimate in the embedder's tokens.
    """

    ordinal: int
    text: str
    heading_path: tuple[str, ...]
    locator: Locator
    tokens: int
    context: str = ""

    @property
    def embedding_text(self) -> str:
        """What the embedder sees of this chunk."""
        return embedding_text(self.heading_path, self.context, self.text)

    @property
    def content_hash(self) -> str:
        """SHA-256 over headings, context and text, as 32 hex digits: what is equal is embedded once."""
        parts = "\x1f".join((*self.heading_path, "\x1e", self.context, "\x1e", self.text))
        return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def embedding_text(heading_path: tuple[str, ...], context: str, text: str) -> str:
    """What the embedder sees of a chunk: heading path, the beginning of its context, text, those that there
    are, a line each."""
    return "\n".join(part for part in (" > ".join(heading_path), context[:_MOST_OF_CONTEXT], text) if part)
