"""Where the new entries of an import go: into which note, under which name. Reads and writes nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from bob.notes.file_names import NOTE_SUFFIX, slug
from bob.notes.imported_notes import Entry, ImportedNote, marks_in
from bob.notes.writer import NoteWriter, PlannedNote

_ENTRIES_OF_A_NOTE = 500
"""More than that nobody reads, and the index would take it all up anew for each new entry."""
_ID_LINE = re.compile(r"^import_id: *['\"]?([0-9a-f]{16}-\d{1,6})['\"]?[ \t\r]*$", re.MULTILINE)


def import_id_in(text: str) -> str | None:
    """The id that the front matter of a note gives, if it was imported."""
    match = _ID_LINE.search(text.partition("\n---")[0]) if text.startswith(("---", "\ufeff---")) else None
    return match[1] if match else None


@dataclass(frozen=True, slots=True)
class NoteChange:
    """A note that would be written: new if `before` is None, else with entries added; `ids` are theirs."""

    note_id: str
    planned: PlannedNote
    before: str | None
    entries: int
    ids: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The change as JSON."""
        return {"path": str(self.planned.path), "new": self.before is None, "entries": self.entries}


@dataclass(frozen=True, slots=True)
class Placing:
    """The folder for new notes, and what they get in front matter."""

    folder: Path
    writer: NoteWriter
    tags: Sequence[str]
    project: str | None
    day: date
    names: set[Path] = field(default_factory=set)


class Known:
    """What was taken over before: `ledger` has the ids of the entries by the note's id, `notes` path and text
    of the notes as they are now. `ids` grows with what is seen."""

    def __init__(
        self,
        ledger: Mapping[str, Sequence[str]],
        notes: Mapping[str, tuple[Path, str]],
        *,
        ignore_ledger: bool,
    ) -> None:
        self.notes = notes
        self.sizes = {note_id: len(ids) for note_id, ids in ledger.items()}
        self.ids = set() if ignore_ledger else {entry_id for ids in ledger.values() for entry_id in ids}
        self._marks = {mark for _, text in notes.values() for mark in marks_in(text)}
        self._parts: dict[str, int] = {}
        for each in {*ledger, *notes}:
            note_id, _, number = each.rpartition("-")
            self._parts[note_id] = max(self._parts.get(note_id, 0), int(number))

    def shows(self, entry: Entry) -> bool:
        """Whether the entry stands in a note."""
        return self._marks.issuperset(entry.marks)

    def last_part(self, note_id: str) -> str:
        """The id of the last note of those that entries of one are spread over."""
        return f"{note_id}-{self._parts.get(note_id, 1)}"

    def next_part(self, note_id: str) -> int:
        """The number of a further note."""
        self._parts[note_id] = self._parts.get(note_id, 0) + 1
        return self._parts[note_id]


def changes_for(
    note: ImportedNote, entries: Sequence[Entry], known_entries: Known, placing: Placing
) -> Iterator[NoteChange]:
    """The notes to write for new entries: the last one of before is filled up, then new ones begin."""
    last = known_entries.last_part(note.note_id)
    if entries and last in known_entries.notes:
        path, text = known_entries.notes[last]
        room = max(0, _ENTRIES_OF_A_NOTE - known_entries.sizes.get(last, 0))
        added, entries = entries[:room], entries[room:]
        if added:
            planned = PlannedNote(path, note.extended(text, added), exists=True)
            yield _change(last, planned, text, added)
    while entries:
        number = known_entries.next_part(note.note_id)
        added, entries = entries[:_ENTRIES_OF_A_NOTE], entries[_ENTRIES_OF_A_NOTE:]
        suffix = f" ({number})" if number > 1 else ""
        note_id = f"{note.note_id}-{number}"
        text = note.text(added, note.title + suffix, note_id, placing.tags, placing.project, placing.day)
        yield _change(note_id, _free(note.name + suffix, text, placing), None, added)


def _change(note_id: str, planned: PlannedNote, before: str | None, entries: Sequence[Entry]) -> NoteChange:
    return NoteChange(
        note_id, planned, before, len(entries), tuple(entry_id for entry in entries for entry_id in entry.ids)
    )


def _free(words: str, text: str, placing: Placing) -> PlannedNote:
    """The note under a name that neither the disk nor this import has taken."""
    stem = slug(words)
    number = 1
    while True:
        name = f"{stem}{f'-{number}' if number > 1 else ''}{NOTE_SUFFIX}"
        planned = placing.writer.plan(placing.folder, name, text)
        if not planned.exists and planned.path not in placing.names:
            placing.names.add(planned.path)
            return planned
        number += 1
