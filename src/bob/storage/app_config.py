"""Small facts that the application keeps about itself, by key."""

from __future__ import annotations

from sqlalchemy import Connection, insert, select, update

from bob.storage.schema import app_config


def get(connection: Connection, org_id: str, key: str) -> str | None:
    """The value, None when it was never set."""
    value = connection.execute(
        select(app_config.c.value).where(app_config.c.org_id == org_id, app_config.c.key == key)
    ).scalar()
    return None if value is None else str(value)


def beginning(connection: Connection, org_id: str, prefix: str) -> dict[str, str]:
    """Every value whose key begins so, by key."""
    key = app_config.c.key
    rows = connection.execute(
        select(key, app_config.c.value)
        .where(app_config.c.org_id == org_id, key.startswith(prefix, autoescape=True))
        .order_by(key)
    )
    return {row[0]: row[1] for row in rows}


def put(connection: Connection, org_id: str, key: str, value: str) -> None:
    """Set the value."""
    changed = connection.execute(
        update(app_config).where(app_config.c.org_id == org_id, app_config.c.key == key).values(value=value)
    ).rowcount
    if not changed:
        connection.execute(insert(app_config).values(org_id=org_id, key=key, value=value))
