"""Chats and their messages: truth, verbatim, each in one organization and of one user (SPEC G1)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Select, delete, func, insert, select, update

from bob.core.conversation import Assessment, Chat, ChatMessage, MessageRole, Scope
from bob.storage import jobs
from bob.storage.counters import next_ids
from bob.storage.schema import jobs as queue
from bob.storage.schema_conversations import (
    chats,
    memories,
    memory_sources,
    message_features,
    messages,
    recalls,
    receipts,
)

REMEMBER = "remember"
"""The kind of the job that lets the funnel see a message."""

FORGOTTEN = "[forgotten]"
"""What stands in place of a text that its user wanted forgotten."""


def start(connection: Connection, scope: Scope, name: str | None, title: str, at: datetime) -> Chat:
    """Begin a chat. `name` is unique among a user's chats about a project, or None."""
    (chat_id,) = next_ids(connection, scope.org_id, "chat", 1)
    connection.execute(
        insert(chats).values(
            org_id=scope.org_id,
            chat_id=chat_id,
            user_id=scope.user_id,
            project=scope.project,
            name=name,
            title=title,
            started_at=at.timestamp(),
            last_message_at=at.timestamp(),
        )
    )
    return Chat(chat_id, scope, name, title, at, at)


def at(connection: Connection, org_id: str, user_id: str, chat_id: int) -> Chat | None:
    """A user's chat by its number, None when the user has no such chat."""
    return _one(connection, _chats(org_id, user_id).where(chats.c.chat_id == chat_id), org_id)


def named(connection: Connection, scope: Scope, name: str) -> Chat | None:
    """A user's chat about a project by the name that its client gave it."""
    mine = _chats(scope.org_id, scope.user_id).where(chats.c.project == scope.project, chats.c.name == name)
    return _one(connection, mine, scope.org_id)


def recent(
    connection: Connection,
    org_id: str,
    user_id: str,
    limit: int,
    project: str | None = None,
    before: tuple[datetime, int] | None = None,
) -> list[Chat]:
    """A user's last chats, the one with the newest message first; of one project unless it is None. `before`
    is moment and number of the chat after which the list goes on."""
    asked = _chats(org_id, user_id)
    if project is not None:
        asked = asked.where(chats.c.project == project)
    if before is not None:
        moment, chat_id = before[0].timestamp(), before[1]
        same = (chats.c.last_message_at == moment) & (chats.c.chat_id < chat_id)
        asked = asked.where((chats.c.last_message_at < moment) | same)
    newest = asked.order_by(chats.c.last_message_at.desc(), chats.c.chat_id.desc()).limit(limit)
    return [_chat(org_id, row) for row in connection.execute(newest)]


def rename(connection: Connection, org_id: str, chat_id: int, title: str) -> None:
    """Give a chat a title."""
    connection.execute(_this(org_id, chat_id).values(title=title))


def add(
    connection: Connection, org_id: str, chat_id: int, role: MessageRole, text: str, sent_at: datetime
) -> ChatMessage:
    """Keep a message as it is, and queue the job that lets the funnel see it. Where a clock went back, it is
    as old as the message before it: what was said later never counts as said earlier."""
    newest = connection.execute(
        select(messages.c.sent_at)
        .where(messages.c.org_id == org_id, messages.c.chat_id == chat_id)
        .order_by(messages.c.message_id.desc())
        .limit(1)
    ).scalar()
    if newest is not None and newest > sent_at.timestamp():
        sent_at = datetime.fromtimestamp(newest, sent_at.tzinfo)
    (message_id,) = next_ids(connection, org_id, "message", 1)
    values = {"role": role, "content": text, "sent_at": sent_at.timestamp()}
    connection.execute(
        insert(messages).values(org_id=org_id, message_id=message_id, chat_id=chat_id, **values)
    )
    connection.execute(_this(org_id, chat_id).values(last_message_at=sent_at.timestamp()))
    jobs.add(connection, org_id, REMEMBER, message_id)
    return ChatMessage(message_id, chat_id, role, text, sent_at)


