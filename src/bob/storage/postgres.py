"""A PostgreSQL database with pgvector: the same transactions over the same tables, for many servers.

Each transaction belongs to one organization: row-level security shows it that organization's rows alone, even
where a statement forgets to ask for them. Writers of one organization take turns, as SQLite's do, so that ids
are committed in their order (`bob.storage.migrations`); organizations do not wait for each other.
"""

from __future__ import annotations

import re
import struct
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

import numpy as np

from bob.core.errors import MissingExtraError, StoreError
from bob.storage.database import (
    BUSY_SECONDS,
    EVERY_ORGANIZATION,
    NO_VALUES,
    SCHEMA_HEAD,
    Column,
    ColumnKind,
    HalfVector,
    Transaction,
    before_commit,
    check_organization,
)

if TYPE_CHECKING:
    from psycopg import Connection, Cursor

_OUR_LOCKS = 0x626F62
"""The first of the two numbers of our locks, among all who lock something in the database."""

_TRIES = 3
_PAUSE_SECONDS = 0.25
_CONNECTIONS = 32
_KEPT_CONNECTIONS = 16
_CONNECTION_SECONDS = 30
_STATEMENT_SECONDS = 60

_UNPROTECTED = """
SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'org_id'
WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND c.relname <> 'organizations'
    AND NOT (c.relrowsecurity AND c.relforcerowsecurity)
ORDER BY c.relname
"""


