"""Answers an assistant's SQL over its organization's work: the guard reads it first, a reader runs it."""

from __future__ import annotations

from collections.abc import Callable

from bob.core.protocols import SqlReader
from bob.core.sql import SqlLimits, SqlResult
from bob.work.sql_guard import guarded


class ExecuteSql:
    """Two walls, of which each holds alone (ADR 20)."""

    def __init__(self, reader: SqlReader, limits: SqlLimits, stopwatch: Callable[[], float]) -> None:
        """`stopwatch` gives seconds."""
        self._reader = reader
        self._limits = limits
        self._stopwatch = stopwatch

    def execute_query(self, sql: str) -> SqlResult:
        """The answer to one SELECT over the views of `bob.core.sql`, in the database's own dialect.

        Raises:
            RequestError: it is not allowed, wrong, or takes too long; the message may be shown to anyone.
            StoreError: the database cannot be asked.
        """
        started = self._stopwatch()
        # One row more than is given, so that the reader sees whether there are more.
        question = guarded(sql, self._reader.dialect, self._limits.rows + 1)
        rows = self._reader.answer(question, self._limits)
        milliseconds = round((self._stopwatch() - started) * 1000)
        return SqlResult(rows.columns, rows.rows, rows.truncated, milliseconds)
