"""Takes what was said elsewhere into a chat, word for word; the funnel decides later what to remember."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from bob.conversations import rows
from bob.conversations.history_diff import resent
from bob.conversations.transcript import Said, read_transcript
from bob.core.conversation import Chat, Scope, title_of
from bob.storage.database import Database


@dataclass(frozen=True, slots=True)
class Taken:
    """The chat, how many messages it got, and how many of the transcript it had already; `unreadable` counts
    lines of the transcript that are none."""

    chat: Chat
    added: int
    known: int
    unreadable: int = 0

    def to_json(self) -> dict[str, Any]:
        """What was taken as JSON."""
        return {
            "chat_id": self.chat.chat_id,
            "name": self.chat.name,
            "added": self.added,
            "known": self.known,
            "unreadable": self.unreadable,
        }


class TakeTranscript:
    """Keeps transcripts as chats."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    def read(self, scope: Scope, name: str, text: str) -> Taken:
        """As `run`, of a transcript as a file has it: JSON lines, or "User:" and "Assistant:"."""
        transcript = read_transcript(text)
        return replace(self.run(scope, name, transcript.messages), unreadable=transcript.unreadable)

    def run(self, scope: Scope, name: str, said: Sequence[Said]) -> Taken:
        """Add to the chat of that name what it does not have yet: of a transcript that has grown, its end."""
        now = self._clock()
        with self._database.write() as connection:
            chat = rows.named(connection, scope, name)
            if chat is None:
                first = next((each.text for each in said if each.role == "user"), "")
                chat = rows.start(connection, scope, name, title_of(first), now)
            known = resent(rows.messages_of(connection, scope.org_id, chat.chat_id), said)
            for each in said[known:]:
                sent_at = min(each.sent_at or now, now)
                rows.add(connection, scope.org_id, chat.chat_id, each.role, each.text, sent_at)
        return Taken(chat, len(said) - known, known)
