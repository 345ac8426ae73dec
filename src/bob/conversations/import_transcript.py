"""Takes what was said elsewhere into a chat, word for word, without what the chat has already."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

from bob.conversations import rows
from bob.conversations.rows import FORGOTTEN
from bob.conversations.transcript import Said, read_transcript
from bob.core.conversation import Chat, ChatMessage, Scope, title_of
from bob.storage.database import Database


class Sent(Protocol):
    """A message as a client sends it."""

    @property
    def role(self) -> str:
        """Who said it."""

    @property
    def text(self) -> str:
        """The words."""


def resent(kept: Sequence[ChatMessage], words: Sequence[Sent], *, just_said: int = 0) -> int:
    """How many of the messages at the beginning of `words` the chat has already.

    A chat keeps what was said before an edit or a second try, so a client's history may leave out some of
    its messages; but it has them in the same order. From the first that is not there all are new. Blanks at
    the ends do not count: some clients trim what they send back. A message that its user had forgotten is
    taken for what stands in its place: its words must not come back by being sent again. Only the last
    `just_said` words are new in any case where they are not kept.
    """
    at = 0
    for n, each in enumerate(words):
        found = next((place for place in range(at, len(kept)) if _same(kept[place], each)), None)
        again = n < len(words) - just_said
        if found is None and again and at < len(kept) and _forgotten(kept[at], each):
            found = at
        if found is None:
            return n
        at = found + 1
    return len(words)


def _same(kept: ChatMessage, sent: Sent) -> bool:
    return kept.role == sent.role and kept.text.strip() == sent.text.strip()


def _forgotten(kept: ChatMessage, sent: Sent) -> bool:
    return kept.role == sent.role and kept.text == FORGOTTEN


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
