"""Files and folders that only their owner may read: makes them so, and corrects those that are not.

The process's umask stays as it is: it belongs to the program that uses Bob. On Windows, where a folder's list
of accounts decides, nothing is corrected.
"""

from __future__ import annotations

import errno
import os
import stat
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

FOLDER_MODE = 0o700
FILE_MODE = 0o600
CAN_TELL = os.name == "posix"
"""Whether the system keeps who may read a file in its mode."""

_OTHERS = 0o077
_ENDINGS = ("-wal", "-shm", "-journal", "-agents.jsonl", "-agents.jsonl.1")
_SQLITE = b"SQLite format 3\0"

_making = threading.Lock()


@dataclass(frozen=True, slots=True)
class Exposed:
    """A file or folder that other accounts could read or write. `problem` says why they still can; it is
    empty when the mode was corrected."""

    path: str
    mode: int
    problem: str = ""

    def __str__(self) -> str:
        """The path with the mode that it had, as `ls` and `chmod` know it."""
        return f"{self.path} (mode {self.mode:04o}{f', {self.problem}' if self.problem else ''})"


def make_private_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for the owner alone; those that are there stay as
    they are. Raises OSError."""
    missing = []
    for place in (folder, *folder.parents):
        if place.exists():
            break
        missing.append(place)
    for place in reversed(missing):
        with suppress(FileExistsError):
            place.mkdir(mode=FOLDER_MODE)
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))


def make_private_file(path: Path) -> None:
    """Make an empty file for the owner alone, unless there is one. Raises OSError.

    A file that is there is not opened: closing it would give up the locks that SQLite holds on it in this
    process. Threads take turns for the same reason.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with _making, suppress(FileExistsError):
        os.close(os.open(os.path.realpath(path), flags, FILE_MODE))


def make_log_writable(database: Path) -> None:
    """Let the owner write the log and the index of the log beside a database that the owner may write: SQLite
    made them with the database's mode, which was to read only when a program read it then. Raises OSError."""
    if not CAN_TELL or not database.stat().st_mode & stat.S_IWUSR:
        return
    for ending in ("-wal", "-shm"):
        path = Path(f"{database}{ending}")
        with suppress(FileNotFoundError):
            mode = path.lstat().st_mode
            if stat.S_ISREG(mode) and not mode & stat.S_IWUSR:
                path.chmod(stat.S_IMODE(mode) | stat.S_IWUSR)


def write_private_file(path: Path, text: str) -> None:
    """Write a file for the owner alone, as a whole, in place of the one that is there: after a loss of power
    there is the old text or the new one. Raises OSError."""
    handle, draft = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(draft).replace(path)
    except OSError:
        Path(draft).unlink(missing_ok=True)
        raise


def correct_mode(path: Path) -> Exposed | None:
    """Take a file or folder from all but its owner; None when it was so, or is not there.

    A link is passed over, for what it leads to is not Bob's; so is what belongs to another account, which is
    reported.
    """
    if not CAN_TELL:
        return None
    try:
        found = path.lstat()
        mode = stat.S_IMODE(found.st_mode)
        if stat.S_ISLNK(found.st_mode) or not mode & _OTHERS:
            return None
        if found.st_uid != os.geteuid():
            return Exposed(str(path), mode, f"not corrected: the file belongs to the account {found.st_uid}")
        path.chmod(mode & ~_OTHERS)
    except FileNotFoundError:
        return None
    except OSError as error:
        return Exposed(str(path), mode, f"not corrected: {error.strerror}")
    return Exposed(str(path), mode)


def correct_folder(folder: Path, *, below: bool) -> Iterator[Exposed]:
    """Take a folder of Bob's own from all but its owner. What is in it is corrected as well when the folder
    was open, or if `below`: in a folder that nobody else may enter nobody else can read."""
    exposed = correct_mode(folder)
    if exposed is not None:
        yield exposed
    if exposed is None and not below:
        return
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            inside = correct_mode(Path(place, name))
            if inside is not None:
                yield inside


def correct_files_of(database: Path, *, below: bool) -> Iterator[Exposed]:
    """Correct a database file and what Bob keeps beside it."""
    snapshots = database.with_name(f"{database.name}.snapshot")
    if snapshots.is_dir() and not snapshots.is_symlink():
        yield from correct_folder(snapshots, below=below)
    for path in (database, *kept_beside(database)):
        if path.is_file() and (exposed := correct_mode(path)):
            yield exposed


def kept_beside(database: Path) -> list[Path]:
    """The files that Bob keeps beside a database: its logs, and copies of it, which are databases whose names
    go on with - or a dot after the file's own."""
    known = {f"{database.name}{ending}" for ending in _ENDINGS}
    found = []
    with suppress(OSError), os.scandir(database.parent) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            name = entry.name
            if len(name) <= len(database.name) or not name.startswith(database.name):
                continue
            if not entry.is_file(follow_symlinks=False):
                continue
            if name in known or (name[len(database.name)] in "-." and _is_database(entry.path)):
                found.append(Path(entry.path))
    return found


def _is_database(path: str) -> bool:
    with open(path, "rb") as file:  # noqa: PTH123 - one of a folder's entries
        return file.read(len(_SQLITE)) == _SQLITE
