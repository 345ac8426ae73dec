"""Chunks that were removed, each with a number that counts up, until no registered snapshot has them.

Every cache folder over a database registers the snapshot that it made. A removal is forgotten when all
registered snapshots are younger than it; nobody waits for a cache that was not heard of for long. The
*floor* is the last removal that may have been forgotten: a snapshot older than it cannot know what it must
not show, and is made anew (`bob.search.index`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bob.storage.database import DriverConnection

if TYPE_CHECKING:
    from sqlalchemy import Connection

REMOVAL = "removal"
"""The counter of removals, so that searches see a new one by one look."""

_FLOOR = "removal floor"
_FORGOTTEN_DAYS = 30
"""A cache that made no snapshot for so long costs its owner one that is made anew, and nothing else."""

_COUNTER = "SELECT value FROM counters WHERE org_id = :org_id AND name = :name"
_REGISTER = """
INSERT INTO snapshots (org_id, cache_id, last_removal, made_at)
VALUES (:org_id, :cache_id, :last_removal, :made_at)
ON CONFLICT (org_id, cache_id)
DO UPDATE SET last_removal = excluded.last_removal, made_at = excluded.made_at
"""
_EXPIRE = "DELETE FROM snapshots WHERE org_id = :org_id AND made_at < :before"
_OLDEST = "SELECT min(last_removal) FROM snapshots WHERE org_id = :org_id"
_FORGET = "DELETE FROM removed_chunks WHERE org_id = :org_id AND sequence <= :floor"
_RAISE_FLOOR = """
INSERT INTO counters (org_id, name, value) VALUES (:org_id, :name, :floor)
ON CONFLICT (org_id, name) DO UPDATE
SET value = CASE WHEN counters.value < excluded.value THEN excluded.value ELSE counters.value END
"""


def record(connection: Connection, org_id: str, chunk_ids: Sequence[int]) -> None:
    """Note chunks that are removed in this transaction."""
    from sqlalchemy import insert

    from bob.storage.counters import next_ids
    from bob.storage.schema import removed_chunks

    if chunk_ids:
        (sequence,) = next_ids(connection, org_id, REMOVAL, 1)
        connection.execute(
            insert(removed_chunks),
            [{"org_id": org_id, "chunk_id": each, "sequence": sequence} for each in chunk_ids],
        )


def last(connection: DriverConnection, org_id: str) -> int:
    """The number of the last removal; 0 when there was none."""
    return _counter(connection, org_id, REMOVAL)


def is_complete_after(connection: DriverConnection, org_id: str, sequence: int) -> bool:
    """Whether every removal after this one is still known. A number that the database has not reached is that
    of a later state of it, as after a backup was put back."""
    return _counter(connection, org_id, _FLOOR) <= sequence <= last(connection, org_id)


def register(
    connection: DriverConnection, org_id: str, cache_id: str, last_removal: int, made_at: float
) -> None:
    """Note which removals the snapshot of a cache folder has, and forget those that no snapshot needs."""
    connection.execute(
        _REGISTER,
        {"org_id": org_id, "cache_id": cache_id, "last_removal": last_removal, "made_at": made_at},
    )
    connection.execute(_EXPIRE, {"org_id": org_id, "before": made_at - _FORGOTTEN_DAYS * 86_400})
    floor = int(connection.execute(_OLDEST, {"org_id": org_id}).fetchone()[0])
    connection.execute(_FORGET, {"org_id": org_id, "floor": floor})
    if floor:
        connection.execute(_RAISE_FLOOR, {"org_id": org_id, "name": _FLOOR, "floor": floor})


def _counter(connection: DriverConnection, org_id: str, name: str) -> int:
    row = connection.execute(_COUNTER, {"org_id": org_id, "name": name}).fetchone()
    return 0 if row is None else int(row[0])
