"""Finds and takes away the rows that have certain words, in every table that holds words.

Each table of the schema is in one of the lists below: what forgetting does with its rows is decided once, and
a test fails for a table that nobody decided on.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    JSON,
    ColumnElement,
    Connection,
    LargeBinary,
    Table,
    Text,
    cast,
    delete,
    func,
    or_,
    select,
    update,
)
from sqlalchemy import String as StringType

from bob.conversations.rows import FORGOTTEN
from bob.storage.metadata import metadata
from bob.storage.schema import answers, feedback
from bob.storage.schema_conversations import chats
from bob.storage.schema_team import threads

KEPT_REPLIES = "idempotency_keys"
"""The table whose columns of bytes hold words as well."""

ERASE_ROW = {
    "answers": "kept question",
    "eval_results": "result of an evaluation",
    "rag_searches": "search of work items",
    "rag_feedback": "feedback on a search",
}
"""Tables whose rows go as a whole: they hold what was asked, or an answer to it."""

ERASE_WORDS = {
    "chats": "title of a chat",
    "messages": "message",
    "thread_messages": "message about work items",
    "receipts": "receipt of a prompt",
    "feedback": "note on an answer",
    "eval_runs": "evaluation",
    "jobs": "error of a job",
    KEPT_REPLIES: "kept reply",
}
"""Tables whose rows stay, without the words: that a message or a request was sent stays known."""

MEMORIES = {"memories": "memory"}
"""Forgotten by its number, with all that belongs to it."""

DOCUMENT = "it is in your own file"
LEFT = {
    "documents": DOCUMENT,
    "chunks": DOCUMENT,
    "decisions": DOCUMENT,
    "failures": "it is in the path of your own file",
    "sources": "it is in the path of your own folder",
    "git_sources": "it is in the name of your own repository",
    "decision_corrections": "you said it of a decision: bob decisions reset takes it back",
    "health_runs": "it is in a project's name",
    "work_items": "a work item is yours to edit or delete",
    "work_item_events": "it is the history of a work item",
    "custom_fields": "it is the name or an option of a field of your work items",
    "custom_field_values": "a work item is yours to edit or delete",
    "categories": "it is the name of a category of your work items",
    "resources": "it is the memory's copy of a work item, and goes with it",
    "collections": "it is the name of a collection",
    "users": "it is a user's name",
    "organizations": "it is the organization's name",
    "api_keys": "it is a key's name",
    "app_config": "it is in a setting",
}
"""Tables whose rows stay, and why: what they hold was made by the user outside of conversations."""

NO_WORDS = frozenset(
    {
        "counters",
        "chunk_postings",
        "decision_links",
        "dismissed_findings",
        "extracted_documents",
        "memory_features",
        "memory_sources",
        "message_features",
        "past_documents",
        "provider_caches",
        "recalls",
        "removed_chunks",
        "snapshots",
        "threads",
        "vectors",
    }
)
"""Tables of numbers, hashes and names that machines gave; features go with their message or memory."""

_TERMS_AT_ONCE = 60


@dataclass(frozen=True, slots=True)
class TextRow:
    """A row with words in it: its key without the organization, and its texts by column."""

    table: str
    key: tuple[Any, ...]
    texts: dict[str, str]

    @property
    def name(self) -> str:
        """Table and key in one word, such as "answers:12"."""
        return ":".join([self.table, *map(str, self.key)])


def tables_of(treatments: Collection[str]) -> list[Table]:
    """The tables of these names that the schema has."""
    return [table for table in metadata.sorted_tables if table.name in treatments]


def undecided() -> list[str]:
    """Tables in none of the lists."""
    known = {*ERASE_ROW, *ERASE_WORDS, *MEMORIES, *LEFT, *NO_WORDS}
    return [table.name for table in metadata.sorted_tables if table.name not in known]


def rows_of(
    connection: Connection, table: Table, org_id: str, user_id: str | None, terms: Sequence[str] = ()
) -> Iterator[TextRow]:
    """The rows of an organization that have words; of a user, where rows belong to users. With `terms`, only
    those that have one of them, whatever else."""
    where: list[ColumnElement[bool]] = [table.c.org_id == org_id]
    owner = None if user_id is None else _owned(table, user_id, org_id)
    if owner is not None:
        where.append(owner)
    columns = _columns(table)
    key = [column for column in table.primary_key if column.name != "org_id"]
    seen = set()
    for start in range(0, max(len(terms), 1), _TERMS_AT_ONCE):
        some = terms[start : start + _TERMS_AT_ONCE]
        found = [_has(connection, column, term) for column in columns for term in some]
        query = select(*key, *columns).where(*where, *([or_(*found)] if found else []))
        for row in connection.execute(query):
            name = tuple(row[: len(key)])
            if name in seen:
                continue
            seen.add(name)
            texts = dict(zip((each.name for each in columns), row[len(key) :], strict=True))
            plain = {each: _text(value) for each, value in texts.items() if value is not None}
            yield TextRow(table.name, name, plain)


def count(connection: Connection, table: Table, org_id: str) -> int:
    """How many rows a table has of an organization."""
    return int(connection.execute(select(func.count()).where(table.c.org_id == org_id)).scalar_one())


def erase(connection: Connection, org_id: str, row: TextRow, columns: Sequence[str], says: Says) -> None:
    """Take a row away, or the words out of these columns of it, as its table wants it."""
    table = metadata.tables[row.table]
    this = [table.c.org_id == org_id]
    this += [column == value for column, value in zip(_key(table), row.key, strict=True)]
    if row.table in ERASE_ROW:
        connection.execute(delete(table).where(*this))
        if table is answers:
            of_answer = feedback.c.answer_id == row.key[0]
            connection.execute(delete(feedback).where(feedback.c.org_id == org_id, of_answer))
        return
    values: dict[str, Any] = {}
    if row.table == KEPT_REPLIES:
        # Sent again, the request is neither answered nor served: what it asked for was done once.
        values, columns = {"headers": None, "body": None, "not_kept": "forgotten"}, ()
    for name in columns:
        column = table.c[name]
        if isinstance(column.type, JSON):
            stored = connection.execute(select(column).where(*this)).scalar()
            values[name] = _without(stored, says)
        else:
            values[name] = None if column.nullable else FORGOTTEN
    if values:
        connection.execute(update(table).where(*this).values(values))


Says = Callable[[str], bool]
"""Whether a text has what is to be forgotten."""


def _key(table: Table) -> list[Any]:
    return [column for column in table.primary_key if column.name != "org_id"]


def _columns(table: Table) -> list[Any]:
    """The columns that can hold words of a user; the bytes of a kept reply are words as well."""
    kinds = (StringType, Text, JSON, LargeBinary) if table.name == KEPT_REPLIES else (StringType, Text, JSON)
    fixed = {"org_id", "user_id"} if len(table.primary_key) > 1 else {"user_id"}
    return [column for column in table.c if isinstance(column.type, kinds) and column.name not in fixed]


def _owned(table: Table, user_id: str, org_id: str) -> ColumnElement[bool] | None:
    """What makes a row the user's; None where rows belong to the whole organization."""
    if "user_id" in table.c:
        return table.c.user_id == user_id
    for parent, name in ((chats, "chat_id"), (threads, "thread_id")):
        if name in table.c and table.name in ERASE_WORDS:
            mine = select(parent.c[name]).where(parent.c.org_id == org_id, parent.c.user_id == user_id)
            return table.c[name].in_(mine)
    return None


def _has(connection: Connection, column: Any, term: str) -> ColumnElement[bool]:
    pattern = term.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    text = column if isinstance(column.type, StringType) else cast(column, Text)
    # SQLite's own LIKE knows no case of ASCII letters, and asks nothing of Python.
    like = text.ilike if connection.dialect.name == "postgresql" else text.like
    return like(f"%{pattern}%", escape="\\")


def _text(value: Any) -> str:
    if isinstance(value, bytes | memoryview):
        return bytes(value).decode("utf-8", "replace")
    return value if isinstance(value, str) else "\n".join(_leaves(value))


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield str(key)
            yield from _leaves(each)
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(each)


def _without(value: Any, says: Says) -> Any:
    """JSON with every text that has the words replaced."""
    if isinstance(value, str):
        return FORGOTTEN if says(value) else value
    if isinstance(value, dict):
        return {FORGOTTEN if says(key) else key: _without(each, says) for key, each in value.items()}
    return [_without(each, says) for each in value] if isinstance(value, list) else value
