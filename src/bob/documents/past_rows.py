"""Versions of documents that a newer one has replaced: they are found only when asked for a day of theirs."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from bob.storage.database import Transaction

CHANGED = "past"
"""Counted up with every change, so that searches see it by one look (`bob.search.index`)."""


def mark(transaction: Transaction, document_id: int, until: date | None) -> None:
    """Note the day from which a newer version of a document held, or (None) that it holds now."""
    this = {"document_id": document_id}
    day = None if until is None else until.isoformat()
    rows = transaction.execute(
        "SELECT valid_until FROM past_documents WHERE org_id = :org AND document_id = :document_id", this
    ).fetchone()
    if (None if rows is None else rows[0]) == day:
        return
    transaction.execute("DELETE FROM past_documents WHERE org_id = :org AND document_id = :document_id", this)
    if day is not None:
        transaction.insert("past_documents", this | {"valid_until": day})
    transaction.take_ids(CHANGED, 1)


def forget(transaction: Transaction, document_ids: Iterable[int]) -> None:
    """Drop the notes of documents that are removed."""
    gone = transaction.execute(
        "DELETE FROM past_documents WHERE org_id = :org AND document_id IN :ids", {"ids": document_ids}
    )
    if gone.rowcount:
        transaction.take_ids(CHANGED, 1)
