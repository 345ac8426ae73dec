"""The care for what is known: decisions, git sources, capture and health."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bob.engine.root import Engine
    from bob.services.decisions import Decisions
    from bob.services.extract_decisions import ExtractDecisions
    from bob.services.state_decisions import StateDecisions


class Knowledge:
    """The services that keep an organization's knowledge in order, over an engine's parts."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._org_id = engine.settings.organization

    @cached_property
    def extract_decisions(self) -> ExtractDecisions:
        """Keeps the registry of decisions in line with the index."""
        from bob.services.extract_decisions import ExtractDecisions

        return ExtractDecisions(self._engine.database, self._org_id)

    @cached_property
    def state_decisions(self) -> StateDecisions:
        """Has answers tell which decisions hold."""
        from bob.services.find_units import FindUnits
        from bob.services.state_decisions import StateDecisions

        return StateDecisions(self._engine.database, self._org_id, FindUnits(self._engine.embedder))

    @cached_property
    def decisions(self) -> Decisions:
        """The registry of decisions."""
        from bob.services.decisions import Decisions

        return Decisions(self._engine.database, self._org_id)
