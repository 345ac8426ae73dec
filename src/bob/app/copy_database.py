"""Copies a whole database to another engine, organization by organization (SPEC A4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, Table, func, insert, select

from bob.core.errors import UsageError
from bob.storage.database import Database
from bob.storage.metadata import metadata
from bob.storage.schema import organizations, snapshots

_ROWS_AT_ONCE = 500

_TABLES = [
    table
    for table in metadata.sorted_tables
    # Snapshots are those of the caches over one database, and are not copied with it.
    if "org_id" in table.c and table is not organizations and table is not snapshots
]


@dataclass(frozen=True, slots=True)
class CopiedOrganization:
    """What was copied of one organization; `tables` has the rows of each table that has any."""

    org_id: str
    tables: dict[str, int]

    @property
    def rows(self) -> int:
        """All rows."""
        return sum(self.tables.values())


class CopyDatabase:
    """Copies from one database to another; the target keeps what it has of other organizations."""

    def __init__(self, source: Database, target: Database) -> None:
        self._source = source
        self._target = target

    def run(
        self, *, dry_run: bool = False, report: Callable[[int, int], None] = lambda done, total: None
    ) -> list[CopiedOrganization]:
        """Copy every organization, each in one transaction: one that was cut short leaves nothing behind, and
        the next run goes on with it. `report` gets the rows done and those in all.

        Raises:
            UsageError: the target has rows of an organization, and they are not what would be copied.
        """
        with self._source.read() as connection:
            every = connection.execute(select(organizations.c.org_id, organizations.c.name)).all()
        names = {row.org_id: str(row.name) for row in every}
        wanted = [CopiedOrganization(each, self._counts(self._source, each)) for each in sorted(names)]
        missing = [each for each in wanted if each.tables and not self._is_there(each)]
        if dry_run:
            return wanted
        total, done = sum(each.rows for each in missing), 0
        for each in missing:
            for rows in self._copied(each.org_id, names[each.org_id]):
                done += rows
                report(done, total)
            if not self._is_there(each):
                raise UsageError(
                    f"{self._source} was changed during the copy; stop all writers and start again"
                )
        return wanted

    def _is_there(self, wanted: CopiedOrganization) -> bool:
        there = self._counts(self._target, wanted.org_id)
        if there and there != wanted.tables:
            raise UsageError(
                f"{self._target} already has rows of the organization {wanted.org_id}, and not the same: "
                "copy into an empty database"
            )
        return bool(there)

    def _counts(self, database: Database, org_id: str) -> dict[str, int]:
        with database.for_organization(org_id).read() as connection:
            counts = {table.name: _count(connection, table, org_id) for table in _TABLES}
        return {name: count for name, count in counts.items() if count}

    def _copied(self, org_id: str, name: str) -> Iterator[int]:
        """Copies one organization; yields how many rows each step wrote."""
        source, target = self._source.for_organization(org_id), self._target.for_organization(org_id)
        with source.read() as reading, target.write() as writing:
            known = select(organizations.c.org_id).where(organizations.c.org_id == org_id)
            if writing.execute(known).first() is None:
                writing.execute(insert(organizations).values(org_id=org_id, name=name))
            for table in _TABLES:
                own = select(table).where(table.c.org_id == org_id)
                with reading.execute(own, execution_options={"yield_per": _ROWS_AT_ONCE}) as rows:
                    for part in rows.mappings().partitions(_ROWS_AT_ONCE):
                        writing.execute(insert(table), [dict(row) for row in part])
                        yield len(part)


def _count(connection: Connection, table: Table, org_id: str) -> int:
    found = select(func.count()).select_from(table).where(table.c.org_id == org_id)
    return int(connection.execute(found).scalar_one())
