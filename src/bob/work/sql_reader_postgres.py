"""SQL of an assistant on PostgreSQL: a role that may read one schema, in a connection used once (ADR 20).

What the role sees is decided by a ticket that the database seals and its views verify. The text goes to the
server as a value, so it is one SELECT by grammar, and no other connection reads it.
"""

from __future__ import annotations

import json
import math
import os
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from threading import Event
from typing import TYPE_CHECKING, Any

from bob.core.errors import RequestError, StoreError
from bob.core.sql import SqlLimits, SqlRows, views_in_words
from bob.storage.database import EVERY_ORGANIZATION
from bob.storage.postgres import PostgresDatabase

if TYPE_CHECKING:
    from psycopg import Connection, Error

_TICKET_SECONDS = 60
"""What connecting may take, beyond the time of the question; a ticket is good for both together."""

_GRACE_SECONDS = 0.5
"""After so long the connection is ended: some functions of the server look at no limit while they run."""

_SETTINGS = """SELECT set_config('bob.ticket', %s, true), set_config('bob.org_id', %s, true),
    set_config('statement_timeout', %s, true), set_config('lock_timeout', '100ms', true),
    set_config('work_mem', '16MB', true), set_config('max_parallel_workers_per_gather', '0', true),
    set_config('jit', 'off', true), set_config('TimeZone', 'UTC', true),
    set_config('search_path', 'assistant', true)"""

_LONGEST_WHOLE_NUMBER = 20
"""Digits; a longer number is given as its text."""


class PostgresReader:
    """Answers for one organization."""

    dialect = "postgres"

    def __init__(self, database: PostgresDatabase, url: str) -> None:
        self._database = database
        self._url = url
        self._provided = False

    def answer(self, sql: str, limits: SqlLimits) -> SqlRows:
        """The rows of one SELECT (`SqlReader`)."""
        import psycopg

        role, password, ticket = self._entry(limits)
        try:
            connection = psycopg.connect(self._url, user=role, password=password, tcp_user_timeout=10_000)
        except psycopg.Error as error:
            raise StoreError(
                f"{self._database}: the role {role} cannot connect; {_first_line(error)}"
            ) from error
        hung_up = threading.Event()
        try:
            connection.read_only = True
            milliseconds = f"{max(1, round(limits.seconds * 1000))}ms"
            connection.execute(_SETTINGS, (ticket, self._database.org_id, milliseconds))
            with _hanging_up(connection, limits.seconds + _GRACE_SECONDS, hung_up):
                found = connection.execute(
                    "SELECT * FROM assistant.answer(%s, %s, %s)", (sql, limits.rows, limits.bytes)
                )
                return _rows(row[0] for row in found)
        except psycopg.Error as error:
            reason = _too_long(limits) if hung_up.is_set() else _safe(error, limits)
            raise RequestError("sql", reason) from error
        finally:
            # Nothing that the question may have set or locked outlives it.
            connection.close()

    def _entry(self, limits: SqlLimits) -> tuple[str, str, str]:
        """Role, password and a ticket."""
        if not self._provided:
            with self._database.for_organization(EVERY_ORGANIZATION).write() as transaction:
                (advice,) = transaction.execute("SELECT provide_reader()").fetchone()
            if advice:
                raise StoreError(
                    f"{self._database}: questions in SQL require a role of their own. An administrator "
                    "must run"
                    f" {advice}; this can be revoked after the first question"
                )
            self._provided = True
        with self._database.read() as transaction:
            role, password, ticket = transaction.execute(
                "SELECT role, password, sql_ticket(:org, :seconds) FROM sql_reader",
                {"seconds": math.ceil(limits.seconds) + _TICKET_SECONDS},
            ).fetchone()
        return str(role), str(password), str(ticket)


@contextmanager
def _hanging_up(connection: Connection[Any], seconds: float, hung_up: Event) -> Iterator[None]:
    """End the connection after so long, and say so by `hung_up`."""

    def hang_up() -> None:
        hung_up.set()
        with suppress(OSError), socket.socket(fileno=os.dup(connection.fileno())) as line:
            # The thread that waits for an answer reads its end, and closes the connection itself.
            line.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, hang_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _rows(lines: Iterable[str | None]) -> SqlRows:
    every = [line for line in lines if line is not None]
    truncated = every[-1:] == ["more"]
    if truncated:
        every.pop()
    if not every:  # PostgreSQL knows rows without columns, and SQLite does not.
        raise RequestError("sql", "the SELECT names no column")
    columns, *rows = (json.loads(line, parse_int=_whole_number, parse_float=_number) for line in every)
    return SqlRows(tuple(columns or ()), tuple(tuple(row or ()) for row in rows), truncated)


def _whole_number(text: str) -> Any:
    return int(text) if len(text) <= _LONGEST_WHOLE_NUMBER else text


def _number(text: str) -> Any:
    value = float(text)
    return value if math.isfinite(value) else text


def _safe(error: Error, limits: SqlLimits) -> str:
    """What may be told: the server's own words about the text, nothing about the server."""
    from psycopg import errors

    match error:
        case errors.QueryCanceled():
            return _too_long(limits)
        case errors.InsufficientPrivilege():
            return f"only these views can be read: {views_in_words()}"
    code = error.sqlstate or ""
    if code[:2] in {"21", "22", "42", "0A"}:
        return f"the database cannot answer this: {_first_line(error)}"
    if code[:2] in {"53", "54"}:
        return "the question is too large for the database; ask for less"
    return "the database refused the question"


def _too_long(limits: SqlLimits) -> str:
    return f"the question took longer than {limits.seconds:g} seconds; ask for less"


def _first_line(error: Error) -> str:
    return (error.diag.message_primary or str(error)).strip().partition("\n")[0]
