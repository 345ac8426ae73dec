"""Which service runs which kind of jobs."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bob.app.engine import Engine
    from bob.storage.worker import Runner, Worker

_EMBED_SECONDS = 5.0
"""An organization's turn at embedding: as long as another may wait for its own."""


def runners(engine: Engine) -> Mapping[str, Runner]:
    """What runs the jobs of the engine's organization, by their kind."""
    from bob.conversations.rows import REMEMBER
    from bob.search.vector_rows import EMBED
    from bob.storage.worker import Stopped, Turn
    from bob.work.index_items import KIND

    def embed(stopped: Stopped) -> Turn:
        report = engine.embed_pending.embed_chunks(budget_seconds=_EMBED_SECONDS)
        return Turn(report.chunks, report.error)

    return {
        EMBED: embed,
        REMEMBER: engine.conversations.remember_turn,
        KIND: engine.team.index_turn,
    }


def worker_over(engine: Engine) -> Worker:
    """Runs the jobs of every organization of the engine's database."""
    from bob.storage.worker import Worker

    return Worker(engine.database, lambda org_id: runners(engine.for_organization(org_id)), time.time)
