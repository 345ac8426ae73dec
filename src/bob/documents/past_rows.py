"""Versions of documents that a newer one has replaced: they are found only when asked for a day of theirs."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from sqlalchemy import Connection, delete, insert, select

from bob.storage.counters import next_ids
from bob.storage.schema_knowledge import past_documents

CHANGED = "past"
"""Counted up with every change, so that searches see it by one look (`bob.search.index`)."""


def mark(connection: Connection, org_id: str, document_id: int, until: date | None) -> None:
    """Note the day from which a newer version of a document held, or (None) that it holds now."""
    own = (past_documents.c.org_id == org_id, past_documents.c.document_id == document_id)
    known = connection.execute(select(past_documents.c.valid_until).where(*own)).scalar()
    if known == until:
        return
    connection.execute(delete(past_documents).where(*own))
    if until is not None:
        connection.execute(
            insert(past_documents).values(org_id=org_id, document_id=document_id, valid_until=until)
        )
    next_ids(connection, org_id, CHANGED, 1)


def forget(connection: Connection, org_id: str, document_ids: Iterable[int]) -> None:
    """Drop the notes of documents that are removed."""
    gone = connection.execute(
        delete(past_documents).where(
            past_documents.c.org_id == org_id, past_documents.c.document_id.in_(list(document_ids))
        )
    )
    if gone.rowcount:
        next_ids(connection, org_id, CHANGED, 1)
