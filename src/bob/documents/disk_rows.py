"""Disks whose files are indexed: which of an organization's documents lie where.

Many machines may use a database on a server, and each sees only its own files. So every document, failure and
indexed folder names the disk that it was read from, and a run touches those of its own disks alone. In a
database file there is one disk, without a name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from bob.storage.database import Transaction

ONE_DISK = ("",)
"""All there is in a database that is one machine's. On a server: documents of which it is not known, which an
older Bob indexed or which were copied from a file."""


def counts(transaction: Transaction) -> dict[str, int]:
    """How many documents were read from each disk."""
    rows = transaction.execute(
        "SELECT disk_id, count(*) FROM documents WHERE org_id = :org GROUP BY disk_id ORDER BY disk_id"
    )
    return {disk_id: int(count) for disk_id, count in rows}


def elsewhere(transaction: Transaction, here: Collection[str]) -> set[str]:
    """The paths of documents that were read from other disks and from none of these."""
    rows = transaction.execute("SELECT path, disk_id FROM documents WHERE org_id = :org").fetchall()
    return {path for path, _ in rows} - {path for path, disk_id in rows if disk_id in here}


def claim(transaction: Transaction, document_ids: Iterable[int], disk_id: str) -> set[int]:
    """Note the disk of documents of which none was known; those that no other machine claimed first."""
    rows = transaction.execute(
        "UPDATE documents SET disk_id = :disk_id"
        " WHERE org_id = :org AND disk_id = '' AND document_id IN :ids RETURNING document_id",
        {"ids": list(document_ids), "disk_id": disk_id},
    )
    return {document_id for (document_id,) in rows.fetchall()}
