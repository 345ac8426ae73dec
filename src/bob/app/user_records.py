"""Small records of what the user agreed to, in the user's own state folder.

A record that somebody else could have written counts as not there: every doubt means "ask again".
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

_MOST_BYTES = 64 * 1024
"""A record is a few lines. Nothing larger is one of ours."""

_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


class UserRecords:
    """Records by name, a file each: two commands at once, or one damaged file, lose nothing else."""

    def __init__(self, folder: Path) -> None:
        """`folder` is made, for the user alone, when the first record is written."""
        self.folder = folder

    def read(self, name: str) -> dict[str, Any] | None:
        """The record of that name; None: there is none that can be relied on."""
        record = _read(self._path(name))
        return record if record and record.get("name") == name else None

    def every(self) -> list[dict[str, Any]]:
        """All records that can be relied on, by name."""
        paths = sorted(self.folder.glob("*.json")) if self.folder.is_dir() else []
        records = [record for record in map(_read, paths) if record and isinstance(record.get("name"), str)]
        # A file that was renamed or copied by hand is not the record that `read` would find.
        own = [record for record in records if self._path(record["name"]) in paths]
        return sorted(own, key=lambda record: str(record["name"]))

    def write(self, name: str, values: dict[str, Any]) -> None:
        """Keep a record, in place of an earlier one of that name. Raises OSError."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Written beside, for the user alone, and moved into place: a reader sees all or nothing, and a link
        # at the name is replaced and not followed.
        written, beside = tempfile.mkstemp(prefix=".", dir=self.folder)
        try:
            with os.fdopen(written, "wb") as file:
                file.write(json.dumps({"name": name, **values}, indent=2).encode("ascii"))
            Path(beside).replace(self._path(name))
        except OSError:
            with suppress(OSError):
                Path(beside).unlink()
            raise

    def delete(self, name: str) -> bool:
        """Take a record away; False: there was none. Raises OSError."""
        try:
            self._path(name).unlink()
        except FileNotFoundError:
            return False
        return True

    def _path(self, name: str) -> Path:
        digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()
        return self.folder / f"{digest[:40]}.json"


def _read(path: Path) -> dict[str, Any] | None:
    try:
        # Without O_NONBLOCK a pipe at this name would be waited for.
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(file, "rb") as opened:
        about = os.fstat(file)
        own = about.st_uid == os.geteuid() and not about.st_mode & _OTHERS_MAY_WRITE
        if not own or not stat.S_ISREG(about.st_mode) or about.st_size > _MOST_BYTES:
            return None
        try:
            record = json.loads(opened.read(_MOST_BYTES))
        except (OSError, ValueError, RecursionError):
            return None
    return record if isinstance(record, dict) else None
