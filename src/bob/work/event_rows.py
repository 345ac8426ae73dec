"""The log of what happened to work items; it only grows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from bob.storage.database import Transaction
from bob.work.items import EventType, WorkEvent


def add(
    transaction: Transaction,
    work_item_ids: Sequence[int],
    event_type: EventType,
    changes: Mapping[str, tuple[Any, Any]],
    actor: str,
    now: float,
) -> None:
    """Log that the same happened to each of these items."""
    if not work_item_ids:
        return
    numbers = transaction.take_ids("work_event", len(work_item_ids))
    same = {
        "event_type": str(event_type),
        "changes": json.dumps({name: list(pair) for name, pair in changes.items()}),
        "actor": actor,
        "at": now,
    }
    transaction.insert(
        "work_item_events",
        *(
            same | {"event_id": number, "work_item_id": work_item_id}
            for number, work_item_id in zip(numbers, work_item_ids, strict=True)
        ),
    )


def page(transaction: Transaction, work_item_id: int | None, after: int, limit: int) -> list[WorkEvent]:
    """The events of an item, or of all items, that come after event number `after`, in order."""
    of_item = "" if work_item_id is None else "AND work_item_id = :work_item_id"
    rows = transaction.execute(
        "SELECT event_id, work_item_id, event_type, changes, actor, at FROM work_item_events"
        f" WHERE org_id = :org AND event_id > :after {of_item} ORDER BY event_id LIMIT :limit",
        {"work_item_id": work_item_id, "after": after, "limit": limit},
    )
    return [
        WorkEvent(
            int(number),
            int(item),
            EventType(kind),
            {name: (before, after_) for name, (before, after_) in json.loads(changes).items()},
            str(actor),
            datetime.fromtimestamp(seconds, UTC),
        )
        for number, item, kind, changes, actor, seconds in rows
    ]
