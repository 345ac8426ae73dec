"""Memories: what is worth knowing later, each with the messages that said it (SPEC G).

A memory that was contradicted stays, with the moment until which it held; one that is forgotten is gone.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Select, delete, func, insert, select, update

from bob.core.conversation import Memory, Scope
from bob.storage.counters import next_ids
from bob.storage.schema_conversations import (
    chats,
    memories,
    memory_features,
    memory_sources,
    messages,
    recalls,
)


def add(connection: Connection, memory: Memory, message_ids: Sequence[int]) -> Memory:
    """Keep a memory, said by these messages; it comes back with its number."""
    org_id = memory.scope.org_id
    (memory_id,) = next_ids(connection, org_id, "memory", 1)
    connection.execute(
        insert(memories).values(
            org_id=org_id,
            memory_id=memory_id,
            user_id=memory.scope.user_id,
            project=memory.scope.project,
            chat_id=memory.chat_id,
            summary=memory.summary,
            importance=memory.importance,
            message_type=memory.message_type,
            valid_from=memory.valid_from.timestamp(),
            valid_until=None if memory.valid_until is None else memory.valid_until.timestamp(),
            superseded_by=memory.superseded_by,
            pinned=memory.pinned,
            edited=memory.edited,
        )
    )
    for message_id in message_ids:
        say_again(connection, org_id, memory_id, message_id)
    found = at(connection, org_id, memory.scope.user_id, memory_id)
    assert found is not None
    return found


def say_again(connection: Connection, org_id: str, memory_id: int, message_id: int) -> None:
    """Note that a message said what is remembered already."""
    same = (memory_sources.c.org_id == org_id) & (memory_sources.c.memory_id == memory_id)
    known = connection.execute(
        select(memory_sources.c.message_id).where(same, memory_sources.c.message_id == message_id)
    ).first()
    if known is None:
        values = {"org_id": org_id, "memory_id": memory_id, "message_id": message_id}
        connection.execute(insert(memory_sources).values(values))


def at(connection: Connection, org_id: str, user_id: str, memory_id: int) -> Memory | None:
    """A user's memory by its number."""
    row = connection.execute(_mine(org_id, user_id).where(memories.c.memory_id == memory_id)).first()
    return None if row is None else _memory(org_id, row)


def of_user(
    connection: Connection,
    org_id: str,
    user_id: str,
    *,
    project: str | None = None,
    current: bool = True,
) -> list[Memory]:
    """A user's memories in the order in which they began to hold; only those that still hold if `current`."""
    asked = _mine(org_id, user_id).order_by(memories.c.valid_from, memories.c.memory_id)
    if project is not None:
        asked = asked.where(memories.c.project == project)
    if current:
        asked = asked.where(memories.c.valid_until.is_(None))
    return [_memory(org_id, row) for row in connection.execute(asked)]


def wordings(connection: Connection, scope: Scope) -> dict[int, str]:
    """What holds of a user in a project, by number, in its words alone."""
    rows = connection.execute(
        select(memories.c.memory_id, memories.c.summary).where(
            memories.c.org_id == scope.org_id,
            memories.c.user_id == scope.user_id,
            memories.c.project == scope.project,
            memories.c.valid_until.is_(None),
        )
    )
    return {int(number): str(summary) for number, summary in rows}


def without_features(
    connection: Connection, scope: Scope, model: str, *, current: bool = True
) -> list[Memory]:
    """What is remembered of a user in a project, and has no features of this model; only what holds if
    `current`."""
    has = select(memory_features.c.memory_id).where(
        memory_features.c.org_id == scope.org_id, memory_features.c.model == model
    )
    asked = _mine(scope.org_id, scope.user_id).where(
        memories.c.project == scope.project, memories.c.memory_id.not_in(has)
    )
    if current:
        asked = asked.where(memories.c.valid_until.is_(None))
    return [_memory(scope.org_id, row) for row in connection.execute(asked)]


def of_last_chats(
    connection: Connection, org_id: str, user_id: str, chat_limit: int, but: int | None
) -> list[Memory]:
    """What holds from a user's last chats but the one numbered `but`, and what belongs to no chat or is
    pinned."""
    mine = (chats.c.org_id == org_id) & (chats.c.user_id == user_id)
    last = (
        select(chats.c.chat_id)
        .where(mine)
        .order_by(chats.c.last_message_at.desc(), chats.c.chat_id.desc())
        .limit(chat_limit)
    )
    near = memories.c.chat_id.in_(last) | memories.c.chat_id.is_(None) | memories.c.pinned
    asked = _mine(org_id, user_id).where(memories.c.valid_until.is_(None), near)
    if but is not None:
        asked = asked.where(memories.c.chat_id.is_(None) | (memories.c.chat_id != but))
    return [_memory(org_id, row) for row in connection.execute(asked.order_by(memories.c.memory_id))]


