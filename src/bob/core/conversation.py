"""What was said: chats, their messages, and the memories that were made of them (SPEC G)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from bob.core.locator import CitedPlace

MessageRole = Literal["user", "assistant"]

MessageType = Literal["chat", "code", "decision", "preference", "fact"]
"""What a message is, as the judge classifies it (seed 004)."""

FunnelLayer = Literal["heuristics", "recalled", "judge"]
"""Where a message was stopped: by rules that cost nothing, as text that Bob had put into the prompt, or
by the judge, who found it trivial."""

_TITLE_CHARACTERS = 60

LEAST_CONTEXT, LEAST_CRITICAL = 31, 71
"""Importance is 0 (trivial, no memory), 1 to 30 (temporary), 31 to 70 (context), 71 to 100 (critical)."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose words these are. Nothing crosses an organization or a user; `project` is "" outside of all."""

    org_id: str
    user_id: str
    project: str = ""


@dataclass(frozen=True, slots=True)
class Chat:
    """A conversation of one user, about one project or none. `name` is what its client calls it."""

    chat_id: int
    scope: Scope
    name: str | None
    title: str
    started_at: datetime
    last_message_at: datetime
    messages: int = 0

    def to_json(self) -> dict[str, Any]:
        """The chat as JSON."""
        return {
            "chat_id": self.chat_id,
            "project": self.scope.project,
            "name": self.name,
            "title": self.title,
            "messages": self.messages,
            "started_at": moment(self.started_at),
            "last_message_at": moment(self.last_message_at),
        }


@dataclass(frozen=True, slots=True)
class Assessment:
    """What the funnel made of a message.

    `importance` is 0 to 100; `summary` is one sentence, empty when the message is trivial. `stopped_by` names
    the layer that ended it, None when it became a memory. `judged_by` is `rules` or a language model's name,
    `judge_tokens` what that model was paid for, in and out. `further` is what else the message says that
    makes a memory of its own.
    """

    importance: int
    summary: str
    message_type: MessageType
    stopped_by: FunnelLayer | None
    judged_by: str | None = None
    judge_tokens: int = 0
    reason: str = ""
    further: tuple[Assessment, ...] = ()


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message as it was sent, verbatim; `assessment` is None until the funnel has seen it. `sources` are
    where the numbers of a reply lead."""

    message_id: int
    chat_id: int
    role: MessageRole
    text: str
    sent_at: datetime
    assessment: Assessment | None = None
    sources: tuple[CitedPlace, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The message as JSON, with what seed 004 keeps of it."""
        found = self.assessment
        return {
            "message_id": self.message_id,
            "chat_id": self.chat_id,
            "role": self.role,
            "text": self.text,
            "sent_at": moment(self.sent_at),
            "importance": None if found is None else found.importance,
            "summary": None if found is None else found.summary,
            "message_type": None if found is None else found.message_type,
            "stopped_by": None if found is None else found.stopped_by,
            "sources": [source.to_json() for source in self.sources],
        }


@dataclass(frozen=True, slots=True)
class Memory:
    """One thing worth knowing later, in a sentence.

    It holds from `valid_from` until `valid_until`, None while it holds; `superseded_by` is the memory that
    ended it. `times_said` counts the messages that said it.
    """

    memory_id: int
    scope: Scope
    chat_id: int | None
    summary: str
    importance: int
    message_type: MessageType
    valid_from: datetime
    valid_until: datetime | None = None
    superseded_by: int | None = None
    pinned: bool = False
    edited: bool = False
    times_said: int = 1

    @property
    def level(self) -> Literal["temporary", "context", "critical"]:
        """How long it should matter (seed 004)."""
        if self.importance >= LEAST_CRITICAL:
            return "critical"
        return "context" if self.importance >= LEAST_CONTEXT else "temporary"

    def to_json(self) -> dict[str, Any]:
        """The memory as JSON."""
        return {
            "memory_id": self.memory_id,
            "project": self.scope.project,
            "chat_id": self.chat_id,
            "summary": self.summary,
            "importance": self.importance,
            "level": self.level,
            "message_type": self.message_type,
            "valid_from": moment(self.valid_from),
            "valid_until": None if self.valid_until is None else moment(self.valid_until),
            "superseded_by": self.superseded_by,
            "pinned": self.pinned,
            "edited": self.edited,
            "times_said": self.times_said,
        }


def moment(at: datetime) -> str:
    """A moment as JSON has it: ISO 8601 in UTC, to the second."""
    return at.astimezone(UTC).isoformat(timespec="seconds")


def title_of(text: str) -> str:
    """A chat's title: the beginning of its first message."""
    line = " ".join(text.split())
    return line if len(line) <= _TITLE_CHARACTERS else f"{line[: _TITLE_CHARACTERS - 1].rstrip()}…"
