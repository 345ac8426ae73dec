"""Chunks that were removed, each with a number that counts up, until no registered snapshot has them.

Every snapshot of a database is registered in it by its name; each cache folder over the database has one in
force. A removal is forgotten when all registered snapshots are younger than it; nobody waits for one that was
made long ago. The *floor* is the last removal that may have been forgotten: a snapshot older than it cannot
know what it must not show, and is made anew (`bob.search.index`). So is one that the database does not know:
it is of a state that the database no longer has, as after a backup was put back.
"""

from __future__ import annotations

from collections.abc import Sequence

from bob.storage.database import Transaction

REMOVAL = "removal"
"""The counter of removals, so that searches see a new one by one look."""

_FLOOR = "removal floor"
_FORGOTTEN_DAYS = 30
"""A snapshot that is so old costs its owner one that is made anew, and nothing else."""

_COUNTER = "SELECT value FROM counters WHERE org_id = :org AND name = :name"
_REGISTER = """
INSERT INTO snapshots (org_id, cache_id, last_removal, made_at)
VALUES (:org, :cache_id, :last_removal, :made_at)
ON CONFLICT (org_id, cache_id)
DO UPDATE SET last_removal = excluded.last_removal, made_at = excluded.made_at
"""
_IS_REGISTERED = "SELECT 1 FROM snapshots WHERE org_id = :org AND cache_id = :cache_id"
_UNREGISTER = "DELETE FROM snapshots WHERE org_id = :org AND cache_id = :cache_id"
_EXPIRE = "DELETE FROM snapshots WHERE org_id = :org AND made_at < :before"
_OLDEST = "SELECT min(last_removal) FROM snapshots WHERE org_id = :org"
_FORGET = "DELETE FROM removed_chunks WHERE org_id = :org AND sequence <= :floor"
_RAISE_FLOOR = """
INSERT INTO counters (org_id, name, value) VALUES (:org, :name, :floor)
ON CONFLICT (org_id, name) DO UPDATE
SET value = CASE WHEN counters.value < excluded.value THEN excluded.value ELSE counters.value END
"""


def record(transaction: Transaction, chunk_ids: Sequence[int]) -> None:
    """Note chunks that are removed in this transaction."""
    if chunk_ids:
        (sequence,) = transaction.take_ids(REMOVAL, 1)
        transaction.insert(
            "removed_chunks", *({"chunk_id": each, "sequence": sequence} for each in chunk_ids)
        )


def last(transaction: Transaction) -> int:
    """The number of the last removal; 0 when there was none."""
    return _counter(transaction, REMOVAL)


def is_complete_after(transaction: Transaction, sequence: int) -> bool:
    """Whether every removal after this one is still known. A number that the database has not reached is that
    of a later state of it, as after a backup was put back."""
    return _counter(transaction, _FLOOR) <= sequence <= last(transaction)


def register(transaction: Transaction, name: str, last_removal: int, made_at: float) -> None:
    """Note which removals a snapshot has, and forget those that no snapshot needs."""
    transaction.execute(_REGISTER, {"cache_id": name, "last_removal": last_removal, "made_at": made_at})
    transaction.execute(_EXPIRE, {"before": made_at - _FORGOTTEN_DAYS * 86_400})
    _forget(transaction)


def unregister(transaction: Transaction, name: str) -> None:
    """Note that a snapshot is used no more, and forget the removals that only it needed."""
    transaction.execute(_UNREGISTER, {"cache_id": name})
    _forget(transaction)


def is_registered(transaction: Transaction, name: str) -> bool:
    """Whether the database knows a snapshot."""
    return transaction.execute(_IS_REGISTERED, {"cache_id": name}).fetchone() is not None


def _forget(transaction: Transaction) -> None:
    floor = int(transaction.execute(_OLDEST).fetchone()[0] or 0)
    transaction.execute(_FORGET, {"floor": floor})
    if floor:
        transaction.execute(_RAISE_FLOOR, {"name": _FLOOR, "floor": floor})


def _counter(transaction: Transaction, name: str) -> int:
    row = transaction.execute(_COUNTER, {"name": name}).fetchone()
    return 0 if row is None else int(row[0])
