"""The care for what is known: library, decisions, git sources, capture, notes and health."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from bob.documents import source_rows
from bob.storage.paths import absolute

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bob.answers.decision_statements import StateDecisions
    from bob.app.engine import Engine
    from bob.core.conversation import Memory
    from bob.core.decision import Decision
    from bob.decisions.service import Decisions, ExtractDecisions
    from bob.decisions.status import Standings
    from bob.documents.index_git import IndexGit
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


def lint_notes_over(engine: Engine) -> LintNotes:
    """The service for an engine."""
    from bob.notes.lint_notes import LintNotes
    from bob.notes.surroundings import ScanOptions

    ingest = engine.settings.ingest
    options = ScanOptions(ingest.hidden, ingest.ignore, ingest.max_file_mb * 1024 * 1024)
    return LintNotes(lambda: _writer(engine), options, engine.settings.lint.ignore)


def import_notes_over(engine: Engine) -> ImportNotes:
    """The service for an engine."""
    from bob.notes.import_notes import ImportNotes, PdfLimits

    ingest = engine.settings.ingest
    limits = PdfLimits(
        ingest.max_file_mb * 1024 * 1024, ingest.timeout_seconds, ingest.memory_mb * 1024 * 1024
    )
    return ImportNotes(
        engine.database,
        lambda: _writer(engine),
        tuple(map(absolute, engine.settings.notes.folders)),
        lambda paths: _index(engine, paths),
        limits,
    )


def _writer(engine: Engine) -> NoteWriter:
    """Writes into the notes' folders and into those that are indexed, for what a person names there."""
    from bob.notes.writer import NoteWriter

    indexed = [Path(path) for path, _ in _indexed(engine)]
    return NoteWriter([*map(absolute, engine.settings.notes.folders), *indexed])


def _index(engine: Engine, paths: Sequence[Path]) -> None:
    indexed = _indexed(engine)
    folder = os.path.commonpath([path.parent for path in paths])
    found = [path for path in paths if source_rows.nearest(indexed, str(path)) is not None]
    if len(found) > _ONE_BY_ONE and source_rows.nearest(indexed, folder) is not None:
        found = [Path(folder)]
    for path in found:
        engine.index_files.index_folder(path, embed_seconds=_NOTES_VECTOR_SECONDS)


def _indexed(engine: Engine) -> list[tuple[str, str]]:
    with engine.database.read() as transaction:
        return source_rows.every(transaction, engine.sources.disks.names)


_LINES = 30
_PASSAGES = 6
"""More of a kind than anybody reads in a note."""

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
        from bob.notes.capture import Capture
        from bob.notes.templates import Templates
        from bob.storage.paths import absolute

        notes = self._engine.settings.notes
        own = None if notes.templates is None else absolute(notes.templates)
        engine, disks = self._engine, self._engine.sources.disks
        return Capture(engine.database, notes.folders, Templates(own), self._index_note, disks)

    @cached_property
    def edit_notes(self) -> EditNotes:
        """Reads and saves notes for an editor."""
        from bob.notes.edit_notes import EditNotes

        folders = self._engine.settings.notes.folders
        disks = self._engine.sources.disks
        return EditNotes(self._engine.database, folders, self._index_note, disks)

    @cached_property
    def check_health(self) -> CheckHealth:
        """Looks at the health of what is known."""
        from bob.health.check import CheckHealth
        from bob.health.document_rules import DocumentLimits
        from bob.health.gather_facts import GatherFacts

        engine, health = self._engine, self._engine.settings.health
        gather = GatherFacts(engine.database, engine.embedder, engine.sources.disks)
        unsorted = frozenset(unsorted_project.casefold() for unsorted_project in health.unsorted_projects)
        limits = DocumentLimits(health.stale_days.of, health.minimum_answers, unsorted)
        return CheckHealth(engine.database, gather, limits)

    @cached_property
    def fix_health(self) -> FixHealth:
        """Applies the fixes that need no person."""
        from bob.health.fix import FixHealth

        engine = self._engine
        return FixHealth(
            engine.database,
            self.check_health,
            self.capture,
            engine.index_files,
            engine.settings.notes.folders,
            engine.read_changes.make_vectors,
            engine.sources.disks,
        )

    def _index_note(self, path: Path) -> None:
        self._engine.index_files.index_folder(path, embed_seconds=_VECTOR_SECONDS)

    @cached_property
    def routines(self) -> Routines:
        """Writes the notes of a day, a meeting and a week."""
        from bob.answers.score_sentences import ScoreSentences
        from bob.notes.gather_lines import GatherLines, GatherOptions
        from bob.notes.routines import Routines

        engine = self._engine
        limits = GatherOptions(_LINES, _PASSAGES, engine.settings.answer.outdated_after_days)
        units = ScoreSentences(engine.embedder)
        gather = GatherLines(engine.database, engine.search, units, self._decided, self._memories, limits)
        return Routines(self.capture, gather)

    def _decided(self, project: str | None) -> Sequence[Decision]:
        from bob.decisions.service import DecisionQuery

        return self.decisions.matching(DecisionQuery(() if project is None else (project,))).decisions

    def _memories(self, project: str | None) -> Sequence[Memory]:
        return self._engine.conversations.memories.of(self._engine.settings.user, project)

    @cached_property
    def index_git(self) -> IndexGit:
        """Indexes refs of git repositories."""
        from bob.app.models import read_options
        from bob.documents.index_git import IndexGit

        engine = self._engine
        return IndexGit(
            engine.database,
            engine.index,
            engine.read_changes,
            read_options(engine.settings.ingest),
            engine.sources.disks,
            engine.settings.ingest.max_file_mb * 1024 * 1024,
        )

    @cached_property
    def index_sources(self) -> IndexSources:
        """Indexes folders, files and refs alike."""
        from bob.documents.index_sources import IndexSources

        return IndexSources(self._engine.index_files, self.index_git)

    @cached_property
    def extract_decisions(self) -> ExtractDecisions:
        """Keeps the registry of decisions in line with the index."""
        from bob.decisions.service import ExtractDecisions

        return ExtractDecisions(self._engine.database)

    @cached_property
    def standings(self) -> Standings:
        """Tells how decisions stand, to searches that find some."""
        from bob.decisions.status import Standings

        return Standings(self._engine.database)

    @cached_property
    def state_decisions(self) -> StateDecisions:
        """Has answers tell which decisions hold."""
        from bob.answers.decision_statements import StateDecisions
        from bob.answers.score_sentences import ScoreSentences

        return StateDecisions(self._engine.database, ScoreSentences(self._engine.embedder))

    @cached_property
    def decisions(self) -> Decisions:
        """The registry of decisions."""
        from bob.decisions.service import Decisions

        return Decisions(self._engine.database)

    @cached_property
    def lint_notes(self) -> LintNotes:
        """Checks notes."""
        return lint_notes_over(self._engine)

    @cached_property
    def import_notes(self) -> ImportNotes:
        """Takes over what other programs export."""
        return import_notes_over(self._engine)

    @cached_property
    def read_documents(self) -> ReadDocuments:
        """Reads documents for whoever may see only some."""
        from bob.documents.read_documents import ReadDocuments

        engine = self._engine
        return ReadDocuments(engine.database, engine.embedder.model_id, engine.sources.disks)

    @cached_property
    def agent_notes(self) -> AgentNotes:
        """Reads and writes notes for agents."""
        from bob.notes.agent_notes import AgentNotes
        from bob.storage.paths import absolute

        folders = [absolute(each) for each in self._engine.settings.mcp.write]
        return AgentNotes(self.read_documents, folders, self._index_note)
