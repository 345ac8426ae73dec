import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from pickle import PicklingError

import pytest

from bob.documents.workers.pool import ParseWorkers

HERE = Path(__file__).parent
LONG = 60.0


@pytest.fixture
def work(monkeypatch):
    monkeypatch.syspath_prepend(str(HERE))
    import worker_jobs

    return worker_jobs.work


def outcomes(workers, jobs):
    return {each.job: each for each in workers.parse_files(jobs)}


def ended(pid):
    """Waits for a process to end; a test that waits in vain is stopped by its own limit."""
    for _ in range(600):
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (ProcessLookupError, FileNotFoundError):
            return True
        if state == "Z":
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("count", [0, 1, 3])
def test_every_job_has_one_outcome(work, count):
    jobs = [("echo", number) for number in range(50)]
    with ParseWorkers(count, LONG, None, work) as workers:
        found = list(workers.parse_files(iter(jobs)))
    assert sorted(each.job for each in found) == jobs
    assert all(each.result == each.job[1] and each.error is None for each in found)


@pytest.mark.parametrize("count", [0, 2])
def test_what_the_work_raises_is_the_jobs_failure(work, count):
    with ParseWorkers(count, LONG, None, work) as workers:
        found = outcomes(workers, [("refuse", "torn"), ("fail", "here"), ("echo", 1)])
    assert (found["refuse", "torn"].error.code, found["refuse", "torn"].error.reason) == ("damaged", "torn")
    assert found["fail", "here"].error.code == "crashed"
    assert "IndexError" in found["fail", "here"].error.reason
    assert "worker_jobs.py" in found["fail", "here"].error.reason
    assert found["echo", 1].result == 1


def test_a_child_that_dies_costs_only_its_job(work):
    jobs = [("exit", 3), ("segfault", 0), *(("echo", number) for number in range(10))]
    with ParseWorkers(2, LONG, None, work) as workers:
        found = outcomes(workers, jobs)
    assert found["exit", 3].error.code == "crashed"
    assert "exit code 3" in found["exit", 3].error.reason
    assert "SIGSEGV" in found["segfault", 0].error.reason
    assert all(found["echo", number].result == number for number in range(10))


@pytest.mark.parametrize("kind", ["sleep", "spin"])
def test_a_job_over_the_time_limit_costs_only_itself(work, kind):
    jobs = [(kind, 600), *(("echo", number) for number in range(10))]
    with ParseWorkers(1, 1.0, None, work) as workers:
        found = outcomes(workers, jobs)
    assert found[kind, 600].error.code == "timeout"
    assert "1 seconds" in found[kind, 600].error.reason
    assert all(found["echo", number].result == number for number in range(10))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold the limit")
def test_a_job_over_the_memory_limit_costs_only_itself(work):
    jobs = [("allocate", 2_000_000_000), ("allocate", 1_000), ("echo", 1)]
    with ParseWorkers(1, LONG, 500_000_000, work) as workers:
        found = outcomes(workers, jobs)
    assert found["allocate", 2_000_000_000].error.code == "memory"
    assert "memory" in found["allocate", 2_000_000_000].error.reason
    assert found["allocate", 1_000].result == 1_000
    assert found["echo", 1].result == 1


def test_what_a_job_prints_goes_nowhere(work, capfd):
    with ParseWorkers(1, LONG, None, work) as workers:
        found = outcomes(workers, [("print", "words"), ("echo", 2)])
    assert (found["print", "words"].result, found["echo", 2].result) == ("words", 2)
    assert capfd.readouterr() == ("", "")


def test_a_result_that_cannot_be_sent_is_a_failure(work):
    with ParseWorkers(1, LONG, None, work) as workers:
        found = outcomes(workers, [("unsendable", 1), ("echo", 2)])
    assert found["unsendable", 1].error.code == "crashed"
    assert found["echo", 2].result == 2


def test_jobs_are_taken_no_further_than_a_little_ahead(work):
    taken = []

    def jobs():
        for number in range(1000):
            taken.append(number)
            yield ("echo", number)

    with ParseWorkers(2, LONG, None, work) as workers, closing(workers.parse_files(jobs())) as run:
        for _ in range(5):
            next(run)
        assert len(taken) <= 5 + 2 * 4


def test_children_are_kept_between_runs_and_end_with_close(work):
    with ParseWorkers(1, LONG, None, work) as workers:
        first, second = (next(iter(list(workers.parse_files([("pid", 0)])))).result for _ in range(2))
        assert first == second != os.getpid()
    assert ended(first)


def test_leaving_early_ends_the_children(work, tmp_path):
    note = tmp_path / "pid"
    with ParseWorkers(2, LONG, None, work) as workers:
        with closing(
            workers.parse_files([("note_pid", (str(note), "sleep")), ("echo", 1), ("echo", 2)])
        ) as run:
            assert next(run).result == 1
            while not note.exists() or not note.read_text():
                time.sleep(0.05)
        assert ended(int(note.read_text()))
        assert [each.result for each in workers.parse_files([("echo", 5)])] == [5]


def test_an_error_among_the_jobs_is_the_callers(work):
    def jobs():
        yield ("echo", 1)
        raise OSError("the folder is gone")

    with ParseWorkers(2, LONG, None, work) as workers, pytest.raises(OSError, match="folder is gone"):
        list(workers.parse_files(jobs()))


def test_work_that_a_child_cannot_import_is_the_callers_error(monkeypatch):
    monkeypatch.syspath_prepend(str(HERE))
    import worker_jobs

    def local(job):
        return job

    with ParseWorkers(1, LONG, None, local) as workers, pytest.raises((AttributeError, PicklingError)):
        list(workers.parse_files([1]))
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry != str(HERE)])
    with (
        ParseWorkers(1, LONG, None, worker_jobs.work) as workers,
        pytest.raises(RuntimeError, match="import"),
    ):
        list(workers.parse_files([("echo", 1)]))


PARENT = """
import sys
sys.path[:] = {path!r}
import worker_jobs
from bob.documents.workers.pool import ParseWorkers
with ParseWorkers(2, {limit}, None, worker_jobs.work) as workers:
    try:
        for outcome in workers.parse_files([("note_pid", ({note!r}, {kind!r})), ("echo", 1)]):
            print("first", flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


def started_parent(tmp_path, kind, limit):
    note = tmp_path / "pid"
    code = PARENT.format(path=[str(HERE), *sys.path], note=str(note), kind=kind, limit=limit)
    parent = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert parent.stdout.readline() == "first\n"
    while not note.exists() or not note.read_text():
        time.sleep(0.05)
    return parent, int(note.read_text())


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("kind", ["sleep", "spin"])
def test_a_killed_parent_leaves_no_children_behind(tmp_path, kind):
    parent, child = started_parent(tmp_path, kind, limit=2)
    parent.kill()
    parent.communicate()
    assert ended(child)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_ctrl_c_ends_parent_and_children_without_noise(tmp_path):
    parent, child = started_parent(tmp_path, "sleep", limit=60)
    os.kill(child, signal.SIGINT)  # as a terminal sends it to all of the group
    parent.send_signal(signal.SIGINT)
    printed, noise = parent.communicate()
    assert (printed, noise, parent.returncode) == ("interrupted\n", "", 0)
    assert ended(child)
