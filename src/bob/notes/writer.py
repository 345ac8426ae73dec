"""Writes notes: new files and exact replacements, below the allowed folders and nowhere else.

Every folder below an allowed one is opened from the folder above it and never through a link, so that a
link that is put in place meanwhile leads nowhere. A file appears whole or not at all.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bob.core.errors import BobError, UsageError
from bob.notes.file_names import NOTE_SUFFIX, check_existing_name, check_name

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_FOLLOW
# Without O_NONBLOCK, opening a pipe that took the file's place would wait for ever.
_READ = os.O_RDONLY | _NO_FOLLOW | getattr(os, "O_NONBLOCK", 0)
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS)
"""What file systems without links (FAT, some of FUSE) say to a link."""
_MAX_SAME_NAME = 10_000
_MAX_BYTES = 10_000_000


@dataclass(frozen=True, slots=True)
class PlannedNote:
    """A note before it is written; `exists` when its name was taken as it was planned."""

    path: Path
    text: str
    exists: bool


@dataclass(frozen=True, slots=True)
class _Place:
    """A file below an allowed folder: `parts` are the folders between, and the file's name."""

    root: Path
    parts: tuple[str, ...]

    @property
    def path(self) -> Path:
        return self.root.joinpath(*self.parts)


class NoteWriter:
    """Writes below `allowed`, absolute folders that a person chose; they may be reached through links."""

    def __init__(self, allowed: Sequence[Path]) -> None:
        self._allowed = tuple(dict.fromkeys(allowed))

    @property
    def folders(self) -> tuple[Path, ...]:
        """All allowed folders."""
        return self._allowed

    @property
    def default_folder(self) -> Path:
        """The first allowed folder.

        Raises:
            UsageError: there is none.
        """
        if not self._allowed:
            raise UsageError("no folder for notes; set notes.folders, such as [~/notes], in bob.yaml")
        return self._allowed[0]

    def plan(self, folder: Path, name: str, text: str) -> PlannedNote:
        """What `write` would write: `name` in `folder`, which is absolute, or relative to the first allowed.

        Raises:
            UsageError: the place is not allowed, or the name is none for a note.
        """
        check_name(name)
        if not name.endswith(NOTE_SUFFIX):
            raise UsageError(f"{name}: the name of a note must end with {NOTE_SUFFIX}")
        location = self._place(self.default_folder / folder / name)
        _check_new_folders(location)
        return PlannedNote(location.path, text, os.path.lexists(location.path))

    def plan_free(self, folder: Path, name: str, text: str) -> PlannedNote:
        """As `plan`, with "-2", "-3" and so on at the name's end if it is taken.

        Raises:
            UsageError: as `plan` does.
        """
        stem = name.removesuffix(NOTE_SUFFIX)
        for number in range(1, _MAX_SAME_NAME):
            planned = self.plan(folder, name if number == 1 else f"{stem}-{number}{NOTE_SUFFIX}", text)
            if not planned.exists:
                return planned
        raise UsageError(f"{planned.path.parent}: too many notes are named {name}: choose another title")

    def write(self, planned: PlannedNote, *, replace: str | None = None) -> Path:
        """Write the note; its folders are made. `replace` is the whole content of the file that may give way.

        Raises:
            UsageError: the file exists (or is not what `replace` says), its place is not allowed or is
                reached through a link, or the disk refuses.
        """
        if replace is not None:
            self.edit(planned.path, replace, planned.text)
            return planned.path
        location = self._place(planned.path)
        _check_new_folders(location)
        with _explained(location.path), _opened(location, make=True) as folder:
            _put(folder, location.parts[-1], planned.text)
        return location.path

    def names(self, folder: Path) -> list[str]:
        """What lies in a folder; nothing in one that is not there yet.

        Raises:
            UsageError: the folder is not allowed, is reached through a link, or cannot be read.
        """
        location = self._place(self.default_folder / folder / "any")
        if not os.path.lexists(location.path.parent):
            return []
        with _explained(location.path.parent), _opened(location) as descriptor:
            return sorted(os.listdir(descriptor))  # noqa: PTH208 - of a descriptor, not of a path

    def read(self, path: Path) -> str:
        """A file's text exactly, line ends and all, as `edit` compares it.

        Raises:
            UsageError: its place is not allowed or is reached through a link, it is no plain file of UTF-8
                text, or cannot be read.
        """
        location = self._place(path)
        with _explained(location.path), _opened(location) as folder:
            return _read(folder, location)[0]

    def edit(self, path: Path, before: str, after: str) -> None:
        """Put `after` in the place of a file's text, if that is still `before`. Permissions stay.

        Raises:
            UsageError: as `read` does, or the file has changed.
        """
        location = self._place(path)
        with _explained(location.path), _opened(location) as folder:
            text_found, status = _read(folder, location)
            if text_found != before:
                raise _changed(location)
            _swap(folder, location, after, status)

    def _place(self, path: Path) -> _Place:
        target = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links
        self.default_folder  # noqa: B018 - raises when nothing is allowed
        for root in self._allowed:
            for spelling in (root, Path(os.path.realpath(root))):
                if target != spelling and target.is_relative_to(spelling):
                    parts = target.relative_to(spelling).parts
                    for part in parts:
                        check_existing_name(part)
                    return _Place(root, parts)
        folders = ", ".join(str(folder) for folder in self._allowed)
        raise UsageError(f"{path}: notes must be below {folders}; add more folders in notes.folders")


