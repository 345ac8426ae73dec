"""Reads what was said from the transcripts that clients keep: JSON lines, or plain text.

A line of JSON is a message with `role` and `content`, or one with these inside `message`, as Claude Code
keeps them. Words of the person and of the model are taken as they are; calls of tools with their results,
what the model thinks, and what a client puts into the person's mouth are not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bob.core.conversation import MessageRole

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
        if any(each is not None for each in records):
            said = tuple(one for each in records if each is not None for one in _said(each))
            return Transcript(said, sum(each is None for each in records))
    return Transcript(tuple(_spoken(text)))


def _records(text: str) -> Iterator[Mapping[str, Any] | None]:
    """Each object of a JSON array or of JSON lines; None for what is no object."""
    whole = _loaded(text)
    if isinstance(whole, dict) and isinstance(whole.get("messages"), list):
        whole = whole["messages"]
    values = whole if isinstance(whole, list) else map(_loaded, filter(str.strip, text.split("\n")))
    for each in values:
        yield each if isinstance(each, dict) else None


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _said(record: Mapping[str, Any]) -> Iterator[Said]:
    inner = record.get("message")
    message = inner if isinstance(inner, dict) else record
    role = message.get("role") or record.get("type")
    if role not in ("user", "assistant") or any(record.get(each) for each in _NOT_SAID):
        return
    text = _text(message.get("content"))
    if text.strip() and not (role == "user" and _CLIENTS_OWN.match(text)):
        yield Said(role, text, _moment(record.get("timestamp") or message.get("timestamp")))


def _text(content: Any) -> str:
    """The words of a message's content: a text, or blocks of which some are text."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = (each.get("text") for each in blocks if isinstance(each, dict) and each.get("type") == "text")
    return "\n\n".join(each for each in texts if isinstance(each, str) and not _CLIENTS_OWN.match(each))


def _moment(value: Any) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


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
