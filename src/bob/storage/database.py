"""What a database does for the rest of Bob, whichever engine runs it: short transactions over one schema."""

from __future__ import annotations

import os
import platform
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from sqlalchemy import Connection

SCHEMA_HEAD = "0007"
"""The newest migration; the database is brought to it when it is opened."""

EVERY_ORGANIZATION = "*"
"""As this one, a database shows which organizations have jobs, and nothing else."""

_RUN = uuid.uuid4().hex[:8]
"""Tells this process from an earlier one of the same number, as in a container that was started again."""


class Rows(Protocol):
    """The rows of a statement, each a tuple."""

    def __iter__(self) -> Iterator[tuple[Any, ...]]: ...

    def fetchone(self) -> Any:
        """The next row, None at the end."""

    def fetchall(self) -> list[Any]:
        """All rows that are left."""

    def fetchmany(self, size: int, /) -> list[Any]:
        """The next rows, none at the end."""


class DriverConnection(Protocol):
    """A transaction on the driver itself, for what every search asks (ADR 14)."""

    def execute(self, statement: str, values: Sequence[Any] | Mapping[str, Any] = (), /) -> Rows:
        """Run one statement that both engines understand, with marks as SQLite has them: `?` or `:name`.
        JSON and dates come as text."""


class Database(Protocol):
    """A database. Reads see the last commit; the writers of an organization take turns."""

    @property
    def path(self) -> Path:
        """The database file; where there is none, the name that derived files beside it begin with."""

    @property
    def engine(self) -> str:
        """What runs it, with its version."""

    def for_organization(self, org_id: str) -> Database:
        """The database as one organization sees it."""

    def search(self) -> AbstractContextManager[DriverConnection]:
        """A read transaction on the driver itself: building a statement from parts takes longer than running
        it, and importing the builder longer than a search."""

    def keep(self, wait_seconds: int) -> AbstractContextManager[DriverConnection]:
        """A write transaction on the driver itself, for what an answer leaves behind. It fails when others
        write for longer than `wait_seconds`: somebody waits for the answer."""

    def read(self) -> AbstractContextManager[Connection]:
        """A transaction that sees one state of the database throughout. Keep it short."""

    def write(self) -> AbstractContextManager[Connection]:
        """A transaction that commits when the block ends, and rolls back when it raises."""

    def checkpoint(self) -> None:
        """Fold what a log holds into the database, as far as readers allow."""

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
