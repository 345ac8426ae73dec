"""Reads a git repository on this machine: refs, commits, trees and blobs, as plain values.

Only objects are read. No hook, filter or command runs, nothing is fetched, and it does not matter who owns
the repository, since nothing in its settings is obeyed but the form of its files.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING

from bob.core.errors import UnreadableError, UsageError

if TYPE_CHECKING:
    from dulwich.object_store import DiskObjectStore
    from dulwich.pack import Pack
    from dulwich.repo import Repo

_HEAD = 256  # bytes: enough for any header and, unpacked, for the two sizes that a delta begins with
_OFFSET_DELTA, _REFERENCE_DELTA = 6, 7


def object_sizes(store: DiskObjectStore, ids: Iterable[bytes]) -> dict[bytes, int]:
    """The size in bytes of each object by its id in hexadecimal digits; those that are not there or whose
    header cannot be read are left out."""
    left = set(ids)
    sizes: dict[bytes, int] = {}
    for pack in store.packs:
        sizes.update(_packed(pack, left))
        left -= sizes.keys()
    for object_id in left:
        size = _loose(Path(store.path, object_id[:2].decode(), object_id[2:].decode()))
        if size is not None:
            sizes[object_id] = size
    for other in store.alternates:
        left -= sizes.keys()
        if left:
            sizes |= object_sizes(other, left)  # type: ignore[arg-type]
    return sizes


def _packed(pack: Pack, ids: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
    with Path(pack.data.path).open("rb") as file:
        for object_id in ids:
            try:
                offset = pack.index.object_offset(object_id)  # type: ignore[arg-type]
                yield object_id, _size_at(file, offset, len(object_id) // 2)
            except (KeyError, zlib.error, IndexError):
                continue


def _size_at(file: IO[bytes], offset: int, id_length: int) -> int:
    """The size of the object whose entry in a pack begins there; git's own format (`gitformat-pack`)."""
    file.seek(offset)
    head = file.read(_HEAD)
    kind = head[0] >> 4 & 7
    size, at = head[0] & 15, 1
    shift = 4
    while head[at - 1] & 128:
        size |= (head[at] & 127) << shift
        shift, at = shift + 7, at + 1
    if kind == _REFERENCE_DELTA:
        at += id_length
    elif kind == _OFFSET_DELTA:
        while head[at] & 128:
            at += 1
        at += 1
    else:
        return size
    delta = zlib.decompressobj().decompress(head[at:], 32)
    _, at = _number(delta, 0)
    return _number(delta, at)[0]


def _number(data: bytes, offset: int) -> tuple[int, int]:
    """A number of seven bits a byte, the lowest first, and where the next one begins."""
    value = shift = 0
    while True:
        value |= (data[offset] & 127) << shift
        shift, offset = shift + 7, offset + 1
        if not data[offset - 1] & 128:
            return value, offset


def _loose(path: Path) -> int | None:
    try:
        with path.open("rb") as file:
            head = zlib.decompressobj().decompress(file.read(_HEAD), 64)
        return int(head.partition(b"\0")[0].split(b" ")[1])
    except (OSError, zlib.error, IndexError, ValueError):
        return None


_COMMIT, _TREE, _BLOB, _TAG = 1, 2, 3, 4
_TREES_KEPT = 256
"""A walk looks at the same folders again and again, and a folder may have thousands of names."""

_FEWEST_DIGITS = 4
_TAGS_DEEP = 10
_REFS = ("{}", "refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}", "refs/remotes/{}/HEAD")
"""Where git looks for a name, in its order."""

_HARMLESS = (b"noop", b"partialclone", b"preciousobjects")

FOLDER, LINK, SUBMODULE = 0o040000, 0o120000, 0o160000
KIND = 0o170000
"""The bits of an entry's mode that say what it is; any other kind is a file."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit; ids are hexadecimal digits, `time` is the committer's, in seconds since 1970."""

    commit_id: bytes
    tree: bytes
    parents: tuple[bytes, ...]
    time: int


