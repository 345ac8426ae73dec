"""Serves a request that is sent twice with one `Idempotency-Key` once, whichever server of a database it
reaches, and also after a crash."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from bob.storage import idempotency
from bob.storage.database import Database
from bob.storage.idempotency import Reservation, StoredAnswer, serving
from bob.storage.jobs import is_dead, is_over, worker_name

KEPT = timedelta(days=1)
"""A key is known so long."""

_LEASE_SECONDS = 300.0
"""A server on another machine that does not answer for so long is taken for dead. If it is not, its request
cannot write any more."""

_WAIT_SECONDS = 120

_UNDER_WAY = "the first request with this Idempotency-Key is still running; send it again later"
_CUT_SHORT = (
    "the first request with this Idempotency-Key changed something, and then was not answered: "
    "check what was done before you send it with another key"
)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Why a request is neither served nor answered as before. `status` is HTTP's: 409 or 422."""

    status: int
    reason: str


class AnswerOnce:
    """The keyed requests of one organization."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    def begin(self, new: Reservation) -> StoredAnswer | Conflict | None:
        """Reserve a request. None: it is to be served, and then to be given to `finish`; else it was served
        before, or may not be served now."""
        now = self._now().timestamp()
        with self._database.write(_WAIT_SECONDS) as transaction:
            idempotency.prune(transaction, now - KEPT.total_seconds())
            found = idempotency.find(transaction, new.request)
            if found is not None:
                if found.digest != new.digest:
                    return Conflict(422, "this Idempotency-Key was used with another request")
                if found.answer is not None:
                    return found.answer
                if not is_over(found.lease_until, now) and not is_dead(found.worker):
                    return Conflict(409, _UNDER_WAY)
                if found.changed:
                    return Conflict(409, _CUT_SHORT)
            idempotency.reserve(transaction, new, worker_name(), now, now + _LEASE_SECONDS)
        new.held = True
        return None

    def finish(self, held: Reservation, answer: StoredAnswer | None) -> None:
        """Keep what was answered. A request that failed and changed nothing may be sent again; one that was
        not answered at all (None), too."""
        with serving(None), self._database.write(_WAIT_SECONDS) as transaction:
            row = idempotency.find(transaction, held.request)
            if row is None or row.token != held.token:
                return
            if answer is None or (answer.status >= 400 and not row.changed):
                if not row.changed:
                    idempotency.release(transaction, held)
                return
            idempotency.keep_answer(transaction, held, answer)
        held.answered = True

    def prune(self) -> None:
        """Forget the keys of more than a day ago."""
        before = self._now() - KEPT
        with self._database.write(_WAIT_SECONDS) as transaction:
            idempotency.prune(transaction, before.timestamp())
