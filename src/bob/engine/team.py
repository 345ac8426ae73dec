"""What a team has: work items, their semantic memory, and who may ask for what."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bob.engine.root import Engine


class Team:
    """The services of one organization's work, over an engine's parts."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._org_id = engine.settings.organization
