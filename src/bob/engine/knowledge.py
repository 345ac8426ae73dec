"""The care for what is known: decisions, git sources, capture and health."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from bob.engine.root import Engine
    from bob.services.capture import Capture

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
