"""Fresh numbers for the rows of an organization, one counter a kind."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, insert, select, update

from bob.store.schema import counters


def next_ids(connection: Connection, org_id: str, name: str, count: int) -> range:
    """Take `count` fresh ids of a kind, inside the caller's transaction."""
    taken = connection.execute(
        update(counters)
        .where(counters.c.org_id == org_id, counters.c.name == name)
        .values(value=counters.c.value + count)
    ).rowcount
    if not taken:
        connection.execute(insert(counters).values(org_id=org_id, name=name, value=count))
    last: Any = connection.execute(
        select(counters.c.value).where(counters.c.org_id == org_id, counters.c.name == name)
    ).scalar_one()
    return range(int(last) - count + 1, int(last) + 1)
