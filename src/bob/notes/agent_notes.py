"""Reads and writes notes for an agent: below folders that a person chose, and nowhere else (SPEC L4, P3)."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bob.core.errors import NotFoundError, UsageError
from bob.core.search import NO_FILTERS, Filters
from bob.documents import source_rows
from bob.documents.formats.front_matter import read_front_matter
from bob.documents.formats.lines import TextLines
from bob.documents.formats.source import decode
from bob.documents.read_documents import ReadDocuments
from bob.notes.assistant_marks import marked_edit, marked_note
from bob.notes.file_names import NOTE_SUFFIX
from bob.notes.writer import NoteWriter, PlannedNote, index_note
from bob.text.visible import visible_line


@dataclass(frozen=True, slots=True)
class WrittenNote:
    """A note that was written, or would be. `indexed` when it can be found already."""

    path: Path
    text: str
    written: bool
    indexed: bool

    def to_json(self) -> dict[str, Any]:
        """The note as JSON."""
        return {
            "path": str(self.path),
            "text": self.text,
            "written": self.written,
            "indexed": self.indexed,
        }


class AgentNotes:
    """Reads what is indexed and allowed, and what lies in `folders`; writes into `folders`. `index` brings
    one file into the index."""

    def __init__(
        self, documents: ReadDocuments, folders: Sequence[Path], index: Callable[[Path], object]
    ) -> None:
        self._documents = documents
        self._folders = tuple(folders)
        self._index = index

    def read(self, path: str, allowed: Filters) -> tuple[Path, str]:
        """A file's path and its exact text; a relative path is looked for below every folder.

        Raises:
            NotFoundError: there is none, or it may not be seen.
            UsageError: it is no text file.
        """
        indexed = self._documents.folders()
        roots = [*self._folders, *(Path(folder) for folder in indexed)]
        for candidate in dict.fromkeys(_absolute(root / path) for root in roots):
            if not os.path.lexists(candidate):
                continue
            if self._is_own(candidate):
                text = self._visible_text(candidate, allowed.projects)
                if text is not None:
                    return candidate, text
            elif self._documents.at(str(candidate), allowed) is not None:
                holding = [folder for folder in indexed if source_rows.within(str(candidate), folder)]
                # A file that was indexed by itself lies in a folder that its owner chose with it.
                writer = NoteWriter(
                    [Path(folder) if folder != str(candidate) else candidate.parent for folder in holding]
                )
                return candidate, writer.read(candidate)
        raise NotFoundError(f"{_shown(path)}: no such note; search and fetch return the paths of documents")

    def write(
        self, path: str, text: str, old: str | None, allowed: Filters, *, write: bool = True
    ) -> WrittenNote:
        """Write a new note, or put `text` in the place of `old` in one that is there; without `write` only
        say what it would be. What may be seen also says which projects a note may claim for itself. What
        is written is marked as an assistant's.

        Raises:
            UsageError: the place is not allowed, the name is taken, or `old` does not stand there just once.
        """
        if not self._folders:
            raise UsageError("writing is not allowed: mcp.write is empty")
        writer = NoteWriter(self._folders)
        target = _absolute(self._folders[0] / path)
        if not self._is_own(target):
            raise UsageError(f"{_shown(path)}: notes must be below {', '.join(map(str, self._folders))} only")
        planned = writer.plan(target.parent, target.name, marked_note(text))
        before = None
        if old is not None:
            before = self._visible_text(target, allowed.projects)
            if before is None:
                raise NotFoundError(f"{_shown(path)}: no such note")
            edited = marked_edit(before, _replaced(before, old, text))
            planned = PlannedNote(planned.path, edited, exists=True)
        elif planned.exists:
            raise UsageError(f"{planned.path}: already exists; read it, and give in old the text to replace")
        _check_project(planned.text, allowed.projects)
        if write:
            writer.write(planned, replace=before)
        return WrittenNote(planned.path, planned.text, write, write and self._indexed(planned.path))

    def _is_own(self, path: Path) -> bool:
        """Whether the path, as it is spelled, lies below a folder for notes; `NoteWriter` sees to links."""
        return path.suffix == NOTE_SUFFIX and any(
            path != folder and path.is_relative_to(folder) for folder in self._folders
        )

    def _visible_text(self, path: Path, projects: Sequence[str]) -> str | None:
        """The text of a note in a folder for notes, None where it is not of one of these projects, if there
        are any. One that is not indexed is of the project that it names, and may be seen if it names none.

        Raises:
            UsageError: the file is not there, or cannot be read.
        """
        indexed = self._documents.at(str(path), NO_FILTERS) if projects else None
        if indexed is not None and not _is_among(indexed.project, projects):
            return None
        text = NoteWriter(self._folders).read(path)
        project = _project_of(text) if projects and indexed is None else None
        return text if not project or _is_among(project, projects) else None

    def _indexed(self, path: Path) -> bool:
        is_in_folder = any(source_rows.within(str(path), folder) for folder in self._documents.folders())
        return is_in_folder and index_note(path, self._index)


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links


def _replaced(before: str, old: str, text: str) -> str:
    times = before.count(old) if old else 0
    if times != 1:
        where = "nowhere" if times == 0 else f"{times} times"
        raise UsageError(f"old occurs {where} in the note, but must occur exactly once; read the note first")
    return before.replace(old, text)


def _project_of(text: str) -> str | None:
    """The project that a note names for itself."""
    return read_front_matter(TextLines(decode(text.encode())).plain).project


def _is_among(project: str, projects: Sequence[str]) -> bool:
    return project.lower() in {allowed.lower() for allowed in projects}


def _check_project(text: str, projects: Sequence[str]) -> None:
    """Refuse front matter that would move the note to a project of which nothing may be seen."""
    named = _project_of(text)
    if projects and named and not _is_among(named, projects):
        raise UsageError(f"project must be one of: {', '.join(projects)}")


def _shown(path: str) -> str:
    return visible_line(path if len(path) <= 200 else f"{path[:200]}…")
