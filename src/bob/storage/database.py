"""What a database does for the rest of Bob, and the engine that is built in: SQLite.

First the contract of both engines (`bob.storage.postgres` is the other one): short transactions over one
schema. Then a database in one SQLite file, for one machine, with no server.
"""

from __future__ import annotations

import json
import re
import sqlite3
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Protocol

from bob.core.errors import StoreError
from bob.core.private_files import make_log_writable, make_private_file, make_private_folder

SCHEMA_HEAD = "0011"
"""The newest migration; the database is brought to it when it is opened."""

EVERY_ORGANIZATION = "*"
"""As this one, a database shows which organizations have jobs, and nothing else."""

BUSY_SECONDS = 120
"""How long a writer waits for others: longer than any transaction of ours on a slow disk."""

NO_VALUES: Mapping[str, Any] = MappingProxyType({})

_NAMES_ORGANIZATION = re.compile(r"(?<![:\w]):org\b")


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

    def take_ids(self, kind: str, count: int) -> range:
        """Take the next `count` ids of a kind: they are used up once the transaction commits."""
        (last,) = self.execute(
            "INSERT INTO counters (org_id, name, value) VALUES (:org, :kind, :count)"
            " ON CONFLICT (org_id, name) DO UPDATE SET value = counters.value + :count RETURNING value",
            {"kind": kind, "count": count},
        ).fetchone()
        return range(int(last) - count + 1, int(last) + 1)

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


