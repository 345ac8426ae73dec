"""Keeps the registry of decisions in line with the index: documents that are new or changed are read, and
projects whose decisions changed are resolved again (SPEC F1 to F3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection

from bob.extract.decisions import EXTRACTOR_VERSION, extract
from bob.extract.resolve import Dropped, Stated, resolve
from bob.store import decision_rows, decisions
from bob.store.database import Database

_AT_ONCE = 100
"""Documents of one transaction."""


@dataclass(frozen=True, slots=True)
class ExtractReport:
    """What a run did: documents read, and the projects that were resolved again."""

    documents: int
    projects: tuple[str, ...]


class ExtractDecisions:
    """Extracts and resolves one organization's decisions."""

    def __init__(self, database: Database, org_id: str) -> None:
        self._database = database
        self._org_id = org_id

    def run(self, *, rebuild: bool = False) -> ExtractReport:
        """Read what was not read yet, or everything; a run that is cut short goes on the next time."""
        if rebuild:
            with self._database.write() as connection:
                decisions.forget_extraction(connection, self._org_id)
        with self._database.read() as connection:
            waiting = decisions.unread_ids(connection, self._org_id, EXTRACTOR_VERSION)
            stale = decisions.stale(connection, self._org_id)
        for start in range(0, len(waiting), _AT_ONCE):
            self._read(waiting[start : start + _AT_ONCE])
        if stale or rebuild:
            self.resolve(())
        return ExtractReport(len(waiting), ())
