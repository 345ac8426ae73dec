"""The care for what is known: decisions, git sources, capture and health."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bob.care.writer import NoteWriter
    from bob.engine.root import Engine
    from bob.services.capture import Capture
    from bob.services.lint_notes import LintNotes

_VECTOR_SECONDS = 10.0
"""Nobody waits longer for a new note; what is left is embedded by the next run."""


class Knowledge:
    """The services that keep an organization's knowledge in order, over an engine's parts."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._org_id = engine.settings.organization

    @cached_property
    def capture(self) -> Capture:
        """Writes notes from templates."""
        from bob.care.template_files import Templates
        from bob.services.capture import Capture
        from bob.store.paths import absolute

        notes = self._engine.settings.notes
        own = None if notes.templates is None else absolute(notes.templates)
        return Capture(self._engine.database, self._org_id, notes.folders, Templates(own), self._index_note)

    def _index_note(self, path: Path) -> None:
        self._engine.index_files.run(path, embed_seconds=_VECTOR_SECONDS)

    @cached_property
    def lint_notes(self) -> LintNotes:
        """Checks notes."""
        from bob.services.lint_notes import LintNotes
        from bob.services.note_surroundings import ScanOptions

        settings = self._engine.settings
        ingest = settings.ingest
        options = ScanOptions(ingest.hidden, ingest.ignore, ingest.max_file_mb * 1024 * 1024)
        return LintNotes(self._writer, options, settings.lint.ignore)

    def _writer(self) -> NoteWriter:
        """Writes into the notes' folders and into those that are indexed, for what a person names there."""
        from bob.care.writer import NoteWriter
        from bob.store import sources
        from bob.store.paths import absolute

        with self._engine.database.read() as connection:
            indexed = [Path(path) for path, _ in sources.every(connection, self._org_id)]
        return NoteWriter([*map(absolute, self._engine.settings.notes.folders), *indexed])
