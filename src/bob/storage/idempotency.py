"""Requests that carry an `Idempotency-Key`: which one serves it, and what was answered.

A request is reserved before anything is done for it. Each write transaction of the request then looks whether
the reservation is still its own, and notes that something changed, before it commits. So after a crash it is
known whether the request changed anything, and a request that lost its reservation changes nothing.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from bob.core.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

    from bob.storage.database import DriverConnection

NotKept = Literal["secret", "large", "forgotten"]


@dataclass(slots=True)
class Reservation:
    """One request under its key, as the process holds it. `request` and `digest` are hashes of who asks what
    and of the body; `token` tells this try from another. It is `held` from when its row is in the database,
    and `answered` once that row has the answer."""

    org_id: str
    user_id: str
    request: str
    digest: str
    token: str
    held: bool = False
    answered: bool = False


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An answer as it was sent. `not_kept` says why headers and body are empty."""

    status: int
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""
    not_kept: NotKept | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """What the database has of a request; `answer` is None while it is under way."""

    digest: str
    worker: str
    token: str
    lease_until: float
    changed: bool
    answer: StoredAnswer | None


_current: ContextVar[Reservation | None] = ContextVar("bob_reservation", default=None)


@contextmanager
def serving(reservation: Reservation | None) -> Iterator[None]:
    """Whatever is written in the block, and in threads that it starts with its context, is written for this
    request; with None for no request."""
    token = _current.set(reservation)
    try:
        yield
    finally:
        _current.reset(token)


def note_change(connection: DriverConnection, side: str | None = None) -> None:
    """Called at the end of every write transaction: note that the request which is being served changed
    something. `side` is the organization whose rows the transaction sees; None: of all.

    Raises:
        StoreError: the request lost its reservation, so its transaction must not be committed.
    """
    held = _current.get()
    if held is None or not held.held or held.answered or side not in (None, held.org_id):
        return
    row = find(connection, held.org_id, held.request)
    if row is None or row.token != held.token:
        raise StoreError("another request with the same Idempotency-Key replaced this one")
    if not row.changed:
        statement = "UPDATE idempotency_keys SET changed = ? WHERE org_id = ? AND request = ?"
        connection.execute(statement, (True, held.org_id, held.request))


def find(connection: DriverConnection, org_id: str, request: str) -> Row | None:
    """What is known of a request."""
    row = connection.execute(
        "SELECT digest, worker, token, lease_until, changed, status, headers, body, not_kept"
        " FROM idempotency_keys WHERE org_id = ? AND request = ?",
        (org_id, request),
    ).fetchone()
    if row is None:
        return None
    digest, worker, token, lease_until, changed, status, headers, body, not_kept = row
    answer = None
    if status is not None:
        listed = [(str(name), str(value)) for name, value in json.loads(headers or "[]")]
        answer = StoredAnswer(int(status), listed, bytes(body or b""), not_kept)
    return Row(digest, worker, token, float(lease_until), bool(changed), answer)


def reserve(
    connection: DriverConnection, new: Reservation, worker: str, now: float, lease_until: float
) -> None:
    """Keep a reservation, in place of one that is over."""
    connection.execute(
        "DELETE FROM idempotency_keys WHERE org_id = ? AND request = ?", (new.org_id, new.request)
    )
    connection.execute(
        "INSERT INTO idempotency_keys (org_id, request, user_id, digest, created_at, worker, token,"
        " lease_until, changed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (new.org_id, new.request, new.user_id, new.digest, now, worker, new.token, lease_until, False),
    )


def keep_answer(connection: DriverConnection, held: Reservation, answer: StoredAnswer) -> None:
    """Keep the answer of a request that still has its reservation."""
    connection.execute(
        "UPDATE idempotency_keys SET status = ?, headers = ?, body = ?, not_kept = ?"
        " WHERE org_id = ? AND request = ? AND token = ?",
        (
            answer.status,
            json.dumps(answer.headers),
            answer.body,
            answer.not_kept,
            held.org_id,
            held.request,
            held.token,
        ),
    )


def release(connection: DriverConnection, held: Reservation) -> None:
    """Drop a reservation: the request may be sent again."""
    connection.execute(
        "DELETE FROM idempotency_keys WHERE org_id = ? AND request = ? AND token = ?",
        (held.org_id, held.request, held.token),
    )


def forget_answers(connection: Connection, org_id: str, user_id: str) -> None:
    """Drop the words of a user's answers; that the requests were served stays known."""
    # Here, because the command line opens databases without the builder of statements.
    from sqlalchemy import update

    from bob.storage.schema_team import idempotency_keys as keys

    connection.execute(
        update(keys)
        .where(keys.c.org_id == org_id, keys.c.user_id == user_id)
        .where(keys.c.status.is_not(None), keys.c.not_kept.is_(None))
        .values(headers=None, body=None, not_kept="forgotten")
    )


def prune(connection: DriverConnection, org_id: str, before: float) -> None:
    """Drop what was reserved before a moment."""
    connection.execute("DELETE FROM idempotency_keys WHERE org_id = ? AND created_at < ?", (org_id, before))
