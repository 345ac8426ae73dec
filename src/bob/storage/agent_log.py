"""The log of what agents did: one JSON object a line, in a file beside the database (SPEC L4).

It is appended to, and begun anew when it is large; the one before is kept.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from bob.core.private_files import FILE_MODE

if sys.platform == "win32":
    fcntl = None
else:
    import fcntl

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
            _lock(descriptor)
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

    def lines(self, organization: str, user: str) -> Iterator[tuple[Path, int, str]]:
        """A user's lines: the file, the line's number from 1, and its words."""
        for path in self.paths():
            for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
                if _owner(line) == (organization, user):
                    yield path, number, _words(line)

    def remove(self, organization: str, user: str, says: Callable[[str], bool]) -> int:
        """Take a user's lines with certain words out of the files; how many there were. Raises OSError.

        The file is written over where it is, so that no copy of the lines is left beside it. Who appends
        meanwhile waits.
        """
        removed = 0
        for path in self.paths():
            descriptor = os.open(path, os.O_RDWR)
            with open(descriptor, "r+", encoding="utf-8") as file:  # noqa: PTH123 - a descriptor, not a path
                _lock(descriptor)
                lines = file.readlines()
                kept = [
                    line for line in lines if _owner(line) != (organization, user) or not says(_words(line))
                ]
                if len(kept) < len(lines):
                    file.seek(0)
                    file.writelines(kept)
                    file.truncate()
                    removed += len(lines) - len(kept)
        return removed

    def paths(self) -> list[Path]:
        """The files that there are, the older one first."""
        return [path for path in (self._before, self.path) if path.is_file()]

    @property
    def _before(self) -> Path:
        return self.path.with_name(f"{self.path.name}.1")


def _lock(descriptor: int) -> None:
    """Wait until nobody else writes the file; the lock ends when it is closed. On Windows there is none: a
    line that is written while lines are taken out may be lost there."""
    if fcntl is not None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)


def _owner(line: str) -> tuple[str, str] | None:
    try:
        entry = json.loads(line)
        return entry["organization"], entry["user"]
    except (ValueError, KeyError, TypeError):
        return None


def _words(line: str) -> str:
    """What an agent asked or said, for comparing."""
    given = json.loads(line).get("arguments", {})
    return "\n".join(map(str, given.values())) if isinstance(given, dict) else str(given)
