"""What a team has: work items, their semantic memory, and who may ask for what."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bob.engine.root import Engine
    from bob.protocols import OrganizationMemory
    from bob.services.hippocampus import Hippocampus
    from bob.services.rag_search import RagSearch


class Team:
    """The services of one organization's work, over an engine's parts."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._org_id = engine.settings.organization

    @cached_property
    def hippocampus(self) -> Hippocampus:
        """Texts under ids, found by meaning. The model that comes with Bob: relevance is fitted to it."""
        from bob.services.hippocampus import Hippocampus

        return Hippocampus(self._engine.database, self._org_id, self._engine.shipped_model)

    @cached_property
    def memory(self) -> OrganizationMemory:
        """Where work items are found by meaning: the service of the settings, else Bob's own."""
        chosen = self._engine.settings.hippocampus
        floor = self._engine.settings.work.relevance_floor
        if chosen.url:
            from bob.work.hippocampus import RemoteMemory

            key = chosen.api_key.get_secret_value() if chosen.api_key else None
            return RemoteMemory(chosen.url, key, chosen.timeout_seconds, floor, time.sleep)
        from bob.services.local_memory import LocalMemory

        return LocalMemory(lambda org_id: self._engine.for_organization(org_id).team.hippocampus, floor)

    def close(self) -> None:
        """Give back the connections to a service, if there are any."""
        from bob.work.hippocampus import RemoteMemory

        memory = self.__dict__.get("memory")
        if isinstance(memory, RemoteMemory):
            memory.close()

    @cached_property
    def rag_search(self) -> RagSearch:
        """Finds work items by meaning, as numbers."""
        from bob.services.query_vectors import QueryVectors
        from bob.services.rag_search import RagSearch

        return RagSearch(
            self._engine.database,
            self._org_id,
            self.memory,
            QueryVectors(self._engine.shipped_model),
            self._engine.settings.work.recency_half_life_days,
            lambda: datetime.now(UTC),
        )
