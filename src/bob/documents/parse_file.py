"""From a file to what the store keeps of it: parsed, cut into chunks, made into postings.

Runs in a worker process, so it takes and gives plain values and opens no database.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields, replace
from datetime import date
from functools import cached_property
from pathlib import Path

from bob.core.document import LAST_CHANGE, Chunk, SourceDate
from bob.core.errors import UnreadableError
from bob.core.locator import GitLocator, LineLocator
from bob.core.protocols import Parser, SourceFile
from bob.documents.formats.left_out import bounded
from bob.documents.formats.metadata import resolve_source_date
from bob.documents.formats.parser_registry import ParserRegistry
from bob.documents.formats.source import HeldFile, LocalFile
from bob.documents.rows import DocumentRecord, IndexedChunk
from bob.search.chunker import StructureChunker
from bob.text import lexicon
from bob.text.words import postings

_GENERIC_NAMES = frozenset(lexicon.phrases("generic file names"))
"""What files are called that their folder tells from others, in small letters."""


@dataclass(frozen=True, slots=True)
class ParseJob:
    """A file that may have changed; `known_hash` and `document_id` are those of its last version, if any.

    With `git` it is not a file on the disk but one of a commit. With `read_again` it has not changed, but an
    older reading made its document.
    """

    path: str
    size: int
    mtime_ns: int
    project: str
    document_id: int | None = None
    known_hash: str | None = None
    git: GitVersion | None = None
    read_again: bool = False

    @property
    def name(self) -> Path:
        """What the file is called, for finding its parser."""
        return Path(self.git.file if self.git else self.path)


@dataclass(frozen=True, slots=True)
class GitVersion:
    """A file as a commit has it: where it is, when it was committed, its content or why there is none.

    `until` is the day from which a newer version held, None while this one does; `blob` is git's id of the
    content. It is read before the job is handed on: one open repository is enough.
    """

    repository: str
    file: str
    commit: str
    blob: str
    day: date
    until: date | None = None
    content: bytes | UnreadableError = b""


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """A document ready to be saved."""

    record: DocumentRecord
    chunks: list[IndexedChunk]


@dataclass(frozen=True, slots=True)
class SameContent:
    """The file was written again, and holds what it held."""


@dataclass(frozen=True)
class ParseFile:
    """The work of one worker process: call it with a job."""

    max_bytes: int
    min_tokens: int
    max_tokens: int

    def __call__(self, job: ParseJob) -> ParsedFile | SameContent:
        """Read, parse and chunk one file.

        Raises:
            UnreadableError: with a reason that the file's owner understands.
        """
        path = job.name
        parser = self._registry.parser_for(path)
        if parser is None:
            raise UnreadableError(
                "unsupported", self._registry.advice_for(path) or "no parser takes such files"
            )
        source = self._source(job)
        content_hash = hashlib.sha256(parser.name.encode() + b"\0" + source.read_bytes()).hexdigest()
        if content_hash == job.known_hash:
            return SameContent()
        return self._parsed(job, parser, source, content_hash)

    def _source(self, job: ParseJob) -> SourceFile:
        if job.git is None:
            return LocalFile(job.name, self.max_bytes)
        if isinstance(job.git.content, UnreadableError):
            raise job.git.content
        return HeldFile(job.name, job.git.content, self.max_bytes)

    def _parsed(self, job: ParseJob, parser: Parser, source: SourceFile, content_hash: str) -> ParsedFile:
        path = job.name
        parsed = parser.parse(source)
        title = parsed.title or title_from_name(path, self._registry)
        chunks = self._chunker.chunks(parsed.sections)
        if not chunks:
            raise UnreadableError("no-text", "there is no text in the file")
        source_date = (
            SourceDate(job.git.day, "git")
            if job.git
            else resolve_source_date(parsed.source_date, path, job.mtime_ns / 1e9, parsed.source_type)
        )
        stated = [] if source_date.kind in LAST_CHANGE else [source_date.value.isoformat()]
        indexed = [
            IndexedChunk(
                chunk if job.git is None else _at_commit(chunk, job.git),
                chunk.content_hash,
                postings(
                    chunk.text,
                    (*_heading_words(title, chunk.heading_path, chunk.context), *stated),
                    parsed.language,
                ),
            )
            for chunk in chunks
        ]
        record = DocumentRecord(
            path=job.path,
            project=parsed.project or job.project,
            title=title,
            source_type=parsed.source_type,
            parser=parser.name,
            language=parsed.language,
            source_date=source_date,
            tags=parsed.tags,
            extra=parsed.extra | (_origin(job.git) if job.git else {}),
            content_hash=content_hash,
            size=job.size,
            mtime_ns=job.mtime_ns,
            document_id=job.document_id,
            left_out=bounded(parsed.left_out),
        )
        return ParsedFile(record, indexed)

    @cached_property
    def _registry(self) -> ParserRegistry:
        return ParserRegistry()

    @cached_property
    def _chunker(self) -> StructureChunker:
        return StructureChunker(self.min_tokens, self.max_tokens)


def title_from_name(path: Path, registry: ParserRegistry) -> str:
    """The title of a file that states none: its name without its ending, behind the name of its folder where
    files of that name are everywhere: "moca24 schedule"."""
    name = registry.without_ending(path.name)
    is_generic = name.casefold() in _GENERIC_NAMES
    return f"{path.parent.name} {name}".strip() if is_generic else name


def _heading_words(title: str, heading_path: tuple[str, ...], context: str) -> list[str]:
    """The title counts for every chunk of a document, once."""
    headings = list(heading_path)
    if title and title not in headings:
        headings.insert(0, title)
    return [*headings, context]


def _at_commit(chunk: Chunk, version: GitVersion) -> Chunk:
    """The chunk with the commit in its locator, if that tells lines; other formats keep their own."""
    lines = chunk.locator
    if not isinstance(lines, LineLocator):
        return chunk
    own = {field.name: getattr(lines, field.name) for field in fields(LineLocator)}
    return replace(chunk, locator=GitLocator(**own, git_file=version.file, git_commit=version.commit))


def _origin(version: GitVersion) -> dict[str, str]:
    return {
        "git_repository": version.repository,
        "git_file": version.file,
        "git_commit": version.commit,
        "git_blob": version.blob,
    }
