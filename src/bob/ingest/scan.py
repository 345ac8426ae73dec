"""Lists the files of a folder, leaving out what ignore files name; reads no document."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pathspec import GitIgnoreSpec

IGNORE_FILES = (".gitignore", ".bobignore")

NEVER = frozenset(
    [
        "__pycache__",
        "node_modules",
        ".git",
        ".hg",
        ".svn",
        ".venv",
        ".tox",
        ".nox",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
        ".ipynb_checkpoints",
        ".Trash",
        "$RECYCLE.BIN",
    ]
)
"""Folders of tools, which hold nothing that a person wrote. Looked into only if named as the root."""


@dataclass(frozen=True, slots=True)
class ScannedFile:
    """A regular file, as one `stat` shows it."""

    path: str
    size: int
    mtime_ns: int


@dataclass(slots=True)
class Scan:
    """What was found below a root; `unreadable` are folders and names that the system refused, with why."""

    files: list[ScannedFile] = field(default_factory=list)
    unreadable: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Rules:
    """Patterns, and the length of the folder's path (with its slash) that they are relative to."""

    spec: GitIgnoreSpec
    prefix: int


def scan(root: Path, *, hidden: bool = False, ignore: Iterable[str] = ()) -> Scan:
    """All files below `root` (or `root` itself if it is a file), sorted by path within each folder.

    Symbolic links are not followed: a link inside the root leads to what is listed anyway, one that leads
    out of it to what nobody asked for (SPEC B6).
    """
    found = Scan()
    if root.is_file():
        status = root.stat()
        found.files.append(ScannedFile(str(root), status.st_size, status.st_mtime_ns))
        return found
    rules = _inherited(root)
    own = GitIgnoreSpec.from_lines(ignore)
    if own.patterns:
        rules.append(Rules(own, len(str(root).rstrip("/")) + 1))
    _walk(str(root), rules, hidden, found)
    return found


def _walk(root: str, rules: list[Rules], hidden: bool, found: Scan) -> None:
    waiting: list[tuple[str, list[Rules]]] = [(root, rules)]
    while waiting:
        folder, inherited = waiting.pop()
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            found.unreadable.append((folder, f"the folder cannot be read: {error.strerror}"))
            continue
        names = {entry.name for entry in entries}
        here = inherited + [
            rule for name in IGNORE_FILES if name in names for rule in _read_rules(folder, name)
        ]
        folders: list[tuple[str, list[Rules]]] = []
        for entry in entries:
            if entry.name.startswith(".") and not hidden:
                continue
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in NEVER and not ignored(here, entry.path + "/"):
                    folders.append((entry.path, here))
            elif entry.is_file(follow_symlinks=False) and not (here and ignored(here, entry.path)):
                _add(entry, found)
        waiting.extend(reversed(folders))


def _add(entry: os.DirEntry[str], found: Scan) -> None:
    try:
        entry.path.encode("utf-8")
        status = entry.stat(follow_symlinks=False)
    except UnicodeEncodeError:
        readable = entry.path.encode("utf-8", "replace").decode("utf-8")
        found.unreadable.append((readable, "the file's name is not UTF-8: rename it"))
    except OSError as error:
        found.unreadable.append((entry.path, f"the file cannot be looked at: {error.strerror}"))
    else:
        found.files.append(ScannedFile(entry.path, status.st_size, status.st_mtime_ns))


def ignored(rules: Sequence[Rules], path: str) -> bool:
    """Whether the last word that any ignore file has on the path says so; deeper files speak last."""
    for rule in reversed(rules):
        verdict = rule.spec.check_file(path[rule.prefix :]).include
        if verdict is not None:
            return verdict
    return False


def _read_rules(folder: str, name: str) -> list[Rules]:
    try:
        lines = Path(folder, name).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        # An ignore file that cannot be read is a file like any other that cannot be: it has no rules.
        return []
    spec = GitIgnoreSpec.from_lines(lines)
    return [Rules(spec, len(folder.rstrip("/")) + 1)] if spec.patterns else []


def _inherited(root: Path) -> list[Rules]:
    """The rules of the folders above, up to the top of the git repository that the root lies in."""
    above: list[Path] = []
    for parent in root.parents:
        above.append(parent)
        if (parent / ".git").exists():
            break
    else:
        return []
    if (root / ".git").exists():
        return []
    return [
        rule for folder in reversed(above) for name in IGNORE_FILES for rule in _read_rules(str(folder), name)
    ]
