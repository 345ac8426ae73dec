"""What was said in a scope, message by message, and the memories that it makes when its order is put right.

A memory's sources are messages, and the moments at which it was told again directly: `memory_sources` has
such a moment as a negative number, of microseconds since 1970.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from bob.conversations import memory_rows
from bob.core.conversation import Assessment, MessageType, Scope
from bob.storage.database import Transaction

_MICROSECONDS = 1_000_000


@dataclass(frozen=True, slots=True)
class Statement:
    """Something that was said at a moment, in seconds since 1970: in the message `number`, or as `told`
    directly, where `number` is the memory's. `memory_id` is the memory that has it, None for a new one."""

    moment: float
    told: bool
    number: int
    memory_id: int | None
    chat_id: int | None
    assessment: Assessment

    @property
    def summary(self) -> str:
        """Its words."""
        return self.assessment.summary

    @property
    def order(self) -> tuple[float, bool, int]:
        """Where it stands in time. Of one moment, messages go by their numbers, and what was told directly
        comes after them."""
        return self.moment, self.told, self.number


@dataclass(slots=True)
class Entry:
    """A memory as it should be: the statements that say it, the first of which gave it its words, and the
    entry that ended it."""

    statements: list[Statement]
    ended_by: Entry | None = field(default=None, repr=False)

    @property
    def first(self) -> Statement:
        """The statement that said it first."""
        return self.statements[0]


def tell_again(transaction: Transaction, memory_id: int, moment: float) -> None:
    """Note that a memory was told again directly, at a moment in seconds since 1970."""
    memory_rows.say_again(transaction, memory_id, -round(moment * _MICROSECONDS))


_WITH_MESSAGES = """
FROM memories m
LEFT JOIN memory_sources s ON s.org_id = :org AND s.memory_id = m.memory_id
LEFT JOIN messages n ON n.org_id = :org AND n.message_id = s.message_id
WHERE m.org_id = :org AND m.user_id = :user_id AND m.project = :project
    AND (m.valid_until IS NULL OR m.superseded_by IS NOT NULL)
"""


class _Row(NamedTuple):
    """A memory, and one of its messages if it has any."""

    memory_id: int
    memory_chat: int | None
    summary: str
    importance: int
    message_type: MessageType
    valid_from: float
    source: int | None
    message_chat: int | None
    sent_at: float | None
    message_summary: str | None
    message_importance: int | None
    kind: MessageType


def any_after(transaction: Transaction, scope: Scope, moment: float, message_id: int) -> bool:
    """Whether something of the scope was said after a message of this moment and number, or together with it
    and by no known order. What the message itself says besides was not."""
    rows = transaction.execute(
        f"SELECT 1 {_WITH_MESSAGES} AND (s.message_id IS NULL OR s.message_id <> :message_id)"
        " AND (m.valid_from >= :moment OR s.message_id <= :told"
        " OR n.sent_at > :moment OR n.sent_at = :moment AND n.message_id > :message_id) LIMIT 1",
        {
            "user_id": scope.user_id,
            "project": scope.project,
            "moment": moment,
            "told": -round(moment * _MICROSECONDS),
            "message_id": message_id,
        },
    )
    return rows.fetchone() is not None


def of_scope(transaction: Transaction, scope: Scope) -> list[Statement]:
    """Every statement that a memory of the scope was made of, in the order of time. What an import says has
    ended is left out: nothing that Bob was told ended it."""
    by_memory: dict[int, list[Statement]] = {}
    rows_by_number: dict[int, _Row] = {}
    rows = transaction.execute(
        "SELECT m.memory_id, m.chat_id, m.summary, m.importance, m.message_type, m.valid_from, s.message_id,"
        f" n.chat_id, n.sent_at, n.summary, n.importance, n.message_type {_WITH_MESSAGES}"
        " ORDER BY m.memory_id",
        {"user_id": scope.user_id, "project": scope.project},
    )
    read = [*map(_Row._make, rows)]
    memories_of = Counter(row.source for row in read)
    for row in read:
        rows_by_number[row.memory_id] = row
        statements = by_memory.setdefault(row.memory_id, [])
        if row.source is not None and row.source < 0:
            statements.append(_told(row, -row.source / _MICROSECONDS))
        elif row.source is not None and row.sent_at is not None:
            statements.append(_said(row, row.source, row.sent_at, memories_of[row.source] > 1))
    loaded = []
    for memory_id, statements in by_memory.items():
        row = rows_by_number[memory_id]
        # What was told directly is in no message: it holds from when it was told.
        if row.valid_from not in {statement.moment for statement in statements}:
            statements.append(_told(row, row.valid_from))
        statements.sort(key=lambda statement: statement.order)
        # The memory has the words of the first, or what its user made of them.
        statements[0] = _with_words_of(row, statements[0])
        loaded += statements
    return sorted(loaded, key=lambda statement: statement.order)


