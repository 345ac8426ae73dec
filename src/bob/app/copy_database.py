"""Copies a whole database to another engine, organization by organization (SPEC A4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bob.core.errors import UsageError
from bob.storage.database import EVERY_ORGANIZATION, Column, Database, HalfVector, Transaction

_ROWS_AT_ONCE = 500

_NOT_COPIED = {"organizations", "snapshots"}
"""An organization is made by its name. Snapshots are those of the caches over one database."""


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

    def __init__(self, source: Database, target: Database | None) -> None:
        """Without a target, which is not there yet, nothing is copied: the caller learns what would be."""
        self._source = source
        self._target = target

    def copy_organizations(
        self, *, dry_run: bool = False, report: Callable[[int, int], None] = lambda done, total: None
    ) -> list[CopiedOrganization]:
        """Copy every organization, each in one transaction: one that was cut short leaves nothing behind, and
        the next run goes on with it. `report` gets the rows done and those in all.

        Raises:
            UsageError: the target has rows of an organization, and they are not what would be copied.
        """
        with self._source.for_organization(EVERY_ORGANIZATION).read() as transaction:
            every = transaction.execute("SELECT org_id, name FROM organizations")
            names: dict[str, str] = dict(every)
        wanted = [CopiedOrganization(name, self._counts(self._source, name)) for name in sorted(names)]
        missing = [each for each in wanted if each.tables and not self._is_there(each)]
        if dry_run or self._target is None:
            return wanted
        total, done = sum(each.rows for each in missing), 0
        for each in missing:
            for rows in self._copied(self._target, each.org_id, names[each.org_id]):
                done += rows
                report(done, total)
            if not self._is_there(each):
                raise UsageError(
                    f"{self._source} was changed during the copy; stop all writers and start again"
                )
        return wanted

    def _is_there(self, wanted: CopiedOrganization) -> bool:
        there = {} if self._target is None else self._counts(self._target, wanted.org_id)
        if there and there != wanted.tables:
            raise UsageError(
                f"{self._target} already has rows of the organization {wanted.org_id}, and not the same: "
                "copy into an empty database"
            )
        return bool(there)

    def _counts(self, database: Database, org_id: str) -> dict[str, int]:
        with database.for_organization(org_id).read() as transaction:
            counts = {name: _count(transaction, name) for name in _tables(transaction)}
        return {name: count for name, count in counts.items() if count}

    def _copied(self, into: Database, org_id: str, name: str) -> Iterator[int]:
        """Copies one organization; yields how many rows each step wrote."""
        source, target = self._source.for_organization(org_id), into.for_organization(org_id)
        with source.read() as reading, target.write() as writing:
            writing.execute(
                "INSERT INTO organizations (org_id, name) VALUES (:org, :name) ON CONFLICT DO NOTHING",
                {"name": name},
            )
            for table, columns in _tables(reading).items():
                listed = ", ".join(column.name for column in columns)
                rows = reading.execute(f"SELECT {listed} FROM {table} WHERE org_id = :org")
                while part := rows.fetchmany(_ROWS_AT_ONCE):
                    writing.insert(table, *(_values(columns, row) for row in part))
                    yield len(part)


def _tables(transaction: Transaction) -> dict[str, list[Column]]:
    """The tables that are copied, with their columns beside the organization."""
    return {
        name: [column for column in columns if column.name != "org_id"]
        for name, columns in transaction.tables().items()
        if name not in _NOT_COPIED
    }


def _values(columns: Sequence[Column], row: Sequence[Any]) -> dict[str, Any]:
    made = {"boolean": bool, "vector": HalfVector}
    return {
        column.name: value if value is None or column.kind not in made else made[column.kind](value)
        for column, value in zip(columns, row, strict=True)
    }


def _count(transaction: Transaction, table: str) -> int:
    row = transaction.execute(f"SELECT count(*) FROM {table} WHERE org_id = :org").fetchone()
    return int(row[0])
