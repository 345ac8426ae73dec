"""The care for what is known: decisions, git sources, capture and health."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bob.engine.root import Engine
    from bob.services.index_git import IndexGit


class Knowledge:
    """The services that keep an organization's knowledge in order, over an engine's parts."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._org_id = engine.settings.organization

    @cached_property
    def index_git(self) -> IndexGit:
        """Indexes refs of git repositories."""
        from bob.engine.reading import read_options
        from bob.services.index_git import IndexGit

        engine = self._engine
        return IndexGit(
            engine.database,
            self._org_id,
            engine.index,
            engine.read_changes,
            read_options(engine.settings.ingest),
            engine.settings.ingest.max_file_mb * 1024 * 1024,
        )
