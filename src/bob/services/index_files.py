"""Brings the index in line with a folder: what is new or changed is read, what is gone is removed.

Documents become searchable by their words as they are read; their vectors follow by jobs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from sqlalchemy import Connection

from bob.errors import UnreadableError, UsageError
from bob.ingest.registry import ParserRegistry
from bob.ingest.scan import scan
from bob.ingest.workers import Outcome, ParseWorkers
from bob.services.embed_pending import EmbedPending
from bob.services.find_changes import Changes, find_changes
from bob.services.parse_file import ParsedFile, ParseFile, ParseJob, SameContent
from bob.store import documents, failures, sources, vectors
from bob.store.database import Database
from bob.store.documents import KnownFile
from bob.store.failures import Failure
from bob.store.paths import absolute
from bob.store.search_index import SearchIndex

_COMMIT_CHUNKS = 2_000
_COMMIT_SECONDS = 0.5
_IN_PROCESS_BELOW = 256 * 1024
"""Bytes of text formats that are read faster here than it takes to start worker processes."""

_TEXT_PARSERS = frozenset({"markdown", "plain", "code", "config", "csv", "restructured"})
_KEEP_DESPITE = frozenset({"permission", "io", "timeout"})
"""Failures that say nothing about the content: what was read before stays."""

Read = Outcome[ParseJob, ParsedFile | SameContent]


class Interrupted(Exception):  # noqa: N818 - nothing is wrong
    """Raised by whoever gets a run's progress: it ends the run as Ctrl-C does."""


@dataclass(slots=True)
class IndexReport:
    """What a run did. Counts are of documents unless their name says otherwise."""

    root: str
    project: str
    added: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    unchanged: int = 0
    chunks_added: int = 0
    chunks_kept: int = 0
    chunks_embedded: int = 0
    vectors_pending: int = 0
    failures: list[Failure] = field(default_factory=list)
    skipped: dict[str, int] = field(default_factory=dict)
    words_seconds: float = 0.0
    vectors_seconds: float = 0.0
    vectors_error: str | None = None
    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: `files` while reading, `vectors` (counted in chunks) while embedding."""

    phase: Literal["files", "vectors"]
    done: int
    total: int
    chunks: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a scan takes in, and how files are read."""

    hidden: bool
    ignore: tuple[str, ...]
    workers: int
    timeout_seconds: float
    memory_bytes: int


