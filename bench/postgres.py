"""A PostgreSQL server for benches: the one of the tests, on loopback, without fsync; or `DATABASE_URL`'s."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1] / "tests"


@contextmanager
def server() -> Iterator[Any]:
    """A server as long as the block lasts (`tests/postgres_server.py`)."""
    sys.path.append(str(TESTS))
    from postgres_server import start_server

    started = start_server()
    try:
        yield started
    finally:
        started.stop()
