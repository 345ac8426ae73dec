"""Keeps the registry of decisions in line with the index: documents that are new or changed are read, and
projects whose decisions changed are resolved again (SPEC F1 to F3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from bob.decisions import EXTRACTOR_VERSION, write_rows
from bob.storage.database import Database

if TYPE_CHECKING:
    from bob.decisions.resolve import Resolved

_AT_ONCE = 200
"""Documents of one transaction."""


@dataclass(frozen=True, slots=True)
class ExtractReport:
    """What a run did: how many documents it read, and the projects that it resolved again."""

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
                write_rows.forget_extraction(connection, self._org_id)
        with self._database.read() as connection:
            waiting = write_rows.unread_ids(connection, self._org_id, EXTRACTOR_VERSION)
        for start in range(0, len(waiting), _AT_ONCE):
            self._read(waiting[start : start + _AT_ONCE])
        with self._database.read() as connection:
            projects = write_rows.unresolved(connection, self._org_id)
        if projects:
            with self._database.write() as connection:
                projects |= write_rows.unresolved(connection, self._org_id)
                write_rows.tidy(connection, self._org_id)
                for project in sorted(projects):
                    resolve_project(connection, self._org_id, project)
        return ExtractReport(len(waiting), tuple(sorted(projects)))

    def _read(self, document_ids: Sequence[int]) -> None:
        # Its patterns take a tenth of the time of a command that finds nothing new.
        from bob.decisions.extract import extract

        with self._database.read() as connection:
            documents = write_rows.unread(connection, self._org_id, document_ids)
        found = [(each, extract(each.document, each.passages)) for each in documents]
        with self._database.write() as connection:
            write_rows.save(connection, self._org_id, found, EXTRACTOR_VERSION)


def resolve_project(connection: Connection, org_id: str, project: str) -> Resolved:
    """Resolve the decisions of a project with the corrections as they are now, and write what changed."""
    from bob.decisions.resolve import resolve

    known = write_rows.stated(connection, org_id, project)
    corrections = write_rows.corrections_of(connection, org_id, project)
    resolved = resolve([each for each, _ in known.values()], corrections)
    changed = {number: counts for number, counts in resolved.effective.items() if counts != known[number][1]}
    write_rows.settle(connection, org_id, project, changed, resolved.links)
    return resolved