def messages_of(connection: Connection, org_id: str, chat_id: int) -> list[ChatMessage]:
    """All messages of a chat, in the order in which they were sent."""
    rows = connection.execute(_messages(org_id, chat_id).order_by(messages.c.message_id))
    return [_message(row) for row in rows]


def last_messages_of(
    connection: Connection, org_id: str, chat_id: int, most: int, before: int | None = None
) -> list[ChatMessage]:
    """The last messages of a chat, `most` at the most, in the order in which they were sent; of those before
    the message `before`, if it is given."""
    query = _messages(org_id, chat_id).order_by(messages.c.message_id.desc()).limit(most)
    if before is not None:
        query = query.where(messages.c.message_id < before)
    return [_message(row) for row in connection.execute(query)][::-1]


def before(connection: Connection, org_id: str, message_id: int) -> ChatMessage | None:
    """The message before this one in its chat."""
    here = select(messages.c.chat_id).where(messages.c.org_id == org_id, messages.c.message_id == message_id)
    row = connection.execute(
        select(*_MESSAGE)
        .where(
            messages.c.org_id == org_id,
            messages.c.chat_id == here.scalar_subquery(),
            messages.c.message_id < message_id,
        )
        .order_by(messages.c.message_id.desc())
        .limit(1)
    ).first()
    return None if row is None else _message(row)


def messages_at(connection: Connection, org_id: str, message_ids: Sequence[int]) -> dict[int, ChatMessage]:
    """Those of the messages that exist, by number."""
    rows = connection.execute(
        select(*_MESSAGE).where(messages.c.org_id == org_id, messages.c.message_id.in_(list(message_ids)))
    )
    return {row.message_id: _message(row) for row in rows}


def chat_of(connection: Connection, org_id: str, message_id: int) -> Chat | None:
    """The chat that a message belongs to."""
    asked = select(*_CHAT, _COUNT).join(
        messages, (messages.c.org_id == chats.c.org_id) & (messages.c.chat_id == chats.c.chat_id)
    )
    return _one(
        connection, asked.where(chats.c.org_id == org_id, messages.c.message_id == message_id), org_id
    )


def assess(connection: Connection, org_id: str, message_id: int, found: Assessment) -> None:
    """Keep what the funnel made of a message (seed 004: summary, importance, message_type)."""
    connection.execute(
        update(messages)
        .where(messages.c.org_id == org_id, messages.c.message_id == message_id)
        .values(
            summary=found.summary,
            importance=found.importance,
            message_type=found.message_type,
            stopped_by=found.stopped_by,
            judged_by=found.judged_by,
            judge_tokens=found.judge_tokens,
            judge_reason=found.reason,
        )
    )


def said_by(connection: Connection, org_id: str, user_id: str) -> list[ChatMessage]:
    """Every message of a user's chats, replies included, in order."""
    rows = connection.execute(
        select(*_MESSAGE)
        .join(chats, (chats.c.org_id == messages.c.org_id) & (chats.c.chat_id == messages.c.chat_id))
        .where(messages.c.org_id == org_id, chats.c.user_id == user_id)
        .order_by(messages.c.message_id)
    )
    return [_message(row) for row in rows]


def blank(connection: Connection, org_id: str, message_ids: Sequence[int]) -> None:
    """Take the text out of messages, and what was made of it; that they were sent stays known. A chat whose
    title is words of one of them loses it."""
    these = messages.c.org_id == org_id, messages.c.message_id.in_(list(message_ids))
    titled = select(chats.c.chat_id, chats.c.title, messages.c.content).join(
        messages, (messages.c.org_id == chats.c.org_id) & (messages.c.chat_id == chats.c.chat_id)
    )
    for chat_id, title, text in connection.execute(titled.where(*these)).all():
        if title and title.rstrip("…") in " ".join(text.split()):
            rename(connection, org_id, chat_id, FORGOTTEN)
    nothing = {"summary": "", "importance": 0, "message_type": "chat", "judge_reason": ""}
    connection.execute(update(messages).where(*these).values(content=FORGOTTEN, **nothing))
    jobs.drop(connection, org_id, REMEMBER, message_ids)