def _check_new_folders(location: _Place) -> None:
    """Refuse, before anything is made, folders that may not be named so."""
    for above, part in enumerate(location.parts[:-1]):
        if not os.path.lexists(location.root.joinpath(*location.parts[: above + 1])):
            check_name(part)


@contextmanager
def _opened(location: _Place, *, make: bool = False) -> Iterator[int]:
    """A descriptor of the folder of the place; with `make`, missing folders below the root are made."""
    if os.open not in os.supports_dir_fd:
        raise UsageError("this system is not supported: Bob writes notes on Linux and macOS only")
    try:
        # Only here a link is followed: the allowed folder itself is the user's choice.
        folder = os.open(location.root, _FOLDER & ~_NO_FOLLOW)
    except FileNotFoundError as error:
        raise UsageError(f"{location.root}: no such folder; create it, or change notes.folders") from error
    try:
        for part in location.parts[:-1]:
            below = _open_or_make(part, folder) if make else os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = below
        yield folder
    finally:
        os.close(folder)


def _open_or_make(name: str, above: int) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=above)
    except FileNotFoundError:
        with suppress(FileExistsError):  # another writer made it
            os.mkdir(name, dir_fd=above)
            os.fsync(above)
    return os.open(name, _FOLDER, dir_fd=above)


def _put(folder: int, name: str, text: str) -> None:
    """A new file that has its content from the moment on at which it has its name."""
    with _draft(folder, text) as draft:
        try:
            os.link(draft, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            # The name is taken first, so that no other file of that name is lost.
            os.close(os.open(name, _NEW_FILE, 0o666, dir_fd=folder))
            os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
    os.fsync(folder)


def _swap(folder: int, location: _Place, text: str, stat_before: os.stat_result) -> None:
    name = location.parts[-1]
    with _draft(folder, text, stat.S_IMODE(stat_before.st_mode)) as draft:
        now = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if (now.st_ino, now.st_mtime_ns, now.st_size) != (
            stat_before.st_ino,
            stat_before.st_mtime_ns,
            stat_before.st_size,
        ):
            raise _changed(location)
        os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
    os.fsync(folder)


@contextmanager
def _draft(folder: int, text: str, mode: int | None = None) -> Iterator[str]:
    """The name of a new hidden file with the text, safely on the disk; it goes when it was not renamed."""
    content = _encoded(text)
    name, descriptor = _new_draft(folder)
    try:
        with open(descriptor, "wb") as stream:  # noqa: PTH123 - a descriptor, not a path
            stream.write(content)
            stream.flush()
            if mode is not None:
                os.fchmod(descriptor, mode)
            os.fsync(descriptor)
        yield name
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)


def _new_draft(folder: int) -> tuple[str, int]:
    for number in range(_MAX_SAME_NAME):
        # No other process or thread makes one of that name; one that was killed may have left it.
        name = f".bob-{os.getpid()}-{threading.get_ident()}-{number}.part"
        with suppress(FileExistsError):
            return name, os.open(name, _NEW_FILE, 0o666, dir_fd=folder)
    raise UsageError("too many unfinished notes (.bob-*.part) are in the folder; delete them")


def _read(folder: int, location: _Place) -> tuple[str, os.stat_result]:
    descriptor = os.open(location.parts[-1], _READ, dir_fd=folder)
    with open(descriptor, "rb") as stream:  # noqa: PTH123 - a descriptor, not a path
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise UsageError(f"{location.path}: not a file")
        if status.st_size > _MAX_BYTES:
            raise UsageError(
                f"{location.path}: too large for a note ({_MAX_BYTES // 1_000_000} MB at the most)"
            )
        try:
            return stream.read().decode(), status
        except UnicodeDecodeError as error:
            raise UsageError(f"{location.path}: not UTF-8 text; save it as UTF-8") from error


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise UsageError("the text has an invalid character (a lone surrogate)") from error


def _changed(location: _Place) -> UsageError:
    return UsageError(f"{location.path}: the file has changed since it was read; try again")


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Errors of the system as a person's, with the path."""
    try:
        yield
    except FileExistsError as error:
        raise UsageError(f"{path}: a file with that name already exists; nothing was written") from error
    except FileNotFoundError as error:
        raise UsageError(f"{path}: no such file") from error
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise UsageError(
                f"{path}: cannot write through a link or a file; add its target to notes.folders"
            ) from error
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error


def index_note(path: Path, index: Callable[[Path], object]) -> bool:
    """Bring a note into the index, and tell whether it is there."""
    try:
        index(path)
    except BobError:
        return False  # the note is written all the same, and the next run finds it
    return True
