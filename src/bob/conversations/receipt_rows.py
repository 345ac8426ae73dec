"""What the prompts of a chat were made of, and what its replies cite: one receipt a reply, without any text
(SPEC H4)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bob.core.locator import CitedPlace
from bob.storage.database import Transaction


def save(
    transaction: Transaction,
    chat_id: int,
    message_id: int,
    receipt: Mapping[str, Any],
    memory_ids: Sequence[int],
    cites: Sequence[CitedPlace] = (),
) -> None:
    """Keep the receipt of the prompt that a reply came of, which memories stood in it, and what the reply
    cites."""
    values = dict(receipt) | ({"cited": [cite.to_json() for cite in cites]} if cites else {})
    transaction.insert(
        "receipts", {"message_id": message_id, "chat_id": chat_id, "receipt": json.dumps(values)}
    )
    transaction.insert(
        "recalls", *({"message_id": message_id, "memory_id": memory_id} for memory_id in memory_ids)
    )


def last(transaction: Transaction, chat_id: int) -> dict[str, Any] | None:
    """The receipt of the chat's last reply, None before there is one."""
    row = transaction.execute(
        "SELECT receipt FROM receipts WHERE org_id = :org AND chat_id = :chat_id"
        " ORDER BY message_id DESC LIMIT 1",
        {"chat_id": chat_id},
    ).fetchone()
    return None if row is None else dict(json.loads(row[0]))


def cited(
    transaction: Transaction, chat_id: int, message_ids: Sequence[int]
) -> dict[int, tuple[CitedPlace, ...]]:
    """The places that these messages of a chat cite, in order of their numbers; messages without are left
    out."""
    if not message_ids:
        return {}
    rows = transaction.execute(
        "SELECT message_id, receipt FROM receipts WHERE org_id = :org AND chat_id = :chat_id"
        " AND message_id BETWEEN :first AND :last",
        {"chat_id": chat_id, "first": message_ids[0], "last": message_ids[-1]},
    )
    cited = {
        message_id: tuple(map(CitedPlace.from_json, json.loads(receipt).get("cited", ())))
        for message_id, receipt in rows
    }
    return {message_id: places for message_id, places in cited.items() if places}
