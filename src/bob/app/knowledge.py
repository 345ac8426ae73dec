"""The care for what is known: library, decisions, git sources, capture, notes and health."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from bob.documents import source_rows
from bob.storage.paths import absolute

if TYPE_CHECKING:
    from bob.app.parts import Parts
    from bob.conversations.memories import Memories
    from bob.core.conversation import Memory
    from bob.core.decision import Decision
    from bob.decisions.service import Decisions
    from bob.documents.index_sources import IndexSources
    from bob.documents.read_documents import ReadDocuments
    from bob.health.check import CheckHealth
    from bob.health.fix import FixHealth
    from bob.notes.agent_notes import AgentNotes
    from bob.notes.capture import Capture
    from bob.notes.edit_notes import EditNotes
    from bob.notes.import_notes import ImportNotes
    from bob.notes.lint_notes import LintNotes
    from bob.notes.routines import Routines
    from bob.notes.writer import NoteWriter

_ONE_BY_ONE = 20
"""So many notes are indexed each for itself; of more the whole folder is looked through once."""
_NOTES_VECTOR_SECONDS = 10.0
"""Nobody waits longer; what is left is embedded by the next run."""


def lint_notes_over(parts: Parts) -> LintNotes:
    """The service over an engine's parts."""
    from bob.notes.lint_notes import LintNotes
    from bob.notes.surroundings import ScanOptions

    ingest = parts.settings.ingest
    options = ScanOptions(ingest.hidden, ingest.ignore, ingest.max_file_mb * 1024 * 1024)
    return LintNotes(lambda: _writer(parts), options, parts.settings.lint.ignore)


def import_notes_over(parts: Parts) -> ImportNotes:
    """The service over an engine's parts."""
    from bob.notes.import_notes import ImportNotes, PdfLimits

    ingest = parts.settings.ingest
    limits = PdfLimits(
        ingest.max_file_mb * 1024 * 1024, ingest.timeout_seconds, ingest.memory_mb * 1024 * 1024
    )
    return ImportNotes(
        parts.database,
        lambda: _writer(parts),
        tuple(map(absolute, parts.settings.notes.folders)),
        lambda paths: _index(parts, paths),
        limits,
    )


def _writer(parts: Parts) -> NoteWriter:
    """Writes into the notes' folders and into those that are indexed, for what a person names there."""
    from bob.notes.writer import NoteWriter

    indexed = [Path(path) for path, _ in _indexed(parts)]
    return NoteWriter([*map(absolute, parts.settings.notes.folders), *indexed])


def _index(parts: Parts, paths: Sequence[Path]) -> None:
    indexed = _indexed(parts)
    folder = os.path.commonpath([path.parent for path in paths])
    found = [path for path in paths if source_rows.nearest(indexed, str(path)) is not None]
    if len(found) > _ONE_BY_ONE and source_rows.nearest(indexed, folder) is not None:
        found = [Path(folder)]
    for path in found:
        parts.index_files.index_folder(path, embed_seconds=_NOTES_VECTOR_SECONDS)


def _indexed(parts: Parts) -> list[tuple[str, str]]:
    with parts.database.read() as transaction:
        return source_rows.every(transaction, parts.disks.names)


_LINES = 30
_PASSAGES = 6
"""More of a kind than anybody reads in a note."""

_VECTOR_SECONDS = 10.0
"""Nobody waits longer for a new note; what is left is embedded by the next run."""


class Knowledge:
    """The services that keep an organization's knowledge in order, over an engine's parts."""

    def __init__(self, parts: Parts, memories: Callable[[], Memories]) -> None:
        self._parts = parts
        self._memories = memories
        self._org_id = parts.settings.organization

    @cached_property
    def capture(self) -> Capture:
        """Writes notes from templates."""
        from bob.notes.capture import Capture
        from bob.notes.templates import Templates
        from bob.storage.paths import absolute

        notes = self._parts.settings.notes
        own = None if notes.templates is None else absolute(notes.templates)
        parts, disks = self._parts, self._parts.disks
        return Capture(parts.database, notes.folders, Templates(own), self._index_note, disks)

    @cached_property
    def edit_notes(self) -> EditNotes:
        """Reads and saves notes for an editor."""
        from bob.notes.edit_notes import EditNotes

        folders = self._parts.settings.notes.folders
        disks = self._parts.disks
        return EditNotes(self._parts.database, folders, self._index_note, disks)

    @cached_property
    def check_health(self) -> CheckHealth:
        """Looks at the health of what is known."""
        from bob.health.check import CheckHealth
        from bob.health.document_rules import DocumentLimits
        from bob.health.gather_facts import GatherFacts

        parts, health = self._parts, self._parts.settings.health
        gather = GatherFacts(parts.database, parts.embedder, parts.disks)
        unsorted = frozenset(unsorted_project.casefold() for unsorted_project in health.unsorted_projects)
        limits = DocumentLimits(health.stale_days.of, health.minimum_answers, unsorted)
        return CheckHealth(parts.database, gather, limits)

    @cached_property
    def fix_health(self) -> FixHealth:
        """Applies the fixes that need no person."""
        from bob.health.fix import FixHealth

        parts = self._parts
        return FixHealth(
            parts.database,
            self.check_health,
            self.capture,
            parts.index_files,
            parts.settings.notes.folders,
            parts.read_changes.make_vectors,
            parts.disks,
        )

    def _index_note(self, path: Path) -> None:
        self._parts.index_files.index_folder(path, embed_seconds=_VECTOR_SECONDS)

    @cached_property
    def routines(self) -> Routines:
        """Writes the notes of a day, a meeting and a week."""
        from bob.notes.gather_lines import GatherLines, GatherOptions
        from bob.notes.routines import Routines

        parts = self._parts
        limits = GatherOptions(_LINES, _PASSAGES, parts.settings.answer.outdated_after_days)
        gather = GatherLines(
            parts.database, parts.search, parts.score_sentences, self._decided, self._remembered, limits
        )
        return Routines(self.capture, gather)

    def _decided(self, project: str | None) -> Sequence[Decision]:
        from bob.decisions.service import DecisionQuery

        return self.decisions.matching(DecisionQuery(() if project is None else (project,))).decisions

    def _remembered(self, project: str | None) -> Sequence[Memory]:
        return self._memories().of(self._parts.settings.user, project)

    @cached_property
    def index_sources(self) -> IndexSources:
        """Indexes folders, files and refs alike."""
        from bob.documents.index_sources import IndexSources

        return IndexSources(self._parts.index_files, self._parts.index_git)

    @cached_property
    def decisions(self) -> Decisions:
        """The registry of decisions."""
        from bob.decisions.service import Decisions

        return Decisions(self._parts.database)

    @cached_property
    def lint_notes(self) -> LintNotes:
        """Checks notes."""
        return lint_notes_over(self._parts)

    @cached_property
    def import_notes(self) -> ImportNotes:
        """Takes over what other programs export."""
        return import_notes_over(self._parts)

    @cached_property
    def read_documents(self) -> ReadDocuments:
        """Reads documents for whoever may see only some."""
        from bob.documents.read_documents import ReadDocuments

        parts = self._parts
        return ReadDocuments(parts.database, parts.embedder.model_id, parts.disks)

    @cached_property
    def agent_notes(self) -> AgentNotes:
        """Reads and writes notes for agents."""
        from bob.notes.agent_notes import AgentNotes
        from bob.storage.paths import absolute

        folders = [absolute(each) for each in self._parts.settings.mcp.write]
        return AgentNotes(self.read_documents, folders, self._index_note)
