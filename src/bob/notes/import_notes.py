"""Takes bookmarks, highlights and annotations over into notes: what is new is added, nothing twice (SPEC B7).

Which entries were taken over stands in the database, so that what a person deletes or rewrites in a note
stays as they left it. Where the database does not know (it was made anew), an entry that still stands in a
note is told by its words. A note is told by its `import_id`, wherever it was moved to and however renamed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from bob.core.errors import UnreadableError, UsageError
from bob.documents.formats.source import LocalFile
from bob.documents.scan import scan
from bob.documents.workers.pool import ParseWorkers
from bob.notes.import_plan import Known, NoteChange, Placing, changes_for, import_id_in
from bob.notes.imported import (
    BookmarkForm,
    Highlight,
    read_annotations,
    read_bookmarks,
    read_highlights,
)
from bob.notes.imported_notes import Entry, ImportedNote, bookmark_notes, highlight_notes, new_part
from bob.notes.surroundings import is_note
from bob.notes.writer import NoteWriter
from bob.storage import organizations
from bob.storage.database import Database
from bob.storage.paths import absolute

_PREFIX = "imported "
_BEGINNING = 4_000
"""Bytes within which a note's front matter says that it was imported."""


@dataclass(frozen=True, slots=True)
class ImportTarget:
    """Where new notes go (None: a folder in the first one for notes), with tags and a project; `day` is for
    those whose entries have no date. `again` brings back what was deleted from notes."""

    folder: Path | None
    tags: tuple[str, ...]
    project: str | None
    day: date
    again: bool = False


@dataclass(frozen=True, slots=True)
class PdfLimits:
    """What reading one PDF may take."""

    max_bytes: int
    timeout_seconds: float
    memory_bytes: int


@dataclass(slots=True)
class ImportPlan:
    """What an import would do. `known` entries were taken over before; `withheld` says of how many others why
    they are not taken over as they are; `problems` are of the files; `recognized` are entries that stand in
    notes though the database does not know them."""

    changes: list[NoteChange] = field(default_factory=list)
    known: int = 0
    withheld: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    recognized: dict[str, list[str]] = field(default_factory=dict)

    @property
    def entries(self) -> int:
        """How many entries are new."""
        return sum(change.entries for change in self.changes)

    def to_json(self, *, done: bool) -> dict[str, Any]:
        """The plan as JSON; `done` when it was carried out."""
        return {
            "done": done,
            "entries": self.entries,
            "known": self.known,
            "notes": [change.to_json() for change in self.changes],
            "withheld": self.withheld,
            "problems": self.problems,
        }


