"""What the outbox promises: once per subject, held by one worker, three tries, nothing lost."""

import subprocess
import sys
import threading
from dataclasses import replace

import pytest
from small_memory import HashingEmbedder, indexed, record, rows_in

from bob.core.errors import ModelError
from bob.documents import rows as document_rows
from bob.documents.embed_pending import EmbedPending
from bob.search import vector_rows
from bob.storage import jobs
from bob.storage.database import EVERY_ORGANIZATION
from bob.storage.worker import Turn, Worker

ORG = "local"
NOW = 1_000_000.0


@pytest.fixture
def queue(database):
    with database.write() as connection:
        for subject in (1, 2, 3, 4):
            jobs.enqueue(connection, "embed", subject)
    return database


def claim(database, limit=10, now=NOW, kind="embed", org=ORG):
    with database.for_organization(org).write() as connection:
        return jobs.claim(connection, kind, limit, now)


def states(database):
    with database.read() as connection:
        return jobs.counts(connection)


def test_the_newest_come_first(queue):
    assert [job.subject for job in claim(queue)] == [4, 3, 2, 1]


def test_a_claimed_job_is_nobody_elses(queue):
    assert len(claim(queue, 2)) == 2 and len(claim(queue)) == 2 and claim(queue) == []
    assert states(queue) == {"queued": 0, "running": 4, "failed": 0}


def test_kinds_and_organizations_do_not_mix(queue):
    assert claim(queue, kind="other") == [] and claim(queue, org="other") == []


def test_a_lease_that_ended_gives_the_job_back(queue):
    claim(queue)
    assert claim(queue, now=NOW + jobs.LEASE_SECONDS - 1) == []
    assert len(claim(queue, now=NOW + jobs.LEASE_SECONDS + 1)) == 4


def test_a_lease_can_be_renewed(queue):
    held = claim(queue)
    with queue.write() as connection:
        jobs.renew(connection, held, NOW + 100)
    assert claim(queue, now=NOW + jobs.LEASE_SECONDS + 1) == []


def test_the_jobs_of_a_dead_process_are_free_at_once(queue):
    dead = subprocess.Popen([sys.executable, "-c", "pass"])
    dead.wait()
    host, _, run = jobs.worker_name().rsplit(":", 2)
    claim(queue)
    with queue.write() as connection:
        connection.update("jobs", {"state": "running"}, {"worker": f"{host}:{dead.pid}:{run}"})
    assert states(queue) == {"queued": 4, "running": 0, "failed": 0}
    assert len(claim(queue)) == 4


def test_the_jobs_of_an_earlier_process_of_the_same_number_are_free_at_once(queue):
    """A container that is started again has the same host name and often the same process number."""
    claim(queue)
    assert claim(queue) == []
    host, process, _ = jobs.worker_name().rsplit(":", 2)
    with queue.write() as connection:
        connection.update("jobs", {"state": "running"}, {"worker": f"{host}:{process}:earlier"})
    assert len(claim(queue)) == 4


def test_the_jobs_of_a_process_on_another_host_wait_for_their_lease(queue):
    claim(queue)
    with queue.write() as connection:
        connection.update("jobs", {"state": "running"}, {"worker": "another.host:1:0"})
    assert claim(queue) == []


def test_the_third_error_is_the_last_and_retry_begins_anew(queue):
    for tried in range(3):
        job = next(each for each in claim(queue) if each.subject == 1)
        assert job.attempts == tried
        with queue.write() as connection:
            jobs.fail(connection, job, f"error {tried}", NOW - 1_000)
            jobs.release(connection, [job])
    assert states(queue)["failed"] == 1
    assert 1 not in {job.subject for job in claim(queue)}
    with queue.write() as connection:
        assert jobs.failed(connection) == ["error 2"]
        assert jobs.retry_failed(connection) == 1
    (again,) = (job for job in claim(queue) if job.subject == 1)
    assert again.attempts == 0


def test_a_job_is_queued_once_and_a_failed_one_starts_anew(queue):
    (job, *_) = claim(queue)
    with queue.write() as connection:
        for _ in range(3):
            jobs.fail(connection, replace(job, attempts=2), "no", NOW)
        jobs.enqueue(connection, "embed", job.subject)
    assert states(queue) == {"queued": 1, "running": 3, "failed": 0}


