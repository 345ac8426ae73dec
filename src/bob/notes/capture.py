"""Capture: a new note from a template, in an allowed folder, found from then on (SPEC M2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from bob.core.document import Writer
from bob.core.errors import UsageError
from bob.documents import source_rows
from bob.documents.disks import LocalDisks
from bob.notes.file_names import NOTE_SUFFIX, slug
from bob.notes.templates import Template, Templates, render
from bob.notes.writer import NoteWriter, PlannedNote, index_note
from bob.storage.database import Database
from bob.storage.paths import absolute

_NUMBERED = re.compile(r"(\d{1,6})[-_ ](?!\d\d[-_.])")
"""The number at the beginning of a file's name, which is not the year of a date."""

_FIRST_YEAR, _LAST_YEAR = 1900, 2099
"""Years that a date in front matter is read back in."""


@dataclass(frozen=True, slots=True)
class NoteRequest:
    """What a note is to be: `values` are by field of its template, `into` a folder in place of the
    usual; `writer` says that it is not a person's own."""

    kind: str
    day: date
    values: Mapping[str, str] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    into: Path | None = None
    writer: Writer | None = None


@dataclass(frozen=True, slots=True)
class Captured:
    """A note that was written, or would be. `indexed` when it can be found already."""

    kind: str
    path: Path
    text: str
    written: bool
    indexed: bool

    def to_json(self) -> dict[str, Any]:
        """The note as `bob new --json` prints it."""
        return {
            "kind": self.kind,
            "path": str(self.path),
            "text": self.text,
            "written": self.written,
            "indexed": self.indexed,
        }


class Capture:
    """Writes notes into `folders`, or where it is told to in a folder that is indexed; `index` brings one
    file into the index."""

    def __init__(
        self,
        database: Database,
        folders: Sequence[Path],
        templates: Templates,
        index: Callable[[Path], object],
        disks: LocalDisks,
    ) -> None:
        self._database = database
        self.folders = tuple(absolute(folder) for folder in folders)
        self._templates = templates
        self._index = index
        self._disks = disks

    def templates(self) -> list[Template]:
        """All templates, by kind. Raises UsageError: one of them is wrong."""
        return [self._templates.get(kind) for kind in self._templates.kinds()]

    def template(self, kind: str) -> Template:
        """The template of a kind. Raises NotFoundError, UsageError."""
        return self._templates.get(kind)

    def write_note(self, request: NoteRequest, *, write: bool = True, index: bool = True) -> Captured:
        """Write the note under a name that is free; without `write` only say what it would be.

        Raises:
            NotFoundError: there is no such kind.
            UsageError: a field is missing or unknown, or the place is not allowed.
        """
        template = self._templates.get(request.kind)
        for name in ("date", "tags"):
            if name in request.values:
                raise UsageError(f"{name} cannot be set as a field; it has its own option")
        if not _FIRST_YEAR <= request.day.year <= _LAST_YEAR:
            raise UsageError(f"{request.day}: the year of a note must be from {_FIRST_YEAR} to {_LAST_YEAR}")
        indexed = self._indexed()
        writer, folder = self._place(template, request.into, indexed)
        values = dict(request.values)
        if not values.get("project") and not template.fields.get("project"):
            values["project"] = source_rows.nearest(indexed, str(folder)) or ""
        number = _next_number(writer.names(folder)) if template.is_numbered else ""
        note = render(template, values, request.tags, request.day, number, request.writer)
        planned = writer.plan_free(folder, slug(note.file) + NOTE_SUFFIX, note.text)
        if not write:
            return _captured(template, planned, written=False, indexed=False)
        path = writer.write(planned)
        findable = index and source_rows.nearest(indexed, str(path)) is not None
        is_found = findable and index_note(path, self._index)
        return _captured(template, planned, written=True, indexed=is_found)

    def folder(self, kind: str, into: Path | None = None) -> Path:
        """Where a note of that kind would go. Raises NotFoundError, UsageError: as `run` does."""
        return self._place(self._templates.get(kind), into, self._indexed())[1]

    def _indexed(self) -> list[tuple[str, str]]:
        with self._database.read() as transaction:
            return source_rows.every(transaction, self._disks.names)

    def _place(
        self, template: Template, into: Path | None, indexed: Sequence[tuple[str, str]]
    ) -> tuple[NoteWriter, Path]:
        if into is not None:
            return NoteWriter([*self.folders, *(Path(path) for path, _ in indexed)]), absolute(into)
        writer = NoteWriter(self.folders)
        return writer, writer.default_folder / template.folder


def _next_number(names: Sequence[str]) -> str:
    """One more than the highest number that a file's name begins with, in four digits."""
    numbers = [int(match[1]) for name in names if (match := _NUMBERED.match(name))]
    return f"{max(numbers, default=0) + 1:04}"


def _captured(template: Template, planned: PlannedNote, *, written: bool, indexed: bool) -> Captured:
    return Captured(template.kind, planned.path, planned.text, written, indexed)
