"""The users of an organization: known from the first time on that something names them."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, insert, select

from bob.storage.schema_team import users


def ensure_users(connection: Connection, org_id: str, user_ids: Iterable[str], now: float) -> None:
    """Make sure that these users exist; a new one is called by its id."""
    wanted = sorted(set(user_ids))
    rows = connection.execute(
        select(users.c.user_id).where(users.c.org_id == org_id, users.c.user_id.in_(wanted))
    )
    known = {str(row[0]) for row in rows}
    new = [
        {"org_id": org_id, "user_id": each, "name": each, "created_at": now}
        for each in wanted
        if each not in known
    ]
    if new:
        connection.execute(insert(users), new)
