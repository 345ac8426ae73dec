"""Threads of an assistant: each belongs to one user of one organization, and stays there (seed 001)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bob.storage.database import Transaction


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation with the assistant; about one item, or about all of them."""

    thread_id: str
    user_id: str
    work_item_id: int | None


def start(transaction: Transaction, thread: Thread, seconds: float) -> None:
    """Begin a thread."""
    transaction.insert(
        "threads",
        {
            "thread_id": thread.thread_id,
            "user_id": thread.user_id,
            "work_item_id": thread.work_item_id,
            "started_at": seconds,
        },
    )


def of_user(transaction: Transaction, user_id: str, thread_id: str) -> Thread | None:
    """The thread, if it is this user's in this organization."""
    row = transaction.execute(
        "SELECT thread_id, user_id, work_item_id FROM threads"
        " WHERE org_id = :org AND thread_id = :thread_id AND user_id = :user_id",
        {"thread_id": thread_id, "user_id": user_id},
    ).fetchone()
    return None if row is None else Thread(*row)


def add(
    transaction: Transaction, thread_id: str, messages: Sequence[tuple[str, str]], seconds: float
) -> None:
    """Keep messages: who said each (user or assistant), and what."""
    ids = transaction.take_ids("thread_message", len(messages))
    transaction.insert(
        "thread_messages",
        *(
            {"message_id": number, "thread_id": thread_id, "role": role, "content": content, "at": seconds}
            for number, (role, content) in zip(ids, messages, strict=True)
        ),
    )


def last(transaction: Transaction, thread_id: str, most: int) -> list[tuple[str, str]]:
    """The last messages of a thread in the order in which they were said."""
    rows = transaction.execute(
        "SELECT role, content FROM thread_messages WHERE org_id = :org AND thread_id = :thread_id"
        " ORDER BY message_id DESC LIMIT :most",
        {"thread_id": thread_id, "most": most},
    ).fetchall()
    return [(str(role), str(content)) for role, content in reversed(rows)]
