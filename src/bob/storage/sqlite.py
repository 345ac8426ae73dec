"""A database in one SQLite file: for one machine, with no server."""

from __future__ import annotations

import json
import re
import sqlite3
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from copy import copy
from functools import cache, partial
from pathlib import Path
from typing import Any

from bob.core.errors import StoreError
from bob.core.private_files import make_log_writable, make_private_file, make_private_folder
from bob.storage.database import (
    BUSY_SECONDS,
    EVERY_ORGANIZATION,
    NO_VALUES,
    SCHEMA_HEAD,
    Column,
    ColumnKind,
    Transaction,
    before_commit,
    check_organization,
)

_WAL_PAGES_KEPT = 4_000


class SqliteTransaction(Transaction):
    """A transaction on SQLite's driver."""

    def __init__(self, org_id: str, driver: sqlite3.Connection) -> None:
        self.org_id = org_id
        self._driver = driver

    def execute(self, statement: str, values: Mapping[str, Any] = NO_VALUES, /) -> sqlite3.Cursor:
        """Run one statement."""
        text, lists = marked(statement, self.org_id != EVERY_ORGANIZATION)
        given = {"org": self.org_id, **values}
        for name in lists:
            given[name] = json.dumps(list(given[name]))
        return self._driver.execute(text, given)

    def execute_many(self, statement: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Run one statement for each of the rows."""
        marked(statement, self.org_id != EVERY_ORGANIZATION)
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
def marked(statement: str, of_one: bool = True) -> tuple[str, tuple[str, ...]]:
    """The statement as SQLite takes it, and the names of the lists in it. Raises ValueError: it is `of_one`
    organization and does not name it.

    >>> marked("DELETE FROM t WHERE org_id = :org AND b NOT IN :these")
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
