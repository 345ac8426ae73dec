"""Finds and takes away the rows that have certain words, in every table that holds words.

Each table of the schema is in one of the lists below: what forgetting does with its rows is decided once, and
a test fails for a table that nobody decided on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bob.conversations.rows import FORGOTTEN
from bob.storage.database import Column, ColumnKind, Transaction

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


@dataclass(frozen=True, slots=True)
class Table:
    """A table as the database has it."""

    name: str
    columns: tuple[Column, ...]

    def has(self, name: str) -> bool:
        """Whether it has a column of this name."""
        return any(column.name == name for column in self.columns)

    @property
    def key(self) -> list[str]:
        """The columns of its key beside the organization."""
        return [column.name for column in self.columns if column.in_key and column.name != "org_id"]

    @property
    def worded(self) -> list[Column]:
        """The columns that can hold words of a user; the bytes of a kept reply are words as well."""
        kinds: set[ColumnKind] = {"text", "json"}
        if self.name == KEPT_REPLIES:
            kinds.add("bytes")
        fixed = {"org_id", "user_id"} if self.key else {"user_id"}
        return [column for column in self.columns if column.kind in kinds and column.name not in fixed]


def tables_of(transaction: Transaction, treatments: Collection[str]) -> list[Table]:
    """The tables of these names that the schema has."""
    every = transaction.tables()
    return [Table(name, tuple(columns)) for name, columns in every.items() if name in treatments]


def undecided(transaction: Transaction) -> list[str]:
    """Tables in none of the lists."""
    names = {*ERASE_ROW, *ERASE_WORDS, *MEMORIES, *LEFT, *NO_WORDS}
    return [name for name in transaction.tables() if name not in names]


def rows_of(
    transaction: Transaction, table: Table, user_id: str | None, terms: Sequence[str] = ()
) -> Iterator[TextRow]:
    """The rows of an organization that have words; of a user, where rows belong to users. With `terms`, only
    those that have one of them, whatever else."""
    conditions = ["org_id = :org"]
    if user_id is not None and (owned := _owned(table)) is not None:
        conditions.append(owned)
    columns, key = table.worded, table.key
    selected = ", ".join([*key, *(column.name for column in columns)])
    seen = set()
    for start in range(0, max(len(terms), 1), _TERMS_AT_ONCE):
        some = {
            f"term_{index}": _pattern(term)
            for index, term in enumerate(terms[start : start + _TERMS_AT_ONCE])
        }
        found = [
            f"CAST({column.name} AS TEXT) ILIKE :{name} ESCAPE '\\'" for column in columns for name in some
        ]
        having = [" OR ".join(found).join("()")] if found else []
        rows = transaction.execute(
            f"SELECT {selected} FROM {table.name} WHERE {' AND '.join(conditions + having)}",
            {"user_id": user_id, **some},
        )
        for row in rows.fetchall():
            name = row[: len(key)]
            if name in seen:
                continue
            seen.add(name)
            texts = zip(columns, row[len(key) :], strict=True)
            plain = {field.name: _text(field, value) for field, value in texts if value is not None}
            yield TextRow(table.name, name, plain)


def count(transaction: Transaction, table: Table, user_id: str) -> int:
    """How many rows a table has of a user, and of an organization where rows belong to nobody."""
    conditions = " AND ".join(["org_id = :org", *filter(None, [_owned(table)])])
    counted = transaction.execute(
        f"SELECT count(*) FROM {table.name} WHERE {conditions}", {"user_id": user_id}
    )
    return int(counted.fetchone()[0])


def erase(transaction: Transaction, table: Table, row: TextRow, columns: Sequence[str], says: Says) -> None:
    """Take a row away, or the words out of these columns of it, as its table wants it."""
    key = dict(zip(table.key, row.key, strict=True))
    this = " AND ".join(["org_id = :org", *(f"{name} = :{name}" for name in key)])
    if row.table in ERASE_ROW:
        transaction.execute(f"DELETE FROM {row.table} WHERE {this}", key)
        if row.table == "answers":
            transaction.execute(f"DELETE FROM feedback WHERE {this}", key)
        return
    values: dict[str, Any] = {}
    if row.table == KEPT_REPLIES:
        # Sent again, the request is neither answered nor served: what it asked for was done once.
        values, columns = {"headers": None, "body": None, "not_kept": "forgotten"}, ()
    declared = {column.name: column for column in table.columns}
    for name in columns:
        if declared[name].kind == "json":
            (stored,) = transaction.execute(f"SELECT {name} FROM {row.table} WHERE {this}", key).fetchone()
            values[name] = json.dumps(_without(json.loads(stored), says))
        else:
            values[name] = None if declared[name].nullable else FORGOTTEN
    if values:
        transaction.update(row.table, key, values)


Says = Callable[[str], bool]
"""Whether a text has what is to be forgotten."""


def _owned(table: Table) -> str | None:
    """What makes a row the user's; None where rows belong to the whole organization."""
    if table.has("user_id"):
        return "user_id = :user_id"
    for parent, name in (("chats", "chat_id"), ("threads", "thread_id")):
        if table.has(name) and table.name in ERASE_WORDS:
            return f"{name} IN (SELECT {name} FROM {parent} WHERE org_id = :org AND user_id = :user_id)"
    return None


def _pattern(term: str) -> str:
    escaped = term.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def _text(column: Column, value: Any) -> str:
    if column.kind == "bytes":
        return bytes(value).decode("utf-8", "replace")
    return "\n".join(_leaves(json.loads(value))) if column.kind == "json" else str(value)


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)


def _without(value: Any, says: Says) -> Any:
    """JSON with every text that has the words replaced."""
    if isinstance(value, str):
        return FORGOTTEN if says(value) else value
    if isinstance(value, dict):
        return {FORGOTTEN if says(key) else key: _without(item, says) for key, item in value.items()}
    return [_without(item, says) for item in value] if isinstance(value, list) else value
