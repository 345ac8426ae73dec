"""Documents as whoever asks may see them: which there are, and the text of one (SPEC L4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from bob.core.search import Filters
from bob.search.query import documents_matching
from bob.storage.database import Transaction

_BY_IDS = """
SELECT document_id, path, title, project, source_type, source_date, chunk_count
FROM documents WHERE org_id = :org AND document_id IN :ids ORDER BY document_id
"""
_TEXTS = "SELECT text FROM chunks WHERE org_id = :org AND document_id = :document_id ORDER BY ordinal"


@dataclass(frozen=True, slots=True)
class DocumentHead:
    """What a list tells of a document; `chunks` is how many it has."""

    document_id: int
    path: str
    title: str
    project: str
    source_type: str
    source_date: date | None
    chunks: int


def heads(transaction: Transaction, document_ids: Sequence[int]) -> list[DocumentHead]:
    """Those of the documents that exist, by id."""
    rows = transaction.execute(_BY_IDS, {"ids": document_ids})
    return [
        DocumentHead(
            document_id, path, title, project, kind, date.fromisoformat(dated) if dated else None, chunks
        )
        for document_id, path, title, project, kind, dated, chunks in rows
    ]


def ids_of(transaction: Transaction, filters: Filters) -> list[int]:
    """The ids of the documents that pass, ascending."""
    return sorted(documents_matching(transaction, filters))


def text_of(transaction: Transaction, document_id: int) -> str:
    """The document's text as its chunks make it up."""
    rows = transaction.execute(_TEXTS, {"document_id": document_id})
    return "\n\n".join(str(text) for (text,) in rows)
