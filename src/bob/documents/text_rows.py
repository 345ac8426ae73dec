"""Documents as whoever asks may see them: which there are, and the text of one (SPEC L4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from bob.core.filters import Filters
from bob.search.chunk_rows import documents_matching
from bob.storage.database import DriverConnection

_AT_ONCE = 500
_BY_IDS = """
SELECT document_id, path, title, project, source_type, source_date, chunk_count
FROM documents WHERE org_id = ? AND document_id IN ({marks}) ORDER BY document_id
"""
_TEXTS = "SELECT text FROM chunks WHERE org_id = ? AND document_id = ? ORDER BY ordinal"


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


def heads(connection: DriverConnection, org_id: str, document_ids: Sequence[int]) -> list[DocumentHead]:
    """Those of the documents that exist, by id."""
    found = []
    for start in range(0, len(document_ids), _AT_ONCE):
        part = document_ids[start : start + _AT_ONCE]
        rows = connection.execute(_BY_IDS.format(marks=",".join("?" * len(part))), (org_id, *part))
        for document_id, path, title, project, source_type, dated, chunks in rows:
            day = date.fromisoformat(dated) if dated else None
            found.append(DocumentHead(document_id, path, title, project, source_type, day, chunks))
    return sorted(found, key=lambda each: each.document_id)


def ids_of(connection: DriverConnection, org_id: str, filters: Filters) -> list[int]:
    """The ids of the documents that pass, ascending."""
    return sorted(documents_matching(connection, org_id, filters))


def text_of(connection: DriverConnection, org_id: str, document_id: int) -> str:
    """The document's text as its chunks make it up."""
    rows = connection.execute(_TEXTS, (org_id, document_id))
    return "\n\n".join(str(text) for (text,) in rows)
