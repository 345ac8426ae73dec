"""What was said in a scope, message by message, and the memories that it makes when its order is put right.

A memory's sources are messages, and the moments at which it was told again directly: `memory_sources` has
such a moment as a negative number, of microseconds since 1970.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, delete, insert, or_, select, update

from bob.conversations.timeline_values import Entry, Statement
from bob.core.conversation import Assessment, Scope
from bob.storage.counters import next_ids
from bob.storage.schema_conversations import memories, memory_features, memory_sources, messages, recalls

_MICROSECONDS = 1_000_000


def tell_again(connection: Connection, org_id: str, memory_id: int, moment: float) -> None:
    """Note that a memory was told again directly, at a moment in seconds since 1970."""
    values = {"org_id": org_id, "memory_id": memory_id, "message_id": -round(moment * _MICROSECONDS)}
    known = select(memory_sources.c.message_id).filter_by(**values)
    if connection.execute(known).first() is None:
        connection.execute(insert(memory_sources).values(values))


def any_after(connection: Connection, scope: Scope, moment: float, message_id: int) -> bool:
    """Whether something of the scope was said after a message of this moment and number, or together with it
    and by no known order."""
    mine = _mine(scope)
    later = or_(
        memories.c.valid_from >= moment,
        memory_sources.c.message_id <= -round(moment * _MICROSECONDS),
        messages.c.sent_at > moment,
        (messages.c.sent_at == moment) & (messages.c.message_id > message_id),
    )
    found = select(memories.c.memory_id).select_from(_WITH_MESSAGES).where(*mine, later).limit(1)
    return connection.execute(found).first() is not None


def of_scope(connection: Connection, scope: Scope) -> list[Statement]:
    """Every statement that a memory of the scope was made of, in the order of time. What an import says has
    ended is left out: nothing that Bob was told ended it."""
    by_memory: dict[int, list[Statement]] = {}
    told: dict[int, Any] = {}
    for row in connection.execute(
        select(*_MEMORY, memory_sources.c.message_id.label("source"), *_MESSAGE)
        .select_from(_WITH_MESSAGES)
        .where(*_mine(scope))
        .order_by(memories.c.memory_id)
    ):
        told[row.memory_id] = row
        known = by_memory.setdefault(row.memory_id, [])
        if row.source is not None and row.source < 0:
            known.append(_told(row, -row.source / _MICROSECONDS))
        elif row.sent_at is not None:
            known.append(_said(row))
    found = []
    for memory_id, known in by_memory.items():
        row = told[memory_id]
        # What was told directly is in no message: it holds from when it was told.
        if row.valid_from not in {each.moment for each in known}:
            known.append(_told(row, row.valid_from))
        known.sort(key=lambda each: each.order)
        # The memory has the words of the first, or what its user made of them.
        known[0] = _with_words_of(row, known[0])
        found += known
    return sorted(found, key=lambda each: each.order)


def settle(
    connection: Connection, scope: Scope, entries: Sequence[Entry], memory_ids: Sequence[int]
) -> dict[int, int]:
    """Make these memories what the entries say; the number of each entry's memory, by its place.

    A memory that another one takes in goes; what it was recalled for, and its pin, go over. The features of
    memories whose words changed go too.
    """
    org_id = scope.org_id
    numbers = _numbered(connection, org_id, entries, memory_ids)
    place_of = {id(entry): place for place, entry in enumerate(entries)}
    old = {
        row.memory_id: row for row in connection.execute(select(memories).where(*_these(org_id, memory_ids)))
    }
    for place, entry in enumerate(entries):
        number = numbers[place]
        ender = entry.ended_by
        values: dict[str, Any] = {
            "valid_from": entry.first.moment,
            "valid_until": None if ender is None else ender.first.moment,
            "superseded_by": None if ender is None else numbers[place_of[id(ender)]],
            "pinned": any(
                old[each].pinned for each in _homes(entry) if each == number or each not in numbers.values()
            ),
        }
        made = entry.first.assessment
        words = {"summary": made.summary, "importance": made.importance, "message_type": made.message_type}
        if number not in old:
            values |= words | {"chat_id": entry.first.chat_id, "edited": False}
            fixed = {
                "org_id": org_id,
                "memory_id": number,
                "user_id": scope.user_id,
                "project": scope.project,
            }
            connection.execute(insert(memories).values(fixed | values))
            continue
        if not old[number].edited:
            values |= words | {"chat_id": entry.first.chat_id}
            if old[number].summary != made.summary:
                connection.execute(delete(memory_features).where(*_these(org_id, [number], memory_features)))
        connection.execute(update(memories).where(*_these(org_id, [number])).values(values))
    _move(connection, org_id, entries, numbers, memory_ids)
    return numbers


def _numbered(
    connection: Connection, org_id: str, entries: Sequence[Entry], memory_ids: Sequence[int]
) -> dict[int, int]:
    """Which memory each entry becomes: the one whose first words are its own, else one that it takes in, else
    a new one."""
    free = set(memory_ids)
    firsts: dict[int, Statement] = {}
    for statement in (each for entry in entries for each in entry.statements):
        known = None if statement.memory_id is None else firsts.get(statement.memory_id)
        if statement.memory_id is not None and (known is None or statement.order < known.order):
            firsts[statement.memory_id] = statement
    numbers: dict[int, int] = {}
    for place, entry in enumerate(entries):
        number = entry.first.memory_id
        if number in free and firsts[number] is entry.first:
            numbers[place] = number
            free.remove(number)
    for place, entry in enumerate(entries):
        if place not in numbers:
            number = next((each for each in _homes(entry) if each in free), None)
            if number is None:
                (number,) = next_ids(connection, org_id, "memory", 1)
            numbers[place] = number
            free.discard(number)
    return numbers


def _move(
    connection: Connection,
    org_id: str,
    entries: Sequence[Entry],
    numbers: dict[int, int],
    memory_ids: Sequence[int],
) -> None:
    """Give every memory its own sources, and take away those that were taken in."""
    connection.execute(delete(memory_sources).where(*_these(org_id, memory_ids, memory_sources)))
    rows = {
        (numbers[place], _source(statement))
        for place, entry in enumerate(entries)
        for statement in entry.statements
        if not statement.told or statement is not entry.first
    }
    if rows:
        values = [{"org_id": org_id, "memory_id": one, "message_id": other} for one, other in sorted(rows)]
        connection.execute(insert(memory_sources), values)
    for place, entry in enumerate(entries):
        for gone in _homes(entry):
            if gone not in numbers.values():
                _take_in(connection, org_id, gone, numbers[place])


def _take_in(connection: Connection, org_id: str, gone: int, into: int) -> None:
    known = select(recalls.c.message_id).where(*_these(org_id, [into], recalls)).scalar_subquery()
    moved = update(recalls).where(*_these(org_id, [gone], recalls), recalls.c.message_id.not_in(known))
    connection.execute(moved.values(memory_id=into))
    ended = update(memories).where(memories.c.org_id == org_id, memories.c.superseded_by == gone)
    connection.execute(ended.values(superseded_by=into))
    for table in (recalls, memory_features, memories):
        connection.execute(delete(table).where(*_these(org_id, [gone], table)))


def _homes(entry: Entry) -> list[int]:
    """The memories that have its statements now, by the first of them."""
    return list(dict.fromkeys(each.memory_id for each in entry.statements if each.memory_id is not None))


def _source(statement: Statement) -> int:
    return -round(statement.moment * _MICROSECONDS) if statement.told else statement.number


def _told(row: Any, moment: float) -> Statement:
    return Statement(moment, True, row.memory_id, row.memory_id, row.memory_chat, _assessment_of(row))


def _said(row: Any) -> Statement:
    found = _assessment_of(row)
    # A message whose words were forgotten has none; of a repeat those of the memory stand for them.
    if row.message_summary and row.message_importance:
        found = Assessment(row.message_importance, row.message_summary, row.kind, None, "")
    return Statement(row.sent_at, False, row.source, row.memory_id, row.message_chat, found)


def _with_words_of(row: Any, first: Statement) -> Statement:
    return Statement(
        first.moment, first.told, first.number, first.memory_id, row.memory_chat, _assessment_of(row)
    )


def _assessment_of(row: Any) -> Assessment:
    return Assessment(row.importance, row.summary, row.message_type, None, "")


def _mine(scope: Scope) -> tuple[Any, ...]:
    return (
        memories.c.org_id == scope.org_id,
        memories.c.user_id == scope.user_id,
        memories.c.project == scope.project,
        memories.c.valid_until.is_(None) | memories.c.superseded_by.is_not(None),
    )


def _these(org_id: str, memory_ids: Sequence[int], table: Any = memories) -> tuple[Any, ...]:
    return table.c.org_id == org_id, table.c.memory_id.in_(list(memory_ids))


_MEMORY = (
    memories.c.memory_id,
    memories.c.chat_id.label("memory_chat"),
    memories.c.summary,
    memories.c.importance,
    memories.c.message_type,
    memories.c.valid_from,
)
_MESSAGE = (
    messages.c.chat_id.label("message_chat"),
    messages.c.sent_at,
    messages.c.summary.label("message_summary"),
    messages.c.importance.label("message_importance"),
    messages.c.message_type.label("kind"),
)
_WITH_MESSAGES = memories.outerjoin(
    memory_sources,
    (memory_sources.c.org_id == memories.c.org_id) & (memory_sources.c.memory_id == memories.c.memory_id),
).outerjoin(
    messages,
    (messages.c.org_id == memory_sources.c.org_id) & (messages.c.message_id == memory_sources.c.message_id),
)
