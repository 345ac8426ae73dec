"""A database in one SQLite file: for one machine, with no server."""

from __future__ import annotations

import sqlite3
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

from bob.core.errors import StoreError
from bob.core.private_files import make_log_writable, make_private_file, make_private_folder
from bob.storage.database import SCHEMA_HEAD
from bob.storage.idempotency import note_change

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

_BUSY_SECONDS = 120
"""How long a writer waits for another: longer than any transaction of ours on a slow disk."""

_WAL_PAGES_KEPT = 4_000


class SqliteDatabase:
    """One database file. Reads see the last commit; writes take turns, across processes too."""

    def __init__(self, path: Path) -> None:
        """Open `path`, making it and its folder, and bring the schema up to date.

        Raises:
            StoreError: the file cannot be opened or written, is no database, or is a newer Bob's.
        """
        self.path = path
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
        with self.search() as connection:
            version = _version(connection)
        if version != SCHEMA_HEAD:
            # Alembic takes a third of a second to import: only when there is something to migrate.
            from bob.storage.migrations.runner import upgrade

            with self._translated(), self._engine.connect() as connection_:
                connection_.execution_options(bob_write=True)
                with connection_.begin():
                    upgrade(connection_, str(self.path), version)

    def __str__(self) -> str:
        """The file."""
        return str(self.path)

    def for_organization(self, org_id: str) -> SqliteDatabase:
        """The same: here every statement names its organization, and nothing else tells them apart."""
        return self

    @property
    def engine(self) -> str:
        """What runs it, with its version."""
        return f"SQLite {sqlite3.sqlite_version}"

    def files(self) -> list[Path]:
        """The files that hold rows."""
        every = (Path(f"{self.path}{end}") for end in ("", "-wal", "-journal"))
        return [path for path in every if path.is_file()]

    @cached_property
    def _engine(self) -> Engine:
        return _engine(self.path)

    @contextmanager
    def search(self) -> Iterator[sqlite3.Connection]:
        """A read transaction on the driver itself, for what every search asks (ADR 14): building such a
        statement from parts takes longer than running it, and importing the builder longer than a search."""
        with self._on_driver("BEGIN") as connection:
            yield connection

    @contextmanager
    def keep(self, wait_seconds: int) -> Iterator[sqlite3.Connection]:
        """A write transaction on the driver itself, for what an answer leaves behind (ADR 14). It fails when
        others write for longer than `wait_seconds`: somebody waits for the answer."""
        with self._in_turn(wait_seconds), self._on_driver("BEGIN IMMEDIATE", wait_seconds) as connection:
            yield connection
            note_change(connection)

    @contextmanager
    def _on_driver(self, begin: str, wait_seconds: int = _BUSY_SECONDS) -> Iterator[sqlite3.Connection]:
        try:
            connection = self._taken() or _connect(self.path)
            with ExitStack() as stack:
                stack.enter_context(closing(connection))
                connection.execute(f"PRAGMA busy_timeout={wait_seconds * 1000}").close()
                connection.execute(begin)
                yield connection
                connection.execute("COMMIT")
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
    def read(self) -> Iterator[Connection]:
        """A transaction that sees one state of the database throughout. Keep it short."""
        with self._translated(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that commits when the block ends, and rolls back when it raises."""
        with self._in_turn(_BUSY_SECONDS), self._translated(), self._engine.connect() as connection:
            connection.execution_options(bob_write=True)
            with connection.begin():
                yield connection
                note_change(cast(sqlite3.Connection, connection.connection.driver_connection))

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

    def checkpoint(self) -> None:
        """Fold the write-ahead log into the file as far as readers allow."""
        with self._translated(), closing(self._engine.raw_connection()) as connection:
            connection.cursor().execute("PRAGMA wal_checkpoint(PASSIVE)")

    def truncate_log(self) -> None:
        """Fold the whole write-ahead log into the file and empty it. Raises StoreError: others read or write
        for too long."""
        with self._translated(), closing(self._engine.raw_connection()) as connection:
            busy, _, _ = connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise StoreError(f"{self.path}: another program keeps reading it; close it and try again")

    def compact(self, tables: Sequence[str] = ()) -> None:
        """Write the whole file anew, without what was deleted; it takes as much room again while it runs."""
        with self._translated(), closing(self._engine.raw_connection()) as connection:
            connection.cursor().execute("VACUUM")
        self.truncate_log()

    def check(self) -> list[str]:
        """What SQLite's own quick check finds wrong; empty when the file is sound."""
        with self.read() as connection:
            found = [str(row[0]) for row in connection.exec_driver_sql("PRAGMA quick_check")]
        return [] if found == ["ok"] else found

    def close(self) -> None:
        """Give back all connections."""
        while self._idle:
            self._idle.pop().close()
        if "_engine" in self.__dict__:
            self._engine.dispose()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        from sqlalchemy.exc import DatabaseError

        try:
            yield
        except DatabaseError as error:
            raise StoreError(f"{self.path}: {_advice(str(error.orig))}") from error


def _connect(path: Path) -> sqlite3.Connection:
    # We open transactions ourselves: the driver's own way takes no write lock until the first write,
    # and then fails at once where it should wait.
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, check_same_thread=False, isolation_level=None)
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


def _engine(path: Path) -> Engine:
    from sqlalchemy import create_engine, event

    # The address is only for messages: `creator` opens the file.
    engine = create_engine(f"sqlite:///{path}", creator=lambda: _connect(path))

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writing = connection.get_execution_options().get("bob_write", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine


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
