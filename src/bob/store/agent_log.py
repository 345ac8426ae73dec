"""The log of what agents did: one JSON object a line, in a file beside the database (SPEC L4).

It is appended to, and begun anew when it is large; the one before is kept.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from bob.private_files import FILE_MODE

_MOST_BYTES = 10_000_000


class AgentLog:
    """The log beside a database of this path. Any number of processes append to it."""

    def __init__(self, database: Path) -> None:
        self.path = database.with_name(f"{database.name}-agents.jsonl")

    def append(self, entry: Mapping[str, Any]) -> None:
        """Add a line. Only its owner may read the file. Raises OSError."""
        line = json.dumps(entry, ensure_ascii=True) + "\n"
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, FILE_MODE)
        try:
            os.write(descriptor, line.encode())
            full = os.fstat(descriptor).st_size > _MOST_BYTES
        finally:
            os.close(descriptor)
        if full:
            with suppress(FileNotFoundError):  # another process was faster
                self.path.replace(self._before)

    def last(self, limit: int, organization: str, user: str) -> list[dict[str, Any]]:
        """A user's newest entries, the oldest of them first; a line that a crash cut off is left out."""
        found: list[dict[str, Any]] = []
        for path in (self._before, self.path):
            if path.exists():
                for line in path.read_text("utf-8").splitlines():
                    with suppress(ValueError):
                        entry = json.loads(line)
                        own = entry["organization"] == organization and entry["user"] == user
                        found += [entry] if own else []
        return found[-limit:]

    @property
    def _before(self) -> Path:
        return self.path.with_name(f"{self.path.name}.1")
