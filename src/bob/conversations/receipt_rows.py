"""What the prompts of a chat were made of, and what its replies cite: one receipt a reply, without any text
(SPEC H4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, insert, select

from bob.core.conversation import CitedPlace
from bob.storage.schema_conversations import recalls, receipts


def save(
    connection: Connection,
    org_id: str,
    chat_id: int,
    message_id: int,
    receipt: Mapping[str, Any],
    memory_ids: Sequence[int],
    cites: Sequence[CitedPlace] = (),
) -> None:
    """Keep the receipt of the prompt that a reply came of, which memories stood in it, and what the reply
    cites."""
    kept = dict(receipt) | ({"cited": [each.to_json() for each in cites]} if cites else {})
    connection.execute(
        insert(receipts).values(org_id=org_id, message_id=message_id, chat_id=chat_id, receipt=kept)
    )
    if memory_ids:
        rows = [{"org_id": org_id, "message_id": message_id, "memory_id": each} for each in memory_ids]
        connection.execute(insert(recalls), rows)


def last(connection: Connection, org_id: str, chat_id: int) -> dict[str, Any] | None:
    """The receipt of the chat's last reply, None before there is one."""
    found = connection.execute(
        select(receipts.c.receipt)
        .where(receipts.c.org_id == org_id, receipts.c.chat_id == chat_id)
        .order_by(receipts.c.message_id.desc())
        .limit(1)
    ).scalar()
    return None if found is None else dict(found)


def cited(
    connection: Connection, org_id: str, chat_id: int, message_ids: Sequence[int]
) -> dict[int, tuple[CitedPlace, ...]]:
    """The places that these messages of a chat cite, in order of their numbers; messages without are left
    out."""
    if not message_ids:
        return {}
    rows = connection.execute(
        select(receipts.c.message_id, receipts.c.receipt).where(
            receipts.c.org_id == org_id,
            receipts.c.chat_id == chat_id,
            receipts.c.message_id.between(message_ids[0], message_ids[-1]),
        )
    )
    found = {row.message_id: tuple(map(CitedPlace.from_json, row.receipt.get("cited", ()))) for row in rows}
    return {message_id: places for message_id, places in found.items() if places}