class IndexFiles:
    """Indexes folders and files into one organization's memory."""

    def __init__(
        self,
        database: Database,
        org_id: str,
        index: SearchIndex,
        embed: EmbedPending,
        model: str,
        parse: ParseFile,
        options: ReadOptions,
    ) -> None:
        self._database = database
        self._org_id = org_id
        self._index = index
        self._embed = embed
        self._model = model
        self._parse = parse
        self._options = options
        self._registry = ParserRegistry()

    def run(
        self,
        root: Path,
        project: str | None = None,
        *,
        report: Callable[[Progress], None] = lambda _: None,
        embed_seconds: float | None = None,
    ) -> IndexReport:
        """Index `root`, a folder or one file. `embed_seconds` bounds the time for vectors (None: all).

        Interrupted by Ctrl-C, or by `report` with `Interrupted`, it keeps what it has, says so in the report,
        and goes on the next time.

        Raises:
            UsageError: there is no such folder or file.
        """
        root = absolute(root)
        if not _exists(root):
            raise UsageError(
                f"{root}: there is no such file or folder (to take it out of the index: bob index --remove)"
            )
        done = IndexReport(str(root), self._adopt(root, project))
        began = time.monotonic()
        try:
            self._read(root, project is not None, done, report)
            self._index.compact()
            done.words_seconds = time.monotonic() - began
            self._make_vectors(done, report, embed_seconds)
        except (KeyboardInterrupt, Interrupted):
            done.interrupted = True
        self._index.compact()
        with self._database.read() as connection:
            done.vectors_pending = vectors.pending_count(connection, self._org_id, self._model)
        return done

    def remove(self, root: Path) -> int:
        """Take a folder out of the index, whether it still exists or not; how many documents it had."""
        path = str(absolute(root))
        with self._database.write() as connection:
            known = documents.known_files(connection, self._org_id, path)
            documents.remove(connection, self._org_id, [file.document_id for file in known.values()])
            failures.forget(connection, self._org_id, failures.known(connection, self._org_id, path))
            for folder, _ in sources.every(connection, self._org_id):
                if sources.within(folder, path):
                    sources.forget(connection, self._org_id, folder)
        self._index.compact()
        return len(known)

    def _adopt(self, root: Path, project: str | None) -> str:
        """The project of this run; remembered with the folder unless a folder above says the same."""
        with self._database.read() as connection:
            known = sources.project_of(connection, self._org_id, str(root))
            same_model = vectors.current_model(connection, self._org_id) == self._model
        folder = root if root.is_dir() else root.parent
        name = project or known or folder.name or "root"
        if name != known or not same_model:
            with self._database.write() as connection:
                vectors.adopt_model(connection, self._org_id, self._model)
                if name != known:
                    sources.remember(connection, self._org_id, str(root), name)
        return name

    def _read(
        self, root: Path, reassign: bool, done: IndexReport, report: Callable[[Progress], None]
    ) -> None:
        with self._database.read() as connection:
            known = documents.known_files(connection, self._org_id, str(root))
            failed = failures.known(connection, self._org_id, str(root))
            folders = sources.every(connection, self._org_id)
        found = scan(root, hidden=self._options.hidden, ignore=self._options.ignore)
        # A folder in this one that was indexed as a project of its own stays one.
        nested = [each for each in folders if sources.within(each[0], str(root)) and each[0] != str(root)]
        changes = find_changes(
            found, known, failed, self._registry, lambda path: sources.nearest(nested, path) or done.project
        )
        done.unchanged, done.skipped = changes.unchanged, changes.skipped
        if changes.still_failing:
            with self._database.read() as connection:
                done.failures += failures.at(connection, self._org_id, changes.still_failing)
        if reassign and known:
            with self._database.write() as connection:
                for folder, name in [(str(root), done.project), *sorted(nested)]:
                    documents.set_project(connection, self._org_id, folder, name)
        self._read_changed(changes, done, report)
        self._remove_gone(changes, set(failed) - {file.path for file in found.files}, done)
        self._note_unlisted(found.unreadable, done)

    def _read_changed(self, changes: Changes, done: IndexReport, report: Callable[[Progress], None]) -> None:
        movable = {file.content_hash: path for path, file in changes.gone.items()}
        total, read, chunks = len(changes.todo), 0, 0
        batch: list[Read] = []
        committed = time.monotonic()

        def commit() -> None:
            # Emptied first: a second try after an interruption would save what is saved already.
            taken = batch.copy()
            batch.clear()
            self._commit(taken, changes.gone, movable, done)
            report(Progress("files", read, total, done.chunks_added, len(done.failures)))

        try:
            for outcome in self._outcomes(changes.todo):
                batch.append(outcome)
                read += 1
                chunks += len(outcome.result.chunks) if isinstance(outcome.result, ParsedFile) else 0
                if chunks >= _COMMIT_CHUNKS or time.monotonic() - committed >= _COMMIT_SECONDS:
                    commit()
                    self._index.compact()
                    chunks, committed = 0, time.monotonic()
        finally:
            # What was read before an interruption is kept.
            commit()

    def _outcomes(self, todo: list[ParseJob]) -> Iterator[Read]:
        if not todo:
            return
        count = min(self._options.workers, len(todo))
        if sum(job.size for job in todo) < _IN_PROCESS_BELOW:
            parsers = (self._registry.parser_for(Path(job.path)) for job in todo)
            if all(parser is None or parser.name in _TEXT_PARSERS for parser in parsers):
                count = 0
        with ParseWorkers(
            count,
            timeout_seconds=self._options.timeout_seconds,
            memory_bytes=self._options.memory_bytes,
            work=self._parse,
        ) as workers:
            yield from workers.run(todo)

    def _commit(
        self,
        batch: list[Read],
        gone: dict[str, KnownFile],
        movable: dict[str, str],
        done: IndexReport,
    ) -> None:
        if not batch:
            return
        with self._database.write() as connection:
            for outcome in batch:
                job = outcome.job
                if isinstance(outcome.result, ParsedFile):
                    self._save(connection, outcome.result, gone, movable, done)
                elif isinstance(outcome.result, SameContent):
                    documents.touch(connection, self._org_id, job.path, job.size, job.mtime_ns)
                    done.unchanged += 1
                elif outcome.error is not None and outcome.error.code != "vanished":
                    self._note_failure(connection, job, outcome.error, done)

    def _save(
        self,
        connection: Connection,
        parsed: ParsedFile,
        gone: dict[str, KnownFile],
        movable: dict[str, str],
        done: IndexReport,
    ) -> None:
        record = parsed.record
        origin = movable.pop(record.content_hash, None) if record.document_id is None else None
        if origin is not None:
            record = replace(record, document_id=gone.pop(origin).document_id)
            done.moved += 1
        elif record.document_id is None:
            done.added += 1
        else:
            done.changed += 1
        saved = documents.save(connection, self._org_id, record, parsed.chunks, self._model)
        done.chunks_added += saved.chunks_added
        done.chunks_kept += saved.chunks_kept

    def _note_failure(
        self, connection: Connection, job: ParseJob, error: UnreadableError, done: IndexReport
    ) -> None:
        failure = Failure(job.path, error.code, error.reason)
        failures.record(connection, self._org_id, failure, job.size, job.mtime_ns)
        if job.document_id is not None and error.code not in _KEEP_DESPITE:
            documents.remove(connection, self._org_id, [job.document_id])
        done.failures.append(failure)

    def _remove_gone(self, changes: Changes, failed: set[str], done: IndexReport) -> None:
        if not changes.gone and not failed:
            return
        with self._database.write() as connection:
            documents.remove(connection, self._org_id, [file.document_id for file in changes.gone.values()])
            failures.forget(connection, self._org_id, failed)
        done.removed = len(changes.gone)

    def _note_unlisted(self, unreadable: list[tuple[str, str]], done: IndexReport) -> None:
        """Folders that cannot be listed and names that cannot be stored are tried anew in every run."""
        found = [Failure(path, "unreadable", reason) for path, reason in unreadable]
        if found:
            with self._database.write() as connection:
                for failure in found:
                    failures.record(connection, self._org_id, failure, -1, -1)
        done.failures += found

    def _make_vectors(
        self, done: IndexReport, report: Callable[[Progress], None], seconds: float | None
    ) -> None:
        with self._database.read() as connection:
            total = vectors.pending_count(connection, self._org_id, self._model)
        if not total:
            return
        report(Progress("vectors", 0, total))
        result = self._embed.run(lambda count: report(Progress("vectors", count, total)), seconds)
        done.chunks_embedded = result.chunks
        done.vectors_seconds = result.seconds
        done.vectors_error = result.error


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError as error:
        raise UsageError(f"{path}: cannot be looked at: {error.strerror}") from error
