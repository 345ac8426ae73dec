"""Memories: what is worth knowing later, each with the messages that said it (SPEC G), and with the features
that it is ranked and compared by, as bytes, one row a memory and model (SPEC G4).

A memory that was contradicted stays, with the moment until which it held; one that is forgotten is gone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from bob.core.conversation import Memory, Scope
from bob.core.moments import kept_moment
from bob.storage.database import Transaction

_MINE = """
SELECT memory_id, user_id, project, chat_id, summary, importance, message_type, valid_from, valid_until,
    superseded_by, pinned, edited,
    (SELECT count(*) FROM memory_sources s WHERE s.org_id = :org AND s.memory_id = m.memory_id)
FROM memories m WHERE org_id = :org AND user_id = :user_id
"""


def add(
    transaction: Transaction,
    memory: Memory,
    message_ids: Sequence[int],
    features: tuple[str, bytes] | None = None,
) -> Memory:
    """Keep a memory, said by these messages, with its features and their model if they are made; it comes
    back with its number."""
    (memory_id,) = transaction.take_ids("memory", 1)
    transaction.insert(
        "memories",
        {
            "memory_id": memory_id,
            "user_id": memory.scope.user_id,
            "project": memory.scope.project,
            "chat_id": memory.chat_id,
            "summary": memory.summary,
            "importance": memory.importance,
            "message_type": memory.message_type,
            "valid_from": memory.valid_from.timestamp(),
            "valid_until": None if memory.valid_until is None else memory.valid_until.timestamp(),
            "superseded_by": memory.superseded_by,
            "pinned": memory.pinned,
            "edited": memory.edited,
        },
    )
    for message_id in message_ids:
        say_again(transaction, memory_id, message_id)
    if features is not None:
        model, packed = features
        transaction.insert("memory_features", {"model": model, "memory_id": memory_id, "features": packed})
    return replace(memory, memory_id=memory_id, times_said=max(len(set(message_ids)), 1))


def say_again(transaction: Transaction, memory_id: int, message_id: int) -> None:
    """Note that a message said what is remembered already."""
    transaction.execute(
        "INSERT INTO memory_sources (org_id, memory_id, message_id) VALUES (:org, :memory_id, :message_id)"
        " ON CONFLICT DO NOTHING",
        {"memory_id": memory_id, "message_id": message_id},
    )


def by_id(transaction: Transaction, user_id: str, memory_id: int) -> Memory | None:
    """A user's memory by its number."""
    memories = _read(transaction, "AND memory_id = :memory_id", user_id=user_id, memory_id=memory_id)
    return memories[0] if memories else None


def of_user(
    transaction: Transaction,
    user_id: str,
    *,
    project: str | None = None,
    current: bool = True,
) -> list[Memory]:
    """A user's memories in the order in which they began to hold; only those that still hold if `current`."""
    of_project = "" if project is None else "AND project = :project"
    holding = "AND valid_until IS NULL" if current else ""
    return _read(
        transaction,
        f"{of_project} {holding} ORDER BY valid_from, memory_id",
        user_id=user_id,
        project=project,
    )


def wordings(transaction: Transaction, scope: Scope) -> dict[int, str]:
    """What holds of a user in a project, by number, in its words alone."""
    rows = transaction.execute(
        "SELECT memory_id, summary FROM memories"
        " WHERE org_id = :org AND user_id = :user_id AND project = :project AND valid_until IS NULL",
        {"user_id": scope.user_id, "project": scope.project},
    )
    return {int(number): str(summary) for number, summary in rows}


def without_features(
    transaction: Transaction, scope: Scope, model: str, *, current: bool = True
) -> list[Memory]:
    """What is remembered of a user in a project, and has no features of this model; only what holds if
    `current`."""
    return _read(
        transaction,
        "AND project = :project AND memory_id NOT IN"
        " (SELECT memory_id FROM memory_features WHERE org_id = :org AND model = :model)"
        f" {'AND valid_until IS NULL' if current else ''}",
        user_id=scope.user_id,
        project=scope.project,
        model=model,
    )


def of_last_chats(transaction: Transaction, user_id: str, chat_limit: int, but: int | None) -> list[Memory]:
    """What holds from a user's last chats but the one numbered `but`, and what belongs to no chat or is
    pinned."""
    others = "" if but is None else "AND (chat_id IS NULL OR chat_id <> :but)"
    return _read(
        transaction,
        "AND valid_until IS NULL AND (chat_id IS NULL OR pinned OR chat_id IN (SELECT chat_id FROM chats"
        " WHERE org_id = :org AND user_id = :user_id"
        " ORDER BY last_message_at DESC, chat_id DESC LIMIT :limit))"
        f" {others} ORDER BY memory_id",
        user_id=user_id,
        limit=chat_limit,
        but=but,
    )


def of_message(transaction: Transaction, message_id: int) -> list[int]:
    """The memories that a message is a source of."""
    rows = transaction.execute(
        "SELECT memory_id FROM memory_sources WHERE org_id = :org AND message_id = :message_id",
        {"message_id": message_id},
    )
    return [int(memory_id) for (memory_id,) in rows]


