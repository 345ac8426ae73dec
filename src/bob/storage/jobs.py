"""The outbox: work that follows from committed truth, kept in the same database (SPEC A5).

A job is claimed for a while (a lease). A worker that dies loses its claim: at once if it ran on this host,
else when the lease ends. Only an error counts as a try; a job waits after it, and after three it is kept as
failed. A job whose subject changes while it runs stays with its worker, who gives it back: no two work on one
subject at once.
"""

from __future__ import annotations

import os
import platform
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bob.storage.database import EVERY_ORGANIZATION, Transaction

LEASE_SECONDS = 120.0
RETRY_SECONDS = (30.0, 600.0)
"""How long a job waits after its first and its second error: a server that starts again is back by then."""

MOST_TRIES = len(RETRY_SECONDS) + 1

FURTHEST_SECONDS = 1800.0
"""No lease ends and no job waits for so long, and clocks of two machines differ by less: a moment that lies
further ahead was written before the clock was put back, and counts as over."""

_RUN = uuid.uuid4().hex[:8]
"""Tells this process from an earlier one of the same number, as in a container that was started again."""


@dataclass(frozen=True, slots=True)
class Job:
    """A claimed job: do `kind` for the row with the id `subject`, as it was changed for the `version`th
    time."""

    job_id: int
    kind: str
    subject: int
    attempts: int
    version: int


def enqueue(transaction: Transaction, kind: str, subject: int) -> None:
    """Queue a job, once per kind and subject; a failed one gets a new start, and one that runs is run again
    after this run: it may have read its subject before this change."""
    if not _start_anew(transaction, kind, [subject]):
        add(transaction, kind, subject)


def enqueue_all(transaction: Transaction, kind: str, subjects: Sequence[int]) -> None:
    """The same for many subjects, in a few statements; each is named once."""
    if _start_anew(transaction, kind, subjects) < len(subjects):
        rows = transaction.execute(
            "SELECT subject FROM jobs WHERE org_id = :org AND kind = :kind AND subject IN :subjects",
            {"kind": kind, "subjects": subjects},
        )
        known = {subject for (subject,) in rows}
        _add(transaction, kind, [each for each in subjects if each not in known])


def _start_anew(transaction: Transaction, kind: str, subjects: Sequence[int]) -> int:
    return transaction.execute(
        "UPDATE jobs SET state = CASE WHEN state = 'running' THEN 'running' ELSE 'queued' END,"
        " attempts = 0, error = NULL, not_before = NULL, version = version + 1"
        " WHERE org_id = :org AND kind = :kind AND subject IN :subjects",
        {"kind": kind, "subjects": subjects},
    ).rowcount


def add(transaction: Transaction, kind: str, subject: int) -> None:
    """Queue the first job of its kind for a new subject, in one statement less than `enqueue`."""
    _add(transaction, kind, [subject])


def _add(transaction: Transaction, kind: str, subjects: Sequence[int]) -> None:
    if not subjects:
        return
    # All jobs are as urgent as each other; the column is one of the first schema, and of the index by state.
    same = {"kind": kind, "state": "queued", "priority": 0, "attempts": 0}
    numbers = transaction.take_ids("job", len(subjects))
    transaction.insert(
        "jobs",
        *(
            same | {"job_id": number, "subject": subject}
            for number, subject in zip(numbers, subjects, strict=True)
        ),
    )


_DUE = "(state = 'queued' AND (not_before IS NULL OR not_before <= :now OR not_before > :now + :furthest))"

_HELD = "org_id = :org AND state = 'running' AND worker = :worker AND job_id IN :jobs"
"""Those of the jobs that this worker still holds, queued again or not."""


def _held(jobs: Sequence[Job], **values: Any) -> dict[str, Any]:
    return {"worker": worker_name(), "jobs": [job.job_id for job in jobs], **values}


def claim(
    transaction: Transaction, kind: str, limit: int, now: float, *, oldest_first: bool = False
) -> list[Job]:
    """Claim up to `limit` jobs, the newest first, unless their order matters. `now` is in epoch seconds."""
    _take_back(transaction, now)
    rows = transaction.execute(
        "SELECT job_id, kind, subject, attempts, version FROM jobs"
        f" WHERE org_id = :org AND kind = :kind AND {_DUE}"
        f" ORDER BY priority DESC, job_id {'ASC' if oldest_first else 'DESC'} LIMIT :limit",
        {"kind": kind, "now": now, "furthest": FURTHEST_SECONDS, "limit": limit},
    )
    claimed = [Job(*row) for row in rows]
    _hold(transaction, "org_id = :org AND job_id IN :jobs", claimed, now)
    return claimed


def waiting_kinds(transaction: Transaction, now: float) -> dict[str, list[str]]:
    """The kinds of jobs that can be claimed, by organization: of that of the transaction, or of all."""
    mine = "" if transaction.org_id == EVERY_ORGANIZATION else "org_id = :org AND"
    rows = transaction.execute(
        "SELECT org_id, kind, state, worker, min(lease_until) FROM jobs"
        f" WHERE {mine} ({_DUE} OR state = 'running' AND worker IS NOT NULL)"
        " GROUP BY org_id, kind, state, worker ORDER BY org_id, kind",
        {"now": now, "furthest": FURTHEST_SECONDS},
    )
    found: dict[str, list[str]] = {}
    for org, kind, state, worker, lease_until in rows:
        free = state == "queued" or is_over(lease_until, now) or is_dead(worker)
        if free and kind not in found.setdefault(org, []):
            found[org].append(kind)
    return {org: kinds for org, kinds in found.items() if kinds}


