"""Deletes a chat word for word; the plan says first what goes and what stays (SPEC G6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bob.conversations import memory_rows, rows
from bob.core.conversation import Chat, Memory
from bob.core.errors import NotFoundError
from bob.storage.database import Database
from bob.storage.idempotency import forget_answers


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
            "memories_made_of_it": [each.to_json() for each in self.memories],
            "with_memories": self.with_memories,
        }


class DeleteChat:
    """Deletes chats of one organization's users."""

    def __init__(self, database: Database, org_id: str) -> None:
        self._database = database
        self._org_id = org_id

    def plan(self, user_id: str, chat_id: int, *, with_memories: bool) -> DeletePlan:
        """What deleting this chat takes away. Raises NotFoundError: the user has no such chat."""
        with self._database.read() as connection:
            chat = rows.at(connection, self._org_id, user_id, chat_id)
            if chat is None:
                raise NotFoundError(f"there is no chat {chat_id}; bob chats list shows those that there are")
            made = memory_rows.of_chat(connection, self._org_id, user_id, chat_id)
        return DeletePlan(chat, tuple(made), with_memories)

    def run(self, plan: DeletePlan) -> None:
        """Carry out a plan. What is deleted is overwritten, in the log too: no byte of it stays in a file."""
        with self._database.write() as connection:
            if plan.with_memories:
                memory_rows.remove(connection, self._org_id, [each.memory_id for each in plan.memories])
            rows.remove(connection, self._org_id, plan.chat.chat_id)
            forget_answers(connection, self._org_id, plan.chat.scope.user_id)
        self._database.truncate_log()