@pytest.mark.parametrize("end", ["finish", "fail", "release"])
def test_a_job_that_is_queued_again_while_it_runs_stays_there_and_runs_again(queue, end):
    held = claim(queue)
    job = held[0]
    with queue.write() as connection:
        jobs.enqueue(connection, "embed", job.subject)
        assert not jobs.is_as_claimed(connection, job) and jobs.is_as_claimed(connection, held[1])
        assert claim_in(connection) == [], "nobody else takes it while it runs"
        jobs.renew(connection, held, NOW)
        # Whatever the first run does now, it has not seen the last change.
        if end == "finish":
            jobs.finish(connection, job)
        elif end == "fail":
            jobs.fail(connection, replace(job, attempts=2), "of the first run", NOW)
        else:
            jobs.release(connection, [job])
    (again,) = claim(queue)
    assert again.subject == job.subject and again.version == job.version + 1 and again.attempts == 0
    with queue.write() as connection:
        jobs.finish(connection, again)
    assert states(queue) == {"queued": 0, "running": 3, "failed": 0}


def test_who_lost_a_job_by_its_lease_neither_ends_nor_returns_it(queue):
    """The later of two workers is another process; here it is only called so."""
    (job,) = claim(queue, 1)
    with queue.write() as connection:
        jobs.enqueue(connection, "embed", job.subject)
        connection.update("jobs", {"state": "running"}, {"worker": "another.host:1:0"})
        jobs.finish(connection, job)
        jobs.fail(connection, job, "late", NOW)
        jobs.release(connection, [job])
        assert not jobs.is_as_claimed(connection, job)
    assert states(queue) == {"queued": 3, "running": 1, "failed": 0}


def claim_in(connection):
    return jobs.claim(connection, "embed", 10, NOW)


def test_a_failed_try_waits_until_its_moment(queue):
    (job,) = claim(queue, 1)
    with queue.write() as connection:
        jobs.fail(connection, job, "not now", NOW)
    assert job.subject not in {each.subject for each in claim(queue, now=NOW + 29)}
    (again,) = claim(queue, now=NOW + 30)
    with queue.write() as connection:
        jobs.fail(connection, again, "not now", NOW + 30)
    assert job.subject not in {each.subject for each in claim(queue, now=NOW + 629)}
    assert job.subject in {each.subject for each in claim(queue, now=NOW + 630)}


def test_a_retry_lets_no_job_wait_any_longer(queue):
    (job,) = claim(queue, 1)
    with queue.write() as connection:
        jobs.fail(connection, job, "not now", NOW)
        assert jobs.retry_failed(connection) == 1
    assert job.subject in {each.subject for each in claim(queue)}


def test_a_worker_sees_which_organizations_have_work_it_can_take(database):
    theirs = database.for_organization("other")
    with database.write() as connection:
        jobs.enqueue(connection, "embed", 1)
        jobs.enqueue(connection, "remember", 1)
    with theirs.write() as connection:
        jobs.enqueue(connection, "embed", 7)

    def waiting(organization=EVERY_ORGANIZATION, now=NOW):
        with database.for_organization(organization).read() as connection:
            return jobs.waiting_kinds(connection, now)

    assert waiting() == {ORG: ["embed", "remember"], "other": ["embed"]}
    assert waiting("other") == {"other": ["embed"]}
    claim(database)
    assert waiting() == {ORG: ["remember"], "other": ["embed"]}
    assert waiting(now=NOW + jobs.LEASE_SECONDS + 1)[ORG] == ["embed", "remember"]


def test_done_jobs_are_gone_and_released_ones_are_free(queue):
    first, *rest = claim(queue)
    with queue.write() as connection:
        jobs.finish(connection, first)
        jobs.release(connection, rest)
    assert {job.subject for job in claim(queue)} == {1, 2, 3}


class Broken(HashingEmbedder):
    def embed(self, texts):
        raise ModelError("the server is down")


