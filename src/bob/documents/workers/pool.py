"""Runs a function over jobs in child processes, so that a file that hangs or crashes costs only itself.

The children are plain interpreters that speak over their standard input and output: the caller's main module
is never imported again, so a script needs no `if __name__ == "__main__"` guard, and nothing is forked from a
process that may have threads. Knows nothing of parsing.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Generic, Self, TypeVar

from bob.core.errors import UnreadableError
from bob.documents.workers.child import attempt
from bob.documents.workers.process import WorkerProcess

Job = TypeVar("Job")
Result = TypeVar("Result")

# Jobs that wait beside the one that each child works on: a child finds its next job without waiting for the
# caller to store a result, and few results are held in memory.
_WAITING_PER_CHILD = 3


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Job, Result]):
    """What became of a job: `result`, or `error` if it failed; exactly one of them counts."""

    job: Job
    result: Result | None
    error: UnreadableError | None = None


class ParseWorkers(Generic[Job, Result]):
    """Child processes that run `work` on jobs; use it as a context manager, or call `close`.

    `work` is a function at the top of a module other than `__main__` (or a `functools.partial` of one), since
    children import it by name; jobs and results are pickled. `timeout_seconds` limits one job (wall clock),
    `memory_bytes` the address space of a child, where the system can do that. With `count` 0 jobs run in the
    calling process without limits.
    """

    def __init__(
        self, count: int, timeout_seconds: float, memory_bytes: int | None, work: Callable[[Job], Result]
    ) -> None:
        self._count = count
        self._timeout_seconds = timeout_seconds
        self._memory_bytes = memory_bytes
        self._work = work
        self._idle: list[WorkerProcess] = []

    def parse_files(self, jobs: Iterable[Job]) -> Iterator[Outcome[Job, Result]]:
        """The outcome of each job as soon as it is known, so not in the order of `jobs`.

        `jobs` is read lazily and in the caller's thread, a few jobs ahead of the outcomes taken. A job fails
        with what `work` raised if that is an UnreadableError, else with "timeout", "memory" or "crashed"; all
        other jobs go on. Leaving the iterator early stops the children.

        Raises:
            RuntimeError: a child cannot be started, or cannot import the work.
            pickle.PicklingError, TypeError, AttributeError: the work or a job cannot be pickled.
        """
        return self._run_here(jobs) if self._count == 0 else self._run_in_children(jobs)

    def close(self) -> None:
        """Ends all children. A closed object can be used again; it starts new ones."""
        while self._idle:
            self._idle.pop().kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run_here(self, jobs: Iterable[Job]) -> Iterator[Outcome[Job, Result]]:
        for job in jobs:
            reply = attempt(self._work, job)
            yield _outcome(job, reply)

    def _run_in_children(self, jobs: Iterable[Job]) -> Iterator[Outcome[Job, Result]]:
        waiting: queue.SimpleQueue[Job | _Stop] = queue.SimpleQueue()
        done: queue.SimpleQueue[Outcome[Job, Result] | BaseException] = queue.SimpleQueue()
        children = [self._idle.pop() if self._idle else self._child() for _ in range(self._count)]
        threads = [
            threading.Thread(target=_serve, args=(child, waiting, done), daemon=True) for child in children
        ]
        for thread in threads:
            thread.start()
        finished = False
        try:
            yield from self._feed(iter(jobs), waiting, done)
            finished = True
        finally:
            for child in children:
                waiting.put(_STOP)
                if not finished:
                    child.kill()
            for thread in threads:
                thread.join()
            if finished:
                self._idle += children

    def _feed(
        self,
        jobs: Iterator[Job],
        waiting: queue.SimpleQueue[Job | _Stop],
        done: queue.SimpleQueue[Outcome[Job, Result] | BaseException],
    ) -> Iterator[Outcome[Job, Result]]:
        room = self._count * (1 + _WAITING_PER_CHILD)
        pending = 0
        exhausted = False
        while pending or not exhausted:
            while pending < room and not exhausted:
                try:
                    job = next(jobs)
                except StopIteration:
                    exhausted = True
                else:
                    waiting.put(job)
                    pending += 1
            if pending:
                outcome = done.get()
                if isinstance(outcome, BaseException):
                    raise outcome
                pending -= 1
                yield outcome

    def _child(self) -> WorkerProcess:
        return WorkerProcess(self._work, self._timeout_seconds, self._memory_bytes)


class _Stop:
    """Ends a thread; a class of its own, since a job may be anything."""


_STOP = _Stop()


def _serve(
    child: WorkerProcess,
    waiting: queue.SimpleQueue[Job | _Stop],
    done: queue.SimpleQueue[Outcome[Job, Result] | BaseException],
) -> None:
    while not isinstance(job := waiting.get(), _Stop):
        try:
            done.put(_outcome(job, child.call(job)))
        except Exception as error:  # noqa: BLE001 - raised again in the caller's thread, which would else wait for ever
            done.put(error)


def _outcome(job: Job, reply: tuple[object, tuple[str, str] | None]) -> Outcome[Job, Result]:
    result, failure = reply
    return Outcome(job, result, UnreadableError(*failure) if failure else None)  # type: ignore[arg-type]
