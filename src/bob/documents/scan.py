"""Lists the files of a folder, leaving out what ignore files name; reads no document."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from bob.core.storable import encodable
from bob.documents.ignore_rules import Rules, is_ignored, is_ignored_below, read_rules

IGNORE_FILES = (".gitignore", ".bobignore")
_OF_TOOLS = (*IGNORE_FILES, ".DS_Store", ".gitattributes", ".gitkeep", ".gitmodules", ".localized")
"""Hidden files that nobody looks for anything in."""
_LARGEST_IGNORE_FILE = 1 << 20
"""Bytes that are read; the longest lists in use have some 30,000."""
_PROBLEMS_NAMED = 5

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

_OF_FORGES = frozenset([".forgejo", ".gitea", ".github", ".gitlab"])
"""Here a project keeps what it tells those who contribute: guides, templates, what its workflows do."""


def is_hidden(name: str) -> bool:
    """Whether the dot that a file's or folder's name begins with keeps it out, unless hidden ones are wanted.

    >>> [name for name in (".obsidian", ".github", "docs") if is_hidden(name)]
    ['.obsidian']
    """
    return name.startswith(".") and name not in _OF_FORGES


@dataclass(frozen=True, slots=True)
class ScannedFile:
    """A regular file, as one `stat` shows it."""

    path: str
    size: int
    mtime_ns: int


@dataclass(slots=True)
class Scan:
    """What was found below a root; `unreadable` are folders and names that the system refused, with why, and
    `hidden` counts the files that are left out because their names begin with a dot."""

    files: list[ScannedFile] = field(default_factory=list)
    unreadable: list[tuple[str, str]] = field(default_factory=list)
    hidden: int = 0


def scan(root: Path, *, hidden: bool = False, ignore: Iterable[str] = ()) -> Scan:
    """All files below `root` (or `root` itself if it is a file), sorted by path within each folder.

    Symbolic links are not followed: a link inside the root leads to what is listed anyway, one that leads
    out of it to what nobody asked for (SPEC B6).

    A hard link is a file like any other, and is listed: it leads nowhere, it is one of the names of a file,
    and none of them is the real one. To make one a person needs the right to the file (Linux asks for it by
    `fs.protected_hardlinks`), and what Bob may read by that name it may read. Each name is a document of its
    own, and equal contents share their vectors. Bob never writes into a file that is there: it writes another
    and puts it in that one's place, so a file's other names keep what they have.
    """
    scanned = Scan()
    if root.is_file():
        status = root.stat()
        scanned.files.append(ScannedFile(str(root), status.st_size, status.st_mtime_ns))
        return scanned
    rules = _inherited(root, scanned)
    own, problems = read_rules(ignore, len(str(root).rstrip("/")) + 1)
    scanned.unreadable += [
        ("ingest.ignore", f"pattern {problem.line}: {problem.reason}") for problem in problems
    ]
    if own is not None:
        rules.append(own)
    if not is_ignored_below(rules, f"{str(root).rstrip('/')}/"):
        _walk(str(root), rules, hidden, scanned)
    return scanned


def _walk(root: str, rules: list[Rules], hidden: bool, scanned: Scan) -> None:
    waiting: list[tuple[str, list[Rules]]] = [(root, rules)]
    while waiting:
        folder, inherited = waiting.pop()
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            scanned.unreadable.append((folder, f"the folder cannot be read: {error.strerror}"))
            continue
        names = {entry.name for entry in entries}
        here = inherited + [
            rule for name in IGNORE_FILES if name in names for rule in _read_rules(folder, name, scanned)
        ]
        folders: list[tuple[str, list[Rules]]] = []
        for entry in entries:
            if not hidden and is_hidden(entry.name):
                is_wanted = entry.name not in _OF_TOOLS and entry.is_file(follow_symlinks=False)
                scanned.hidden += is_wanted and not is_ignored(here, entry.path)
                continue
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in NEVER and not is_ignored(here, entry.path + "/"):
                    folders.append((entry.path, here))
            elif entry.is_file(follow_symlinks=False) and not is_ignored(here, entry.path):
                _add(entry, scanned)
        waiting.extend(reversed(folders))


def _add(entry: os.DirEntry[str], scanned: Scan) -> None:
    try:
        entry.path.encode("utf-8")
        status = entry.stat(follow_symlinks=False)
    except UnicodeEncodeError:
        readable = encodable(entry.path)
        scanned.unreadable.append((readable, "the file's name is not UTF-8; rename it"))
    except OSError as error:
        scanned.unreadable.append((entry.path, f"the file cannot be read: {error.strerror}"))
    else:
        scanned.files.append(ScannedFile(entry.path, status.st_size, status.st_mtime_ns))


def _read_rules(folder: str, name: str, scanned: Scan) -> list[Rules]:
    path = Path(folder, name)
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST_IGNORE_FILE + 1)
    except OSError:
        # An ignore file that cannot be read is a file like any other that cannot be: it has no rules.
        return []
    if len(content) > _LARGEST_IGNORE_FILE:
        scanned.unreadable.append((str(path), f"only its first {_LARGEST_IGNORE_FILE >> 20} MB are used"))
    lines = content[:_LARGEST_IGNORE_FILE].decode("utf-8", "replace").splitlines()
    rules, problems = read_rules(lines, len(folder.rstrip("/")) + 1)
    if problems:
        named = "; ".join(f"line {problem.line}: {problem.reason}" for problem in problems[:_PROBLEMS_NAMED])
        more = f"; and {len(problems) - _PROBLEMS_NAMED} more" if len(problems) > _PROBLEMS_NAMED else ""
        scanned.unreadable.append((str(path), f"some lines are ignored: {named}{more}"))
    return [rules] if rules is not None else []


def _inherited(root: Path, scanned: Scan) -> list[Rules]:
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
        rule
        for folder in reversed(above)
        for name in IGNORE_FILES
        for rule in _read_rules(str(folder), name, scanned)
    ]