class Interrupting(HashingEmbedder):
    def embed(self, texts):
        raise KeyboardInterrupt


def save(database, path, *texts):
    with database.write() as connection:
        return document_rows.save(connection, record(path), indexed(*texts), "hashing@1")


def test_a_model_that_fails_thrice_leaves_failed_jobs_and_never_loses_one(database):
    save(database, "/a.md", "one")
    for hour in range(3):
        report = EmbedPending(database, Broken(), lambda now=NOW + 3600 * hour: now).embed_chunks()
        assert (report.chunks, report.error) == (0, "the server is down")
    assert states(database) == {"queued": 0, "running": 0, "failed": 1}
    assert EmbedPending(database, HashingEmbedder()).embed_chunks().chunks == 0
    with database.write() as connection:
        jobs.retry_failed(connection)
    assert EmbedPending(database, HashingEmbedder()).embed_chunks().chunks == 1
    assert states(database) == {"queued": 0, "running": 0, "failed": 0}


def test_an_outage_of_seconds_gives_no_job_up(database):
    for number in range(3):
        save(database, f"/{number}.md", f"text {number}")
    for second in range(20):
        EmbedPending(database, Broken(), lambda now=NOW + second: now).embed_chunks()
    assert states(database) == {"queued": 3, "running": 0, "failed": 0}
    assert EmbedPending(database, HashingEmbedder(), lambda: NOW + 30).embed_chunks().chunks == 3


def test_a_bug_in_one_kind_of_jobs_keeps_no_other_waiting(queue, caplog):
    def broken(stopped):
        raise ZeroDivisionError("of a library")

    def embed(stopped):
        return Turn(len(claim(queue)))

    with queue.write() as connection:
        jobs.enqueue(connection, "a bug", 1)
    worker = Worker(queue, lambda org: {"a bug": broken, "embed": embed}, lambda: NOW)
    assert worker.run_once() == 4
    assert "ZeroDivisionError: of a library" in caplog.text


def test_an_interruption_is_no_try(database):
    save(database, "/a.md", "one")
    for _ in range(5):
        with pytest.raises(KeyboardInterrupt):
            EmbedPending(database, Interrupting()).embed_chunks()
    with database.read() as connection:
        (row,) = rows_in(connection, "jobs")
    assert (row.state, row.attempts, row.worker) == ("queued", 0, None)


def test_no_time_means_no_vectors(database):
    save(database, "/a.md", "one")
    embedder = HashingEmbedder()
    assert EmbedPending(database, embedder).embed_chunks(budget_seconds=0.0).chunks == 0
    assert embedder.texts == 0


def test_two_workers_share_the_work_and_none_is_done_wrong(database):
    for at in range(80):
        save(database, f"/{at}.md", f"text number {at}", "shared")
    reports = []
    threads = [
        threading.Thread(
            target=lambda: reports.append(EmbedPending(database, HashingEmbedder()).embed_chunks())
        )
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [report.error for report in reports] == [None, None]
    assert states(database) == {"queued": 0, "running": 0, "failed": 0}
    with database.read() as connection:
        found = rows_in(connection, "vectors")
    assert len(found) == 160 and all(row.sequence is not None for row in found)


def test_a_run_that_died_before_vectors_were_shown_is_brought_to_its_end(database, monkeypatch):
    """All vectors were made and none shown: nothing is left to embed, and there is still work to do."""
    save(database, "/a.md", "one", "two")
    worker = EmbedPending(database, HashingEmbedder())
    with monkeypatch.context() as dying:
        dying.setattr(worker, "_settle", lambda claimed: None)
        worker.embed_chunks(budget_seconds=0.001)
    with database.write() as connection:
        assert vector_rows.pending_count(connection, "hashing@1") == 2
        jobs.release(connection, [jobs.Job(1, "embed", 1, 0, 0)])
    embedder = HashingEmbedder()
    EmbedPending(database, embedder).embed_chunks()
    with database.read() as connection:
        assert vector_rows.pending_count(connection, "hashing@1") == 0
    assert embedder.texts == 0 and states(database) == {"queued": 0, "running": 0, "failed": 0}
