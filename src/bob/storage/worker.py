"""Runs the jobs of every organization of a database: in a process of its own, or beside a server or a chat.

Any number of workers may run at once, on any number of machines. Each looks which organizations have work and
gives each a turn, so that the long queue of one keeps no other waiting.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from bob.core.errors import BobError
from bob.storage import jobs
from bob.storage.database import EVERY_ORGANIZATION, Database

log = logging.getLogger(__name__)

EVERY_SECONDS = 0.5
"""So often a worker that has nothing to do looks again; it is one short query."""

Stopped = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Turn:
    """What one turn at one kind of jobs did; `error` says why some of it failed."""

    done: int
    error: str | None = None


Runner = Callable[[Stopped], Turn]
"""Works on the waiting jobs of one kind and organization for a while, and ends early when it is stopped."""


class Worker:
    """Takes turns at the jobs of each organization."""

    def __init__(
        self,
        database: Database,
        runners: Callable[[str], Mapping[str, Runner]],
        clock: Callable[[], float],
        organization: str = EVERY_ORGANIZATION,
    ) -> None:
        """`runners` gives for an organization what runs each kind of its jobs; `clock` gives epoch seconds.
        With an `organization`, the worker does that one's jobs alone."""
        self._database = database.for_organization(organization)
        self._organization = organization
        self._runners = runners
        self._clock = clock
        self._told: dict[tuple[str, str], str] = {}

    def run_until(self, stopped: threading.Event) -> int:
        """Work until it is stopped; it ends between two jobs, and gives back those that it holds.

        Returns:
            how many jobs were done.
        """
        done = 0
        while not stopped.is_set():
            turn = self.run_once(stopped.is_set)
            done += turn
            if not turn:
                stopped.wait(EVERY_SECONDS)
        return done

    def run_once(self, stopped: Stopped = lambda: False) -> int:
        """Give each organization that has work one turn at each kind; how many jobs were done."""
        done = 0
        try:
            waiting = self._waiting()
        except BobError as error:
            self._tell("", "", str(error))
            return 0
        for org_id, kinds in waiting.items():
            for kind in kinds:
                if stopped():
                    return done
                done += self._turn(org_id, kind, stopped)
        return done

    def _waiting(self) -> dict[str, list[str]]:
        """The kinds of jobs that wait, by organization."""
        with self._database.read() as transaction:
            return jobs.waiting_kinds(transaction, self._clock())

    def _turn(self, org_id: str, kind: str, stopped: Stopped) -> int:
        try:
            runner = self._runners(org_id).get(kind)
            if runner is None:
                return 0
            turn = runner(stopped)
        except BobError as error:
            turn = Turn(0, str(error))
        except Exception as error:  # noqa: BLE001 - logged: a bug in one kind must not end the thread of all
            self._tell(org_id, kind, f"{type(error).__name__}: {error}", error)
            return 0
        self._tell(org_id, kind, turn.error)
        return turn.done

    def _tell(self, org_id: str, kind: str, error: str | None, unforeseen: Exception | None = None) -> None:
        """Log an error once, until it is another; one that nobody foresaw with where it was raised."""
        if error is not None and self._told.get((org_id, kind)) != error:
            log.warning(
                "%s jobs of %s are waiting: %s", kind or "all", org_id or "all", error, exc_info=unforeseen
            )
        if error is None:
            self._told.pop((org_id, kind), None)
        else:
            self._told[org_id, kind] = error

    @contextmanager
    def beside(self) -> Iterator[None]:
        """Works in a thread as long as the block lasts; what is left then waits for the next worker."""
        stopped = threading.Event()
        # No daemon: the model must not be cut short while it runs.
        thread = threading.Thread(target=self.run_until, args=(stopped,), name="worker")
        thread.start()
        try:
            yield
        finally:
            stopped.set()
            thread.join()