class PostgresTransaction(Transaction):
    """A transaction that takes and gives what SQLite's would: JSON and dates as text."""

    def __init__(self, org_id: str, driver: Connection[Any]) -> None:
        self.org_id = org_id
        self._driver = driver

    def execute(self, statement: str, values: Mapping[str, Any] = NO_VALUES, /) -> Cursor[Any]:
        """Run one statement."""
        text, names = marked(statement, self.org_id != EVERY_ORGANIZATION)
        given = _in_order(names, {"org": self.org_id, **values})
        return self._driver.cursor(binary=True).execute(text, given)

    def execute_many(self, statement: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Run one statement for each of the rows."""
        text, names = marked(statement, self.org_id != EVERY_ORGANIZATION)
        given = [_in_order(names, {"org": self.org_id, **row}) for row in rows]
        self._driver.cursor(binary=True).executemany(text, given)

    def tables(self) -> dict[str, list[Column]]:
        """The tables that have rows of organizations, by name, with their columns in order."""
        found: dict[str, list[Column]] = {}
        for table, name, declared, required, in_key in self._driver.execute(_TABLES):
            kind = _KINDS.get(declared, "number")
            found.setdefault(table, []).append(Column(name, kind, not required, in_key))
        return found


_TABLES = """
SELECT c.relname, a.attname, t.typname, a.attnotnull,
    EXISTS (SELECT 1 FROM pg_index i
        WHERE i.indrelid = c.oid AND i.indisprimary AND a.attnum = ANY (i.indkey))
FROM pg_class c
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_type t ON t.oid = a.atttypid
WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND EXISTS
    (SELECT 1 FROM pg_attribute o WHERE o.attrelid = c.oid AND o.attname = 'org_id')
ORDER BY c.relname COLLATE "C", a.attnum
"""
_KINDS: dict[str, ColumnKind] = {
    "text": "text",
    "varchar": "text",
    "json": "json",
    "bytea": "bytes",
    "halfvec": "vector",
    "bool": "boolean",
    "date": "date",
}

_MARK = re.compile(r"'[^']*'|\b(?P<no>NOT )?IN :(?P<list>\w+)|(?<![:\w]):(?P<name>\w+)|%")


@cache
def marked(statement: str, of_one: bool = True) -> tuple[bytes, tuple[tuple[str, bool], ...]]:
    """The statement with the marks of PostgreSQL's driver, and the names of their values in order, each with
    whether it is a list. One value has a mark for each of its places: it may be compared with columns of
    different types. Raises ValueError: it is `of_one` organization and does not name it.

    >>> marked("SELECT a::text FROM t WHERE b IN :bs AND org_id = :org AND d <> ':e'")
    (b"SELECT a::text FROM t WHERE b = ANY(%s) AND org_id = %s AND d <> ':e'", (('bs', True), ('org', False)))
    """
    if of_one:
        check_organization(statement)
    names: list[tuple[str, bool]] = []

    def mark(found: re.Match[str]) -> str:
        if found["name"]:
            names.append((found["name"], False))
            return "%s"
        if found["list"]:
            names.append((found["list"], True))
            return "<> ALL(%s)" if found["no"] else "= ANY(%s)"
        return found.group(0).replace("%", "%%")

    return _MARK.sub(mark, statement).encode(), tuple(names)


def _in_order(names: Sequence[tuple[str, bool]], values: Mapping[str, Any]) -> list[Any]:
    return [list(values[name]) if several else values[name] for name, several in names]


class PostgresDatabase:
    """One organization's side of a PostgreSQL database. All sides in a process share their connections."""

    def __init__(self, url: str, org_id: str, cache_folder: Path) -> None:
        """Connect, and bring the schema up to date.

        Raises:
            StoreError: there is no connection, no pgvector, or the schema is a newer Bob's.
            MissingExtraError: the driver is not installed.
        """
        self._url = url
        self.org_id = org_id
        with _opening:
            if url not in _pools:
                _pools[url] = _Connections(url)
        self._connections = _pools[url]
        with self._begun(_STATEMENT_SECONDS) as connection:
            version = _version(connection)
        if version != SCHEMA_HEAD:
            from bob.storage.migrations import upgrade

            with self._begun(0) as connection:
                # Two servers may start at once: the second waits here, and finds all done. The lock ends with
                # the transaction: none stays behind in a connection that is used again.
                connection.execute("SELECT pg_advisory_xact_lock(%s, 0)", (_OUR_LOCKS,))

                def execute_script(script: str) -> None:
                    connection.execute(script.replace(" BLOB", " bytea").encode())

                upgrade(execute_script, "postgresql", str(self), _version(connection))
            # Those that were made before the types of the schema do not know them.
            self._connections.close()
        with self._begun(_STATEMENT_SECONDS) as connection:
            (name,) = _row(connection, "SELECT value FROM server_facts WHERE name = 'database'")
        self.path = cache_folder / str(name) / "postgresql"

    def __str__(self) -> str:
        """The address without the password."""
        return without_password(self._url)

    @property
    def engine(self) -> str:
        """What runs it, with its version."""
        with self._begun(_STATEMENT_SECONDS) as connection:
            (server,) = _row(connection, "SHOW server_version")
            (vector,) = _row(connection, "SELECT extversion FROM pg_extension WHERE extname = 'vector'")
        return f"PostgreSQL {server}, pgvector {vector}"

    def for_organization(self, org_id: str) -> PostgresDatabase:
        """The side of another organization, over the same connections."""
        side = copy(self)
        side.org_id = org_id
        return side

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """A transaction that sees one state of the database throughout. Keep it short."""
        with self._begun(_STATEMENT_SECONDS, " ISOLATION LEVEL REPEATABLE READ") as connection:
            yield PostgresTransaction(self.org_id, connection)

    @contextmanager
    def write(self, wait_seconds: int | None = None) -> Iterator[Transaction]:
        """A transaction that commits when the block ends, and rolls back when it raises. It fails when others
        write for longer than `wait_seconds` (BUSY_SECONDS if none are given)."""
        with self._begun(BUSY_SECONDS if wait_seconds is None else wait_seconds) as connection:
            connection.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (_OUR_LOCKS, self.org_id))
            transaction = PostgresTransaction(self.org_id, connection)
            yield transaction
            if (last := before_commit.get()) is not None:
                last(transaction)

    @contextmanager
    def _begun(self, seconds: int, isolation: str = "") -> Iterator[Connection[Any]]:
        """A transaction of the organization; each of its statements may take so many seconds, 0: any."""
        from psycopg.sql import Literal

        settings = {
            "bob.org_id": self.org_id,
            "lock_timeout": f"{seconds}s",
            "statement_timeout": f"{seconds}s",
        }
        given = ", ".join(
            f"set_config('{name}', {Literal(value).as_string(None)}, true)"
            for name, value in settings.items()
        )
        # One message to the server, and the first of the connection: where it was lost, here it shows.
        with self._translated(), self._connections.one(f"BEGIN{isolation}; SELECT {given}") as connection:
            yield connection
            connection.execute("COMMIT")

    @contextmanager
    def _translated(self) -> Iterator[None]:
        from psycopg import Error

        try:
            yield
        except Error as error:
            raise StoreError(f"{self}: {_advice(error)}") from error

    def truncate_log(self) -> None:
        """The log is the server's: what was deleted stays in it until the server recycles it."""

    def compact(self, tables: Sequence[str] = ()) -> None:
        """Have the server write these tables anew, or all: their files then lack what was deleted."""
        with self.read() as transaction:
            every = list(transaction.tables())
        with self._translated(), self._connections.one() as connection:
            for name in every:
                if not tables or name in tables:
                    connection.execute(f'VACUUM FULL "{name}"'.encode())

    def check(self) -> list[str]:
        """What is wrong with the schema; empty when all is as it should be."""
        with self._begun(_STATEMENT_SECONDS) as connection:
            bare = connection.execute(_UNPROTECTED).fetchall()
        return [f"the table {name} shows its rows to every organization" for (name,) in bare]

    def files(self) -> list[Path]:
        """The server's files are not on this machine, as far as Bob knows."""
        return []

    def close(self) -> None:
        """Give back the connections of the process that nobody uses."""
        self._connections.close()


