"""Reads and saves whole notes for an editor, below folders that a person chose and nowhere else (SPEC M2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from bob.core.errors import UsageError
from bob.documents import source_rows
from bob.documents.disks import LocalDisks
from bob.notes.agent_notes import WrittenNote
from bob.notes.assistant_marks import marked_edit, marked_note
from bob.notes.file_names import NOTE_SUFFIX
from bob.notes.writer import NoteWriter, index_note
from bob.storage.database import Database
from bob.storage.paths import absolute


class EditNotes:
    """Notes in `folders`, and in those that are indexed; `index` brings one file into the index."""

    def __init__(
        self,
        database: Database,
        folders: Sequence[Path],
        index: Callable[[Path], object],
        disks: LocalDisks,
    ) -> None:
        self._database = database
        self._folders = tuple(absolute(folder) for folder in folders)
        self._index = index
        self._disks = disks

    def read(self, path: Path) -> str:
        """A note's exact text. Raises UsageError: it is none, or lies elsewhere."""
        _check_name(path)
        return self._writer(self._indexed()).read(path)

    def save(
        self,
        path: Path,
        text: str,
        before: str | None,
        *,
        by_assistant: bool = False,
        write: bool = True,
    ) -> WrittenNote:
        """Write a new note, or put `text` in the place of one whose whole text is `before`; without `write`
        only say what it would be. What is new of it is marked when it is `by_assistant`.

        Raises:
            UsageError: the place is not allowed, the name is taken, or the note is not `before` any more.
        """
        _check_name(path)
        if by_assistant:
            text = marked_note(text) if before is None else marked_edit(before, text)
        indexed = self._indexed()
        writer = self._writer(indexed)
        planned = writer.plan(path.parent, path.name, text)
        if before is None and planned.exists:
            raise UsageError(f"{path}: already exists; read it, and give in before the text to replace")
        if before is not None and writer.read(path) != before:
            raise UsageError(f"{path}: the file has changed since it was read; try again")
        if write:
            writer.write(planned, replace=before)
        findable = write and source_rows.nearest(indexed, str(planned.path)) is not None
        return WrittenNote(planned.path, text, write, findable and index_note(planned.path, self._index))

    def _indexed(self) -> list[tuple[str, str]]:
        with self._database.read() as transaction:
            return source_rows.every(transaction, self._disks.names)

    def _writer(self, indexed: Sequence[tuple[str, str]]) -> NoteWriter:
        return NoteWriter([*self._folders, *(Path(path) for path, _ in indexed)])


def _check_name(path: Path) -> None:
    if path.suffix != NOTE_SUFFIX:
        raise UsageError(f"{path}: the name of a note must end with {NOTE_SUFFIX}")