class SqliteTransaction(Transaction):
    """A transaction on SQLite's driver."""

    def __init__(self, org_id: str, driver: sqlite3.Connection) -> None:
        self.org_id = org_id
        self._driver = driver

    def execute(self, statement: str, values: Mapping[str, Any] = NO_VALUES, /) -> sqlite3.Cursor:
        """Run one statement."""
        text, lists = sqlite_statement(statement, self.org_id != EVERY_ORGANIZATION)
        given = {"org": self.org_id, **values}
        for name in lists:
            given[name] = json.dumps(list(given[name]))
        return self._driver.execute(text, given)

    def execute_many(self, statement: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Run one statement for each of the rows."""
        sqlite_statement(statement, self.org_id != EVERY_ORGANIZATION)
        self._driver.executemany(statement, [{"org": self.org_id, **row} for row in rows]).close()

    def tables(self) -> dict[str, list[Column]]:
        """The tables that have rows of organizations, by name, with their columns in order."""
        rows = self._driver.execute(
            'SELECT t.name, c.name, c.type, c."notnull", c.pk'
            " FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' AND EXISTS"
            " (SELECT 1 FROM pragma_table_info(t.name) o WHERE o.name = 'org_id') ORDER BY t.name, c.cid"
        )
        found: dict[str, list[Column]] = {}
        for table, name, declared, required, place in rows:
            kind = "vector" if name in _VECTORS else _KINDS.get(declared.partition("(")[0], "number")
            found.setdefault(table, []).append(Column(name, kind, not required, place > 0))
        return found


_VECTORS = ("vector", "title_vector")
"""Columns of bytes here, and of vectors where there are such."""

_KINDS: dict[str, ColumnKind] = {
    "TEXT": "text",
    "VARCHAR": "text",
    "JSON": "json",
    "BLOB": "bytes",
    "BOOLEAN": "boolean",
    "DATE": "date",
}

_LIST = re.compile(r"\bIN :(\w+)")
_LIKE = re.compile(r"\bILIKE\b")


@cache
def sqlite_statement(statement: str, of_one: bool = True) -> tuple[str, tuple[str, ...]]:
    """The statement as SQLite takes it, and the names of the lists in it. Raises ValueError: it is `of_one`
    organization and does not name it.

    >>> sqlite_statement("DELETE FROM t WHERE org_id = :org AND b NOT IN :these")
    ('DELETE FROM t WHERE org_id = :org AND b NOT IN (SELECT value FROM json_each(:these))', ('these',))
    """
    if of_one:
        check_organization(statement)
    names = tuple(dict.fromkeys(_LIST.findall(statement)))
    statement = _LIKE.sub("LIKE", statement)  # which knows no case of ASCII letters here
    return _LIST.sub(r"IN (SELECT value FROM json_each(:\1))", statement), names


class SqliteDatabase:
    """One database file. Reads see the last commit; writes take turns, across processes too."""

    def __init__(self, path: Path, org_id: str) -> None:
        """Open `path` for an organization, making it and its folder, and bring the schema up to date.

        Raises:
            StoreError: the file cannot be opened or written, is no database, or is a newer Bob's.
        """
        self.path = path
        self.org_id = org_id
        try:
            make_private_folder(path.parent)
        except OSError as error:
            raise StoreError(f"cannot create the folder {path.parent}: {error.strerror}") from error
        # SQLite gives its log and index of the log the mode of the file that they belong to. A file that
        # cannot be made is one that it cannot open: it says why below.
        with suppress(OSError):
            make_private_file(path)
            make_log_writable(path)
        self._idle: deque[sqlite3.Connection] = deque()
        self._turn = threading.Lock()
        with self._on_driver("BEGIN") as connection:
            version = _version(connection)
        if version != SCHEMA_HEAD:
            from bob.storage.migrations import upgrade

            with self._on_driver("BEGIN IMMEDIATE") as connection:
                upgrade(partial(_run_script, connection), "sqlite", str(self.path), _version(connection))

    def __str__(self) -> str:
        """The file."""
        return str(self.path)

    def for_organization(self, org_id: str) -> SqliteDatabase:
        """The side of another organization, over the same connections."""
        side = copy(self)
        side.org_id = org_id
        return side

    @property
    def engine(self) -> str:
        """What runs it, with its version."""
        return f"SQLite {sqlite3.sqlite_version}"

    def files(self) -> list[Path]:
        """The files that hold rows."""
        every = (Path(f"{self.path}{end}") for end in ("", "-wal", "-journal"))
        return [path for path in every if path.is_file()]

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """A transaction that sees one state of the database throughout. Keep it short."""
        with self._on_driver("BEGIN") as connection:
            yield SqliteTransaction(self.org_id, connection)

    @contextmanager
    def write(self, wait_seconds: int | None = None) -> Iterator[Transaction]:
        """A transaction that commits when the block ends, and rolls back when it raises. It fails when others
        write for longer than `wait_seconds` (BUSY_SECONDS if none are given)."""
        wait_seconds = BUSY_SECONDS if wait_seconds is None else wait_seconds
        with self._in_turn(wait_seconds), self._on_driver("BEGIN IMMEDIATE", wait_seconds) as connection:
            transaction = SqliteTransaction(self.org_id, connection)
            yield transaction
            if (last := before_commit.get()) is not None:
                last(transaction)

    @contextmanager
    def _on_driver(self, begin: str, wait_seconds: int | None = None) -> Iterator[sqlite3.Connection]:
        with self._connected(wait_seconds) as connection:
            connection.execute(begin)
            yield connection
            connection.execute("COMMIT")

    @contextmanager
    def _connected(self, wait_seconds: int | None = None) -> Iterator[sqlite3.Connection]:
        """A connection, which is closed when the block raises: what it has begun is rolled back."""
        try:
            connection = self._taken() or _connect(self.path)
            with ExitStack() as stack:
                stack.enter_context(closing(connection))
                seconds = BUSY_SECONDS if wait_seconds is None else wait_seconds
                connection.execute(f"PRAGMA busy_timeout={seconds * 1000}").close()
                yield connection
                stack.pop_all()
            self._idle.append(connection)
        except sqlite3.DatabaseError as error:
            raise StoreError(f"{self.path}: {_advice(str(error))}") from error

    def _taken(self) -> sqlite3.Connection | None:
        try:
            return self._idle.pop()
        except IndexError:  # Looking first would not do: another thread may take the last one in between.
            return None

    @contextmanager
    def _in_turn(self, wait_seconds: int) -> Iterator[None]:
        """The turn of one writer among the threads of this process. SQLite itself wakes no one who waits: it
        looks again after ever longer pauses, long after the other writer is done."""
        if not self._turn.acquire(timeout=wait_seconds):
            raise StoreError(f"{self.path}: {_advice('locked')}")
        try:
            yield
        finally:
            self._turn.release()

    def truncate_log(self) -> None:
        """Fold the whole write-ahead log into the file and empty it. Raises StoreError: others read or write
        for too long."""
        with self._connected() as connection:
            busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise StoreError(f"{self.path}: another program keeps reading it; close it and try again")

    def compact(self, tables: Sequence[str] = ()) -> None:
        """Write the whole file anew, without what was deleted; it takes as much room again while it runs."""
        with self._connected() as connection:
            connection.execute("VACUUM")
        self.truncate_log()

    def check(self) -> list[str]:
        """What SQLite's own quick check finds wrong; empty when the file is sound."""
        with self._on_driver("BEGIN") as connection:
            found = [str(row[0]) for row in connection.execute("PRAGMA quick_check")]
        return [] if found == ["ok"] else found

    def close(self) -> None:
        """Give back all connections."""
        while self._idle:
            self._idle.pop().close()


_WAL_PAGES_KEPT = 4_000


def _connect(path: Path) -> sqlite3.Connection:
    # We open transactions ourselves: the driver's own way takes no write lock until the first write,
    # and then fails at once where it should wait.
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False, isolation_level=None)
    with ExitStack() as stack:
        stack.enter_context(closing(connection))
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",
            "foreign_keys=ON",
            # What is deleted is overwritten: forgetting a memory must leave no bytes of it.
            "secure_delete=ON",
            "mmap_size=268435456",
            "cache_size=-65536",
            f"wal_autocheckpoint={_WAL_PAGES_KEPT}",
        ):
            connection.execute(f"PRAGMA {pragma}").close()
        # SQLite's own knows ASCII only: a project "Água" would not be what a question about "água" means.
        connection.create_function("lower", 1, _lower, deterministic=True)
        stack.pop_all()
    return connection


def _lower(value: str | None) -> str | None:
    return None if value is None else str(value).lower()


def _run_script(connection: sqlite3.Connection, script: str) -> None:
    """Run its statements in the present transaction, which the driver's own way would end."""
    statement = ""
    for line in script.splitlines():
        # Comments would become part of the tables' declarations.
        if not line.lstrip().startswith("--"):
            statement += line + "\n"
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""


def _version(connection: sqlite3.Connection) -> str | None:
    table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'alembic_version'"
    if connection.execute(table).fetchone() is None:
        return None
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return None if row is None else str(row[0])


def _advice(message: str) -> str:
    if "locked" in message:
        return "the database is locked by another program; close it and try again"
    if "readonly" in message or "unable to open" in message:
        return f"{message}; check that the file and its folder are writable"
    if "full" in message:
        return "the disk is full; nothing was lost, free some space and run the command again"
    return message
