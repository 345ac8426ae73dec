"""Opens a source at its place in the user's editor (SPEC L6): a list of words, never a shell's line."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bob.core.errors import UsageError
from bob.core.locator import LineLocator, Locator, PageLocator
from bob.documents.library import Library
from bob.documents.read_source import ReadSource

_MARK = re.compile(r"\{(?:path|line|page)\}")

Start = Callable[[Sequence[str]], None]
"""Starts a program and does not wait for it. Raises OSError: there is none."""


@dataclass(frozen=True, slots=True)
class Opened:
    """What was run, or would be."""

    command: tuple[str, ...]
    done: bool

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        return {"command": list(self.command), "done": self.done}


class OpenSource:
    """Opens documents of one organization with `command`, whose words may hold {path}, {line} and {page}."""

    def __init__(self, library: Library, read: ReadSource, command: Sequence[str], start: Start) -> None:
        self._library = library
        self._read = read
        self._command = command
        self._start = start

    def open_source(self, document_id: int, locator: Locator | None, *, dry_run: bool) -> Opened:
        """Open a document at a place, or at its beginning.

        Raises:
            NotFoundError: there is no such document, or its file is gone.
            UsageError: no program is set, or it cannot be started.
        """
        path = self._read.file_of(self._library.document(document_id))
        if not self._command:
            raise UsageError("no editor is set; set open.command, such as [code, --goto, '{path}:{line}']")
        line = locator.start_line if isinstance(locator, LineLocator) else 1
        page = locator.page if isinstance(locator, PageLocator) else 1
        program, *words = self._command
        values = {"{path}": str(path), "{line}": str(line), "{page}": str(page)}
        command = (program, *(_filled(word, values) for word in words))
        if not dry_run:
            try:
                self._start(command)
            except OSError as error:
                raise UsageError(
                    f"{program} cannot be started: {error.strerror}; see open.command"
                ) from error
        return Opened(command, not dry_run)


def _filled(word: str, values: dict[str, str]) -> str:
    """The word with its values; what stands in a value is not looked at again."""
    return _MARK.sub(lambda match: values[match[0]], word)
