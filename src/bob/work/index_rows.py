"""What the memory has of the work items, and the jobs that bring it there."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, select, update

from bob.storage import jobs
from bob.storage.schema_team import work_items
from bob.work.items import ARCHIVED

KIND = "index-work-item"
"""The jobs that look at an item as it is and bring the memory to that."""

_IDS_AT_ONCE = 500


def queue(connection: Connection, org_id: str, work_item_id: int) -> None:
    """Queue one item."""
    jobs.enqueue(connection, org_id, KIND, work_item_id)


def queue_new(connection: Connection, org_id: str, work_item_id: int) -> None:
    """Queue an item that was made in this transaction."""
    jobs.add(connection, org_id, KIND, work_item_id)


def queue_unarchived(connection: Connection, org_id: str, work_item_ids: Sequence[int]) -> None:
    """Queue those of many items that are not archived, in a few statements."""
    for start in range(0, len(work_item_ids), _IDS_AT_ONCE):
        rows = connection.execute(
            select(work_items.c.work_item_id)
            .where(
                work_items.c.org_id == org_id,
                work_items.c.work_item_id.in_(list(work_item_ids[start : start + _IDS_AT_ONCE])),
                work_items.c.status != ARCHIVED,
            )
            .order_by(work_items.c.work_item_id)
        )
        jobs.enqueue_all(connection, org_id, KIND, [int(row[0]) for row in rows])


def indexed(connection: Connection, org_id: str, work_item_ids: Sequence[int]) -> set[int]:
    """Which of these items the memory has."""
    rows = connection.execute(
        select(work_items.c.work_item_id).where(
            work_items.c.org_id == org_id,
            work_items.c.work_item_id.in_(list(work_item_ids)),
            work_items.c.indexed_at.is_not(None),
        )
    )
    return {int(row[0]) for row in rows}


def any_indexed(connection: Connection, org_id: str) -> bool:
    """Whether the memory has any item."""
    found = select(work_items.c.work_item_id).where(
        work_items.c.org_id == org_id, work_items.c.indexed_at.is_not(None)
    )
    return connection.execute(found.limit(1)).first() is not None


def mark(connection: Connection, org_id: str, work_item_id: int, indexed_at: float | None) -> None:
    """Note when the memory took an item, or with None that it no longer has it."""
    connection.execute(
        update(work_items)
        .where(work_items.c.org_id == org_id, work_items.c.work_item_id == work_item_id)
        .values(indexed_at=indexed_at)
    )
