"""Reads documents that are new or changed, and saves them in batches while others are being read.

Knows nothing of where they are: `find_changes` compares a folder, `index_git` a commit.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from bob.core.errors import UnreadableError
from bob.documents import failure_rows, past_rows, rows, source_rows
from bob.documents.disks import LocalDisks
from bob.documents.embed_pending import EmbedPending
from bob.documents.failure_rows import Failure
from bob.documents.find_changes import Changes
from bob.documents.formats.parser_registry import ParserRegistry
from bob.documents.index_report import IndexReport, Interrupted, Progress
from bob.documents.left_out_rows import ReadInPart
from bob.documents.parse_file import ParsedFile, ParseFile, ParseJob, SameContent
from bob.documents.rows import KnownFile
from bob.documents.workers.pool import Outcome, ParseWorkers
from bob.search import vector_rows
from bob.search.index import SearchIndex
from bob.storage import jobs
from bob.storage.database import Database, Transaction

_COMMIT_CHUNKS = 2_000
_COMMIT_SECONDS = 0.5
_IN_PROCESS_BELOW = 256 * 1024
"""Bytes of text formats that are read faster here than it takes to start worker processes."""

_TEXT_PARSERS = frozenset(
    {"markdown", "plain", "code", "config", "csv", "restructured", "org", "latex", "asciidoc"}
)
_KEEP_DESPITE = frozenset({"permission", "io", "timeout", "memory"})
"""Failures that say nothing about the content: what was read before stays."""

Read = Outcome[ParseJob, ParsedFile | SameContent]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a scan takes in, and how files are read."""

    hidden: bool
    ignore: tuple[str, ...]
    workers: int
    timeout_seconds: float
    memory_bytes: int