class GitRepository:
    """An open repository; see `open_repository`."""

    def __init__(self, repo: Repo) -> None:
        self._repo = repo
        self.entries = lru_cache(_TREES_KEPT)(self._entries)

    def commit_at(self, ref: str) -> Commit:
        """The commit of a branch, tag or id; an id may be shortened.

        Raises:
            UsageError: there is no such ref, or it is no commit.
            UnreadableError: "missing" or "damaged".
        """
        object_id = self._id_of(ref)
        for _ in range(_TAGS_DEEP):
            kind, data = self._read(object_id)
            if kind == _COMMIT:
                return _parsed_commit(object_id, data)
            if kind != _TAG:
                break
            object_id = data.partition(b"\n")[0].removeprefix(b"object ")
        raise UsageError(f"{ref}: not a commit")

    def commit(self, commit_id: bytes) -> Commit:
        """The commit of this id. Raises UnreadableError: "missing" (as beyond a shallow clone), "damaged"."""
        return _parsed_commit(commit_id, self._read(commit_id, _COMMIT)[1])

    def blob(self, blob_id: bytes) -> bytes:
        """A file's content. Raises UnreadableError: "missing" or "damaged"."""
        return self._read(blob_id, _BLOB)[1]

    def sizes(self, blob_ids: Iterable[bytes]) -> dict[bytes, int]:
        """The size in bytes of each blob that is there."""
        return object_sizes(self._repo.object_store, blob_ids)

    def blob_at(self, commit_id: bytes, file: bytes) -> bytes:
        """The content of a file in a commit.

        Raises:
            LookupError: the commit has no such file.
            UnreadableError: "missing" or "damaged".
        """
        mode, object_id = FOLDER, self.commit(commit_id).tree
        for name in file.split(b"/"):
            if mode & KIND != FOLDER or name not in self.entries(object_id):
                raise LookupError(f"the commit has no file {file.decode('utf-8', 'replace')}")
            mode, object_id = self.entries(object_id)[name]
        return self.blob(object_id)

    def _entries(self, tree: bytes) -> dict[bytes, tuple[int, bytes]]:
        """Of a folder: name to mode and id. Raises UnreadableError: "missing" or "damaged"."""
        from dulwich.errors import ObjectFormatException
        from dulwich.objects import parse_tree

        data = self._read(tree, _TREE)[1]
        try:
            return {name: (mode, object_id) for name, mode, object_id in parse_tree(data, len(tree) // 2)}
        except (ObjectFormatException, ValueError) as error:
            raise _damaged(tree) from error

    def _id_of(self, ref: str) -> bytes:
        refs, name = self._repo.refs, ref.encode("utf-8", "surrogateescape")
        for form in _REFS:
            full = form.encode().replace(b"{}", name)
            try:
                return bytes(refs[full])  # type: ignore[index]
            except (KeyError, ValueError, OSError):  # a name that no ref can have is the name of none
                continue
        if len(ref) >= _FEWEST_DIGITS and not set(ref.lower()) - set("0123456789abcdef"):
            objects = list(self._repo.object_store.iter_prefix(name.lower()))
            if len(objects) == 1:
                return bytes(objects[0])
            if objects:
                raise UsageError(f"{ref}: matches several ids; give more characters")
        if ref == "HEAD":
            raise UsageError("the repository has no commits")
        raise UsageError(f"{ref}: no such branch, tag or commit")

    def _read(self, object_id: bytes, kind: int | None = None) -> tuple[int, bytes]:
        from dulwich.errors import ApplyDeltaError, ChecksumMismatch, FileFormatException
        from dulwich.pack import PackFileDisappeared, UnresolvedDeltas

        try:
            found, data = self._repo.object_store.get_raw(object_id)  # type: ignore[arg-type]
        except KeyError as error:
            short = object_id[:12].decode()
            raise UnreadableError("missing", f"the repository does not have the object {short}") from error
        except (
            *(ApplyDeltaError, ChecksumMismatch, FileFormatException, PackFileDisappeared, UnresolvedDeltas),
            *(OSError, ValueError, AssertionError, IndexError, EOFError, zlib.error, struct.error),
        ) as error:
            raise _damaged(object_id) from error
        if kind not in (None, found):
            raise _damaged(object_id)
        return found, data


@contextmanager
def open_repository(path: Path) -> Iterator[GitRepository]:
    """The repository whose worktree, `.git` or bare folder this is.

    Raises:
        UsageError: there is none, or it is of a form that is not known here.
    """
    from dulwich.config import ConfigFile
    from dulwich.errors import NotGitRepository
    from dulwich.repo import InvalidWorktreeConfiguration, Repo, UnsupportedExtension, UnsupportedVersion

    class Readable(Repo):
        """Takes no exception to extensions that do not change what objects look like."""

        def get_config(self) -> ConfigFile:
            config = super().get_config()
            for name, _ in list(config.items((b"extensions",))):
                if name.lower() in _HARMLESS:
                    config.remove((b"extensions",), name)
            return config

    try:
        repo = Readable(path)
    except NotGitRepository as error:
        raise UsageError(f"{path}: not a git repository; name the folder that contains .git") from error
    except (UnsupportedExtension, UnsupportedVersion, InvalidWorktreeConfiguration) as error:
        raise UsageError(f"{path}: unsupported kind of git repository: {error}") from error
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: the git repository cannot be opened: {error}") from error
    try:
        yield GitRepository(repo)
    finally:
        repo.close()


def _parsed_commit(commit_id: bytes, data: bytes) -> Commit:
    tree, parents, time = b"", [], None
    for line in data.partition(b"\n\n")[0].split(b"\n"):
        key, _, value = line.partition(b" ")
        if key == b"tree":
            tree = value
        elif key == b"parent":
            parents.append(value)
        elif key == b"committer":
            time = _seconds(value)
    if not tree or time is None:
        raise _damaged(commit_id)
    return Commit(commit_id, tree, tuple(parents), time)


def _seconds(committer: bytes) -> int | None:
    """What stands after the name: seconds and time zone."""
    try:
        return int(committer.rpartition(b">")[2].split()[0])
    except (IndexError, ValueError):
        return None


def _damaged(object_id: bytes) -> UnreadableError:
    return UnreadableError("damaged", f"the repository is damaged at object {object_id[:12].decode()}")
