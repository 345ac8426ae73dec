"""Starts, finds, lists and deletes a user's chats (SPEC G1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from bob.conversations import memory_rows, receipt_rows, rows
from bob.core.conversation import Chat, ChatMessage, Memory, Scope
from bob.core.errors import NotFoundError
from bob.documents import source_rows
from bob.documents.project_text import projects_of
from bob.storage.database import Database, Transaction
from bob.storage.idempotency import forget_answers
from bob.storage.paths import absolute


class Conversations:
    """The chats of one organization; each call names the user."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def start(self, scope: Scope, moment: datetime, name: str | None = None) -> Chat:
        """Begin a chat."""
        with self._database.write() as transaction:
            return rows.start(transaction, scope, name, "", moment)

    def named(self, scope: Scope, name: str, moment: datetime) -> Chat:
        """The chat that a client calls `name`; it begins when there is none."""
        with self._database.write() as transaction:
            chat = rows.named(transaction, scope, name)
            return chat or rows.start(transaction, scope, name, "", moment)

    def at(self, user_id: str, chat_id: int) -> Chat:
        """A user's chat. Raises NotFoundError: there is none of that number."""
        with self._database.read() as transaction:
            return _chat(transaction, user_id, chat_id)

    def recent(
        self,
        user_id: str,
        limit: int,
        project: str | None = None,
        before: tuple[datetime, int] | None = None,
    ) -> list[Chat]:
        """A user's last chats, newest first; of one project unless it is None, and after the chat of this
        moment and number if there is one."""
        with self._database.read() as transaction:
            return rows.recent(transaction, user_id, limit, project, before)

    def messages(self, chat: Chat) -> list[ChatMessage]:
        """All messages of a chat, in order, with the places that its replies cite."""
        with self._database.read() as transaction:
            messages = rows.messages_of(transaction, chat.chat_id)
            return self._with_sources(transaction, chat, messages)

    def last_messages(
        self, chat: Chat, most: int, before: int | None = None
    ) -> tuple[list[ChatMessage], int | None]:
        """The last messages of a chat, `most` at the most, or the last before the message `before`; and what
        `before` has to be for those that come before them, None where they are the first."""
        with self._database.read() as transaction:
            messages = rows.last_messages_of(transaction, chat.chat_id, most + 1, before)
            shown = self._with_sources(transaction, chat, messages[-most:])
        return shown, shown[0].message_id if len(messages) > most else None

    def _with_sources(
        self, transaction: Transaction, chat: Chat, messages: Sequence[ChatMessage]
    ) -> list[ChatMessage]:
        cited = receipt_rows.cited(transaction, chat.chat_id, [message.message_id for message in messages])
        return [replace(message, sources=cited.get(message.message_id, ())) for message in messages]

    def projects(self) -> list[str]:
        """The projects that have documents, by name."""
        with self._database.read() as transaction:
            return projects_of(transaction)

    def project(self, name: str) -> str:
        """The project of that name as it is written where its documents were indexed.

        Raises NotFoundError: no document belongs to it.
        """
        projects = self.projects()
        for project in projects:
            if project.lower() == name.lower():
                return project
        listed = (
            f"there are: {', '.join(projects)}" if projects else "nothing is indexed yet (bob index FOLDER)"
        )
        raise NotFoundError(
            f"no document belongs to a project {name!r}; {listed}."
            " What was remembered in it: bob memories search WORDS --project NAME"
        )

    def project_at(self, folder: Path) -> str:
        """The project of the nearest indexed folder that holds this one; else that of what is indexed below
        it, if it is one; else ""."""
        here = str(absolute(folder))
        with self._database.read() as transaction:
            found = source_rows.project_of(transaction, here)
            indexed = source_rows.every(transaction)
        if found is not None:
            return found
        inside = {project for path, project in indexed if Path(here) in Path(path).parents}
        return inside.pop() if len(inside) == 1 else ""


def _chat(transaction: Transaction, user_id: str, chat_id: int) -> Chat:
    chat = rows.by_id(transaction, user_id, chat_id)
    if chat is None:
        raise NotFoundError(f"no chat {chat_id}; list the chats with bob chats list")
    return chat


@dataclass(frozen=True, slots=True)
class DeletePlan:
    """What would be deleted: the chat with its messages, and with `with_memories` the memories that only its
    messages said; without, these stay."""

    chat: Chat
    memories: tuple[Memory, ...]
    with_memories: bool

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "chat": self.chat.to_json(),
            "memories_made_of_it": [memory.to_json() for memory in self.memories],
            "with_memories": self.with_memories,
        }


class DeleteChat:
    """Deletes chats of one organization's users."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def plan(self, user_id: str, chat_id: int, *, with_memories: bool) -> DeletePlan:
        """What deleting this chat takes away. Raises NotFoundError: the user has no such chat."""
        with self._database.read() as transaction:
            chat = _chat(transaction, user_id, chat_id)
            made = memory_rows.of_chat(transaction, user_id, chat_id)
        return DeletePlan(chat, tuple(made), with_memories)

    def delete_chat(self, plan: DeletePlan) -> None:
        """Carry out a plan. What is deleted is overwritten, in the log too: no byte of it stays in a file."""
        with self._database.write() as transaction:
            if plan.with_memories:
                memory_rows.remove(transaction, [memory.memory_id for memory in plan.memories])
            rows.remove(transaction, plan.chat.chat_id)
            forget_answers(transaction, plan.chat.scope.user_id)
        self._database.truncate_log()
