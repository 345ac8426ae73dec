"""The categories of an organization's work items."""

from __future__ import annotations

from sqlalchemy import Connection, insert, select, update

from bob.storage.counters import next_ids
from bob.storage.schema_team import categories
from bob.work.items import Category


def add(connection: Connection, org_id: str, name: str, now: float) -> Category:
    """Keep a new category. Its name must be a new one."""
    (category_id,) = next_ids(connection, org_id, "category", 1)
    values = {"org_id": org_id, "category_id": category_id, "name": name, "created_at": now}
    connection.execute(insert(categories).values(values))
    return Category(category_id, name)


def rename(connection: Connection, org_id: str, category_id: int, name: str) -> None:
    """Give a category another name, which must be a new one."""
    connection.execute(
        update(categories)
        .where(categories.c.org_id == org_id, categories.c.category_id == category_id)
        .values(name=name)
    )


def every(connection: Connection, org_id: str) -> list[Category]:
    """All categories, the oldest first."""
    rows = connection.execute(
        select(categories.c.category_id, categories.c.name)
        .where(categories.c.org_id == org_id)
        .order_by(categories.c.category_id)
    )
    return [Category(int(number), str(name)) for number, name in rows]
