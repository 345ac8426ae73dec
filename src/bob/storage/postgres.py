"""A PostgreSQL database with pgvector: the same transactions over the same tables, for many servers.

Each transaction belongs to one organization: row-level security shows it that organization's rows alone, even
where a statement forgets to ask for them. Writers of one organization take turns, as SQLite's do, so that ids
are committed in their order (`bob.storage.schema`); organizations do not wait for each other.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bob.core.errors import MissingExtraError, StoreError
from bob.storage.database import SCHEMA_HEAD
from bob.storage.idempotency import note_change
from bob.storage.postgres_driver import PostgresConnection, prepare, without_password

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

_OUR_LOCKS = 0x626F62
"""The first of the two numbers of our locks, among all who lock something in the database."""

_TRIES = 3
_PAUSE_SECONDS = 0.25
_CONNECTIONS = 16
_STATEMENT_SECONDS = 60
_BUSY_SECONDS = 120

_engines: dict[str, Engine] = {}
_opening = threading.Lock()

_UNPROTECTED = """
SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'org_id'
WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND c.relname <> 'organizations'
    AND NOT (c.relrowsecurity AND c.relforcerowsecurity)
ORDER BY c.relname
"""


class PostgresDatabase:
    """One organization's side of a PostgreSQL database. All sides in a process share their connections."""

    def __init__(self, url: str, org_id: str, cache_folder: Path) -> None:
        """Connect, and bring the schema up to date.

        Raises:
            StoreError: there is no connection, no pgvector, or the schema is a newer Bob's.
            MissingExtraError: the driver is not installed.
        """
        self._url = url
        self._org_id = org_id
        with _opening:
            if url not in _engines:
                _engines[url] = _engine(url)
        self._engine = _engines[url]
        with self._opened(_STATEMENT_SECONDS) as connection:
            version = _version(connection)
        if version != SCHEMA_HEAD:
            from bob.storage.migrations.runner import upgrade

            with self._opened(0) as connection, connection.begin():
                # Two servers may start at once: the second waits here, and finds all done. The lock ends with
                # the transaction: none stays behind in a connection that a pool hands on.
                connection.exec_driver_sql("SELECT pg_advisory_xact_lock(%s, 0)", (_OUR_LOCKS,))
                upgrade(connection, str(self), _version(connection))
        with self.read() as connection:
            name = connection.exec_driver_sql("SELECT value FROM server_facts WHERE name = 'database'")
            self.path = cache_folder / str(name.scalar_one()) / "postgresql"

    def __str__(self) -> str:
        """The address without the password."""
        return without_password(self._url)

    @property
    def engine(self) -> str:
        """What runs it, with its version."""
        with self.read() as connection:
            server = connection.exec_driver_sql("SHOW server_version").scalar_one()
            vector = connection.exec_driver_sql(
                "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
            ).scalar_one()
        return f"PostgreSQL {server}, pgvector {vector}"

    def for_organization(self, org_id: str) -> PostgresDatabase:
        """The side of another organization, over the same connections."""
        side = copy(self)
        side._org_id = org_id
        return side

    @contextmanager
    def search(self) -> Iterator[PostgresConnection]:
        """A read transaction that takes the statements that SQLite's driver takes (ADR 14)."""
        with self.read() as connection, connection.begin():
            yield PostgresConnection(connection)

    @contextmanager
    def keep(self, wait_seconds: int) -> Iterator[PostgresConnection]:
        """A write transaction of the same kind. It fails when others write for longer than `wait_seconds`."""
        with self._opened(wait_seconds) as connection, connection.begin():
            self._take_turn(connection)
            driver = PostgresConnection(connection)
            yield driver
            note_change(driver, self._org_id)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that sees one state of the database throughout. Keep it short."""
        with self._opened(_STATEMENT_SECONDS, isolation_level="REPEATABLE READ") as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that commits when the block ends, and rolls back when it raises."""
        with self._opened(_BUSY_SECONDS) as connection, connection.begin():
            self._take_turn(connection)
            yield connection
            note_change(PostgresConnection(connection), self._org_id)

    @contextmanager
    def _opened(self, seconds: int, **options: Any) -> Iterator[Connection]:
        from psycopg import Error
        from sqlalchemy.exc import DBAPIError

        try:
            with self._connected() as connection:
                connection.execution_options(bob_org=self._org_id, bob_seconds=seconds, **options)
                yield connection
        except DBAPIError as error:
            raise StoreError(f"{self}: {_advice(error.orig)}") from error
        except Error as error:
            raise StoreError(f"{self}: {_advice(error)}") from error

    def _connected(self) -> Connection:
        """A connection that works: one that was lost while it was idle is replaced, and a server that starts
        again is waited for a moment. Inside a transaction nothing is tried again: the caller knows best."""
        from sqlalchemy.exc import OperationalError

        for attempt in range(1, _TRIES):
            try:
                return self._engine.connect()
            except OperationalError:
                time.sleep(_PAUSE_SECONDS * attempt)
        return self._engine.connect()

    def _take_turn(self, connection: Connection) -> None:
        lock = "SELECT pg_advisory_xact_lock(%s, hashtext(%s))"
        connection.exec_driver_sql(lock, (_OUR_LOCKS, self._org_id))

    def checkpoint(self) -> None:
        """The server does that by itself."""

    def truncate_log(self) -> None:
        """The log is the server's: what was deleted stays in it until the server recycles it."""

    def compact(self, tables: Sequence[str] = ()) -> None:
        """Have the server write these tables anew, or all: their files then lack what was deleted."""
        from bob.storage.metadata import metadata

        with self._opened(0, isolation_level="AUTOCOMMIT") as connection:
            for table in metadata.sorted_tables:
                if not tables or table.name in tables:
                    connection.exec_driver_sql(f'VACUUM FULL "{table.name}"')

    def check(self) -> list[str]:
        """What is wrong with the schema; empty when all is as it should be."""
        with self.read() as connection:
            bare = connection.exec_driver_sql(_UNPROTECTED).scalars().all()
        return [f"the table {name} shows its rows to every organization" for name in bare]

    def files(self) -> list[Path]:
        """The server's files are not on this machine, as far as Bob knows."""
        return []

    def close(self) -> None:
        """Give back the connections of the process that nobody uses."""
        self._engine.dispose()


def _engine(url: str) -> Engine:
    from sqlalchemy import create_engine, event
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError

    try:
        import psycopg  # noqa: F401 - only to say what to install
    except ImportError as error:
        raise MissingExtraError("a PostgreSQL database", "team") from error
    address = "postgresql+psycopg:" + url.partition(":")[2]
    try:
        engine = create_engine(
            address, pool_size=_CONNECTIONS, max_overflow=_CONNECTIONS, pool_pre_ping=True, pool_timeout=30
        )
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise StoreError("database: must be postgresql://USER:PASSWORD@HOST:PORT/NAME") from error
    event.listen(engine, "connect", prepare)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        seconds = f"{options.get('bob_seconds', 0)}s"
        connection.exec_driver_sql(
            "SELECT set_config('bob.org_id', %s, true), set_config('lock_timeout', %s, true),"
            " set_config('statement_timeout', %s, true)",
            (options.get("bob_org", ""), seconds, seconds),
        )

    return engine


def _version(connection: Connection) -> str | None:
    table = connection.exec_driver_sql("SELECT to_regclass('alembic_version')::text").scalar()
    if table is None:
        return None
    found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    return None if found is None else str(found)


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
