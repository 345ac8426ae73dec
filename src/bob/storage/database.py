"""What a database does for the rest of Bob, whichever engine runs it: short transactions over one schema."""

from __future__ import annotations

import os
import platform
import re
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Protocol

SCHEMA_HEAD = "0008"
"""The newest migration; the database is brought to it when it is opened."""

EVERY_ORGANIZATION = "*"
"""As this one, a database shows which organizations have jobs, and nothing else."""

BUSY_SECONDS = 120
"""How long a writer waits for others: longer than any transaction of ours on a slow disk."""

NO_VALUES: Mapping[str, Any] = MappingProxyType({})

_NAMES_ORGANIZATION = re.compile(r"(?<![:\w]):org\b")

_RUN = uuid.uuid4().hex[:8]
"""Tells this process from an earlier one of the same number, as in a container that was started again."""


class HalfVector(bytes):
    """A vector, half precision and little-endian, as a value of a statement: PostgreSQL has a type for it."""

    __slots__ = ()


class Rows(Protocol):
    """The rows of a statement, each a tuple."""

    @property
    def rowcount(self) -> int:
        """How many rows a change had an effect on."""

    def __iter__(self) -> Iterator[tuple[Any, ...]]: ...

    def fetchone(self) -> Any:
        """The next row, None at the end."""

    def fetchall(self) -> list[Any]:
        """All rows that are left."""

    def fetchmany(self, size: int, /) -> list[Any]:
        """The next rows, none at the end."""


ColumnKind = Literal["text", "json", "bytes", "vector", "boolean", "date", "number"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, as the database declares it."""

    name: str
    kind: ColumnKind
    nullable: bool
    in_key: bool


class Transaction(ABC):
    """A transaction of one organization, on the driver itself.

    A statement is SQL that both engines understand, with `:name` for a value and `IN :names` for a list of
    them (ADR 31). `:org` is the organization, and a statement that does not name it is refused. ILIKE knows
    no case of ASCII letters. JSON and dates are text, going in and coming out.
    """

    org_id: str

    @abstractmethod
    def execute(self, statement: str, values: Mapping[str, Any] = NO_VALUES, /) -> Rows:
        """Run one statement."""

    @abstractmethod
    def execute_many(self, statement: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Run one statement for each of the rows."""

    def insert(self, table: str, *rows: Mapping[str, Any]) -> None:
        """Add rows, which have the same columns, to a table of the organization."""
        if rows:
            names = list(rows[0])
            marks = ", ".join(f":{name}" for name in names)
            statement = f"INSERT INTO {table} (org_id, {', '.join(names)}) VALUES (:org, {marks})"
            if len(rows) == 1:
                self.execute(statement, rows[0])
            else:
                self.execute_many(statement, rows)

    @abstractmethod
    def tables(self) -> dict[str, list[Column]]:
        """The tables that have rows of organizations, by name, with their columns in order."""

    def update(self, table: str, key: Mapping[str, Any], values: Mapping[str, Any]) -> int:
        """Change the rows of the organization that have the key; how many there were."""
        changes = ", ".join(f"{name} = :{name}" for name in values)
        wanted = " AND ".join(f"{name} = :old_{name}" for name in key)
        return self.execute(
            f"UPDATE {table} SET {changes} WHERE org_id = :org AND {wanted}",
            {**values, **{f"old_{name}": value for name, value in key.items()}},
        ).rowcount


def check_organization(statement: str) -> None:
    """Every engine calls it for a statement that it sees for the first time, before it runs it.

    Raises:
        ValueError: the statement does not name its organization.
    """
    if not _NAMES_ORGANIZATION.search(statement):
        raise ValueError(f"the statement does not say of which organization: {statement}")


before_commit: ContextVar[Callable[[Transaction], None] | None] = ContextVar(
    "bob_before_commit", default=None
)
"""What every write transaction of this context does last: note which request it serves
(`bob.storage.idempotency`); None outside of requests."""


class Database(Protocol):
    """A database as one organization sees it. Reads see the last commit; the writers of an organization take
    turns."""

    @property
    def org_id(self) -> str:
        """The organization."""

    @property
    def path(self) -> Path:
        """The database file; where there is none, the name that derived files beside it begin with."""

    @property
    def engine(self) -> str:
        """What runs it, with its version."""

    def for_organization(self, org_id: str) -> Database:
        """The database as one organization sees it."""

    def read(self) -> AbstractContextManager[Transaction]:
        """A transaction that sees one state of the database throughout. Keep it short."""

    def write(self, wait_seconds: int | None = None) -> AbstractContextManager[Transaction]:
        """A transaction that commits when the block ends, and rolls back when it raises. It fails when others
        write for longer than `wait_seconds` (BUSY_SECONDS if none are given)."""

    def truncate_log(self) -> None:
        """Empty the log. Raises StoreError: others read or write for too long."""

    def compact(self, tables: Sequence[str] = ()) -> None:
        """Write these tables anew, or the whole database, without what was deleted."""

    def check(self) -> list[str]:
        """What is wrong with it; empty when it is sound."""

    def files(self) -> list[Path]:
        """The files on this machine that hold rows."""

    def close(self) -> None:
        """Give back all connections."""


def worker_name() -> str:
    """Names this process by host, number and run, so that another on the host can tell whether it lives."""
    return f"{platform.node()}:{os.getpid()}:{_RUN}"
