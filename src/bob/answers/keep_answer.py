"""Keeps answers, so that a person can say later how they served (SPEC M3)."""

from __future__ import annotations

import logging
from datetime import datetime

from bob.answers import rows
from bob.answers.values import Answer
from bob.core.errors import StoreError
from bob.core.filters import NO_FILTERS, Filters
from bob.storage.database import Database

log = logging.getLogger(__name__)

_WAIT_SECONDS = 1
"""An answer does not wait longer for its id while another process writes."""


class KeepAnswer:
    """Keeps one organization's answers, or none when `keep` is False."""

    def __init__(self, database: Database, org_id: str, *, keep: bool) -> None:
        self._database = database
        self._org_id = org_id
        self._keep = keep

    def run(self, answer: Answer, *, filters: Filters = NO_FILTERS, asked_at: datetime) -> Answer:
        """The answer with its id. Where it cannot be kept it comes back without one, and a warning is logged:
        an answer is worth more than its record."""
        if not self._keep:
            return answer
        try:
            with self._database.keep(_WAIT_SECONDS) as connection:
                return rows.save(connection, self._org_id, answer, filters, asked_at)
        except StoreError as error:
            log.warning("this answer is not kept: %s", error)
            return answer
