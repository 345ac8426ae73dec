"""SQL of an assistant on SQLite: a process of its own that holds only the organization's rows (ADR 20)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from bob.core.errors import RequestError, StoreError
from bob.core.sql import SqlLimits, SqlRows, views_in_words
from bob.storage.database import Database

_CHILD = Path(__file__).with_name("sql_child.py")
_START_SECONDS = 10.0
"""What starting a process may take on a busy machine, beyond the time of the question."""

_GRACE_SECONDS = 0.5
"""After so long the child is killed: some functions of SQLite look at no clock while they run."""


class SqliteReader:
    """Answers for one organization."""

    dialect = "sqlite"

    def __init__(self, database: Database) -> None:
        self._database = database

    def answer(self, sql: str, limits: SqlLimits) -> SqlRows:
        """The rows of one SELECT (`SqlReader`)."""
        order = {
            "database": f"{self._database.path.absolute().as_uri()}?mode=ro",
            "org_id": self._database.org_id,
            "sql": sql,
            "rows": limits.rows,
            "bytes": limits.bytes,
            "seconds": limits.seconds,
        }
        reply = _asked(order, limits)
        if reply.get("error") == "sql":
            raise RequestError("sql", _safe(str(reply["message"]), limits))
        if "error" in reply:
            raise RequestError("sql", "the question is too large for the database; ask for less")
        return SqlRows(
            tuple(reply["columns"]), tuple(tuple(row) for row in reply["rows"]), reply["truncated"]
        )


def _asked(order: dict[str, Any], limits: SqlLimits) -> dict[str, Any]:
    try:
        child = subprocess.Popen(
            # No environment, no packages, no folders of ours: the child knows nothing that it could tell.
            [sys.executable, "-I", "-S", "-X", "utf8", str(_CHILD)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={},
        )
    except OSError as error:
        raise StoreError(f"a process for the question cannot be started: {error.strerror}") from error
    with child:
        _wait_until_started(child, json.dumps(order).encode())
        try:
            written, _ = child.communicate(timeout=limits.seconds + _GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            raise RequestError("sql", _too_long(limits)) from None
    if child.returncode != 0 or not written:
        raise RequestError("sql", "the question is too large for the database; ask for less")
    reply: dict[str, Any] = json.loads(written)
    return reply


def _wait_until_started(child: subprocess.Popen[bytes], order: bytes) -> None:
    """Give the child its order and wait for its first byte, or for its end where it dies before.

    Raises:
        StoreError: it does not start in time.
    """
    assert child.stdin is not None and child.stdout is not None
    late = threading.Event()

    def end() -> None:
        late.set()
        child.kill()

    timer = threading.Timer(_START_SECONDS, end)
    timer.daemon = True
    timer.start()
    try:
        with suppress(BrokenPipeError), child.stdin:
            child.stdin.write(order)
        child.stdin = None
        os.read(child.stdout.fileno(), 1)
    finally:
        timer.cancel()
    if late.is_set():
        raise StoreError(
            f"a process for the question did not start within {_START_SECONDS:g} seconds; try again later"
        )


def _too_long(limits: SqlLimits) -> str:
    return f"the question took longer than {limits.seconds:g} seconds; ask for less"


def _safe(message: str, limits: SqlLimits) -> str:
    """What may be told: SQLite's own words about the text, nothing about files."""
    if message == "interrupted":
        return _too_long(limits)
    if "prohibited" in message or "not authorized" in message:
        return f"only these views can be read, with ordinary functions: {views_in_words()}"
    if "unable to open" in message or "disk" in message or ("malformed" in message and "JSON" not in message):
        return "the database refused the question"
    return f"the database cannot answer this: {message}"
