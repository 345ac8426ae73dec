"""Work items: the truth about a team's work (SPEC K1)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Select, and_, insert, select, update

from bob.storage.counters import next_ids
from bob.storage.schema_team import categories, work_items
from bob.work import field_rows
from bob.work.items import ARCHIVED, Category, WorkFilter, WorkItem

_IDS_AT_ONCE = 500


def add(connection: Connection, org_id: str, **columns: Any) -> int:
    """Keep a new item with these columns; its number."""
    (work_item_id,) = next_ids(connection, org_id, "work_item", 1)
    connection.execute(insert(work_items).values(org_id=org_id, work_item_id=work_item_id, **columns))
    return work_item_id


def change(connection: Connection, org_id: str, work_item_id: int, **columns: Any) -> None:
    """Set columns of an item."""
    connection.execute(
        update(work_items)
        .where(work_items.c.org_id == org_id, work_items.c.work_item_id == work_item_id)
        .values(**columns)
    )


def at(connection: Connection, org_id: str, work_item_id: int) -> WorkItem | None:
    """An item by its number."""
    return those(connection, org_id, [work_item_id]).get(work_item_id)


def those(connection: Connection, org_id: str, work_item_ids: Sequence[int]) -> dict[int, WorkItem]:
    """Items by number; who asks for one that does not exist gets nothing for it."""
    rows: list[Any] = []
    for start in range(0, len(work_item_ids), _IDS_AT_ONCE):
        part = list(work_item_ids[start : start + _IDS_AT_ONCE])
        rows += connection.execute(_all(org_id).where(work_items.c.work_item_id.in_(part)))
    return {each.work_item_id: each for each in _items(connection, org_id, rows)}


def page(connection: Connection, org_id: str, wanted: WorkFilter, after: int, limit: int) -> list[WorkItem]:
    """Items with a number above `after`, in order."""
    asked = _all(org_id).where(work_items.c.work_item_id > after)
    if wanted.status is not None:
        asked = asked.where(work_items.c.status == wanted.status)
    elif not wanted.archived:
        asked = asked.where(work_items.c.status != ARCHIVED)
    if wanted.category is not None:
        asked = asked.where(categories.c.name == wanted.category)
    if wanted.assignee_id is not None:
        asked = asked.where(work_items.c.assignee_id == wanted.assignee_id)
    if wanted.priority is not None:
        asked = asked.where(work_items.c.priority == wanted.priority)
    rows = connection.execute(asked.order_by(work_items.c.work_item_id).limit(limit)).all()
    return _items(connection, org_id, rows)


def by_external_id(connection: Connection, org_id: str, external_ids: Sequence[str]) -> dict[str, int]:
    """The numbers of items that an import brought, by what it called them."""
    found = {}
    for start in range(0, len(external_ids), _IDS_AT_ONCE):
        part = list(external_ids[start : start + _IDS_AT_ONCE])
        rows = connection.execute(
            select(work_items.c.external_id, work_items.c.work_item_id).where(
                work_items.c.org_id == org_id, work_items.c.external_id.in_(part)
            )
        )
        found.update({str(external): int(number) for external, number in rows})
    return found


def of_category(connection: Connection, org_id: str, category_id: int) -> list[int]:
    """The items of a category, in order."""
    rows = connection.execute(
        select(work_items.c.work_item_id)
        .where(work_items.c.org_id == org_id, work_items.c.category_id == category_id)
        .order_by(work_items.c.work_item_id)
    )
    return [int(row[0]) for row in rows]


def _all(org_id: str) -> Select[Any]:
    joined = work_items.outerjoin(
        categories,
        and_(
            categories.c.org_id == work_items.c.org_id,
            categories.c.category_id == work_items.c.category_id,
        ),
    )
    columns = (
        work_items.c.work_item_id,
        work_items.c.title,
        work_items.c.description,
        categories.c.category_id,
        categories.c.name,
        work_items.c.status,
        work_items.c.priority,
        work_items.c.assignee_id,
        work_items.c.created_by,
        work_items.c.created_at,
        work_items.c.updated_at,
    )
    return select(*columns).select_from(joined).where(work_items.c.org_id == org_id)


def _items(connection: Connection, org_id: str, rows: Sequence[Any]) -> list[WorkItem]:
    fields = field_rows.values_of(connection, org_id, [int(row[0]) for row in rows])
    found = []
    for number, title, description, category_id, category, *rest in rows:
        status, priority, assignee_id, created_by, created_at, updated_at = rest
        found.append(
            WorkItem(
                int(number),
                title,
                description,
                None if category_id is None else Category(int(category_id), category),
                status,
                priority,
                assignee_id,
                created_by,
                datetime.fromtimestamp(created_at, UTC),
                datetime.fromtimestamp(updated_at, UTC),
                fields[int(number)],
            )
        )
    return found