class _Connections:
    """The connections of this process to one database."""

    def __init__(self, url: str) -> None:
        try:
            import psycopg
            from psycopg.conninfo import conninfo_to_dict

            conninfo_to_dict(url)
        except ImportError as error:
            raise MissingExtraError("a PostgreSQL database", "team") from error
        except psycopg.ProgrammingError as error:
            raise StoreError("database: must be postgresql://USER:PASSWORD@HOST:PORT/NAME") from error
        self._url = url
        self._idle: deque[Connection[Any]] = deque()
        self._free = threading.BoundedSemaphore(_CONNECTIONS)

    @contextmanager
    def one(self, begin: str = "") -> Iterator[Connection[Any]]:
        """A connection on which this statement was run; what the block leaves open is rolled back."""
        import psycopg
        from psycopg.pq import TransactionStatus

        if not self._free.acquire(timeout=_CONNECTION_SECONDS):
            raise StoreError(f"{without_password(self._url)}: too many ask at once; try again")
        try:
            connection = self._begun(begin)
            try:
                yield connection
            finally:
                with suppress(psycopg.Error):  # what happened in the block is what counts
                    if connection.info.transaction_status != TransactionStatus.IDLE:
                        connection.execute("ROLLBACK")
                if connection.closed or len(self._idle) >= _KEPT_CONNECTIONS:
                    connection.close()
                else:
                    self._idle.append(connection)
        finally:
            self._free.release()

    def _begun(self, begin: str) -> Connection[Any]:
        """A connection that works: one that was lost while it was idle is replaced, and a server that starts
        again is waited for a moment. Inside a transaction nothing is tried again: the caller knows best."""
        from psycopg import OperationalError

        while True:
            try:
                connection = self._idle.pop()
            except IndexError:  # Looking first would not do: another thread may take the last one in between.
                break
            try:
                return _started(connection, begin)
            except OperationalError:
                connection.close()
        for attempt in range(1, _TRIES):
            try:
                return _started(_connect(self._url), begin)
            except OperationalError:
                time.sleep(_PAUSE_SECONDS * attempt)
        return _started(_connect(self._url), begin)

    def close(self) -> None:
        """Give back those that nobody uses."""
        while self._idle:
            self._idle.pop().close()


_pools: dict[str, _Connections] = {}
_opening = threading.Lock()


def _started(connection: Connection[Any], begin: str) -> Connection[Any]:
    if begin:
        connection.execute(begin.encode(), prepare=False)
    return connection


def _connect(url: str) -> Connection[Any]:
    import psycopg
    from psycopg.types import TypeInfo

    # We open transactions ourselves.
    connection = psycopg.connect(url, autocommit=True)
    for name, loader in _loaders().items():
        connection.adapters.register_loader(name, loader)
    found = TypeInfo.fetch(connection, "halfvec")
    if found is not None:  # else before the first migration; whoever migrates writes no vectors
        _teach_vectors(connection, found.oid)
    return connection


