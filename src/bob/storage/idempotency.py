"""Requests that carry an `Idempotency-Key`: which one serves it, and what was answered.

A request is reserved before anything is done for it. Each write transaction of the request then looks whether
the reservation is still its own, and notes that something changed, before it commits. So after a crash it is
known whether the request changed anything, and a request that lost its reservation changes nothing.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal

from bob.core.errors import StoreError
from bob.storage.database import before_commit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bob.storage.database import Transaction

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


@contextmanager
def serving(reservation: Reservation | None) -> Iterator[None]:
    """Whatever is written in the block, and in threads that it starts with its context, is written for this
    request; with None for no request."""
    token = before_commit.set(None if reservation is None else partial(note_change, reservation))
    try:
        yield
    finally:
        before_commit.reset(token)


def note_change(held: Reservation, transaction: Transaction) -> None:
    """The last step of every write transaction of a request: note that the request changed something.

    Raises:
        StoreError: the request lost its reservation, so its transaction must not be committed.
    """
    if not held.held or held.answered or transaction.org_id != held.org_id:
        return
    row = find(transaction, held.request)
    if row is None or row.token != held.token:
        raise StoreError("another request with the same Idempotency-Key replaced this one")
    if not row.changed:
        statement = "UPDATE idempotency_keys SET changed = TRUE WHERE org_id = :org AND request = :request"
        transaction.execute(statement, {"request": held.request})


def find(transaction: Transaction, request: str) -> Row | None:
    """What is known of a request."""
    row = transaction.execute(
        "SELECT digest, worker, token, lease_until, changed, status, headers, body, not_kept"
        " FROM idempotency_keys WHERE org_id = :org AND request = :request",
        {"request": request},
    ).fetchone()
    if row is None:
        return None
    digest, worker, token, lease_until, changed, status, headers, body, not_kept = row
    answer = None
    if status is not None:
        listed = [(str(name), str(value)) for name, value in json.loads(headers or "[]")]
        answer = StoredAnswer(int(status), listed, bytes(body or b""), not_kept)
    return Row(digest, worker, token, float(lease_until), bool(changed), answer)


def reserve(transaction: Transaction, new: Reservation, worker: str, now: float, lease_until: float) -> None:
    """Keep a reservation, in place of one that is over."""
    transaction.execute(
        "DELETE FROM idempotency_keys WHERE org_id = :org AND request = :request", {"request": new.request}
    )
    transaction.insert(
        "idempotency_keys",
        {
            "request": new.request,
            "user_id": new.user_id,
            "digest": new.digest,
            "created_at": now,
            "worker": worker,
            "token": new.token,
            "lease_until": lease_until,
            "changed": False,
        },
    )


def keep_answer(transaction: Transaction, held: Reservation, answer: StoredAnswer) -> None:
    """Keep the answer of a request that still has its reservation."""
    transaction.execute(
        "UPDATE idempotency_keys SET status = :status, headers = :headers, body = :body, not_kept = :not_kept"
        " WHERE org_id = :org AND request = :request AND token = :token",
        {
            "status": answer.status,
            "headers": json.dumps(answer.headers),
            "body": answer.body,
            "not_kept": answer.not_kept,
            "request": held.request,
            "token": held.token,
        },
    )


def release(transaction: Transaction, held: Reservation) -> None:
    """Drop a reservation: the request may be sent again."""
    transaction.execute(
        "DELETE FROM idempotency_keys WHERE org_id = :org AND request = :request AND token = :token",
        {"request": held.request, "token": held.token},
    )


def forget_answers(transaction: Transaction, user_id: str) -> None:
    """Drop the words of a user's answers; that the requests were served stays known."""
    transaction.execute(
        "UPDATE idempotency_keys SET headers = NULL, body = NULL, not_kept = 'forgotten'"
        " WHERE org_id = :org AND user_id = :user_id AND status IS NOT NULL AND not_kept IS NULL",
        {"user_id": user_id},
    )


def prune(transaction: Transaction, before: float) -> None:
    """Drop what was reserved before a moment."""
    transaction.execute(
        "DELETE FROM idempotency_keys WHERE org_id = :org AND created_at < :before", {"before": before}
    )
