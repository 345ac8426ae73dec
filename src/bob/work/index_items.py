"""Brings the memory to what the work items are now, from the outbox's jobs (SPEC K3).

A job names an item and nothing more: the worker looks at the item as it is, so that doing a job twice or late
is harmless. An item that changes while a worker is at it stays with that worker; after the memory took it the
worker looks again, and queues it once more where it changed, also when its lease had ended. No transaction is
open while the memory works.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bob.core.errors import MemoryServiceError
from bob.core.protocols import OrganizationMemory
from bob.storage import jobs
from bob.storage.database import Database, Transaction
from bob.storage.jobs import Job
from bob.text.secrets import redacted
from bob.work import field_rows, index_rows, rows
from bob.work.item_text import build_document
from bob.work.items import ARCHIVED, WorkItem, collection_name, resource_id

KIND = index_rows.KIND
_RENEW_SECONDS = jobs.LEASE_SECONDS / 4

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class IndexReport:
    """Jobs that were done, and that failed: these are tried again, three times in all. `error` is what the
    last of them met."""

    done: int = 0
    failed: int = 0
    error: str | None = None


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What the memory should have of an item; without content, nothing."""

    title: str = ""
    content: str | None = None


class IndexWorkItems:
    """Works through one organization's jobs; any number of processes may do so at once."""

    def __init__(self, database: Database, memory: OrganizationMemory, clock: Callable[[], float]) -> None:
        self._database = database
        self._memory = memory
        self._clock = clock
        self._collected = False

    def index_items(self, limit: int = 100, stopped: Callable[[], bool] = lambda: False) -> IndexReport:
        """Do up to `limit` jobs, and none after it is stopped. One that fails does not stop the others, and
        is not tried twice in a run."""
        with self._database.write() as transaction:
            claimed = jobs.claim(transaction, KIND, limit, self._clock(), oldest_first=True)
        renewed = self._clock()
        done = failed = 0
        last_error = None
        overtaken: list[Job] = []
        try:
            with self._database.read() as transaction:
                items = self._look(transaction, [job.subject for job in claimed])
                indexed = index_rows.indexed(transaction, [job.subject for job in claimed])
                self._collected = self._collected or index_rows.any_indexed(transaction)
            while claimed and not stopped():
                if self._clock() - renewed > _RENEW_SECONDS:
                    with self._database.write() as transaction:
                        jobs.renew(transaction, claimed, self._clock())
                    renewed = self._clock()
                job = claimed[0]
                # What was wanted when the jobs were claimed is old for an item that changed since; and where
                # the lease ended, another worker may have brought there something newer.
                with self._database.read() as transaction:
                    as_claimed = jobs.is_as_claimed(transaction, job)
                if not as_claimed:
                    overtaken.append(job)
                    claimed = claimed[1:]
                    continue
                error = self._do(job, items[job.subject], job.subject in indexed)
                if error is None:
                    done += 1
                else:
                    failed += 1
                    last_error = error
                claimed = claimed[1:]
        finally:
            if overtaken or claimed:
                with self._database.write() as transaction:
                    jobs.release(transaction, [*overtaken, *claimed])
        return IndexReport(done, failed, last_error)

    def _look(self, transaction: Transaction, subjects: Sequence[int]) -> dict[int, _Wanted]:
        """What the memory should have of each item, as the transaction sees it."""
        items = rows.those(transaction, subjects)
        types = {field.name: field.field_type for field in field_rows.every(transaction)}

        def wanted_of(item: WorkItem | None) -> _Wanted:
            if item is None or item.status == ARCHIVED:
                return _Wanted()
            return _Wanted(_without_secrets(item.title), build_document(item, types, _without_secrets))

        return {subject: wanted_of(items.get(subject)) for subject in subjects}

    def _do(self, job: Job, change: _Wanted, is_indexed: bool) -> str | None:
        """Do one job; why it failed, if it did."""
        error = None
        try:
            self._bring(job.subject, change, is_indexed)
        except MemoryServiceError as failure:
            error = str(failure)
            more = self._more(job.subject) | {"attempt": job.attempts + 1}
            _log.warning("[RAG] Failed: %s in %s: %s", *self._names(job.subject), error, extra=more)
        self._settle(job, change, error)
        return error

    def _bring(self, subject: int, change: _Wanted, is_indexed: bool) -> None:
        """Have the memory do it. Raises MemoryServiceError."""
        resource, collection = self._names(subject)
        more = self._more(subject)
        if change.content is None:
            self._memory.delete_resource(self._database.org_id, resource)
            _log.info("[RAG] Deleted resource: %s from %s", resource, collection, extra=more)
            return
        if not self._collected:
            self._memory.create_collection(self._database.org_id)
            self._collected = True
            _log.info("[RAG] Created collection: %s", collection, extra={"collection": collection})
        if is_indexed:
            self._memory.update_resource(self._database.org_id, resource, change.title, change.content)
            _log.info("[RAG] Updated resource: %s in %s", resource, collection, extra=more)
        else:
            self._memory.add_resource(self._database.org_id, resource, change.title, change.content)
            _log.info("[RAG] Added resource: %s to %s", resource, collection, extra=more)

    def _settle(self, job: Job, change: _Wanted, error: str | None) -> None:
        """Take the job off the list, or count a try. Where the item is no longer what the memory was given,
        the job starts anew: also when a slower worker was the last to give."""
        with self._database.write() as transaction:
            if error is None:
                taken = None if change.content is None else self._clock()
                index_rows.mark(transaction, job.subject, taken)
            if self._look(transaction, [job.subject])[job.subject] != change:
                index_rows.queue(transaction, job.subject)
                jobs.release(transaction, [job])
            elif error is None:
                jobs.finish(transaction, job)
            else:
                jobs.fail(transaction, job, error, self._clock())

    def _names(self, subject: int) -> tuple[str, str]:
        return resource_id(subject), collection_name(self._database.org_id)

    def _more(self, subject: int) -> dict[str, object]:
        """For logs that are read by programs."""
        return {"collection": collection_name(self._database.org_id), "resource": resource_id(subject)}


def _without_secrets(text: str) -> str:
    return redacted(text).text
