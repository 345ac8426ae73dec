"""Chats and their messages: truth, verbatim, each in one organization and of one user (SPEC G1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from bob.core.conversation import Assessment, Chat, ChatMessage, MessageRole, Scope
from bob.storage import jobs
from bob.storage.database import Transaction

REMEMBER = "remember"
"""The kind of the job that lets the funnel see a message."""

FORGOTTEN = "[forgotten]"
"""What stands in place of a text that its user wanted forgotten."""


_CHAT = """
SELECT c.chat_id, c.user_id, c.project, c.name, c.title, c.started_at, c.last_message_at,
    (SELECT count(*) FROM messages n WHERE n.org_id = :org AND n.chat_id = c.chat_id)
FROM chats c
"""
_MESSAGE = """
SELECT m.message_id, m.chat_id, m.role, m.content, m.sent_at, m.importance, m.summary, m.message_type,
    m.stopped_by, m.judged_by, m.judge_tokens, m.judge_reason
FROM messages m
"""


def start(transaction: Transaction, scope: Scope, name: str | None, title: str, moment: datetime) -> Chat:
    """Begin a chat. `name` is unique among a user's chats about a project, or None."""
    (chat_id,) = transaction.take_ids("chat", 1)
    transaction.insert(
        "chats",
        {
            "chat_id": chat_id,
            "user_id": scope.user_id,
            "project": scope.project,
            "name": name,
            "title": title,
            "started_at": moment.timestamp(),
            "last_message_at": moment.timestamp(),
        },
    )
    return Chat(chat_id, scope, name, title, moment, moment)


def by_id(transaction: Transaction, user_id: str, chat_id: int) -> Chat | None:
    """A user's chat by its number, None when the user has no such chat."""
    mine = f"{_CHAT} WHERE c.org_id = :org AND c.user_id = :user_id AND c.chat_id = :chat_id"
    return _one(transaction, mine, {"user_id": user_id, "chat_id": chat_id})


def named(transaction: Transaction, scope: Scope, name: str) -> Chat | None:
    """A user's chat about a project by the name that its client gave it."""
    mine = (
        f"{_CHAT} WHERE c.org_id = :org AND c.user_id = :user_id AND c.project = :project AND c.name = :name"
    )
    return _one(transaction, mine, {"user_id": scope.user_id, "project": scope.project, "name": name})


def recent(
    transaction: Transaction,
    user_id: str,
    limit: int,
    project: str | None = None,
    before: tuple[datetime, int] | None = None,
) -> list[Chat]:
    """A user's last chats, the one with the newest message first; of one project unless it is None. `before`
    is moment and number of the chat after which the list goes on."""
    values: dict[str, Any] = {"user_id": user_id, "project": project, "limit": limit}
    conditions = ["c.org_id = :org", "c.user_id = :user_id"]
    if project is not None:
        conditions.append("c.project = :project")
    if before is not None:
        values |= {"moment": before[0].timestamp(), "chat_id": before[1]}
        conditions.append(
            "(c.last_message_at < :moment OR c.last_message_at = :moment AND c.chat_id < :chat_id)"
        )
    rows = transaction.execute(
        f"{_CHAT} WHERE {' AND '.join(conditions)}"
        " ORDER BY c.last_message_at DESC, c.chat_id DESC LIMIT :limit",
        values,
    )
    return [_chat(transaction.org_id, row) for row in rows]


def rename(transaction: Transaction, chat_id: int, title: str) -> None:
    """Give a chat a title."""
    transaction.update("chats", {"chat_id": chat_id}, {"title": title})


def add(
    transaction: Transaction, chat_id: int, role: MessageRole, text: str, sent_at: datetime
) -> ChatMessage:
    """Keep a message as it is, and queue the job that lets the funnel see it. Where a clock went back, it is
    as old as the message before it: what was said later never counts as said earlier."""
    newest = transaction.execute(
        "SELECT sent_at FROM messages WHERE org_id = :org AND chat_id = :chat_id"
        " ORDER BY message_id DESC LIMIT 1",
        {"chat_id": chat_id},
    ).fetchone()
    if newest is not None and newest[0] > sent_at.timestamp():
        sent_at = datetime.fromtimestamp(newest[0], sent_at.tzinfo)
    (message_id,) = transaction.take_ids("message", 1)
    transaction.insert(
        "messages",
        {
            "message_id": message_id,
            "chat_id": chat_id,
            "role": role,
            "content": text,
            "sent_at": sent_at.timestamp(),
        },
    )
    transaction.update("chats", {"chat_id": chat_id}, {"last_message_at": sent_at.timestamp()})
    jobs.add(transaction, REMEMBER, message_id)
    return ChatMessage(message_id, chat_id, role, text, sent_at)


def messages_of(transaction: Transaction, chat_id: int) -> list[ChatMessage]:
    """All messages of a chat, in the order in which they were sent."""
    rows = transaction.execute(
        f"{_MESSAGE} WHERE m.org_id = :org AND m.chat_id = :chat_id ORDER BY m.message_id",
        {"chat_id": chat_id},
    )
    return [_message(row) for row in rows]


def last_messages_of(
    transaction: Transaction, chat_id: int, most: int, before: int | None = None
) -> list[ChatMessage]:
    """The last messages of a chat, `most` at the most, in the order in which they were sent; of those before
    the message `before`, if it is given."""
    earlier = "" if before is None else "AND m.message_id < :before"
    rows = transaction.execute(
        f"{_MESSAGE} WHERE m.org_id = :org AND m.chat_id = :chat_id {earlier}"
        " ORDER BY m.message_id DESC LIMIT :most",
        {"chat_id": chat_id, "most": most, "before": before},
    )
    return [_message(row) for row in rows][::-1]


