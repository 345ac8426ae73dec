"""Takes bookmarks, highlights and annotations over into notes: what is new is added, nothing twice (SPEC B7).

Which entries were taken over stands in the database, so that what a person deletes or rewrites in a note stays
as they left it. Where the database does not know (it was made anew), an entry that still stands in a note is
told by its words. A note is told by its `import_id`, wherever it was moved to and however it was renamed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from bob.care.imported_notes import Entry, ImportedNote, Withheld, marks_in, without_passage
from bob.care.names import NOTE_SUFFIX, slug
from bob.care.writer import NoteWriter, PlannedNote
from bob.errors import UnreadableError, UsageError
from bob.ingest.scan import scan
from bob.ingest.source import LocalFile
from bob.store import app_config
from bob.store.database import Database

_PREFIX = "imported "
_ENTRIES_OF_A_NOTE = 500
"""More than that nobody reads, and the index would take it up anew for each new entry."""
_MARK = re.compile(r"^import_id: *['\"]?([0-9a-f]{16}-\d{1,6})['\"]?\s*$", re.MULTILINE)
_MARKED_WITHIN = 4_000
_MAX_SAME_NAME = 10_000


@dataclass(frozen=True, slots=True)
class ImportTarget:
    """Where notes go: a folder as the writer takes it, with tags and a project for new ones."""

    folder: Path
    tags: tuple[str, ...]
    project: str | None
    day: date


@dataclass(frozen=True, slots=True)
class NoteChange:
    """A note that would be written: whole if `before` is None, else with entries added."""

    note_id: str
    planned: PlannedNote
    before: str | None
    entries: int
    ids: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The change for `--json`."""
        return {"path": str(self.planned.path), "new": self.before is None, "entries": self.entries}


@dataclass(slots=True)
class ImportPlan:
    """What an import would do. `known` entries were taken over before; `withheld` says of others why they are
    not taken over as they are; `problems` are of the file."""

    changes: list[NoteChange] = field(default_factory=list)
    known: int = 0
    withheld: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    recognized: dict[str, list[str]] = field(default_factory=dict)

    @property
    def entries(self) -> int:
        """How many entries are new."""
        return sum(each.entries for each in self.changes)

    def to_json(self, *, done: bool) -> dict[str, Any]:
        """The plan for `--json`; `done` when it was carried out."""
        return {
            "done": done,
            "entries": self.entries,
            "known": self.known,
            "notes": [each.to_json() for each in self.changes],
            "withheld": self.withheld,
            "problems": self.problems,
        }


class ImportNotes:
    """Plans and carries out imports below the folders of `writer`; `index` brings a written note into the
    index."""

    def __init__(
        self,
        database: Database,
        org_id: str,
        writer: Callable[[], NoteWriter],
        index: Callable[[Sequence[Path]], None],
    ) -> None:
        self._database = database
        self._org_id = org_id
        self._writer = writer
        self._index = index

    def plan(
        self, notes: Iterable[ImportedNote], target: ImportTarget, withheld: Withheld, problems: Sequence[str]
    ) -> ImportPlan:
        """What is new, and where it would be written. Nothing is changed.

        Raises:
            UsageError: the folder is not one for notes.
        """
        writer = self._writer()
        plan = ImportPlan(withheld=dict(withheld.reasons), problems=list(problems))
        taken = self._ledger()
        here = _imported(writer)
        known = {each for ids in taken.values() for each in ids}
        shown = {mark for text in here.values() for mark in marks_in(text[1])}
        names: set[Path] = set()
        for note in notes:
            fresh: list[Entry] = []
            for entry in note.entries:
                new = _new_part(entry, known)
                if new is None:
                    plan.known += 1
                elif shown.issuperset(new.marks):
                    plan.known += 1
                    plan.recognized.setdefault(f"{note.note_id}-1", []).extend(new.ids)
                else:
                    fresh.append(new)
                known.update(entry.ids)
            plan.changes += _changes(note, fresh, target, writer, taken, here, names)
        return plan

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

    def forget(self) -> int:
        """Forget what was taken over, so that what was deleted comes again; how many entries that were."""
        with self._database.write() as connection:
            return sum(
                len(json.loads(app_config.take(connection, self._org_id, key)))
                for key in app_config.beginning(connection, self._org_id, _PREFIX)
            )

    def _ledger(self) -> dict[str, list[str]]:
        with self._database.read() as connection:
            rows = app_config.beginning(connection, self._org_id, _PREFIX)
        return {key.removeprefix(_PREFIX): json.loads(value) for key, value in rows.items()}

    def _remember(self, note_id: str, ids: Iterable[str]) -> None:
        key = _PREFIX + note_id
        with self._database.write() as connection:
            held = json.loads(app_config.get(connection, self._org_id, key) or "[]")
            app_config.put(connection, self._org_id, key, json.dumps(list(dict.fromkeys([*held, *ids]))))
