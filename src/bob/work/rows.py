"""Work items: the truth about a team's work (SPEC K1)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from bob.core.moments import kept_moment
from bob.storage.database import Transaction
from bob.work import field_rows
from bob.work.items import ARCHIVED, Category, WorkFilter, WorkItem

EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
"""Before the first tracker: an earlier date stands for none, or was mistyped."""
_LATEST = datetime(9999, 12, 30, tzinfo=UTC)
"""Early enough to be told in any zone."""


def add(transaction: Transaction, **columns: Any) -> int:
    """Keep a new item with these columns; its number."""
    (work_item_id,) = transaction.take_ids("work_item", 1)
    transaction.insert("work_items", {"work_item_id": work_item_id, **columns})
    return work_item_id


def change(transaction: Transaction, work_item_id: int, **columns: Any) -> None:
    """Set columns of an item."""
    transaction.update("work_items", {"work_item_id": work_item_id}, columns)


def by_id(transaction: Transaction, work_item_id: int) -> WorkItem | None:
    """An item by its number."""
    return those(transaction, [work_item_id]).get(work_item_id)


def those(transaction: Transaction, work_item_ids: Sequence[int]) -> dict[int, WorkItem]:
    """Items by number; who asks for one that does not exist gets nothing for it."""
    rows = transaction.execute(f"{_SELECT} AND i.work_item_id IN :ids", {"ids": work_item_ids})
    return {item.work_item_id: item for item in _items(transaction, rows.fetchall())}


def page(transaction: Transaction, wanted: WorkFilter, after: int, limit: int) -> list[WorkItem]:
    """Items with a number above `after`, in order."""
    conditions = ["AND i.work_item_id > :after"]
    if wanted.status is not None:
        conditions.append("i.status = :status")
    elif not wanted.archived:
        conditions.append("i.status <> :archived")
    if wanted.category is not None:
        conditions.append("c.name = :category")
    if wanted.assignee_id is not None:
        conditions.append("i.assignee_id = :assignee_id")
    if wanted.priority is not None:
        conditions.append("i.priority = :priority")
    rows = transaction.execute(
        f"{_SELECT} {' AND '.join(conditions)} ORDER BY i.work_item_id LIMIT :limit",
        {
            "after": after,
            "status": wanted.status,
            "archived": ARCHIVED,
            "category": wanted.category,
            "assignee_id": wanted.assignee_id,
            "priority": wanted.priority,
            "limit": limit,
        },
    )
    return _items(transaction, rows.fetchall())


def by_external_id(transaction: Transaction, external_ids: Sequence[str]) -> dict[str, int]:
    """The numbers of items that an import brought, by what it called them."""
    rows = transaction.execute(
        "SELECT external_id, work_item_id FROM work_items WHERE org_id = :org AND external_id IN :ids",
        {"ids": external_ids},
    )
    return {str(external): int(number) for external, number in rows}


def imported_hashes(transaction: Transaction, work_item_ids: Sequence[int]) -> dict[int, dict[str, str]]:
    """What the last import said of these items, a hash a column; none of those of which nothing is known."""
    rows = transaction.execute(
        "SELECT work_item_id, imported FROM work_items"
        " WHERE org_id = :org AND work_item_id IN :ids AND imported IS NOT NULL",
        {"ids": work_item_ids},
    )
    return {int(number): json.loads(packed) for number, packed in rows}


def keep_hashes(transaction: Transaction, work_item_id: int, hashes: Mapping[str, str]) -> None:
    """Remember what an import said of an item."""
    change(transaction, work_item_id, imported=packed_hashes(hashes))


def packed_hashes(hashes: Mapping[str, str]) -> str:
    """What an import said of an item, as it is kept."""
    return json.dumps(dict(hashes), sort_keys=True)


def of_category(transaction: Transaction, category_id: int) -> list[int]:
    """The items of a category, in order."""
    rows = transaction.execute(
        "SELECT work_item_id FROM work_items WHERE org_id = :org AND category_id = :category_id"
        " ORDER BY work_item_id",
        {"category_id": category_id},
    )
    return [int(number) for (number,) in rows]


_SELECT = """
SELECT i.work_item_id, i.title, i.description, c.category_id, c.name, i.status, i.priority, i.assignee_id,
    i.created_by, i.created_at, i.updated_at
FROM work_items i LEFT JOIN categories c ON c.org_id = :org AND c.category_id = i.category_id
WHERE i.org_id = :org
"""


def _items(transaction: Transaction, rows: Sequence[Any]) -> list[WorkItem]:
    fields = field_rows.values_of(transaction, [int(row[0]) for row in rows])
    items = []
    for number, title, description, category_id, category, *rest in rows:
        status, priority, assignee_id, created_by, created_at, updated_at = rest
        items.append(
            WorkItem(
                int(number),
                title,
                description,
                None if category_id is None else Category(int(category_id), category),
                status,
                priority,
                assignee_id,
                created_by,
                kept_moment(created_at, EARLIEST, _LATEST),
                kept_moment(updated_at, EARLIEST, _LATEST),
                fields[int(number)],
            )
        )
    return items
