"""The care for what is known: decisions, git sources, capture and health."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bob.engine.root import Engine


class Knowledge:
    """The services that keep an organization's knowledge in order, over an engine's parts."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._org_id = engine.settings.organization
