"""Searches for work items as they were asked, what people said of the results, and facts of items found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from bob.storage.database import Transaction
from bob.work.items import ARCHIVED


@dataclass(frozen=True, slots=True)
class LoggedSearch:
    """A search and how many items it found."""

    query: str
    found: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an item helped somebody who had asked `query`."""

    query: str
    work_item_id: int
    helpful: bool


@dataclass(frozen=True, slots=True)
class ItemFacts:
    """What a ranking may use of an item, from the rows that are its truth."""

    updated_at: datetime
    category_id: int | None
    category: str | None


def log_search(
    transaction: Transaction,
    user_id: str,
    query: str,
    work_item_ids: Sequence[int],
    moment: datetime,
) -> None:
    """Keep a search and what it gave."""
    (search_id,) = transaction.take_ids("rag_search", 1)
    transaction.insert(
        "rag_searches",
        {
            "search_id": search_id,
            "user_id": user_id,
            "query": query,
            "work_item_ids": json.dumps(list(work_item_ids)),
            "at": moment.timestamp(),
        },
    )


def last_searches(transaction: Transaction, limit: int) -> list[LoggedSearch]:
    """The last searches of an organization, the newest first."""
    rows = transaction.execute(
        "SELECT query, work_item_ids, at FROM rag_searches WHERE org_id = :org"
        " ORDER BY search_id DESC LIMIT :limit",
        {"limit": limit},
    )
    return [
        LoggedSearch(str(query), len(json.loads(results)), datetime.fromtimestamp(seconds, UTC))
        for query, results, seconds in rows
    ]


def give_feedback(transaction: Transaction, user_id: str, verdict: Verdict, moment: datetime) -> None:
    """Keep a verdict in place of what the same user said of the same item and query."""
    this = {"user_id": user_id, "query": verdict.query, "work_item_id": verdict.work_item_id}
    transaction.execute(
        "DELETE FROM rag_feedback WHERE org_id = :org AND user_id = :user_id AND query = :query"
        " AND work_item_id = :work_item_id",
        this,
    )
    (feedback_id,) = transaction.take_ids("rag_feedback", 1)
    own = {"feedback_id": feedback_id, "helpful": verdict.helpful, "at": moment.timestamp()}
    transaction.insert("rag_feedback", this | own)


def verdicts_on(transaction: Transaction, work_item_ids: Sequence[int]) -> list[Verdict]:
    """What was said of these items, by anybody of the organization."""
    rows = transaction.execute(
        "SELECT query, work_item_id, helpful FROM rag_feedback"
        " WHERE org_id = :org AND work_item_id IN :ids ORDER BY feedback_id",
        {"ids": work_item_ids},
    )
    return [Verdict(str(query), int(number), bool(helpful)) for query, number, helpful in rows]


def facts_of(transaction: Transaction, work_item_ids: Sequence[int]) -> dict[int, ItemFacts]:
    """The facts of those items that there are and that are not archived."""
    rows = transaction.execute(
        "SELECT i.work_item_id, i.updated_at, i.category_id, c.name FROM work_items i"
        " LEFT JOIN categories c ON c.org_id = :org AND c.category_id = i.category_id"
        " WHERE i.org_id = :org AND i.work_item_id IN :ids AND i.status <> :archived",
        {"ids": work_item_ids, "archived": ARCHIVED},
    )
    return {
        int(number): ItemFacts(datetime.fromtimestamp(updated_at, UTC), category_id, category)
        for number, updated_at, category_id, category in rows
    }
