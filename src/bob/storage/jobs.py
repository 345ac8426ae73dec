"""The outbox: work that follows from committed truth, kept in the same database (SPEC A5).

A job is claimed for a while (a lease). A worker that dies loses its claim: at once if it ran on this host,
else when the lease ends. Only an error counts as a try; after three the job is kept as failed. A job whose
subject changes while it runs stays with its worker, who gives it back: no two work on one subject at once.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, and_, case, delete, func, insert, or_, select, true, update

from bob.storage.counters import next_ids
from bob.storage.database import EVERY_ORGANIZATION, worker_name
from bob.storage.schema import jobs

MOST_TRIES = 3
LEASE_SECONDS = 120.0

FURTHEST_SECONDS = 1800.0
"""No lease ends and no job waits for so long, and clocks of two machines differ by less: a moment that lies
further ahead was written before the clock was put back, and counts as over."""

_SUBJECTS_AT_ONCE = 500
"""Values in one IN list: older builds of SQLite allow 999."""


@dataclass(frozen=True, slots=True)
class Job:
    """A claimed job: do `kind` for the row with the id `subject`, as it was changed for the `version`th
    time."""

    job_id: int
    kind: str
    subject: int
    attempts: int
    version: int


def enqueue(connection: Connection, org_id: str, kind: str, subject: int, priority: int = 0) -> None:
    """Queue a job, once per kind and subject; a failed one gets a new start, and one that runs is run again
    after this run: it may have read its subject before this change."""
    if not _start_anew(connection, org_id, kind, jobs.c.subject == subject):
        add(connection, org_id, kind, subject, priority)


def enqueue_all(connection: Connection, org_id: str, kind: str, subjects: Sequence[int]) -> None:
    """The same for many subjects, in a few statements; each is named once."""
    for start in range(0, len(subjects), _SUBJECTS_AT_ONCE):
        part = list(subjects[start : start + _SUBJECTS_AT_ONCE])
        these = jobs.c.subject.in_(part)
        _start_anew(connection, org_id, kind, these)
        known = set(
            connection.execute(
                select(jobs.c.subject).where(jobs.c.org_id == org_id, jobs.c.kind == kind, these)
            ).scalars()
        )
        new = [each for each in part if each not in known]
        if new:
            _add(connection, org_id, kind, new, priority=0)


def _start_anew(connection: Connection, org_id: str, kind: str, these: ColumnElement[bool]) -> int:
    return connection.execute(
        update(jobs)
        .where(jobs.c.org_id == org_id, jobs.c.kind == kind, these)
        .values(
            state=case((jobs.c.state == "running", "running"), else_="queued"),
            attempts=0,
            error=None,
            not_before=None,
            version=jobs.c.version + 1,
        )
    ).rowcount


def add(connection: Connection, org_id: str, kind: str, subject: int, priority: int = 0) -> None:
    """Queue the first job of its kind for a new subject, in one statement less than `enqueue`."""
    _add(connection, org_id, kind, [subject], priority)


def _add(connection: Connection, org_id: str, kind: str, subjects: Sequence[int], priority: int) -> None:
    same = {"org_id": org_id, "kind": kind, "state": "queued", "priority": priority, "attempts": 0}
    numbers = next_ids(connection, org_id, "job", len(subjects))
    connection.execute(
        insert(jobs),
        [
            same | {"job_id": number, "subject": subject}
            for number, subject in zip(numbers, subjects, strict=True)
        ],
    )


def claim(
    connection: Connection, org_id: str, kind: str, limit: int, now: float, *, oldest_first: bool = False
) -> list[Job]:
    """Claim up to `limit` jobs, the most urgent and then the newest first, unless their order matters. `now`
    is in epoch seconds."""
    _take_back(connection, org_id, now)
    rows = connection.execute(
        select(jobs.c.job_id, jobs.c.kind, jobs.c.subject, jobs.c.attempts, jobs.c.version)
        .where(jobs.c.org_id == org_id, jobs.c.kind == kind, _is_due(now))
        .order_by(jobs.c.priority.desc(), jobs.c.job_id if oldest_first else jobs.c.job_id.desc())
        .limit(limit)
        .with_for_update(skip_locked=True)
    ).all()
    claimed = [Job(*row) for row in rows]
    _hold(connection, jobs.c.org_id == org_id, jobs.c.job_id.in_([job.job_id for job in claimed]), now=now)
    return claimed


def _is_due(now: float) -> ColumnElement[bool]:
    moment = jobs.c.not_before
    return (jobs.c.state == "queued") & or_(moment.is_(None), moment <= now, moment > now + FURTHEST_SECONDS)


def waiting_kinds(connection: Connection, now: float, org_id: str) -> dict[str, list[str]]:
    """The kinds of jobs that can be claimed, by organization: of one, or of all of them."""
    held = (jobs.c.state == "running") & (jobs.c.worker.is_not(None))
    rows = connection.execute(
        select(jobs.c.org_id, jobs.c.kind, jobs.c.state, jobs.c.worker, func.min(jobs.c.lease_until))
        .where(or_(_is_due(now), held), true() if org_id == EVERY_ORGANIZATION else jobs.c.org_id == org_id)
        .group_by(jobs.c.org_id, jobs.c.kind, jobs.c.state, jobs.c.worker)
        .order_by(jobs.c.org_id, jobs.c.kind)
    )
    found: dict[str, list[str]] = {}
    for org, kind, state, worker, lease_until in rows:
        free = state == "queued" or is_over(lease_until, now) or is_dead(worker)
        if free and kind not in found.setdefault(org, []):
            found[org].append(kind)
    return {org: kinds for org, kinds in found.items() if kinds}


def any_of(connection: Connection, org_id: str, kind: str) -> bool:
    """Whether there is a job of this kind that is not given up. Asked in a read: who looks for work every few
    seconds must not take the write lock each time."""
    found = select(jobs.c.job_id).where(
        jobs.c.org_id == org_id, jobs.c.kind == kind, jobs.c.state.in_(("queued", "running"))
    )
    return connection.execute(found.limit(1)).first() is not None


def renew(connection: Connection, org_id: str, claimed: Sequence[Job], now: float) -> None:
    """Hold claimed jobs for another lease."""
    _hold(connection, _held_here(org_id, claimed), now=now)


def _hold(connection: Connection, *these: ColumnElement[bool], now: float) -> None:
    connection.execute(
        update(jobs)
        .where(*these)
        .values(state="running", worker=worker_name(), lease_until=now + LEASE_SECONDS)
    )


def is_as_claimed(connection: Connection, org_id: str, job: Job) -> bool:
    """Whether a job is still held here, and its subject did not change since."""
    found = select(jobs.c.job_id).where(_held_here(org_id, [job]), jobs.c.version == job.version)
    return connection.execute(found).first() is not None


def _held_here(org_id: str, held: Sequence[Job]) -> ColumnElement[bool]:
    """True for those of the jobs that this worker still holds, queued again or not."""
    return and_(
        jobs.c.org_id == org_id,
        jobs.c.state == "running",
        jobs.c.worker == worker_name(),
        jobs.c.job_id.in_([job.job_id for job in held]),
    )


def _take_back(connection: Connection, org_id: str, now: float) -> None:
    running = connection.execute(
        select(jobs.c.worker, func.min(jobs.c.lease_until))
        .where(jobs.c.org_id == org_id, jobs.c.state == "running")
        .group_by(jobs.c.worker)
    ).all()
    dead = [worker for worker, _ in running if worker and is_dead(worker)]
    connection.execute(
        update(jobs)
        .where(
            jobs.c.org_id == org_id,
            jobs.c.state == "running",
            or_(
                jobs.c.lease_until < now,
                jobs.c.lease_until > now + FURTHEST_SECONDS,
                jobs.c.worker.in_(dead),
            ),
        )
        .values(state="queued", worker=None, lease_until=None)
    )


def is_over(lease_until: float, now: float) -> bool:
    """Whether a lease has ended, or cannot be one of this clock."""
    return not now <= lease_until <= now + FURTHEST_SECONDS


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


def finish(connection: Connection, org_id: str, job: Job) -> None:
    """Take a job that is done off the list; one that was queued again meanwhile waits for its next run."""
    same = (jobs.c.job_id == job.job_id) & (jobs.c.version == job.version)
    connection.execute(delete(jobs).where(jobs.c.org_id == org_id, same))
    release(connection, org_id, [job])


def release(connection: Connection, org_id: str, held: Sequence[Job]) -> None:
    """Return claimed jobs that are not done; failed ones stay failed."""
    connection.execute(
        update(jobs).where(_held_here(org_id, held)).values(state="queued", worker=None, lease_until=None)
    )


def fail(connection: Connection, org_id: str, job: Job, error: str, not_before: float | None = None) -> None:
    """Note a try that ended in an error; the third one is the last. It is not tried again before that
    moment, in epoch seconds. For one that was queued again meanwhile it was no try."""
    attempts = job.attempts + 1
    connection.execute(
        update(jobs)
        .where(_held_here(org_id, [job]), jobs.c.version == job.version)
        .values(
            state="failed" if attempts >= MOST_TRIES else "queued",
            attempts=attempts,
            error=error,
            worker=None,
            lease_until=None,
            not_before=not_before,
        )
    )
    release(connection, org_id, [job])


def retry_failed(connection: Connection, org_id: str) -> int:
    """Queue all failed jobs again; how many there were."""
    return connection.execute(
        update(jobs)
        .where(jobs.c.org_id == org_id, jobs.c.state == "failed")
        .values(state="queued", attempts=0, error=None, not_before=None)
    ).rowcount


def drop(connection: Connection, org_id: str, kind: str, subjects: Sequence[int]) -> None:
    """Forget the jobs of subjects that no longer exist."""
    connection.execute(
        delete(jobs).where(jobs.c.org_id == org_id, jobs.c.kind == kind, jobs.c.subject.in_(subjects))
    )


def counts(connection: Connection, org_id: str) -> dict[str, int]:
    """How many jobs are in each state; those that a dead process holds count as queued, as they soon are."""
    rows = connection.execute(
        select(jobs.c.state, jobs.c.worker, func.count())
        .where(jobs.c.org_id == org_id)
        .group_by(jobs.c.state, jobs.c.worker)
    )
    found = {"queued": 0, "running": 0, "failed": 0}
    for state, worker, count in rows:
        found["queued" if worker and is_dead(worker) else state] += count
    return found


def failed(connection: Connection, org_id: str) -> list[str]:
    """The different errors of the jobs that are kept as failed."""
    rows = connection.execute(
        select(jobs.c.error)
        .where(jobs.c.org_id == org_id, jobs.c.state == "failed")
        .distinct()
        .order_by(jobs.c.error)
    )
    return [str(row[0]) for row in rows]
