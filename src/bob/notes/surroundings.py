"""What notes stand among: the files that their links can lead to, the headings of those, and secrets."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path

from bob.core.errors import UnreadableError
from bob.documents.formats.source import LocalFile
from bob.documents.scan import scan
from bob.notes.link_targets import NOTE_SUFFIXES, LinkTargets
from bob.notes.lint_note import Note
from bob.notes.lint_rule import Facts
from bob.text.dates import date_in_name, read_date
from bob.text.secrets import redacted

_TOPS = (".git", ".obsidian", "bob.yaml", ".bobignore")
"""What a folder of notes has at its top."""
_ID = re.compile(r"""(?:\b(?:id|name)=["']?|\{#)([\w.:-]+)""")
_KEY_BEGINS = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY")
_KEY_ENDS = re.compile(r"-----END [A-Z0-9 ]*PRIVATE KEY")
_REMEMBERED = 10_000


@dataclass(frozen=True, slots=True)
class ScanOptions:
    """Which files of a folder are looked at, as the index does it."""

    hidden: bool
    ignore: tuple[str, ...]
    max_bytes: int


class NoteSurroundings:
    """The files in `folders` and below, and those right in the folders `beside`."""

    def __init__(self, folders: Sequence[Path], beside: Sequence[Path], options: ScanOptions) -> None:
        self._options = options
        self._roots = [str(folder) for folder in (*folders, *beside)]
        # Links may lead to what the index leaves out.
        self._paths = {file.path for folder in set(folders) for file in scan(folder, hidden=True).files}
        self._paths |= {entry.path for folder in set(beside) for entry in os.scandir(folder)}
        self._targets = LinkTargets(self._paths, self._roots)
        self._anchors = lru_cache(_REMEMBERED)(self._read_anchors)

    def name(self, titles: Mapping[str, Sequence[str]]) -> None:
        """Let wiki links lead to notes by their titles as well."""
        named = {title: paths[0] for title, paths in titles.items() if title}
        self._targets = LinkTargets(self._paths, self._roots, named)

    def text(self, path: str) -> str:
        """The text of a note. Raises UnreadableError."""
        return LocalFile(Path(path), self._options.max_bytes).read_text()

    def facts(self, path: str, today: date, others: Sequence[str] = ()) -> Facts:
        """What the rules may know of the note there; `others` have its title."""
        return Facts(
            today,
            date_in_name(Path(path).name),
            read_date,
            found_secrets,
            tuple(os.path.relpath(other, Path(path).parent) for other in others),
            path,
            self._targets,
            os.path.exists,
            self._anchors,
        )

    def _read_anchors(self, path: str) -> Sequence[str] | None:
        if not is_note(path):
            return None
        try:
            text = self.text(path)
        except UnreadableError:
            return None
        return [*(heading.text for heading in Note(text, path).headings), *_ID.findall(text)]


def found_secrets(text: str) -> list[tuple[int, int, str]]:
    """The secrets in a text: where each begins and ends, and its kind. A private key is one."""
    if not redacted(text).kinds:
        return []  # nearly every note; looking at each line takes ten times as long
    changes: list[tuple[int, int, str]] = []
    start, in_key = 0, False
    for line in text.split("\n"):
        end = start + len(line)
        if in_key:
            in_key = not _KEY_ENDS.search(line)
            changes[-1] = (changes[-1][0], end, changes[-1][2])
        else:
            cleaned = redacted(line)
            if cleaned.kinds:
                first, last = _changed(line, cleaned.text)
                changes.append((start + first, start + last, ", ".join(cleaned.kinds)))
                in_key = bool(_KEY_BEGINS.search(line)) and not _KEY_ENDS.search(line)
        start = end + 1
    return changes


def _changed(before: str, after: str) -> tuple[int, int]:
    """The range of `before` outside of which `after` is the same."""
    least = min(len(before), len(after))
    first = next((index for index in range(least) if before[index] != after[index]), least)
    same = range(1, least - first + 1)
    tail = next((index - 1 for index in same if before[-index] != after[-index]), least - first)
    return first, len(before) - tail


def is_note(path: str) -> bool:
    """Whether the name is one of Markdown."""
    return path.lower().endswith(NOTE_SUFFIXES)


def vault_of(path: Path) -> Path | None:
    """The folder of notes that a file belongs to, if one shows."""
    return next((parent for parent in path.parents if any((parent / top).exists() for top in _TOPS)), None)