def of_chat(transaction: Transaction, user_id: str, chat_id: int) -> list[Memory]:
    """The memories that a chat's messages said and no message of another chat; also those of a user that
    belong to the chat by themselves."""
    values = (
        "memory_id IN (SELECT s.memory_id FROM memory_sources s"
        " JOIN messages n ON n.org_id = :org AND n.message_id = s.message_id"
        " WHERE s.org_id = :org AND n.chat_id {} :chat_id)"
    )
    return _read(
        transaction,
        f"AND (chat_id = :chat_id OR {values.format('=')}) AND NOT {values.format('<>')} ORDER BY memory_id",
        user_id=user_id,
        chat_id=chat_id,
    )


def sources_of(transaction: Transaction, memory_ids: Sequence[int]) -> list[int]:
    """The messages that said any of these memories, in order."""
    rows = transaction.execute(
        "SELECT DISTINCT message_id FROM memory_sources WHERE org_id = :org AND memory_id IN :ids"
        " ORDER BY message_id",
        {"ids": memory_ids},
    )
    return [int(message_id) for (message_id,) in rows]


def change(transaction: Transaction, memory_id: int, **values: Any) -> None:
    """Set columns of a memory, such as `summary`, `importance`, `pinned` and `edited`."""
    transaction.update("memories", {"memory_id": memory_id}, values)


def supersede(transaction: Transaction, memory_ids: Sequence[int], successor: int, when: datetime) -> None:
    """End what held until now: both stay, the newer counts (SPEC G6)."""
    for memory_id in memory_ids:
        change(transaction, memory_id, valid_until=when.timestamp(), superseded_by=successor)


def last_began(transaction: Transaction, memory_ids: Sequence[int], moment: float) -> float:
    """The moment, or that from which the last of these memories holds, if that is later."""
    if not memory_ids:
        return moment
    (row,) = transaction.execute(
        "SELECT max(valid_from) FROM memories WHERE org_id = :org AND memory_id IN :ids", {"ids": memory_ids}
    ).fetchone()
    return max(moment, moment if row is None else float(row))


def remove(transaction: Transaction, memory_ids: Sequence[int]) -> None:
    """Forget memories, in every table that speaks of them; what they had superseded does not come back."""
    gone = {"ids": memory_ids}
    for table in ("memory_features", "memory_sources", "recalls", "memories"):
        transaction.execute(f"DELETE FROM {table} WHERE org_id = :org AND memory_id IN :ids", gone)
    transaction.execute(
        "UPDATE memories SET superseded_by = NULL WHERE org_id = :org AND superseded_by IN :ids", gone
    )


def injected_in(transaction: Transaction, chat_id: int) -> list[str]:
    """The memories that stood in the prompts of a chat, as they are worded now."""
    rows = transaction.execute(
        "SELECT DISTINCT m.summary FROM memories m"
        " JOIN recalls r ON r.org_id = :org AND r.memory_id = m.memory_id"
        " JOIN messages n ON n.org_id = :org AND n.message_id = r.message_id"
        " WHERE m.org_id = :org AND n.chat_id = :chat_id",
        {"chat_id": chat_id},
    )
    return [str(summary) for (summary,) in rows]


def keep_features(transaction: Transaction, model: str, memory_id: int, packed: bytes) -> None:
    """Keep the features of a memory, in place of what was there of any model."""
    remove_features(transaction, memory_id)
    transaction.insert("memory_features", {"model": model, "memory_id": memory_id, "features": packed})


def remove_features(transaction: Transaction, memory_id: int) -> None:
    """Drop the features of a memory, as when its words change; they are made anew when they are needed."""
    transaction.execute(
        "DELETE FROM memory_features WHERE org_id = :org AND memory_id = :memory_id", {"memory_id": memory_id}
    )


def features_of(transaction: Transaction, model: str, memory_ids: Sequence[int]) -> dict[int, bytes]:
    """The features of those memories that have some of this model."""
    rows = transaction.execute(
        "SELECT memory_id, features FROM memory_features"
        " WHERE org_id = :org AND model = :model AND memory_id IN :ids",
        {"model": model, "ids": memory_ids},
    )
    return {int(number): bytes(packed) for number, packed in rows}


def _read(transaction: Transaction, conditions: str, **values: Any) -> list[Memory]:
    rows = transaction.execute(f"{_MINE} {conditions}", values)
    return [_memory(transaction.org_id, row) for row in rows]


def _memory(org_id: str, row: Any) -> Memory:
    memory_id, user_id, project, chat_id, summary, importance, kind, since, until, successor, *rest = row
    pinned, edited, times_said = rest
    return Memory(
        memory_id,
        Scope(org_id, user_id, project),
        chat_id,
        summary,
        importance,
        kind,
        kept_moment(since),
        None if until is None else kept_moment(until),
        successor,
        bool(pinned),
        bool(edited),
        max(times_said, 1),
    )
