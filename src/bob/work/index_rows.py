"""What the memory has of the work items, and the jobs that bring it there."""

from __future__ import annotations

from collections.abc import Sequence

from bob.storage import jobs
from bob.storage.database import Transaction
from bob.work.items import ARCHIVED

KIND = "index-work-item"
"""The jobs that look at an item as it is and bring the memory to that."""


def queue(transaction: Transaction, work_item_id: int) -> None:
    """Queue one item."""
    jobs.enqueue(transaction, KIND, work_item_id)


def queue_new(transaction: Transaction, work_item_id: int) -> None:
    """Queue an item that was made in this transaction."""
    jobs.add(transaction, KIND, work_item_id)


def queue_unarchived(transaction: Transaction, work_item_ids: Sequence[int]) -> None:
    """Queue those of many items that are not archived, in a few statements."""
    rows = transaction.execute(
        "SELECT work_item_id FROM work_items WHERE org_id = :org AND work_item_id IN :ids"
        " AND status <> :archived ORDER BY work_item_id",
        {"ids": work_item_ids, "archived": ARCHIVED},
    )
    jobs.enqueue_all(transaction, KIND, [int(number) for (number,) in rows])


def indexed(transaction: Transaction, work_item_ids: Sequence[int]) -> set[int]:
    """Which of these items the memory has."""
    rows = transaction.execute(
        "SELECT work_item_id FROM work_items"
        " WHERE org_id = :org AND work_item_id IN :ids AND indexed_at IS NOT NULL",
        {"ids": work_item_ids},
    )
    return {int(number) for (number,) in rows}


def any_indexed(transaction: Transaction) -> bool:
    """Whether the memory has any item."""
    row = transaction.execute(
        "SELECT 1 FROM work_items WHERE org_id = :org AND indexed_at IS NOT NULL LIMIT 1"
    )
    return row.fetchone() is not None


def mark(transaction: Transaction, work_item_id: int, indexed_at: float | None) -> None:
    """Note when the memory took an item, or with None that it no longer has it."""
    transaction.update("work_items", {"work_item_id": work_item_id}, {"indexed_at": indexed_at})