class IngestChanges:
    """Brings one organization's index in line with changes that were found."""

    def __init__(
        self,
        database: Database,
        index: SearchIndex,
        embed: EmbedPending,
        model: str,
        parse: ParseFile,
        options: ReadOptions,
        disks: LocalDisks,
        follow: Callable[[], object] = lambda: None,
    ) -> None:
        """`follow` is called when documents have come or gone, and makes what else is derived from them."""
        self._database = database
        self._index = index
        self._embed = embed
        self._model = model
        self._parse = parse
        self._options = options
        self._disks = disks
        self.follow = follow
        self._registry = ParserRegistry()

    def adopt(self, root: str, project: str | None, otherwise: str) -> str:
        """The project of a run over `root`: the one given, else the one that is known, else a name for it.
        It is remembered unless a folder above says the same."""
        with self._database.read() as transaction:
            known = source_rows.project_of(transaction, root, self._disks.names)
            same_model = vector_rows.current_model(transaction) == self._model
        name = project or known or otherwise
        if name != known or not same_model:
            with self._database.write() as transaction:
                vector_rows.adopt_model(transaction, self._model)
                if name != known:
                    source_rows.remember(transaction, root, name, self._disks.holding(root))
        return name

    def ingest_changes(
        self,
        done: IndexReport,
        read: Callable[[], None],
        report: Callable[[Progress], None],
        embed_seconds: float | None,
    ) -> IndexReport:
        """A whole run: `read` brings the words up to date, then vectors are made for so many seconds (None:
        all). Interrupted by Ctrl-C it keeps what it has, and says so."""
        began = time.monotonic()
        try:
            read()
            self.follow()
            self._index.compact()
            done.words_seconds = time.monotonic() - began
            self._make_vectors(done, report, embed_seconds)
        except (KeyboardInterrupt, Interrupted):
            done.interrupted = True
        self._index.compact()
        with self._database.read() as transaction:
            done.vectors_pending = vector_rows.pending_count(transaction, self._model)
        return done

    def make_vectors(self) -> str | None:
        """Bring all vectors to the present model, and try again what gave up; why some are still missing."""
        with self._database.write() as transaction:
            vector_rows.adopt_model(transaction, self._model)
            jobs.retry_failed(transaction)
        error = self._embed.embed_chunks().error
        self._index.compact()
        return error

    def note(self, problems: Iterable[tuple[str, str]], done: IndexReport) -> None:
        """Note what cannot even be tried, as (path, reason); every run finds it anew."""
        failures = [Failure(path, "unreadable", reason) for path, reason in problems]
        if failures:
            with self._database.write() as transaction:
                for failure in failures:
                    disk_id = self._disks.holding(failure.path)
                    failure_rows.record(transaction, failure, -1, -1, disk_id)
        done.failures += failures

    def read(
        self,
        changes: Changes,
        failed: set[str],
        done: IndexReport,
        report: Callable[[Progress], None],
        load: Callable[[ParseJob], ParseJob] = lambda job: job,
    ) -> None:
        """Read what changed, save it as it comes, and remove what is gone, also from the `failed` files.

        `load` completes each job right before it is handed to a worker.
        """
        done.unchanged, done.skipped = changes.unchanged, changes.skipped
        if changes.still_failing:
            with self._database.read() as transaction:
                still, here = changes.still_failing, self._disks.names
                done.failures += failure_rows.of_paths(transaction, still, here)
        self._read_changed(changes, done, report, load)
        self._remove_gone(changes, failed, done)

    def _read_changed(
        self,
        changes: Changes,
        done: IndexReport,
        report: Callable[[Progress], None],
        load: Callable[[ParseJob], ParseJob],
    ) -> None:
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
            for outcome in self._outcomes(changes.todo, load):
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

    def _outcomes(self, todo: list[ParseJob], load: Callable[[ParseJob], ParseJob]) -> Iterator[Read]:
        if not todo:
            return
        count = min(self._options.workers, len(todo))
        if sum(job.size for job in todo) < _IN_PROCESS_BELOW:
            parsers = (self._registry.parser_for(job.name) for job in todo)
            if all(parser is None or parser.name in _TEXT_PARSERS for parser in parsers):
                count = 0
        with ParseWorkers(
            count,
            timeout_seconds=self._options.timeout_seconds,
            memory_bytes=self._options.memory_bytes,
            work=self._parse,
        ) as workers:
            yield from workers.parse_files(map(load, todo))

    def _commit(
        self,
        batch: list[Read],
        gone: dict[str, KnownFile],
        movable: dict[str, str],
        done: IndexReport,
    ) -> None:
        if not batch:
            return
        with self._database.write() as transaction:
            for outcome in batch:
                job = outcome.job
                if isinstance(outcome.result, ParsedFile):
                    document_id = self._save(transaction, job, outcome.result, gone, movable, done)
                    if job.git is not None:
                        past_rows.mark(transaction, document_id, job.git.until)
                elif isinstance(outcome.result, SameContent):
                    rows.touch(transaction, job.document_id, job.size, job.mtime_ns)
                    done.unchanged += 1
                elif outcome.error is not None and outcome.error.code != "vanished":
                    self._note_failure(transaction, job, outcome.error, done)

    def _save(
        self,
        transaction: Transaction,
        job: ParseJob,
        parsed: ParsedFile,
        gone: dict[str, KnownFile],
        movable: dict[str, str],
        done: IndexReport,
    ) -> int:
        record = replace(parsed.record, disk_id=self._disks.holding(parsed.record.path))
        origin = movable.pop(record.content_hash, None) if record.document_id is None else None
        if origin is not None:
            record = replace(record, document_id=gone.pop(origin).document_id)
            done.moved += 1
        elif record.document_id is None:
            done.added += 1
        elif job.read_again:
            done.read_again += 1
        else:
            done.changed += 1
        saved = rows.save(transaction, record, parsed.chunks, self._model)
        if record.left_out:
            done.read_in_part.append(ReadInPart(record.path, record.left_out))
        done.chunks_added += saved.chunks_added
        done.chunks_kept += saved.chunks_kept
        return saved.document_id

    def _note_failure(
        self, transaction: Transaction, job: ParseJob, error: UnreadableError, done: IndexReport
    ) -> None:
        failure = Failure(job.path, error.code, error.reason)
        disk_id = self._disks.holding(job.path)
        failure_rows.record(transaction, failure, job.size, job.mtime_ns, disk_id)
        if job.document_id is not None and error.code not in _KEEP_DESPITE:
            rows.remove(transaction, [job.document_id])
        done.failures.append(failure)

    def _remove_gone(self, changes: Changes, failed: set[str], done: IndexReport) -> None:
        if not changes.gone and not failed:
            return
        with self._database.write() as transaction:
            rows.remove(transaction, [file.document_id for file in changes.gone.values()])
            failure_rows.forget(transaction, failed, self._disks.names)
        done.removed = len(changes.gone)

    def _make_vectors(
        self, done: IndexReport, report: Callable[[Progress], None], seconds: float | None
    ) -> None:
        with self._database.read() as transaction:
            total = vector_rows.pending_count(transaction, self._model)
        if not total:
            return
        report(Progress("vectors", 0, total))
        result = self._embed.embed_chunks(lambda count: report(Progress("vectors", count, total)), seconds)
        done.chunks_embedded = result.chunks
        done.vectors_seconds = result.seconds
        done.vectors_error = result.error