def before(transaction: Transaction, message_id: int) -> ChatMessage | None:
    """The message before this one in its chat."""
    row = transaction.execute(
        f"{_MESSAGE} WHERE m.org_id = :org AND m.message_id < :message_id AND m.chat_id ="
        " (SELECT chat_id FROM messages WHERE org_id = :org AND message_id = :message_id)"
        " ORDER BY m.message_id DESC LIMIT 1",
        {"message_id": message_id},
    ).fetchone()
    return None if row is None else _message(row)


def messages_at(transaction: Transaction, message_ids: Sequence[int]) -> dict[int, ChatMessage]:
    """Those of the messages that exist, by number."""
    rows = transaction.execute(
        f"{_MESSAGE} WHERE m.org_id = :org AND m.message_id IN :ids", {"ids": message_ids}
    )
    return {row[0]: _message(row) for row in rows}


def chat_of(transaction: Transaction, message_id: int) -> Chat | None:
    """The chat that a message belongs to."""
    query_values = (
        f"{_CHAT} JOIN messages m ON m.org_id = :org AND m.chat_id = c.chat_id"
        " WHERE c.org_id = :org AND m.message_id = :message_id"
    )
    return _one(transaction, query_values, {"message_id": message_id})


def assess(transaction: Transaction, message_id: int, assessment: Assessment) -> None:
    """Keep what the funnel made of a message (seed 004: summary, importance, message_type)."""
    transaction.update(
        "messages",
        {"message_id": message_id},
        {
            "summary": assessment.summary,
            "importance": assessment.importance,
            "message_type": assessment.message_type,
            "stopped_by": assessment.stopped_by,
            "judged_by": assessment.judged_by,
            "judge_tokens": assessment.judge_tokens,
            "judge_reason": assessment.reason,
        },
    )


def said_by(transaction: Transaction, user_id: str) -> list[ChatMessage]:
    """Every message of a user's chats, replies included, in order."""
    rows = transaction.execute(
        f"{_MESSAGE} JOIN chats c ON c.org_id = :org AND c.chat_id = m.chat_id"
        " WHERE m.org_id = :org AND c.user_id = :user_id ORDER BY m.message_id",
        {"user_id": user_id},
    )
    return [_message(row) for row in rows]


def blank(transaction: Transaction, message_ids: Sequence[int]) -> None:
    """Take the text out of messages, and what was made of it; that they were sent stays known. A chat whose
    title is words of one of them loses it."""
    these = {"ids": message_ids, "forgotten": FORGOTTEN}
    titled = transaction.execute(
        "SELECT c.chat_id, c.title, m.content FROM chats c"
        " JOIN messages m ON m.org_id = :org AND m.chat_id = c.chat_id"
        " WHERE c.org_id = :org AND m.message_id IN :ids",
        these,
    ).fetchall()
    for chat_id, title, text in titled:
        if title and title.rstrip("…") in " ".join(text.split()):
            rename(transaction, chat_id, FORGOTTEN)
    transaction.execute(
        "UPDATE messages SET content = :forgotten, summary = '', importance = 0, message_type = 'chat',"
        " judge_reason = '' WHERE org_id = :org AND message_id IN :ids",
        these,
    )
    jobs.drop(transaction, REMEMBER, message_ids)


def remove(transaction: Transaction, chat_id: int) -> None:
    """Delete a chat with its messages and all that is kept of them. Memories that were made of it belong to
    no chat from now on."""
    this = {"chat_id": chat_id, "kind": REMEMBER}
    mine = "(SELECT message_id FROM messages WHERE org_id = :org AND chat_id = :chat_id)"
    for table in ("message_features", "memory_sources", "recalls", "receipts"):
        transaction.execute(f"DELETE FROM {table} WHERE org_id = :org AND message_id IN {mine}", this)
    transaction.execute(f"DELETE FROM jobs WHERE org_id = :org AND kind = :kind AND subject IN {mine}", this)
    transaction.update("memories", {"chat_id": chat_id}, {"chat_id": None})
    for table in ("messages", "chats"):
        transaction.execute(f"DELETE FROM {table} WHERE org_id = :org AND chat_id = :chat_id", this)


def funnel_counts(transaction: Transaction, user_id: str) -> dict[str, int]:
    """How many of a user's messages each layer of the funnel stopped, how many became memories ("kept") or
    were not seen yet ("waiting"), and the tokens that judging cost ("judge_tokens")."""
    rows = transaction.execute(
        "SELECT m.stopped_by, m.importance, count(*), sum(m.judge_tokens) FROM messages m"
        " JOIN chats c ON c.org_id = :org AND c.chat_id = m.chat_id"
        " WHERE m.org_id = :org AND c.user_id = :user_id GROUP BY m.stopped_by, m.importance",
        {"user_id": user_id},
    )
    counts = {"waiting": 0, "heuristics": 0, "recalled": 0, "judge": 0, "kept": 0, "judge_tokens": 0}
    for stopped_by, importance, count, tokens in rows:
        counts["waiting" if importance is None else stopped_by or "kept"] += count
        counts["judge_tokens"] += int(tokens or 0)
    return counts


def _one(transaction: Transaction, condition: str, values: Mapping[str, Any]) -> Chat | None:
    row = transaction.execute(condition, values).fetchone()
    return None if row is None else _chat(transaction.org_id, row)


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


def _message(row: Any) -> ChatMessage:
    message_id, chat_id, role, text, sent_at, importance, summary, kind, *rest = row
    stopped_by, judged_by, tokens, reason = rest
    assessment = None
    if importance is not None:
        assessment = Assessment(importance, summary, kind, stopped_by, judged_by, tokens or 0, reason or "")
    return ChatMessage(message_id, chat_id, role, text, datetime.fromtimestamp(sent_at, UTC), assessment)