@cache
def _loaders() -> dict[str, Any]:
    """What gives JSON and dates as SQLite's driver does."""
    from psycopg.adapt import Loader
    from psycopg.pq import Format

    class JsonText(Loader):
        format = Format.BINARY

        def load(self, data: Any) -> str:
            return bytes(data).decode()

    class DateText(Loader):
        format = Format.BINARY

        def load(self, data: Any) -> str:
            return date.fromordinal(_POSTGRES_BEGINS + int.from_bytes(data, "big", signed=True)).isoformat()

    return {"json": JsonText, "date": DateText}


_POSTGRES_BEGINS = date(2000, 1, 1).toordinal()
"""The day from which PostgreSQL counts days."""


def _teach_vectors(connection: Connection[Any], halfvec: int) -> None:
    from psycopg.adapt import Dumper, Loader
    from psycopg.pq import Format

    class VectorDumper(Dumper):
        format = Format.BINARY
        oid = halfvec

        def dump(self, obj: bytes) -> bytes:
            return to_wire(obj)

    class VectorLoader(Loader):
        format = Format.BINARY

        def load(self, data: Any) -> bytes:
            return from_wire(bytes(data))

    class TextVectorLoader(Loader):
        def load(self, data: Any) -> bytes:
            numbers = bytes(data).strip(b"[]").split(b",")
            return np.array([float(number) for number in numbers], dtype="<f2").tobytes()

    connection.adapters.register_dumper(HalfVector, VectorDumper)
    connection.adapters.register_loader(halfvec, VectorLoader)
    connection.adapters.register_loader(halfvec, TextVectorLoader)


_HEADER = struct.Struct(">HH")


def to_wire(packed: bytes) -> bytes:
    """The vector as PostgreSQL reads it."""
    numbers = np.frombuffer(packed, "<f2")
    return _HEADER.pack(len(numbers), 0) + numbers.astype(">f2").tobytes()


def from_wire(sent: bytes) -> bytes:
    """The inverse of `to_wire`."""
    return np.frombuffer(sent, ">f2", offset=_HEADER.size).astype("<f2").tobytes()


def _row(connection: Connection[Any], statement: str) -> tuple[Any, ...]:
    row: tuple[Any, ...] | None = connection.execute(statement.encode()).fetchone()
    assert row is not None
    return row


def _version(connection: Connection[Any]) -> str | None:
    # Read from the catalog: `to_regclass` may answer from the connection's cache, which has not yet heard of
    # a table that another connection made while this one waited for it.
    (exists,) = _row(
        connection,
        "SELECT EXISTS (SELECT FROM pg_class WHERE relname = 'alembic_version' AND pg_table_is_visible(oid))",
    )
    version = exists and connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return str(version[0]) if version else None


def without_password(url: str) -> str:
    """The address as it may be shown.

    >>> without_password("postgresql://bob:secret@db.example:5433/memory?sslmode=require")
    'postgresql://bob@db.example:5433/memory'
    """
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    user = (parts.username or "") + "@" if parts.username else ""
    return urlunsplit((parts.scheme, user + host, parts.path, "", ""))


def _advice(error: BaseException | None) -> str:
    from psycopg import errors

    first = str(error).strip().partition("\n")[0]
    match error:
        case errors.LockNotAvailable() | errors.QueryCanceled():
            return "the database is busy; try again"
        case errors.UndefinedFile() | errors.FeatureNotSupported() if "vector" in first:
            return "pgvector is not installed on the server; install its package beside PostgreSQL"
        case errors.InsufficientPrivilege() if "extension" in first:
            return "an administrator must run CREATE EXTENSION vector in this database once"
        case errors.ReadOnlySqlTransaction():
            return f"{first}; the server or this user is set to read only, and nothing was changed"
        case errors.DiskFull():
            return "the server's disk is full; nothing was lost, free some space and try again"
        case errors.InsufficientPrivilege():
            return f"{first}; the user must own the database or its schema"
        case errors.OperationalError():
            return f"no connection to the server: {first}"
        case _:
            return first
