"""Says which files of a git repository are documents to read, by their names and the ignore files in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Literal

from bob.core.errors import UnreadableError
from bob.documents.formats.parser_registry import ParserRegistry
from bob.documents.git.history import files_of
from bob.documents.git.repository import KIND, LINK, SUBMODULE, GitRepository
from bob.documents.ignore_rules import is_ignored_below, read_rules
from bob.documents.scan import NEVER, is_hidden

Include = Literal["docs", "code", "all"]

_CODE = frozenset({"code", "config", "csv"})
"""Parsers of what belongs to the code: its settings and tables too. All others read what people write for
people."""

_IGNORE_FILE = b".bobignore"
"""What git itself ignores is not committed, or was committed on purpose."""


@dataclass(slots=True)
class Listing:
    """The documents of one commit: path to blob. `unnamed` are those whose names cannot be stored, with why;
    `skipped` counts what is no document by its ending."""

    blobs: dict[str, str] = field(default_factory=dict)
    unnamed: list[tuple[str, str]] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)


class Selection:
    """Which paths are taken in; asked with paths as git has them, "docs/x.md"."""

    def __init__(
        self, registry: ParserRegistry, include: Include, *, hidden: bool, ignore: Iterable[str]
    ) -> None:
        self._registry = registry
        self._include = include
        self._hidden = hidden
        self._unused: list[tuple[str, str]] = []
        own, _ = read_rules(ignore, 0)
        self._rules = [(b"", own)] if own is not None else []

    def list(self, git: GitRepository, tree: bytes) -> Listing:
        """The documents in a tree; from now on what its ignore files say counts for every path."""
        entries = list(files_of(git, tree))
        for path, mode, blob in entries:
            if path.rpartition(b"/")[2] == _IGNORE_FILE and mode & KIND not in (LINK, SUBMODULE):
                self._obey(git, path, blob)
        self._rules.sort(key=lambda rule: len(rule[0]))  # deeper files speak last
        listing = Listing(unnamed=self._unused)
        for path, mode, blob in entries:
            if mode & KIND == LINK or not self._is_open(path):
                continue
            if mode & KIND == SUBMODULE:
                listing.skipped["submodule"] += 1
            elif not self._is_document(path):
                listing.skipped[PurePosixPath(_readable(path)).suffix.lower() or "no ending"] += 1
            elif problem := _problem(path):
                listing.unnamed.append((_readable(path), problem))
            else:
                listing.blobs[path.decode()] = blob.decode()
        return listing

    def takes(self, path: bytes) -> bool:
        """Whether a file of this path is a document to read."""
        return self._is_open(path) and self._is_document(path) and _problem(path) is None

    def _is_open(self, path: bytes) -> bool:
        """Whether neither hiding nor a rule keeps it out."""
        *folders, name = _readable(path).split("/")
        if not NEVER.isdisjoint(folders):
            return False
        if not self._hidden and any(map(is_hidden, (*folders, name))):
            return False
        rules = [rule for folder, rule in self._rules if path.startswith(folder)]
        return not is_ignored_below(rules, _readable(path))

    def _is_document(self, path: bytes) -> bool:
        name = Path(_readable(path))
        parser = self._registry.parser_for(name)
        if parser is None:
            return self._include != "code" and self._registry.advice_for(name) is not None
        return self._include == "all" or (self._include == "code") == (parser.name in _CODE)

    def _obey(self, git: GitRepository, path: bytes, blob: bytes) -> None:
        try:
            lines = git.blob(blob).decode("utf-8", "replace").splitlines()
        except UnreadableError:
            # An ignore file that is not there, as in a part of a clone, has no rules.
            return
        folder = path[: -len(_IGNORE_FILE)]
        rules, problems = read_rules(lines, len(_readable(folder)))
        named = [f"line {problem.line}: {problem.reason}" for problem in problems]
        self._unused += (
            [(_readable(path), f"some lines are ignored: {'; '.join(named[:5])}")] if named else []
        )
        if rules is not None:
            self._rules.append((folder, rules))


def _readable(path: bytes) -> str:
    return path.decode("utf-8", "replace")


def _problem(path: bytes) -> str | None:
    """Why a name cannot be stored. Git itself writes no name of the second kind."""
    try:
        names = path.decode("utf-8").split("/")
    except UnicodeDecodeError:
        return "the file's name is not UTF-8; rename it"
    if any(name in ("", ".", "..") for name in names):
        return "the file's name is invalid"
    return None