def any_of(transaction: Transaction, kind: str) -> bool:
    """Whether there is a job of this kind that is not given up. Asked in a read: who looks for work every few
    seconds must not take the write lock each time."""
    found = transaction.execute(
        "SELECT 1 FROM jobs WHERE org_id = :org AND kind = :kind AND state IN ('queued', 'running') LIMIT 1",
        {"kind": kind},
    )
    return found.fetchone() is not None


def renew(transaction: Transaction, claimed: Sequence[Job], now: float) -> None:
    """Hold claimed jobs for another lease."""
    _hold(transaction, _HELD, claimed, now)


def _hold(transaction: Transaction, these: str, jobs: Sequence[Job], now: float) -> None:
    transaction.execute(
        f"UPDATE jobs SET state = 'running', worker = :worker, lease_until = :until WHERE {these}",
        _held(jobs, until=now + LEASE_SECONDS),
    )


def is_as_claimed(transaction: Transaction, job: Job) -> bool:
    """Whether a job is still held here, and its subject did not change since."""
    found = transaction.execute(
        f"SELECT 1 FROM jobs WHERE {_HELD} AND version = :version", _held([job], version=job.version)
    )
    return found.fetchone() is not None


def _take_back(transaction: Transaction, now: float) -> None:
    running = transaction.execute(
        "SELECT DISTINCT worker FROM jobs WHERE org_id = :org AND state = 'running'"
    ).fetchall()
    transaction.execute(
        "UPDATE jobs SET state = 'queued', worker = NULL, lease_until = NULL"
        " WHERE org_id = :org AND state = 'running'"
        " AND (lease_until < :now OR lease_until > :now + :furthest OR worker IN :dead)",
        {
            "now": now,
            "furthest": FURTHEST_SECONDS,
            "dead": [worker for (worker,) in running if worker and is_dead(worker)],
        },
    )


def is_over(lease_until: float, now: float) -> bool:
    """Whether a lease has ended, or cannot be one of this clock."""
    return not now <= lease_until <= now + FURTHEST_SECONDS


def worker_name() -> str:
    """Names this process by host, number and run, so that another on the host can tell whether it lives."""
    return f"{platform.node()}:{os.getpid()}:{_RUN}"


def is_dead(worker: str) -> bool:
    """Whether a worker ran on this host and its process is gone."""
    if worker.count(":") < 2 or os.name != "posix":
        return False
    host, process, run = worker.rsplit(":", 2)
    own_host, own_process, own_run = worker_name().rsplit(":", 2)
    if host != own_host:
        return False
    if process == own_process:
        return run != own_run
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def finish(transaction: Transaction, job: Job) -> None:
    """Take a job that is done off the list; one that was queued again meanwhile waits for its next run."""
    transaction.execute(
        "DELETE FROM jobs WHERE org_id = :org AND job_id = :job_id AND version = :version",
        {"job_id": job.job_id, "version": job.version},
    )
    release(transaction, [job])


def release(transaction: Transaction, held: Sequence[Job]) -> None:
    """Return claimed jobs that are not done; failed ones stay failed."""
    transaction.execute(
        f"UPDATE jobs SET state = 'queued', worker = NULL, lease_until = NULL WHERE {_HELD}", _held(held)
    )


def fail(transaction: Transaction, job: Job, error: str, now: float) -> None:
    """Note a try that ended in an error `now`, in epoch seconds: the job waits (`RETRY_SECONDS`), and
    after the third try it is kept as failed. For one that was queued again meanwhile it was no try."""
    attempts = job.attempts + 1
    is_last = attempts >= MOST_TRIES
    transaction.execute(
        "UPDATE jobs SET state = :state, attempts = :attempts, error = :error, worker = NULL,"
        f" lease_until = NULL, not_before = :not_before WHERE {_HELD} AND version = :version",
        _held(
            [job],
            version=job.version,
            state="failed" if is_last else "queued",
            attempts=attempts,
            error=error,
            not_before=None if is_last else now + RETRY_SECONDS[job.attempts],
        ),
    )
    release(transaction, [job])


def retry_failed(transaction: Transaction) -> int:
    """Queue all failed jobs again, and let none wait any longer after an error; how many there were."""
    return transaction.execute(
        "UPDATE jobs SET state = 'queued', attempts = 0, error = NULL, not_before = NULL"
        " WHERE org_id = :org AND (state = 'failed' OR state = 'queued' AND not_before IS NOT NULL)"
    ).rowcount


def drop(transaction: Transaction, kind: str, subjects: Sequence[int]) -> None:
    """Forget the jobs of subjects that no longer exist."""
    transaction.execute(
        "DELETE FROM jobs WHERE org_id = :org AND kind = :kind AND subject IN :subjects",
        {"kind": kind, "subjects": subjects},
    )


def counts(transaction: Transaction) -> dict[str, int]:
    """How many jobs are in each state; those that a dead process holds count as queued, as they soon are."""
    rows = transaction.execute(
        "SELECT state, worker, count(*) FROM jobs WHERE org_id = :org GROUP BY state, worker"
    )
    found = {"queued": 0, "running": 0, "failed": 0}
    for state, worker, count in rows:
        found["queued" if worker and is_dead(worker) else state] += count
    return found


def failed(transaction: Transaction) -> list[str]:
    """The different errors of the jobs that are kept as failed."""
    rows = transaction.execute(
        "SELECT DISTINCT error FROM jobs WHERE org_id = :org AND state = 'failed' ORDER BY error"
    )
    return [str(error) for (error,) in rows]
