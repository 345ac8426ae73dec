"""Fresh numbers for the rows of an organization, one counter a kind."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, insert, update

from bob.storage.schema import counters


def next_ids(connection: Connection, org_id: str, name: str, count: int) -> range:
    """Take `count` fresh ids of a kind, inside the caller's transaction."""
    last: Any = connection.execute(
        update(counters)
        .where(counters.c.org_id == org_id, counters.c.name == name)
        .values(value=counters.c.value + count)
        .returning(counters.c.value)
    ).scalar()
    if last is None:
        connection.execute(insert(counters).values(org_id=org_id, name=name, value=count))
        last = count
    return range(int(last) - count + 1, int(last) + 1)