def remove(connection: Connection, org_id: str, chat_id: int) -> None:
    """Delete a chat with its messages and all that is kept of them. Memories that were made of it belong to
    no chat from now on."""
    mine = select(messages.c.message_id).where(messages.c.org_id == org_id, messages.c.chat_id == chat_id)
    for table in (message_features, memory_sources, recalls, receipts):
        connection.execute(delete(table).where(table.c.org_id == org_id, table.c.message_id.in_(mine)))
    waiting = delete(queue).where(queue.c.org_id == org_id, queue.c.kind == REMEMBER)
    connection.execute(waiting.where(queue.c.subject.in_(mine)))
    made = update(memories).where(memories.c.org_id == org_id, memories.c.chat_id == chat_id)
    connection.execute(made.values(chat_id=None))
    for table in (messages, chats):
        connection.execute(delete(table).where(table.c.org_id == org_id, table.c.chat_id == chat_id))


def funnel_counts(connection: Connection, org_id: str, user_id: str) -> dict[str, int]:
    """How many of a user's messages each layer of the funnel stopped, how many became memories ("kept") or
    were not seen yet ("waiting"), and the tokens that judging cost ("judge_tokens")."""
    rows = connection.execute(
        select(messages.c.stopped_by, messages.c.importance, func.count(), func.sum(messages.c.judge_tokens))
        .join(chats, (chats.c.org_id == messages.c.org_id) & (chats.c.chat_id == messages.c.chat_id))
        .where(messages.c.org_id == org_id, chats.c.user_id == user_id)
        .group_by(messages.c.stopped_by, messages.c.importance)
    )
    found = {"waiting": 0, "heuristics": 0, "recalled": 0, "judge": 0, "kept": 0, "judge_tokens": 0}
    for stopped_by, importance, count, tokens in rows:
        found["waiting" if importance is None else stopped_by or "kept"] += count
        found["judge_tokens"] += tokens or 0
    return found


_CHAT = (
    chats.c.chat_id,
    chats.c.user_id,
    chats.c.project,
    chats.c.name,
    chats.c.title,
    chats.c.started_at,
    chats.c.last_message_at,
)
_COUNT = (
    select(func.count())
    .select_from(messages)
    .where(messages.c.org_id == chats.c.org_id, messages.c.chat_id == chats.c.chat_id)
    .correlate(chats)
    .scalar_subquery()
)
_MESSAGE = (
    messages.c.message_id,
    messages.c.chat_id,
    messages.c.role,
    messages.c.content,
    messages.c.sent_at,
    messages.c.importance,
    messages.c.summary,
    messages.c.message_type,
    messages.c.stopped_by,
    messages.c.judged_by,
    messages.c.judge_tokens,
    messages.c.judge_reason,
)


def _chats(org_id: str, user_id: str) -> Select[Any]:
    return select(*_CHAT, _COUNT).where(chats.c.org_id == org_id, chats.c.user_id == user_id)


def _this(org_id: str, chat_id: int) -> Any:
    return update(chats).where(chats.c.org_id == org_id, chats.c.chat_id == chat_id)


def _one(connection: Connection, asked: Select[Any], org_id: str) -> Chat | None:
    row = connection.execute(asked).first()
    return None if row is None else _chat(org_id, row)


def _chat(org_id: str, row: Any) -> Chat:
    chat_id, user_id, project, name, title, started_at, last_message_at, count = row
    return Chat(
        chat_id,
        Scope(org_id, user_id, project),
        name,
        title,
        datetime.fromtimestamp(started_at, UTC),
        datetime.fromtimestamp(last_message_at, UTC),
        count,
    )


def _messages(org_id: str, chat_id: int) -> Select[Any]:
    return select(*_MESSAGE).where(messages.c.org_id == org_id, messages.c.chat_id == chat_id)


def _message(row: Any) -> ChatMessage:
    message_id, chat_id, role, text, sent_at, importance, summary, kind, *rest = row
    stopped_by, judged_by, tokens, reason = rest
    found = None
    if importance is not None:
        found = Assessment(importance, summary, kind, stopped_by, judged_by, tokens or 0, reason or "")
    return ChatMessage(message_id, chat_id, role, text, datetime.fromtimestamp(sent_at, UTC), found)