def settle(
    transaction: Transaction, scope: Scope, entries: Sequence[Entry], memory_ids: Sequence[int]
) -> dict[int, int]:
    """Make these memories what the entries say; the number of each entry's memory, by its place.

    A memory that another one takes in goes; what it was recalled for, and its pin, go over. The features of
    memories whose words changed go too.
    """
    numbers = _numbered(transaction, entries, memory_ids)
    place_of = {id(entry): position for position, entry in enumerate(entries)}
    rows = transaction.execute(
        "SELECT memory_id, summary, pinned, edited FROM memories WHERE org_id = :org AND memory_id IN :ids",
        {"ids": memory_ids},
    )
    old = {number: (summary, bool(pinned), bool(edited)) for number, summary, pinned, edited in rows}
    for position, entry in enumerate(entries):
        number = numbers[position]
        ender = entry.ended_by
        values: dict[str, Any] = {
            "valid_from": entry.first.moment,
            "valid_until": None if ender is None else ender.first.moment,
            "superseded_by": None if ender is None else numbers[place_of[id(ender)]],
            "pinned": any(
                old[home][1] for home in _homes(entry) if home == number or home not in numbers.values()
            ),
        }
        made = entry.first.assessment
        words = {"summary": made.summary, "importance": made.importance, "message_type": made.message_type}
        if number not in old:
            values |= words | {"chat_id": entry.first.chat_id, "edited": False}
            fixed = {"memory_id": number, "user_id": scope.user_id, "project": scope.project}
            transaction.insert("memories", fixed | values)
            continue
        summary, _, edited = old[number]
        if not edited:
            values |= words | {"chat_id": entry.first.chat_id}
            if summary != made.summary:
                memory_rows.remove_features(transaction, number)
        transaction.update("memories", {"memory_id": number}, values)
    _move(transaction, entries, numbers, memory_ids)
    return numbers


def _numbered(
    transaction: Transaction, entries: Sequence[Entry], memory_ids: Sequence[int]
) -> dict[int, int]:
    """Which memory each entry becomes: the one whose first words are its own, else one that it takes in, else
    a new one."""
    free = set(memory_ids)
    firsts: dict[int, Statement] = {}
    for statement in (statement for entry in entries for statement in entry.statements):
        first = None if statement.memory_id is None else firsts.get(statement.memory_id)
        if statement.memory_id is not None and (first is None or statement.order < first.order):
            firsts[statement.memory_id] = statement
    numbers: dict[int, int] = {}
    for position, entry in enumerate(entries):
        number = entry.first.memory_id
        if number in free and firsts[number] is entry.first:
            numbers[position] = number
            free.remove(number)
    for position, entry in enumerate(entries):
        if position not in numbers:
            number = next((home for home in _homes(entry) if home in free), None)
            if number is None:
                (number,) = transaction.take_ids("memory", 1)
            numbers[position] = number
            free.discard(number)
    return numbers


def _move(
    transaction: Transaction,
    entries: Sequence[Entry],
    numbers: dict[int, int],
    memory_ids: Sequence[int],
) -> None:
    """Give every memory its own sources, and take away those that were taken in."""
    transaction.execute(
        "DELETE FROM memory_sources WHERE org_id = :org AND memory_id IN :ids", {"ids": memory_ids}
    )
    rows = {
        (numbers[position], _source(statement))
        for position, entry in enumerate(entries)
        for statement in entry.statements
        if not statement.told or statement is not entry.first
    }
    transaction.insert(
        "memory_sources", *({"memory_id": one, "message_id": other} for one, other in sorted(rows))
    )
    for position, entry in enumerate(entries):
        for gone in _homes(entry):
            if gone not in numbers.values():
                _take_in(transaction, gone, numbers[position])


def _take_in(transaction: Transaction, gone: int, into: int) -> None:
    both = {"gone": gone, "into": into}
    transaction.execute(
        "UPDATE recalls SET memory_id = :into WHERE org_id = :org AND memory_id = :gone AND message_id NOT IN"
        " (SELECT message_id FROM recalls WHERE org_id = :org AND memory_id = :into)",
        both,
    )
    transaction.update("memories", {"superseded_by": gone}, {"superseded_by": into})
    for table in ("recalls", "memory_features", "memories"):
        transaction.execute(f"DELETE FROM {table} WHERE org_id = :org AND memory_id = :gone", both)


def _homes(entry: Entry) -> list[int]:
    """The memories that have its statements now, by the first of them."""
    return list(
        dict.fromkeys(
            statement.memory_id for statement in entry.statements if statement.memory_id is not None
        )
    )


def _source(statement: Statement) -> int:
    return -round(statement.moment * _MICROSECONDS) if statement.told else statement.number


def _told(row: _Row, moment: float) -> Statement:
    return Statement(moment, True, row.memory_id, row.memory_id, row.memory_chat, _assessment_of(row))


def _said(row: _Row, number: int, moment: float, several: bool) -> Statement:
    assessment = _assessment_of(row)
    # A message whose words were forgotten has none; of a repeat those of the memory stand for them. So they
    # do if the message says several things: its summary is one of them.
    if row.message_summary and row.message_importance and not several:
        assessment = Assessment(row.message_importance, row.message_summary, row.kind, None, "")
    return Statement(moment, False, number, row.memory_id, row.message_chat, assessment)


def _with_words_of(row: _Row, first: Statement) -> Statement:
    return Statement(
        first.moment, first.told, first.number, first.memory_id, row.memory_chat, _assessment_of(row)
    )


def _assessment_of(row: _Row) -> Assessment:
    return Assessment(row.importance, row.summary, row.message_type, None, "")
