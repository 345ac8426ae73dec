"""Disks whose files are indexed: which of an organization's documents lie where.

Many machines may use a database on a server, and each sees only its own files. So every document, failure and
indexed folder names the disk that it was read from, and a run touches those of its own disks alone. In a
database file there is one disk, without a name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sqlalchemy import Connection, func, select, update

from bob.storage.schema import documents

ONE_DISK = ("",)
"""All there is in a database that is one machine's. On a server: documents of which it is not known, which an
older Bob indexed or which were copied from a file."""


def counts(connection: Connection, org_id: str) -> dict[str, int]:
    """How many documents were read from each disk."""
    rows = connection.execute(
        select(documents.c.disk_id, func.count())
        .where(documents.c.org_id == org_id)
        .group_by(documents.c.disk_id)
        .order_by(documents.c.disk_id)
    )
    return {disk_id: int(count) for disk_id, count in rows}


def elsewhere(connection: Connection, org_id: str, here: Collection[str]) -> set[str]:
    """The paths of documents that were read from other disks and from none of these."""
    rows = connection.execute(
        select(documents.c.path, documents.c.disk_id).where(documents.c.org_id == org_id)
    ).all()
    return {path for path, _ in rows} - {path for path, disk_id in rows if disk_id in here}


def claim(connection: Connection, org_id: str, document_ids: Iterable[int], disk_id: str) -> set[int]:
    """Note the disk of documents of which none was known; those that no other machine claimed first."""
    wanted, claimed = list(document_ids), set[int]()
    for start in range(0, len(wanted), 500):
        own = (
            (documents.c.org_id == org_id)
            & (documents.c.disk_id == "")
            & documents.c.document_id.in_(wanted[start : start + 500])
        )
        claimed |= set(connection.execute(select(documents.c.document_id).where(own)).scalars())
        connection.execute(update(documents).where(own).values(disk_id=disk_id))
    return claimed
