"""Keeps files that are sent to a server, in a folder of Bob's own from which they are indexed.

A name that comes over the network names nothing but a file in that folder: no folder, no hidden file, no
device, and never one that is there already.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from bob.core.errors import UsageError
from bob.core.private_files import make_private_folder

_UNSAFE = re.compile(r"[^\w .,()+@=-]")
_LONGEST = 120
"""Bytes of a name: file systems take 255, and a number may be added."""

_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", *(f"{device}{n}" for device in ("com", "lpt") for n in range(10))}
)
"""Names that are devices on Windows, where the folder may be looked at."""

_BLOCK = 1 << 20
_OF_DIGEST = 12
_MOST_OF_A_NAME = 1_000


@dataclass(frozen=True, slots=True)
class KeptUpload:
    """A file as it is kept. `new` is False when the same content was there under the same name."""

    name: str
    path: Path
    size: int
    new: bool


class SaveUploads:
    """Keeps one organization's uploads below `folder`, a folder a project."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def folder_of(self, project: str) -> Path:
        """Where the files of a project are kept, and of no other one: "client/garden" is not "garden". Raises
        UsageError: the name has nothing that a folder could be called."""
        name = safe_name(project)
        if name != project:
            name = f"{name}-{hashlib.sha256(project.encode()).hexdigest()[:_OF_DIGEST]}"
        return self.folder / name

    def save_file(self, project: str, name: str, content: BinaryIO) -> KeptUpload:
        """Keep a file.

        Raises:
            UsageError: it has no name that a file could have, or cannot be written.
        """
        folder, file_name = self.folder_of(project), safe_name(name)
        try:
            make_private_folder(folder)
            with _waiting_file(folder) as (waiting, file):
                size, digest = _written(file, content)
                return self._placed(folder, file_name, waiting, size, digest)
        except OSError as error:
            raise UsageError(f"{file_name}: cannot be saved: {error.strerror}") from error

    def _placed(self, folder: Path, file_name: str, waiting: Path, size: int, digest: str) -> KeptUpload:
        for name in _names(file_name):
            path = folder / name
            try:
                # Unlike a rename it never takes the place of another file.
                path.hardlink_to(waiting)
            except FileExistsError:
                if not path.is_symlink() and path.is_file() and _digest(path) == digest:
                    return KeptUpload(name, path, size, new=False)
                continue
            return KeptUpload(name, path, size, new=True)
        raise UsageError(f"{file_name}: there are too many files of this name")


def safe_name(name: str) -> str:
    """The name as a file may have it: the last part of a path, without what systems read a meaning into.

    >>> safe_name("../../etc/passwd")
    'passwd'
    >>> safe_name("C:\\\\notes\\\\.plan: a|b.md")
    'plan_ a_b.md'

    Raises:
        UsageError: nothing is left.
    """
    last = re.split(r"[/\\\\]", name)[-1]
    plain = "".join(
        character
        for character in unicodedata.normalize("NFC", last)
        if unicodedata.category(character)[0] != "C"
    )
    # A leading dot hides a file, and a leading dash is an option to many programs.
    stem, dot, ending = _UNSAFE.sub("_", plain).lstrip(" .-").rstrip(" .").rpartition(".")
    if not dot:
        stem, ending = ending, ""
    ending = _cut(ending, 20).strip()
    stem = _cut(stem.strip(" ."), _LONGEST - len(ending.encode()) - 1).strip(" .")
    if stem.lower() in _DEVICES:
        stem = f"{stem}_"
    found = f"{stem}.{ending}" if ending else stem
    if not stem.strip("_ .") or len(name) > _MOST_OF_A_NAME:
        raise UsageError("a file name must have letters or digits")
    return found


def _cut(text: str, most: int) -> str:
    return text.encode()[:most].decode(errors="ignore")


def _names(file_name: str) -> Iterator[str]:
    yield file_name
    stem, dot, ending = file_name.rpartition(".")
    for number in range(2, 1000):
        yield f"{stem}-{number}.{ending}" if dot else f"{file_name}-{number}"


@contextmanager
def _waiting_file(folder: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """A new private file in the folder, of a name that no other upload has, and open; it is removed at the
    end, when it has its own name as well."""
    descriptor, name = tempfile.mkstemp(dir=folder, prefix=".", suffix=".part")
    waiting = Path(name)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor, not a path
            yield waiting, file
    finally:
        waiting.unlink(missing_ok=True)


def _written(file: BinaryIO, content: BinaryIO) -> tuple[int, str]:
    size, digest = 0, hashlib.sha256()
    while block := content.read(_BLOCK):
        size += len(block)
        digest.update(block)
        file.write(block)
    file.flush()
    return size, digest.hexdigest()


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