def of_message(connection: Connection, org_id: str, message_id: int) -> list[int]:
    """The memories that a message is a source of."""
    rows = connection.execute(
        select(memory_sources.c.memory_id).where(
            memory_sources.c.org_id == org_id, memory_sources.c.message_id == message_id
        )
    )
    return [int(row[0]) for row in rows]


def of_chat(connection: Connection, org_id: str, user_id: str, chat_id: int) -> list[Memory]:
    """The memories that a chat's messages said and no message of another chat; also those of a user that
    belong to the chat by themselves."""
    source = memory_sources.join(
        messages,
        (messages.c.org_id == memory_sources.c.org_id)
        & (messages.c.message_id == memory_sources.c.message_id),
    )
    of_org = select(memory_sources.c.memory_id).select_from(source).where(messages.c.org_id == org_id)
    here = memories.c.memory_id.in_(of_org.where(messages.c.chat_id == chat_id))
    elsewhere = memories.c.memory_id.in_(of_org.where(messages.c.chat_id != chat_id))
    asked = _mine(org_id, user_id).where((memories.c.chat_id == chat_id) | here, ~elsewhere)
    return [_memory(org_id, row) for row in connection.execute(asked.order_by(memories.c.memory_id))]


def sources_of(connection: Connection, org_id: str, memory_ids: Sequence[int]) -> list[int]:
    """The messages that said any of these memories, in order."""
    rows = connection.execute(
        select(memory_sources.c.message_id)
        .where(memory_sources.c.org_id == org_id, memory_sources.c.memory_id.in_(list(memory_ids)))
        .distinct()
        .order_by(memory_sources.c.message_id)
    )
    return [int(row[0]) for row in rows]


def change(connection: Connection, org_id: str, memory_id: int, **values: Any) -> None:
    """Set columns of a memory, such as `summary`, `importance`, `pinned` and `edited`."""
    connection.execute(_this(org_id, memory_id).values(**values))


def supersede(
    connection: Connection, org_id: str, memory_ids: Sequence[int], successor: int, when: datetime
) -> None:
    """End what held until now: both stay, the newer counts (SPEC G6)."""
    for memory_id in memory_ids:
        values = {"valid_until": when.timestamp(), "superseded_by": successor}
        connection.execute(_this(org_id, memory_id).values(values))


def last_began(connection: Connection, org_id: str, memory_ids: Sequence[int], moment: float) -> float:
    """The moment, or that from which the last of these memories holds, if that is later."""
    found = connection.execute(
        select(func.max(memories.c.valid_from)).where(
            memories.c.org_id == org_id, memories.c.memory_id.in_(list(memory_ids))
        )
    ).scalar()
    return max(moment, moment if found is None else float(found))


def remove(connection: Connection, org_id: str, memory_ids: Sequence[int]) -> None:
    """Forget memories, in every table that speaks of them; what they had superseded does not come back."""
    gone = list(memory_ids)
    for table in (memory_features, memory_sources, recalls, memories):
        connection.execute(delete(table).where(table.c.org_id == org_id, table.c.memory_id.in_(gone)))
    connection.execute(
        update(memories)
        .where(memories.c.org_id == org_id, memories.c.superseded_by.in_(gone))
        .values(superseded_by=None)
    )


def injected_in(connection: Connection, org_id: str, chat_id: int) -> list[str]:
    """The memories that stood in the prompts of a chat, as they are worded now."""
    rows = connection.execute(
        select(memories.c.summary)
        .join(
            recalls, (recalls.c.org_id == memories.c.org_id) & (recalls.c.memory_id == memories.c.memory_id)
        )
        .join(
            messages,
            (messages.c.org_id == recalls.c.org_id) & (messages.c.message_id == recalls.c.message_id),
        )
        .where(memories.c.org_id == org_id, messages.c.chat_id == chat_id)
        .distinct()
    )
    return [str(row[0]) for row in rows]


_TIMES_SAID = (
    select(func.count())
    .where(memory_sources.c.org_id == memories.c.org_id, memory_sources.c.memory_id == memories.c.memory_id)
    .scalar_subquery()
)


def _mine(org_id: str, user_id: str) -> Select[Any]:
    columns = (
        memories.c.memory_id,
        memories.c.user_id,
        memories.c.project,
        memories.c.chat_id,
        memories.c.summary,
        memories.c.importance,
        memories.c.message_type,
        memories.c.valid_from,
        memories.c.valid_until,
        memories.c.superseded_by,
        memories.c.pinned,
        memories.c.edited,
        _TIMES_SAID,
    )
    return select(*columns).where(memories.c.org_id == org_id, memories.c.user_id == user_id)


def _this(org_id: str, memory_id: int) -> Any:
    return update(memories).where(memories.c.org_id == org_id, memories.c.memory_id == memory_id)


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
        datetime.fromtimestamp(since, UTC),
        None if until is None else datetime.fromtimestamp(until, UTC),
        successor,
        pinned,
        edited,
        max(times_said, 1),
    )
