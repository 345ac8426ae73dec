"""Lines of a note that Bob gathers: what somebody wrote, each with the place where it stands."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bob.core.locator import Locator, locator_to_json
from bob.core.place import place_in
from bob.documents.formats.authorship import GATHERED, GATHERED_END

_LONGEST = 300
_BOX = re.compile(r"^(?:\s|>|[-*+](?=\s)|#{1,6}(?=\s)|\d{1,9}[.)](?=\s)|\[[ xX]?\](?!\())+")
"""What would make a quoted line a heading, a list or a task of its own."""


@dataclass(frozen=True, slots=True)
class Line:
    """A text with its source: a place in a file, or else what `source` names, such as a memory."""

    text: str
    source: str
    path: str | None = None
    locator: Locator | None = None

    def to_json(self) -> dict[str, Any]:
        """The line as JSON."""
        return {
            "text": self.text,
            "source": self.source,
            "path": self.path,
            "locator": None if self.locator is None else locator_to_json(self.locator),
        }


def line_at(text: str, path: str, locator: Locator) -> Line:
    """The text as one line, with its place in a file."""
    return Line(one_line(text), place_in(Path(path).name, locator), path, locator)


def one_line(text: str) -> str:
    """The text in one line of at most 300 characters, without the marks of lists, tasks and headings.

    >>> one_line("- [ ]  call Ana,\\n  today")
    'call Ana, today'
    """
    line = _BOX.sub("", " ".join(text.split()))
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1].rstrip() + "…"


def as_list(lines: Sequence[Line], folder: Path, nothing: str = "") -> str:
    """The lines as a Markdown list for a note in this folder, each with a link to its source; marked, so that
    no index takes them for evidence."""
    return gathered("\n".join(f"- {line.text} ({_linked(line, folder)})" for line in lines) or nothing)


def gathered(text: str) -> str:
    """A text that Bob copied into a note, with the marks that keep it out of the index."""
    return f"{GATHERED}\n\n{text}\n\n{GATHERED_END}" if text else ""


def _linked(line: Line, folder: Path) -> str:
    # A newline in a file's name must not begin a line of the note.
    label = re.sub(r"([\[\]\\`*_<>])", r"\\\1", " ".join(line.source.split()))
    if line.path is None:
        return label
    target = os.path.relpath(line.path, folder).replace(os.sep, "/")
    return f"[{label}]({quote(target)})"
