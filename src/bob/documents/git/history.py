"""Finds in one walk which commit gave each file its content, and which versions came before."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from bob.core.errors import UnreadableError
from bob.documents.git.repository import FOLDER, KIND, LINK, SUBMODULE, Commit, GitRepository


@dataclass(frozen=True, slots=True)
class Version:
    """A file's content since a commit; `until` is the time of the commit that replaced or deleted it, None
    if that has not happened. Times are seconds since 1970."""

    file: bytes
    blob: bytes
    commit: bytes
    time: int
    until: int | None = None


@dataclass(slots=True)
class _Wanted:
    """Files whose version at one commit is looked for, each with the time at which it ended."""

    commit: Commit
    files: dict[bytes, int | None] = field(default_factory=dict)


def files_of(git: GitRepository, tree: bytes, prefix: bytes = b"") -> Iterator[tuple[bytes, int, bytes]]:
    """All that a tree holds but folders, in the order of names: path, mode, id."""
    for name, (mode, entry_id) in git.entries(tree).items():
        if mode & KIND == FOLDER:
            yield from files_of(git, entry_id, prefix + name + b"/")
        else:
            yield prefix + name, mode, entry_id


def versions(
    git: GitRepository,
    head: Commit,
    files: Mapping[bytes, bytes],
    *,
    past: bool = False,
    is_wanted: Callable[[bytes], bool] = lambda _: True,
    stop: bytes | None = None,
) -> Iterator[Version]:
    """The version that each of `files` (path to blob) has at `head`, and with `past` the earlier ones too.

    A file goes back along the first parent that has the same content, as in `git log -- FILE`; beyond the
    commit that changed it, along that commit's first parent. With `past`, files that were deleted are found
    along first parents, if `is_wanted` says so of the path; the same version may then come twice, with
    different ends. At the commit `stop` the walk ends: files that have not changed since then are left out.
    """
    waiting: dict[bytes, _Wanted] = {head.commit_id: _Wanted(head, dict.fromkeys(files))}
    queue = [(-head.time, head.commit_id)]
    mainline = {head.commit_id}

    def look(commit: Commit, changes: dict[bytes, int | None]) -> None:
        there = waiting.get(commit.commit_id)
        if there is None:
            waiting[commit.commit_id] = _Wanted(commit, changes)
            heapq.heappush(queue, (-commit.time, commit.commit_id))
            return
        # The few are put to the many, or a walk would take the commits times the files.
        few, there.files = sorted((changes, there.files), key=len)
        for file, until in few.items():
            there.files[file] = first_end(there.files.get(file, until), until)

    while queue:
        _, commit_id = heapq.heappop(queue)
        here = waiting.pop(commit_id)
        if commit_id == stop:
            continue
        commit, left = here.commit, here.files
        parents = _parents(git, commit)
        before: dict[bytes, tuple[bytes | None, bytes | None]] = {}
        for parent in parents:
            changed = differences(git, parent.tree, commit.tree)
            different = {file: left.pop(file) for file in changed if file in left}
            if left:
                look(parent, left)
            left = different
            if parent is parents[0]:
                before = changed
                if past and commit_id in mainline:
                    mainline.add(parent.commit_id)
                    gone = [
                        path for path, (old, new) in changed.items() if old and not new and is_wanted(path)
                    ]
                    look(parent, dict.fromkeys(gone, commit.time))
        for file, until in left.items():
            old, new = before[file] if parents else (None, _blob_at(git, commit.tree, file))
            if new is not None:
                yield Version(file, new, commit_id, commit.time, until)
            if past and old is not None:
                look(parents[0], {file: commit.time})


def differences(
    git: GitRepository, old: bytes | None, new: bytes | None, prefix: bytes = b""
) -> dict[bytes, tuple[bytes | None, bytes | None]]:
    """The files that differ between two trees (None: there is none), each with its blob in both."""
    changes: dict[bytes, tuple[bytes | None, bytes | None]] = {}
    if old == new:
        return changes
    before = git.entries(old) if old else {}
    after = git.entries(new) if new else {}
    for name in before.keys() | after.keys():
        was, now = before.get(name), after.get(name)
        if was == now:
            continue
        path = prefix + name
        folders = (_folder(was), _folder(now))
        if folders != (None, None):
            changes |= differences(git, *folders, path + b"/")
        blobs = (_file(was), _file(now))
        if blobs[0] != blobs[1]:
            changes[path] = blobs
    return changes


def _parents(git: GitRepository, commit: Commit) -> list[Commit]:
    """Those that are here: a shallow clone ends somewhere."""
    versions_found = []
    for parent in commit.parents:
        try:
            versions_found.append(git.commit(parent))
        except UnreadableError as error:
            if error.code != "missing":
                raise
    return versions_found


def first_end(one: int | None, other: int | None) -> int | None:
    """Of two ends of a version the one that counts: what holds now holds now, whichever branch deleted it."""
    return None if one is None or other is None else min(one, other)


def _blob_at(git: GitRepository, tree: bytes, file: bytes) -> bytes | None:
    *folders, name = file.split(b"/")
    for folder in folders:
        below = _folder(git.entries(tree).get(folder))
        if below is None:
            return None
        tree = below
    return _file(git.entries(tree).get(name))


def _folder(entry: tuple[int, bytes] | None) -> bytes | None:
    return entry[1] if entry is not None and entry[0] & KIND == FOLDER else None


def _file(entry: tuple[int, bytes] | None) -> bytes | None:
    return entry[1] if entry is not None and entry[0] & KIND not in (FOLDER, LINK, SUBMODULE) else None
