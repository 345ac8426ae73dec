"""An assistant's conversations: each is pinned to its organization and user, whatever a request says."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

from bob.core.errors import NotFoundError
from bob.core.prompt import Message
from bob.storage.database import Database
from bob.work import rows, thread_rows
from bob.work.assist import Assist
from bob.work.assist_values import Assistance
from bob.work.items import is_number
from bob.work.thread_rows import Thread
from bob.work.values import clean_text

_MESSAGES_READ = 8
"""Of what was said before, the assistant reads so much."""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What a thread may be called; nothing else is worth a look."""


class AssistThreads:
    """The threads of one organization. `new_id` gives names that nobody guesses."""

    def __init__(
        self,
        database: Database,
        assist: Assist,
        new_id: Callable[[], str],
        clock: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._assist = assist
        self._new_id = new_id
        self._clock = clock

    def answer_in_thread(
        self, user_id: str, message: str, thread_id: str | None = None, work_item_id: int | None = None
    ) -> tuple[str, Assistance]:
        """Answer a message in a thread, or in a new one (about `work_item_id`, if there is one); the thread's
        id, and the answer.

        Raises:
            NotFoundError: the user has no such thread in this organization, or there is no such item.
            RequestError: the message is empty or too long.
        """
        message = clean_text(message)
        messages: list[Message] = []
        if thread_id is None:
            self._check_item(work_item_id)
            thread = Thread(self._new_id(), user_id, work_item_id)
        else:
            thread = self.find(user_id, thread_id)
            with self._database.read() as transaction:
                before = thread_rows.last(transaction, thread_id, _MESSAGES_READ)
            messages = [
                Message("assistant" if role == "assistant" else "user", text) for role, text in before
            ]
        assistance = self._assist.answer_message(message, messages, thread.work_item_id)
        now = self._clock().timestamp()
        with self._database.write() as transaction:
            if thread_id is None:
                thread_rows.start(transaction, thread, now)
            thread_rows.add(
                transaction,
                thread.thread_id,
                [("user", message), ("assistant", assistance.reply)],
                now,
            )
        return thread.thread_id, assistance

    def find(self, user_id: str, thread_id: str) -> Thread:
        """The user's thread. Raises NotFoundError."""
        assistance = None
        if _NAME.fullmatch(thread_id):
            with self._database.read() as transaction:
                assistance = thread_rows.of_user(transaction, user_id, thread_id)
        if assistance is None:
            raise NotFoundError("no such thread")
        return assistance

    def _check_item(self, work_item_id: int | None) -> None:
        if work_item_id is None:
            return
        with self._database.read() as transaction:
            is_id = is_number(work_item_id)
            if not is_id or rows.by_id(transaction, work_item_id) is None:
                raise NotFoundError(f"no work item {work_item_id}")
