"""Reads the text at a locator from the source itself, as it is now (SPEC B2)."""

from __future__ import annotations

from pathlib import Path

from bob.domain.locator import LineLocator, Locator
from bob.errors import UnreadableError
from bob.ingest.registry import ParserRegistry
from bob.ingest.source import LocalFile


def text_at(path: Path, locator: Locator, registry: ParserRegistry | None = None) -> str:
    """The text that stands there.

    Raises:
        UnreadableError: the file cannot be read, or no parser takes it.
        LookupError: the file no longer has such a place.
    """
    source = LocalFile(path)
    if isinstance(locator, LineLocator):
        return locator.text_in(source.read_text())
    parser = (registry or ParserRegistry()).parser_for(path)
    if parser is None:
        raise UnreadableError("unsupported", "no parser takes such files")
    sections = parser.parse(source).sections
    if locator.part >= len(sections):
        raise LookupError(f"the file has {len(sections)} parts, not {locator.part + 1}")
    text = sections[locator.part].text
    if locator.end_char > len(text):
        raise LookupError(f"part {locator.part + 1} has {len(text)} characters, not {locator.end_char}")
    return text[locator.start_char : locator.end_char]
