"""Reads what was said from the transcripts that clients keep: JSON lines, or plain text.

A line of JSON is a message with `role` and `content`, or `from` and `value`, or one with these inside
`message`, as Claude Code keeps them. Words of the person and of the model are taken as they are; calls of
tools with their results, what the model thinks, and what a client puts into the person's mouth are not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

from bob.conversations import rows
from bob.conversations.rows import FORGOTTEN
from bob.core.conversation import Chat, ChatMessage, MessageRole, Scope, title_of
from bob.core.moments import written_moment
from bob.storage.database import Database

_ROLES: dict[str, MessageRole] = {
    "user": "user",
    "human": "user",
    "you": "user",
    "me": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "agent": "assistant",
    "model": "assistant",
    "bot": "assistant",
}
_SPEAKER = re.compile(rf"^\W{{0,4}}({'|'.join(_ROLES)})\W{{0,3}}:\W{{0,3}}(?:\s+|$)", re.IGNORECASE)
"""`User:` at the beginning of a line, also with Markdown's marks around it."""

_IN_JSON = _ROLES | {"gpt": "assistant", "chatgpt": "assistant"}
_TYPES = ("user", "human", "assistant", "ai")
"""What the `type` of a record says of who speaks; other types are no messages."""

_NOT_SAID = ("isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage")
"""Marks of lines that a client wrote itself, or that were said to another model."""

_CLIENTS_OWN = re.compile(r"\s*<(?:command-|local-command-|bash-|system-reminder|task-notification)")


@dataclass(frozen=True, slots=True)
class Said:
    """A message of a transcript, word for word; `sent_at` is None where the transcript does not say."""

    role: MessageRole
    text: str
    sent_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """The messages in order, and how many lines could not be read, such as one that is being written."""

    messages: tuple[Said, ...]
    unreadable: int = 0


def read_transcript(text: str) -> Transcript:
    """The messages of a transcript. Plain text without a speaker's name is one message of the user's."""
    if text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        records = list(_records(text.lstrip("\ufeff")))
        if any(record is not None for record in records):
            messages = tuple(one for record in records if record is not None for one in _said(record))
            return Transcript(messages, sum(record is None for record in records))
    return Transcript(tuple(_spoken(text)))


def _records(text: str) -> Iterator[Mapping[str, Any] | None]:
    """Each object of a JSON array or of JSON lines; None for what is no object."""
    whole = _loaded(text)
    if isinstance(whole, dict):
        lists = (whole[name] for name in ("messages", "conversations") if isinstance(whole.get(name), list))
        whole = next(lists, whole)
    values = whole if isinstance(whole, list) else map(_loaded, filter(str.strip, text.split("\n")))
    for value in values:
        yield value if isinstance(value, dict) else None


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _said(record: Mapping[str, Any]) -> Iterator[Said]:
    inner = record.get("message")
    message = inner if isinstance(inner, dict) else record
    role = _role(message, record)
    if role is None or any(record.get(key) for key in _NOT_SAID):
        return
    text = _text(message.get("content") or message.get("value"))
    if text.strip() and not (role == "user" and _CLIENTS_OWN.match(text)):
        sent_at = record.get("timestamp") or message.get("timestamp")
        yield Said(role, text, written_moment(sent_at) if isinstance(sent_at, str) else None)


def _role(message: Mapping[str, Any], record: Mapping[str, Any]) -> MessageRole | None:
    name = message.get("role") or message.get("from")
    if not name and record.get("type") in _TYPES:
        name = record["type"]
    return _IN_JSON.get(name.lower()) if isinstance(name, str) else None


def _text(content: Any) -> str:
    """The words of a message's content: a text, or blocks of which some are text."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = (block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text")
    return "\n\n".join(text for text in texts if isinstance(text, str) and not _CLIENTS_OWN.match(text))


def _spoken(text: str) -> Iterator[Said]:
    role: MessageRole = "user"
    lines: list[str] = []
    for line in [*text.split("\n"), None]:
        speaker = None if line is None else _SPEAKER.match(line)
        if line is None or speaker:
            words = "\n".join(lines).strip()
            if words:
                yield Said(role, words)
            lines = []
        if line is not None and speaker:
            role = _ROLES[speaker[1].lower()]
            lines = [line[speaker.end() :]]
        else:
            lines.append(line or "")


class Sent(Protocol):
    """A message as a client sends it."""

    @property
    def role(self) -> str:
        """Who said it."""

    @property
    def text(self) -> str:
        """The words."""


def resent(messages: Sequence[ChatMessage], words: Sequence[Sent], *, just_said: int = 0) -> int:
    """How many of the messages at the beginning of `words` the chat has already.

    A chat keeps what was said before an edit or a second try, so a client's history may leave out some of
    its messages; but it has them in the same order. From the first that is not there all are new. Blanks at
    the ends do not count: some clients trim what they send back. A message that its user had forgotten is
    taken for what stands in its place: its words must not come back by being sent again. Only the last
    `just_said` words are new in any case where they are not kept.
    """
    start = 0
    for n, sent in enumerate(words):
        match = next(
            (position for position in range(start, len(messages)) if _same(messages[position], sent)), None
        )
        again = n < len(words) - just_said
        if match is None and again and start < len(messages) and _forgotten(messages[start], sent):
            match = start
        if match is None:
            return n
        start = match + 1
    return len(words)


def _same(message: ChatMessage, sent: Sent) -> bool:
    return message.role == sent.role and message.text.strip() == sent.text.strip()


def _forgotten(message: ChatMessage, sent: Sent) -> bool:
    return message.role == sent.role and message.text == FORGOTTEN


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


class ImportTranscript:
    """Keeps transcripts as chats."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    def read(self, scope: Scope, name: str, text: str) -> Taken:
        """As `run`, of a transcript as a file has it: JSON lines, or "User:" and "Assistant:"."""
        transcript = read_transcript(text)
        return replace(
            self.import_transcript(scope, name, transcript.messages), unreadable=transcript.unreadable
        )

    def import_transcript(self, scope: Scope, name: str, messages: Sequence[Said]) -> Taken:
        """Add to the chat of that name what it does not have yet: of a transcript that has grown, its end."""
        now = self._clock()
        with self._database.write() as transaction:
            chat = rows.named(transaction, scope, name)
            if chat is None:
                first = next((message.text for message in messages if message.role == "user"), "")
                chat = rows.start(transaction, scope, name, title_of(first), now)
            kept_count = resent(rows.messages_of(transaction, chat.chat_id), messages)
            for message in messages[kept_count:]:
                sent_at = min(message.sent_at or now, now)
                rows.add(transaction, chat.chat_id, message.role, message.text, sent_at)
        return Taken(chat, len(messages) - kept_count, kept_count)
