"""Opens the database, and hands out short transactions."""

from __future__ import annotations

import os
import platform
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, insert, select, text, update
from sqlalchemy.exc import DatabaseError, OperationalError

from bob.errors import StoreError
from bob.store.schema import counters, organizations

SCHEMA_HEAD = "0001"
"""The newest migration; the database is brought to it when it is opened."""

_BUSY_SECONDS = 120
"""How long a writer waits for another: longer than any transaction of ours on a slow disk."""

_WAL_PAGES_KEPT = 4_000

_RUN = uuid.uuid4().hex[:8]
"""Tells this process from an earlier one of the same number, as in a container that was started again."""


class Database:
    """One database file. Reads see the last commit; writes take turns, across processes too."""

    def __init__(self, path: Path) -> None:
        """Open `path`, making it and its folder, and bring the schema up to date.

        Raises:
            StoreError: the file cannot be opened or written, is no database, or is a newer Bob's.
        """
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"cannot make the folder {path.parent}: {error.strerror}") from error
        self._engine = _engine(path)
        with self._translated():
            self._bring_up_to_date()

    def _bring_up_to_date(self) -> None:
        with self._engine.connect() as connection:
            version = _version(connection)
        if version == SCHEMA_HEAD:
            return
        # Alembic takes a third of a second to import: only when there is something to migrate.
        from bob.store.migrations.runner import upgrade

        upgrade(self._engine, self.path, version)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that sees one state of the database throughout. Keep it short."""
        with self._translated(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that commits when the block ends, and rolls back when it raises."""
        with self._translated(), self._engine.connect() as connection:
            connection.execution_options(bob_write=True)
            with connection.begin():
                yield connection

    def checkpoint(self) -> None:
        """Fold the write-ahead log into the file as far as readers allow."""
        with self._translated(), closing(self._engine.raw_connection()) as connection:
            connection.cursor().execute("PRAGMA wal_checkpoint(PASSIVE)")

    def check(self) -> list[str]:
        """What SQLite's own quick check finds wrong; empty when the file is sound."""
        with self.read() as connection:
            found = [str(row[0]) for row in connection.exec_driver_sql("PRAGMA quick_check")]
        return [] if found == ["ok"] else found

    def close(self) -> None:
        """Give back all connections."""
        self._engine.dispose()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except OperationalError as error:
            raise StoreError(f"{self.path}: {_advice(str(error.orig))}") from error
        except DatabaseError as error:
            raise StoreError(f"{self.path}: {error.orig}") from error


def _engine(path: Path) -> Engine:
    engine = create_engine(
        f"sqlite:///{path}",
        connect_args={"timeout": _BUSY_SECONDS, "check_same_thread": False},
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _record: object) -> None:
        # We open transactions ourselves: the driver's own way takes no write lock until the first write,
        # and then fails at once where it should wait.
        connection.isolation_level = None
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",
            "foreign_keys=ON",
            "mmap_size=268435456",
            "cache_size=-65536",
            f"wal_autocheckpoint={_WAL_PAGES_KEPT}",
        ):
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writing = connection.get_execution_options().get("bob_write", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine


def _version(connection: Connection) -> str | None:
    known = connection.execute(
        text("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'alembic_version'")
    ).first()
    if known is None:
        return None
    row = connection.execute(text("SELECT version_num FROM alembic_version")).first()
    return None if row is None else str(row[0])


def _advice(message: str) -> str:
    if "locked" in message:
        return "another program holds the database for too long; close it and try again"
    if "readonly" in message or "unable to open" in message:
        return f"{message}; check that the file and its folder can be written"
    if "full" in message:
        return "the disk is full; nothing was lost, free some space and run the command again"
    return message


def next_ids(connection: Connection, org_id: str, name: str, count: int) -> range:
    """Take `count` fresh ids of a kind, inside the caller's transaction."""
    taken = connection.execute(
        update(counters)
        .where(counters.c.org_id == org_id, counters.c.name == name)
        .values(value=counters.c.value + count)
    ).rowcount
    if not taken:
        connection.execute(insert(counters).values(org_id=org_id, name=name, value=count))
    last: Any = connection.execute(
        select(counters.c.value).where(counters.c.org_id == org_id, counters.c.name == name)
    ).scalar_one()
    return range(int(last) - count + 1, int(last) + 1)


def last_id(connection: Connection, org_id: str, name: str) -> int:
    """The last id of a kind that was taken; 0 when there is none."""
    value = connection.execute(
        select(counters.c.value).where(counters.c.org_id == org_id, counters.c.name == name)
    ).scalar()
    return 0 if value is None else int(value)


def ensure_organization(database: Database, org_id: str) -> None:
    """Make sure that the organization exists."""
    with database.read() as connection:
        known = connection.execute(
            select(organizations.c.org_id).where(organizations.c.org_id == org_id)
        ).first()
    if known is None:
        with database.write() as connection:
            connection.execute(
                insert(organizations).prefix_with("OR IGNORE").values(org_id=org_id, name=org_id)
            )


def worker_name() -> str:
    """Names this process by host, number and run, so that another on the host can tell whether it lives."""
    return f"{platform.node()}:{os.getpid()}:{_RUN}"
