"""The categories of an organization's work items."""

from __future__ import annotations

from bob.storage.database import Transaction
from bob.work.items import Category


def add(transaction: Transaction, name: str, now: float) -> Category:
    """Keep a new category. Its name must be a new one."""
    (category_id,) = transaction.take_ids("category", 1)
    transaction.insert("categories", {"category_id": category_id, "name": name, "created_at": now})
    return Category(category_id, name)


def rename(transaction: Transaction, category_id: int, name: str) -> None:
    """Give a category another name, which must be a new one."""
    transaction.update("categories", {"category_id": category_id}, {"name": name})


def every(transaction: Transaction) -> list[Category]:
    """All categories, the oldest first."""
    rows = transaction.execute(
        "SELECT category_id, name FROM categories WHERE org_id = :org ORDER BY category_id"
    )
    return [Category(int(number), str(name)) for number, name in rows]
