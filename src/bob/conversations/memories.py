"""What a user can do with memories: list, read, edit, pin, export and import them (SPEC G6)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, get_args

from bob.conversations import memory_rows, rows
from bob.core.conversation import ChatMessage, Memory, MessageType, Scope
from bob.core.errors import NotFoundError, UsageError
from bob.storage.database import Database
from bob.text.secrets import redacted_line

_LONGEST_SUMMARY = 2_000


@dataclass(frozen=True, slots=True)
class Imported:
    """How many memories were taken in, and how many were there already; `errors` name the lines that were no
    memories."""

    added: int
    known: int
    errors: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The counts as JSON."""
        return {"added": self.added, "known": self.known, "errors": list(self.errors)}


MemoryPosition = tuple[datetime, int]
"""Where a memory stands in a list: the moment from which it holds, and its number."""


class Memories:
    """The memories of one organization; each call names the user."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, user_id: str, project: str | None = None, *, current: bool = True) -> list[Memory]:
        """A user's memories, the oldest first; also those that no longer hold unless `current`."""
        with self._database.read() as transaction:
            return memory_rows.of_user(transaction, user_id, project=project, current=current)

    def page(
        self,
        user_id: str,
        project: str | None,
        after: MemoryPosition | None,
        limit: int,
        *,
        current: bool,
        newest: bool,
    ) -> tuple[list[Memory], MemoryPosition | None]:
        """At most `limit` of them, the oldest or the newest first, that follow the place `after`; and where
        the following page begins."""
        memories = self.of(user_id, project, current=current)
        if newest:
            memories.reverse()
        if after is not None:
            memories = [
                memory
                for memory in memories
                if (_position(memory) < after if newest else _position(memory) > after)
            ]
        shown = memories[:limit]
        return shown, _position(shown[-1]) if len(memories) > limit else None

    def at(self, user_id: str, memory_id: int) -> Memory:
        """A user's memory. Raises NotFoundError: there is none of that number."""
        with self._database.read() as transaction:
            memory = memory_rows.by_id(transaction, user_id, memory_id)
        if memory is None:
            raise NotFoundError(f"no memory {memory_id}; list the memories with bob memories list")
        return memory

    def sources(self, memory: Memory) -> list[ChatMessage]:
        """The messages that said it, in order."""
        with self._database.read() as transaction:
            numbers = memory_rows.sources_of(transaction, [memory.memory_id])
            messages = rows.messages_at(transaction, numbers)
        return [messages[number] for number in numbers if number in messages]

    def funnel(self, user_id: str) -> dict[str, int]:
        """How many messages each layer of the funnel stopped, and the tokens that judging cost."""
        with self._database.read() as transaction:
            return rows.funnel_counts(transaction, user_id)

    def edit(
        self, user_id: str, memory_id: int, summary: str | None = None, importance: int | None = None
    ) -> Memory:
        """Put a memory right in the user's own words. Raises UsageError: no such memory, or no such value."""
        self.at(user_id, memory_id)
        values: dict[str, Any] = {"edited": True}
        if summary is not None:
            values["summary"] = _summary(summary)
        if importance is not None:
            values["importance"] = _importance(importance)
        with self._database.write() as transaction:
            memory_rows.change(transaction, memory_id, **values)
            if summary is not None:
                memory_rows.remove_features(transaction, memory_id)
        return self.at(user_id, memory_id)

    def pin(self, user_id: str, memory_id: int, pinned: bool) -> Memory:
        """Pin a memory, so that it stands in every prompt that recalls, or unpin it. Raises UsageError."""
        self.at(user_id, memory_id)
        with self._database.write() as transaction:
            memory_rows.change(transaction, memory_id, pinned=pinned)
        return self.at(user_id, memory_id)

    def export(self, user_id: str) -> list[dict[str, Any]]:
        """All memories of a user as records, those that no longer hold included."""
        return [memory.to_json() for memory in self.of(user_id, current=False)]

    def import_lines(self, scope: Scope, text: str, name: str, now: datetime) -> Imported:
        """Take in JSON lines as `export` gives them; `name` is the text's, for errors."""
        return self.import_records(scope, _records(text, name), now)

    def import_records(
        self, scope: Scope, records: Iterable[tuple[str, Mapping[str, Any]]], now: datetime
    ) -> Imported:
        """Take in records as `export` writes them, each with the name of its line; what is known already (the
        same words in the same project) is not doubled."""
        with self._database.write() as transaction:
            summaries = {
                (memory.scope.project, _plain(memory.summary))
                for memory in memory_rows.of_user(transaction, scope.user_id, current=False)
            }
            added, again, errors = 0, 0, []
            for line, record in records:
                try:
                    memory = _from_record(scope, record, now)
                except UsageError as error:
                    errors.append(f"{line}: {error}")
                    continue
                key = (memory.scope.project, _plain(memory.summary))
                if key in summaries:
                    again += 1
                    continue
                summaries.add(key)
                memory_rows.add(transaction, memory, ())
                added += 1
        return Imported(added, again, tuple(errors))


def _position(memory: Memory) -> MemoryPosition:
    return memory.valid_from, memory.memory_id


def _records(text: str, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        yield f"{name}, line {number}", record if isinstance(record, dict) else {}


def _from_record(scope: Scope, record: Mapping[str, Any], now: datetime) -> Memory:
    kind = record.get("message_type", "fact")
    if kind not in get_args(MessageType):
        raise UsageError(f"message_type must be one of {', '.join(get_args(MessageType))}")
    project = record.get("project", scope.project)
    if not isinstance(project, str):
        raise UsageError("project is no text")
    valid_from = _moment("valid_from", record.get("valid_from")) or now
    valid_until = _moment("valid_until", record.get("valid_until"))
    if valid_from > now:
        # What is said from now on would count as said before it.
        raise UsageError("valid_from is in the future")
    if valid_until is not None and valid_until < valid_from:
        raise UsageError("valid_until is before valid_from")
    return Memory(
        0,
        replace(scope, project=project),
        None,
        _summary(record.get("summary")),
        _importance(record.get("importance", 50)),
        kind,
        valid_from,
        valid_until,
        pinned=record.get("pinned") is True,
        edited=record.get("edited") is True,
    )


def _summary(value: Any) -> str:
    """The words in one line, without secrets."""
    if not isinstance(value, str) or not value.strip():
        raise UsageError("summary is missing")
    line = redacted_line(value).text
    if len(line) > _LONGEST_SUMMARY:
        raise UsageError(f"summary has more than {_LONGEST_SUMMARY} characters")
    return line


def _importance(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 100:
        raise UsageError("importance must be a whole number from 1 to 100")
    return value


def _moment(name: str, value: Any) -> datetime | None:
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{name} is not a date and time") from error
    try:
        # Kept in seconds: the last microseconds of the year 9999 would be read as the year after it.
        moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
        return datetime.fromtimestamp(moment.timestamp(), UTC)
    except (OverflowError, ValueError) as error:
        raise UsageError(f"{name} is not between the years 1 and 9999 in UTC") from error


def _plain(text: str) -> Sequence[str]:
    return tuple(text.casefold().split())
