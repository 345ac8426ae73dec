"""Reads the text at a locator from its source: the file as it is now, or as a commit has it (SPEC B2)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bob.core.errors import UnreadableError
from bob.core.git_path import repository_of
from bob.core.locator import GitLocator, LineLocator, Locator
from bob.core.protocols import SourceFile
from bob.documents.git import open_repository
from bob.documents.parser_registry import ParserRegistry
from bob.documents.source import HeldFile, LocalFile


def text_at(
    path: Path,
    locator: Locator,
    registry: ParserRegistry | None = None,
    *,
    extra: Mapping[str, str] | None = None,
) -> str:
    """The text that stands there. `extra` is the document's own: it names the commit of a format whose
    locator does not, such as a PDF.

    Raises:
        UnreadableError: the file cannot be read, or no parser takes it.
        UsageError: there is no such repository any more.
        LookupError: the file, or the commit, no longer has such a place.
    """
    source = _source(path, locator, extra or {})
    if isinstance(locator, LineLocator):
        return locator.text_in(source.read_text())
    parser = (registry or ParserRegistry()).parser_for(source.path)
    if parser is None:
        raise UnreadableError("unsupported", "no parser takes such files")
    sections = parser.parse(source).sections
    if locator.part >= len(sections):
        raise LookupError(f"the file has {len(sections)} parts, not {locator.part + 1}")
    text = sections[locator.part].text
    if locator.end_char > len(text):
        raise LookupError(f"part {locator.part + 1} has {len(text)} characters, not {locator.end_char}")
    return text[locator.start_char : locator.end_char]


def _source(path: Path, locator: Locator, extra: Mapping[str, str]) -> SourceFile:
    if isinstance(locator, GitLocator):
        file, commit = locator.git_file, locator.git_commit
    elif "git_commit" in extra:
        file, commit = extra["git_file"], extra["git_commit"]
    else:
        return LocalFile(path)
    with open_repository(repository_of(str(path), file)) as git:
        return HeldFile(Path(file), git.blob_at(commit.encode(), file.encode()))