class ImportNotes:
    """Plans and carries out imports. `writer` writes below `folders` (those for notes) and in what is
    indexed; `index` brings written notes into the index."""

    def __init__(
        self,
        database: Database,
        writer: Callable[[], NoteWriter],
        folders: Sequence[Path],
        index: Callable[[Sequence[Path]], None],
        limits: PdfLimits,
    ) -> None:
        self._database = database
        self._writer = writer
        self._folders = tuple(folders)
        self._index = index
        self._limits = limits

    def bookmarks(self, file: Path, form: BookmarkForm | None, target: ImportTarget) -> ImportPlan:
        """What taking over a browser's bookmarks would do; `form` is guessed when it is None.

        Raises:
            UsageError: the file cannot be read or is no bookmarks, or the folder is not one for notes.
        """
        data = _content(file, self._limits.max_bytes)
        try:
            bookmarks = read_bookmarks(data, form)
        except (UsageError, UnreadableError) as error:
            raise UsageError(f"{file}: {error}") from error
        withheld: dict[str, int] = {}
        notes = bookmark_notes(bookmarks, file.name, withheld)
        return self._plan(notes, target, "bookmarks", withheld, [])

    def highlights(self, file: Path, target: ImportTarget) -> ImportPlan:
        """What taking over marked passages would do.

        Raises:
            UsageError: the file cannot be read or is no highlights, or the folder is not one for notes.
        """
        data = _content(file, self._limits.max_bytes)
        try:
            highlights, problems = read_highlights(data, file.stem)
        except (UsageError, UnreadableError) as error:
            raise UsageError(f"{file}: {error}") from error
        named = [f"{file}: {problem}" for problem in problems]
        return self._plan(highlight_notes(highlights, file.name), target, "highlights", {}, named)

    def annotations(self, files: Sequence[Path], target: ImportTarget) -> ImportPlan:
        """What taking over the annotations of PDFs would do; those that cannot be read are its problems. They
        are read in a process of their own, which a damaged file may cost.

        Raises:
            UsageError: the folder is not one for notes.
        """
        limits = self._limits
        work = partial(read_annotations, max_bytes=limits.max_bytes)
        by_path: dict[str, list[Highlight]] = {}
        problems: list[str] = []
        with ParseWorkers[str, list[Highlight]](
            1, timeout_seconds=limits.timeout_seconds, memory_bytes=limits.memory_bytes, work=work
        ) as workers:
            for outcome in workers.parse_files([str(absolute(file)) for file in files]):
                if outcome.error is not None:
                    problems.append(f"{outcome.job}: {outcome.error.reason}")
                by_path[outcome.job] = outcome.result or []
        notes = highlight_notes([each for path in sorted(by_path) for each in by_path[path]], "")
        return self._plan(notes, target, "highlights", {}, problems)

    def apply(self, plan: ImportPlan, *, index: bool = True) -> None:
        """Carry a plan out, note by note; what is written is not written again after an interruption.

        Raises:
            UsageError: a note has changed meanwhile, or cannot be written.
        """
        writer = self._writer()
        for note_id, ids in plan.recognized.items():
            self._remember(note_id, ids)
        written: list[Path] = []
        try:
            for change in plan.changes:
                written.append(writer.write(change.planned, replace=change.before))
                self._remember(change.note_id, change.ids)
        finally:
            if index and written:
                self._index(written)

    def _plan(
        self,
        notes: Iterable[ImportedNote],
        target: ImportTarget,
        usual: str,
        withheld: dict[str, int],
        problems: list[str],
    ) -> ImportPlan:
        """`usual` is the name of the folder for such notes."""
        writer = self._writer()
        if target.folder is None:
            folder = NoteWriter(self._folders).default_folder / usual
        else:
            folder = absolute(target.folder)
        known_entries = Known(self._ledger(), self._imported(writer), ignore_ledger=target.again)
        plan = ImportPlan(withheld=withheld, problems=problems)
        placing = Placing(folder, writer, target.tags, target.project, target.day)
        for note in notes:
            fresh: list[Entry] = []
            for entry in note.entries:
                part = new_part(entry, known_entries.ids)
                stands = part is not None and known_entries.shows(part)
                if part is None or stands:
                    plan.known += 1
                else:
                    fresh.append(part)
                if stands:
                    plan.recognized.setdefault(known_entries.last_part(note.note_id), []).extend(entry.ids)
                known_entries.ids.update(entry.ids)
            plan.changes += changes_for(note, fresh, known_entries, placing)
        return plan

    def _ledger(self) -> dict[str, list[str]]:
        with self._database.read() as transaction:
            rows = organizations.get_configs(transaction, _PREFIX)
        return {key.removeprefix(_PREFIX): json.loads(value) for key, value in rows.items()}

    def _imported(self, writer: NoteWriter) -> dict[str, tuple[Path, str]]:
        """The notes that were imported, by id: where each is now, and its text."""
        targets: dict[str, tuple[Path, str]] = {}
        for folder in writer.folders:
            for file in scan(folder).files if folder.is_dir() else ():
                note_id = _import_id(Path(file.path)) if is_note(file.path) else None
                if note_id is not None and note_id not in targets:
                    targets[note_id] = Path(file.path), writer.read(Path(file.path))
        return targets

    def _remember(self, note_id: str, ids: Iterable[str]) -> None:
        key = _PREFIX + note_id
        with self._database.write() as transaction:
            stored_ids = json.loads(organizations.get_config(transaction, key) or "[]")
            organizations.set_config(transaction, key, json.dumps(list(dict.fromkeys([*stored_ids, *ids]))))


def _content(file: Path, max_bytes: int) -> bytes:
    try:
        return LocalFile(file, max_bytes).read_bytes()
    except UnreadableError as error:
        raise UsageError(f"{file}: {error.reason}") from error


def _import_id(path: Path) -> str | None:
    """The id in a note's front matter, if it was imported."""
    try:
        with path.open("rb") as stream:
            begin = stream.read(_BEGINNING)
    except OSError:
        return None  # a note that cannot be read is none of ours
    return import_id_in(begin.decode("utf-8", "replace"))
