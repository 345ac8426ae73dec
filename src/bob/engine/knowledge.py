"""The care for what is known: decisions, git sources, capture and health."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bob.domain.conversation import Memory
    from bob.domain.decision import Decision
    from bob.engine.root import Engine
    from bob.services.agent_notes import AgentNotes
    from bob.services.capture import Capture
    from bob.services.read_documents import ReadDocuments
    from bob.services.routines import Routines

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
        from bob.care.template_files import Templates
        from bob.services.capture import Capture
        from bob.store.paths import absolute

        notes = self._engine.settings.notes
        own = None if notes.templates is None else absolute(notes.templates)
        return Capture(self._engine.database, self._org_id, notes.folders, Templates(own), self._index_note)

    def _index_note(self, path: Path) -> None:
        self._engine.index_files.run(path, embed_seconds=_VECTOR_SECONDS)

    @cached_property
    def routines(self) -> Routines:
        """Writes the notes of a day, a meeting and a week."""
        from bob.services.find_units import FindUnits
        from bob.services.gather_lines import GatherLines, GatherOptions
        from bob.services.routines import Routines

        engine = self._engine
        limits = GatherOptions(_LINES, _PASSAGES, engine.settings.answer.outdated_after_days)
        units = FindUnits(engine.embedder)
        gather = GatherLines(
            engine.database, self._org_id, engine.search, units, self.decisions, self._memories, limits
        )
        return Routines(self.capture, gather)

    def decisions(self, project: str | None) -> Sequence[Decision]:
        """The decisions of a project, or all."""
        return ()

    def _memories(self, project: str | None) -> Sequence[Memory]:
        return self._engine.conversations.memories.of(self._engine.settings.user, project)

    @cached_property
    def read_documents(self) -> ReadDocuments:
        """Reads documents for whoever may see only some."""
        from bob.services.read_documents import ReadDocuments

        return ReadDocuments(self._engine.database, self._org_id, self._engine.embedder.model_id)

    @cached_property
    def agent_notes(self) -> AgentNotes:
        """Reads and writes notes for agents."""
        from bob.services.agent_notes import AgentNotes
        from bob.store.paths import absolute

        folders = [absolute(each) for each in self._engine.settings.mcp.write]
        return AgentNotes(self.read_documents, folders, self._index_note)
