"""The log of what happened to work items; it only grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, insert, select

from bob.storage.counters import next_ids
from bob.storage.schema_team import work_item_events as events
from bob.work.items import EventType, WorkEvent


def add(
    connection: Connection,
    org_id: str,
    work_item_ids: Sequence[int],
    event_type: EventType,
    changes: Mapping[str, tuple[Any, Any]],
    actor: str,
    now: float,
) -> None:
    """Log that the same happened to each of these items."""
    if not work_item_ids:
        return
    numbers = next_ids(connection, org_id, "work_event", len(work_item_ids))
    same = {
        "org_id": org_id,
        "event_type": str(event_type),
        "changes": {name: list(pair) for name, pair in changes.items()},
        "actor": actor,
        "at": now,
    }
    connection.execute(
        insert(events),
        [
            same | {"event_id": number, "work_item_id": each}
            for number, each in zip(numbers, work_item_ids, strict=True)
        ],
    )


def page(
    connection: Connection, org_id: str, work_item_id: int | None, after: int, limit: int
) -> list[WorkEvent]:
    """The events of an item, or of all items, that come after event number `after`, in order."""
    asked = select(
        events.c.event_id,
        events.c.work_item_id,
        events.c.event_type,
        events.c.changes,
        events.c.actor,
        events.c.at,
    ).where(events.c.org_id == org_id, events.c.event_id > after)
    if work_item_id is not None:
        asked = asked.where(events.c.work_item_id == work_item_id)
    rows = connection.execute(asked.order_by(events.c.event_id).limit(limit))
    return [
        WorkEvent(
            int(number),
            int(item),
            EventType(kind),
            {name: (before, after_) for name, (before, after_) in changes.items()},
            str(actor),
            datetime.fromtimestamp(at, UTC),
        )
        for number, item, kind, changes, actor, at in rows
    ]
