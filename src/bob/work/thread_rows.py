"""Threads of an assistant: each belongs to one user of one organization, and stays there (seed 001)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select

from bob.storage.counters import next_ids
from bob.storage.schema_team import thread_messages, threads


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation with the assistant; about one item, or about all of them."""

    thread_id: str
    user_id: str
    work_item_id: int | None


def start(connection: Connection, org_id: str, thread: Thread, at: float) -> None:
    """Begin a thread."""
    connection.execute(
        insert(threads).values(
            org_id=org_id,
            thread_id=thread.thread_id,
            user_id=thread.user_id,
            work_item_id=thread.work_item_id,
            started_at=at,
        )
    )


def of_user(connection: Connection, org_id: str, user_id: str, thread_id: str) -> Thread | None:
    """The thread, if it is this user's in this organization."""
    row = connection.execute(
        select(threads.c.thread_id, threads.c.user_id, threads.c.work_item_id).where(
            threads.c.org_id == org_id, threads.c.thread_id == thread_id, threads.c.user_id == user_id
        )
    ).first()
    return None if row is None else Thread(*row)


def add(
    connection: Connection, org_id: str, thread_id: str, said: Sequence[tuple[str, str]], at: float
) -> None:
    """Keep messages: who said each (user or assistant), and what."""
    ids = next_ids(connection, org_id, "thread_message", len(said))
    connection.execute(
        insert(thread_messages),
        [
            {
                "org_id": org_id,
                "message_id": number,
                "thread_id": thread_id,
                "role": role,
                "content": content,
                "at": at,
            }
            for number, (role, content) in zip(ids, said, strict=True)
        ],
    )


def last(connection: Connection, org_id: str, thread_id: str, most: int) -> list[tuple[str, str]]:
    """The last messages of a thread in the order in which they were said."""
    rows = connection.execute(
        select(thread_messages.c.role, thread_messages.c.content)
        .where(thread_messages.c.org_id == org_id, thread_messages.c.thread_id == thread_id)
        .order_by(thread_messages.c.message_id.desc())
        .limit(most)
    ).all()
    return [(str(role), str(content)) for role, content in reversed(rows)]
