"""The disks that this machine reads: by name, so that a database on a server can tell whose a file is.

A folder for uploads may be shared between servers, so it carries its own name, in a file in it. All else is
the machine's. In a database file, which is one machine's, nothing has a name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from bob.core.errors import UsageError
from bob.documents.disk_rows import ONE_DISK
from bob.documents.source_rows import within

_NAME = re.compile(r"[\w.-]{1,64}")
_FILE = ".bob-disk"


class LocalDisks:
    """The names of the disks under this machine's paths."""

    def __init__(
        self, machine: str = "", uploads: Path | None = None, new_name: Callable[[], str] | None = None
    ) -> None:
        """`machine` is empty for a database file. `new_name` makes one up for a folder of uploads."""
        self._machine = machine
        self._uploads = uploads
        self._new_name = new_name
        self._uploads_name: str | None = None

    @property
    def shared(self) -> bool:
        """Whether other machines have documents in the database as well."""
        return self._machine != ""

    @property
    def names(self) -> tuple[str, ...]:
        """Those that documents of this machine may have."""
        uploads = self._of_uploads(make=False)
        return (self._machine,) if uploads is None else (self._machine, uploads)

    def holding(self, path: str) -> str:
        """The disk that a path is on. Raises UsageError: the folder for uploads cannot be given a name."""
        if self._uploads is not None and within(path, str(self._uploads)):
            return self._of_uploads(make=True) or self._machine
        return self._machine

    def is_here(self, disk_id: str) -> bool:
        """Whether a document of this disk has its file on this machine, as far as is known."""
        return disk_id in (*self.names, *ONE_DISK)

    def name_uploads(self) -> str:
        """The name of the folder for uploads, which is made with one if need be. Raises UsageError: it cannot
        be made."""
        return self._of_uploads(make=True) or self._machine

    def _of_uploads(self, *, make: bool) -> str | None:
        if not self.shared or self._uploads is None:
            return None
        marker = self._uploads / _FILE
        if self._uploads_name is None and (make or marker.is_file()):
            self._uploads_name = kept_name(marker, self._new_name)
        return self._uploads_name


def kept_name(marker: Path, new_name: Callable[[], str] | None) -> str:
    """The name in a file, which is made with a new one where there is none.

    Raises:
        UsageError: it cannot be read or made, or holds something else.
    """
    try:
        if new_name is not None and not marker.is_file():
            marker.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            _place(marker, new_name())
        name = marker.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{marker}: the name of this disk cannot be saved there: {error}") from error
    if not _NAME.fullmatch(name):
        raise UsageError(f"{marker}: must have the name of a disk: letters, digits, dots and dashes")
    return name


def _place(marker: Path, name: str) -> None:
    """Write the file whole or not at all; when another process is first, its name holds."""
    waiting = marker.with_name(f"{marker.name}.{name}")
    try:
        waiting.write_text(name + "\n", "utf-8")
        marker.hardlink_to(waiting)
    except FileExistsError:
        pass
    finally:
        waiting.unlink(missing_ok=True)
