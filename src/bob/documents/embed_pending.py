"""Makes the vectors that are still missing (SPEC A5), tries failed files again, and rebuilds."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bob.core.errors import ModelError
from bob.core.protocols import Embedder
from bob.documents import disk_rows, failure_rows, source_rows
from bob.documents import rows as documents
from bob.documents.disks import LocalDisks
from bob.documents.git import rows as git_rows
from bob.search import vector_rows
from bob.search.snapshot import pack
from bob.search.vector_rows import EMBED, PendingChunk
from bob.storage import jobs
from bob.storage.database import Database, Transaction
from bob.storage.jobs import Job

_DOCUMENTS_AT_ONCE = 64
_TEXTS_AT_ONCE = 96
"""Texts between two commits: a few seconds of work at the most are done again after a crash."""


@dataclass(frozen=True, slots=True)
class EmbedReport:
    """`error` says why vectors are missing that could not be made."""

    chunks: int = 0
    seconds: float = 0.0
    error: str | None = None


class EmbedPending:
    """Works through the embedding jobs of one organization; any number of processes may do so at once."""

    def __init__(
        self, database: Database, embedder: Embedder, clock: Callable[[], float] = time.time
    ) -> None:
        self._database = database
        self._embedder = embedder
        self._clock = clock

    def embed_chunks(
        self, progress: Callable[[int], None] | None = None, budget_seconds: float | None = None
    ) -> EmbedReport:
        """Embed until no job is left, or the budget is used up; `progress` gets the chunks done so far.

        A job that is interrupted goes back untried. An error of the model counts as a try of the jobs that
        it hit, which wait before the next one, and ends the run: the next jobs would meet the same error.
        """
        began = time.monotonic()
        done = 0
        if budget_seconds is not None and budget_seconds <= 0:
            return EmbedReport()
        for count in self._batches():
            if isinstance(count, str):
                return EmbedReport(done, time.monotonic() - began, count)
            done += count
            if progress is not None:
                progress(done)
            if budget_seconds is not None and time.monotonic() - began > budget_seconds:
                break
        return EmbedReport(done, time.monotonic() - began)

    def _batches(self) -> Iterator[int | str]:
        """Chunks done after each commit, or the error that ends the run."""
        while claimed := self._claimed():
            try:
                yield from self._embedded(claimed)
            except ModelError as error:
                with self._database.write() as transaction:
                    for job in claimed:
                        jobs.fail(transaction, job, str(error), self._clock())
                yield str(error)
                return
            finally:
                # Also when the run stops early: what is complete is shown, the rest goes back.
                self._settle(claimed)

    def _claimed(self) -> list[Job]:
        with self._database.write() as transaction:
            return jobs.claim(transaction, EMBED, _DOCUMENTS_AT_ONCE, self._clock())

    def _embedded(self, claimed: list[Job]) -> Iterator[int]:
        with self._database.read() as transaction:
            waiting = vector_rows.pending(
                transaction, self._embedder.model_id, [job.subject for job in claimed]
            )
        same: dict[str, list[PendingChunk]] = {}
        for chunk in waiting:
            same.setdefault(chunk.content_hash, []).append(chunk)
        # Texts of like length make batches without padding.
        groups = sorted(same.values(), key=lambda chunks: len(chunks[0].text))
        for start in range(0, len(groups), _TEXTS_AT_ONCE):
            part = groups[start : start + _TEXTS_AT_ONCE]
            made = self._embedder.embed([chunks[0].text for chunks in part])
            rows = [(chunk, pack(row)) for chunks, row in zip(part, made, strict=True) for chunk in chunks]
            with self._database.write() as transaction:
                vector_rows.stage(transaction, self._embedder.model_id, rows)
                jobs.renew(transaction, claimed, self._clock())
            yield len(rows)

    def _settle(self, claimed: list[Job]) -> None:
        with self._database.write() as transaction:
            unfinished = []
            for job in claimed:
                if vector_rows.publish(transaction, self._embedder.model_id, job.subject):
                    jobs.finish(transaction, job)
                else:
                    unfinished.append(job)
            jobs.release(transaction, unfinished)


class Maintain:
    """Repairs one organization's index."""

    def __init__(self, database: Database, local_disks: LocalDisks) -> None:
        self._database = database
        self._disks = local_disks

    def retry(self) -> tuple[list[Path], int, int]:
        """Queue failed jobs and mark failed files to be read again.

        Returns:
            the folders to index again, and how many files and jobs will be tried.
        """
        with self._database.write() as transaction:
            files = failure_rows.mark_for_retry(transaction)
            jobs_queued = jobs.retry_failed(transaction)
        return self.folders(), files, jobs_queued

    def folders(self) -> list[Path]:
        """The indexed folders that still exist, and those of refs whose repository does."""
        with self._database.read() as transaction:
            return [Path(path) for path, is_there in self._sources(transaction) if is_there]

    def unreachable(self) -> list[Path]:
        """The indexed folders that are not there now, such as those of a disk that is not mounted."""
        with self._database.read() as transaction:
            return [Path(path) for path, is_there in self._sources(transaction) if not is_there]

    def _sources(self, transaction: Transaction) -> list[tuple[str, bool]]:
        """What was indexed on this machine, each with whether it can be read."""
        here = self._disks.names
        every = {path: path for path, _ in source_rows.every(transaction, here)}
        every |= {ref.root: ref.repository for ref in git_rows.every(transaction, here)}
        return [(path, Path(folder).exists()) for path, folder in sorted(every.items())]

    def drop_index(self) -> None:
        """Drop all that is derived from the folders of this machine; what was indexed, and as which project,
        is kept. What nobody here could read again stays: what other machines have read, and what lies in
        folders that are not there now."""
        here = self._disks.names
        with self._database.write() as transaction:
            if self._disks.shared:
                self._claim(transaction)
            lost = self._lost(transaction)
            dropped = [number for number in documents.ids_on(transaction, here) if number not in lost]
            documents.remove(transaction, dropped)
            failure_rows.forget_disks(transaction, here)
            git_rows.read_again(transaction, here)

    def _lost(self, transaction: Transaction) -> set[int]:
        """The documents of this machine in folders that are not there now."""
        gone = [path for path, is_there in self._sources(transaction) if not is_there]
        known = (documents.known_files(transaction, folder, self._disks.names) for folder in gone)
        return {file.document_id for files in known for file in files.values()}

    def _claim(self, transaction: Transaction) -> None:
        """Take the documents of which no disk is known, and whose file is on this machine."""
        rows = transaction.execute(
            "SELECT document_id, path FROM documents WHERE org_id = :org AND disk_id = ''"
        ).fetchall()
        for document_id, path in rows:
            if os.path.lexists(path):
                disk_rows.claim(transaction, [document_id], self._disks.holding(path))
