"""Shows the place that a locator points at in the file itself, as it is now; only of indexed documents."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from bob.core.errors import NotFoundError, UnreadableError, UsageError
from bob.core.locator import GitLocator, LineLocator, Locator, PageLocator, locator_from_json, locator_to_json
from bob.core.place import repository_of
from bob.core.protocols import SourceFile
from bob.documents import source_rows
from bob.documents.disks import LocalDisks
from bob.documents.formats.markdown_lines import WrittenParser
from bob.documents.formats.parser_registry import ParserRegistry
from bob.documents.formats.source import HeldFile, LocalFile, decode
from bob.documents.git.repository import open_repository
from bob.documents.library import Library
from bob.documents.library_rows import StoredDocument
from bob.documents.part_view import PageJob, PartJob, draw_page, read_part
from bob.documents.workers.pool import ParseWorkers
from bob.storage.database import Database

_LONGEST_LINE = 4_000
_LONGEST_PART = 400_000
"""Characters that are shown; a page of a book has 3,000."""

_Job = TypeVar("_Job")
_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class SourceLimits:
    """What reading one file may cost."""

    max_bytes: int
    timeout_seconds: float
    memory_bytes: int


class ReadSource:
    """Reads sources of one organization."""

    def __init__(self, library: Library, database: Database, limits: SourceLimits, disks: LocalDisks) -> None:
        self._library = library
        self._database = database
        self._limits = limits
        self._disks = disks

    def file_of(self, document: StoredDocument) -> Path:
        """The document's file, if it is still there, below the folder that was indexed.

        Raises:
            NotFoundError: it is not, or it is a file of another machine.
        """
        if not self._disks.is_here(document.disk_id):
            # There may be another file at this path here.
            raise NotFoundError(f"{document.path}: the file is on another machine's disk, {document.disk_id}")
        path = Path(document.path)
        with self._database.read() as transaction:
            folders = [folder for folder, _ in source_rows.every(transaction, self._disks.names)]
        holding = [Path(folder) for folder in folders if source_rows.within(document.path, folder)]
        try:
            real = path.resolve(strict=True)
            # A link that took the file's place may lead anywhere.
            inside = any(real.is_relative_to(folder.resolve()) for folder in holding)
            there = inside and real.is_file()
        except (OSError, RuntimeError):
            there = False
        if not there:
            raise NotFoundError(f"{document.path}: the file no longer exists")
        return path

    def around(self, document_id: int, locator: Locator | None, quote: str, window: int) -> dict[str, Any]:
        """The text at a locator with `window` lines around it, or the whole part (page, sheet, message) that
        it stands in. None is the beginning. `changed` says that the file is not what was indexed.

        Raises:
            NotFoundError: there is no such document, file, or place in it.
            UsageError: the file cannot be read.
        """
        document = self._library.document(document_id)
        path = self.file_of(document)
        if locator is None:
            locator = self._first_place(document)
        shown: dict[str, Any] = {
            "document_id": document_id,
            "path": document.path,
            "title": document.title,
            "locator": locator_to_json(locator),
        }
        if isinstance(locator, LineLocator):
            return shown | self._lines(document, path, locator, window)
        return shown | self._part(document, path, locator, quote)

    def page(self, document_id: int, page: int, width: int) -> bytes:
        """A page of a PDF, from 1, as a PNG so many pixels wide.

        Raises:
            NotFoundError: there is no such document, file or page.
            UsageError: it is no PDF, or cannot be drawn.
        """
        document = self._library.document(document_id)
        if document.source_type != "pdf":
            raise UsageError(f"document {document_id} is not a PDF; only PDFs have pages to draw")
        job = PageJob(str(self.file_of(document)), self._limits.max_bytes, page, width)
        return self._done(draw_page, job)

    def _first_place(self, document: StoredDocument) -> Locator:
        first = self._library.chunks(document.document_id, 0, 1)
        if not first:
            raise NotFoundError(f"document {document.document_id} has no text")
        return first[0].locator

    def _lines(
        self, document: StoredDocument, path: Path, locator: LineLocator, window: int
    ) -> dict[str, Any]:
        try:
            data = LocalFile(path, self._limits.max_bytes).read_bytes()
            lines = decode(data).split("\n")
        except UnreadableError as error:
            raise _told(document, error) from error
        if locator.start_line > len(lines):
            raise NotFoundError(f"the file has {len(lines)} lines now, not {locator.start_line}")
        first = max(1, locator.start_line - window)
        shown = lines[first - 1 : locator.end_line + window]
        digest = hashlib.sha256(document.parser.encode() + b"\0" + data).hexdigest()
        return {
            "kind": "lines",
            "first_line": first,
            "total_lines": len(lines),
            "lines": [line.rstrip("\r")[:_LONGEST_LINE] for line in shown],
            "changed": digest != document.content_hash,
        }

    def _part(self, document: StoredDocument, path: Path, locator: Any, quote: str) -> dict[str, Any]:
        page = locator.page if isinstance(locator, PageLocator) else None
        job = PartJob(str(path), self._limits.max_bytes, locator.part, page, quote)
        part = self._done(read_part, job)
        status = path.stat()
        return {
            "kind": locator.kind,
            "part": locator.part,
            "parts": part.parts,
            "heading_path": list(part.heading_path),
            "text": part.text[:_LONGEST_PART],
            "part_locator": part.locator,
            "boxes": [list(box) for box in part.boxes],
            "image": None if page is None else f"/documents/{document.document_id}/pages/{page}",
            "changed": (status.st_size, status.st_mtime_ns) != (document.size, document.mtime_ns),
        }

    def _done(self, work: Callable[[_Job], _Found], job: _Job) -> _Found:
        limits = self._limits
        with ParseWorkers(1, limits.timeout_seconds, limits.memory_bytes, work) as workers:
            (outcome,) = workers.parse_files([job])
        if outcome.error is not None and outcome.error.code == "vanished":
            raise NotFoundError(outcome.error.reason)
        if outcome.error is not None or outcome.result is None:
            raise UsageError(f"the file cannot be read: {outcome.error}")
        return outcome.result


def locator_of(values: dict[str, Any]) -> Locator:
    """The locator that a client sends back. Raises ValueError: it is none."""
    locator = locator_from_json(values)
    numbers = [
        getattr(locator, name, 0)
        for name in ("part", "page", "start_line", "end_line", "start_char", "end_char")
    ]
    if not all(
        isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 2**31 for number in numbers
    ):
        raise ValueError("a number in the locator is missing or too large")
    if not all(value is None or isinstance(value, str | int) for value in values.values()):
        raise ValueError("a value in the locator must be text or a number")
    return locator


def _told(document: StoredDocument, error: UnreadableError) -> UsageError:
    if error.code == "vanished":
        return NotFoundError(f"{document.path}: the file no longer exists")
    return UsageError(f"{document.path}: {error.reason}")


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
    parser = (registry or ParserRegistry()).parser_for(source.path)
    if isinstance(locator, LineLocator):
        text = parser.written(source) if isinstance(parser, WrittenParser) else source.read_text()
        return locator.text_in(text)
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
