"""PostgreSQL's driver as the statements of searches know SQLite's: one text of a statement serves both."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit, urlunsplit

from bob.storage.embedding_type import HalfVector, from_wire, to_wire

if TYPE_CHECKING:
    from psycopg import Connection as DriversConnection
    from psycopg import Cursor
    from psycopg.adapt import Loader
    from sqlalchemy import Connection


class PostgresConnection:
    """A transaction that takes statements with SQLite's marks (`?`, `:name`) and gives what SQLite's driver
    would give: JSON and dates as text."""

    def __init__(self, connection: Connection) -> None:
        """`connection` is in a transaction, which the layer above has given its organization."""
        self._driver: DriversConnection[Any] = cast(Any, connection.connection.driver_connection)

    def execute(self, statement: str, values: Sequence[Any] | Mapping[str, Any] = (), /) -> Cursor[Any]:
        """Run one statement."""
        cursor = self._driver.cursor(binary=True)
        for name, loader in _as_text().items():
            cursor.adapters.register_loader(name, loader)
        return cursor.execute(marked(statement), values)


@cache
def _as_text() -> dict[str, type[Loader]]:
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


_MARK = re.compile(r"'[^']*'|\?|(?<![:\w]):(\w+)|%")


@cache
def marked(statement: str) -> bytes:
    """The statement with the marks of PostgreSQL's driver.

    >>> marked("SELECT a::text FROM t WHERE b = ? AND c = :c AND d <> '?'")
    b"SELECT a::text FROM t WHERE b = %s AND c = %(c)s AND d <> '?'"
    """

    def mark(found: re.Match[str]) -> str:
        if found.group(0) == "?":
            return "%s"
        if found.group(1):
            return f"%({found.group(1)})s"
        return found.group(0).replace("%", "%%")

    return _MARK.sub(mark, statement).encode()


def prepare(connection: DriversConnection[Any], _: object) -> None:
    """Teach a new connection the type of vectors."""
    from psycopg.adapt import Dumper, Loader
    from psycopg.pq import Format
    from psycopg.types import TypeInfo

    found = TypeInfo.fetch(connection, "halfvec")
    connection.rollback()
    if found is None:
        # Before the first migration; whoever migrates writes no vectors.
        return

    halfvec = found.oid

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
            import numpy as np

            numbers = bytes(data).strip(b"[]").split(b",")
            return np.array([float(each) for each in numbers], dtype="<f2").tobytes()

    connection.adapters.register_dumper(HalfVector, VectorDumper)
    connection.adapters.register_loader(halfvec, VectorLoader)
    connection.adapters.register_loader(halfvec, TextVectorLoader)


def without_password(url: str) -> str:
    """The address as it may be shown.

    >>> without_password("postgresql://bob:secret@db.example:5433/memory?sslmode=require")
    'postgresql://bob@db.example:5433/memory'
    """
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    user = (parts.username or "") + "@" if parts.username else ""
    return urlunsplit((parts.scheme, user + host, parts.path, "", ""))
