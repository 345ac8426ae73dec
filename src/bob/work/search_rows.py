"""Searches for work items as they were asked, what people said of the results, and facts of items found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, delete, insert, select

from bob.storage.counters import next_ids
from bob.storage.database import DriverConnection
from bob.storage.schema_team import categories, rag_feedback, rag_searches, work_items
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


_NUMBER = """
INSERT INTO counters (org_id, name, value) VALUES (?, 'rag_search', 1)
ON CONFLICT (org_id, name) DO UPDATE SET value = counters.value + 1 RETURNING value
"""
_SEARCHED = """
INSERT INTO rag_searches (org_id, search_id, user_id, query, work_item_ids, at) VALUES (?, ?, ?, ?, ?, ?)
"""


def log_search(
    connection: DriverConnection,
    org_id: str,
    user_id: str,
    query: str,
    work_item_ids: Sequence[int],
    at: datetime,
) -> None:
    """Keep a search and what it gave."""
    ((search_id,),) = connection.execute(_NUMBER, (org_id,)).fetchall()
    found = json.dumps(list(work_item_ids))
    connection.execute(_SEARCHED, (org_id, search_id, user_id, query, found, at.timestamp()))


def last_searches(connection: Connection, org_id: str, limit: int) -> list[LoggedSearch]:
    """The last searches of an organization, the newest first."""
    rows = connection.execute(
        select(rag_searches.c.query, rag_searches.c.work_item_ids, rag_searches.c.at)
        .where(rag_searches.c.org_id == org_id)
        .order_by(rag_searches.c.search_id.desc())
        .limit(limit)
    )
    return [LoggedSearch(str(row[0]), len(row[1]), datetime.fromtimestamp(row[2], UTC)) for row in rows]


def give_feedback(connection: Connection, org_id: str, user_id: str, verdict: Verdict, at: datetime) -> None:
    """Keep a verdict in place of what the same user said of the same item and query."""
    connection.execute(
        delete(rag_feedback).where(
            rag_feedback.c.org_id == org_id,
            rag_feedback.c.user_id == user_id,
            rag_feedback.c.query == verdict.query,
            rag_feedback.c.work_item_id == verdict.work_item_id,
        )
    )
    (feedback_id,) = next_ids(connection, org_id, "rag_feedback", 1)
    connection.execute(
        insert(rag_feedback).values(
            org_id=org_id,
            feedback_id=feedback_id,
            user_id=user_id,
            query=verdict.query,
            work_item_id=verdict.work_item_id,
            helpful=verdict.helpful,
            at=at.timestamp(),
        )
    )


def verdicts_on(connection: Connection, org_id: str, work_item_ids: Sequence[int]) -> list[Verdict]:
    """What was said of these items, by anybody of the organization."""
    rows = connection.execute(
        select(rag_feedback.c.query, rag_feedback.c.work_item_id, rag_feedback.c.helpful)
        .where(rag_feedback.c.org_id == org_id, rag_feedback.c.work_item_id.in_(list(work_item_ids)))
        .order_by(rag_feedback.c.feedback_id)
    )
    return [Verdict(str(row[0]), int(row[1]), bool(row[2])) for row in rows]


def facts_of(connection: Connection, org_id: str, work_item_ids: Sequence[int]) -> dict[int, ItemFacts]:
    """The facts of those items that there are and that are not archived."""
    named = (categories.c.org_id == work_items.c.org_id) & (
        categories.c.category_id == work_items.c.category_id
    )
    rows = connection.execute(
        select(
            work_items.c.work_item_id,
            work_items.c.updated_at,
            work_items.c.category_id,
            categories.c.name,
        )
        .select_from(work_items.outerjoin(categories, named))
        .where(
            work_items.c.org_id == org_id,
            work_items.c.work_item_id.in_(list(work_item_ids)),
            work_items.c.status != ARCHIVED,
        )
    )
    return {int(row[0]): ItemFacts(datetime.fromtimestamp(row[1], UTC), row[2], row[3]) for row in rows}
