"""Documents that were read in part, and what of each was left out."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass

from bob.storage.database import Transaction


@dataclass(frozen=True, slots=True)
class ReadInPart:
    """A document that was read in part: a sentence for each part that was left out."""

    path: str
    left_out: tuple[str, ...]


def read_in_part(transaction: Transaction, document_ids: Collection[int] | None = None) -> list[ReadInPart]:
    """All documents that were read in part, or those of these ids, by path."""
    of_ids = "" if document_ids is None else "AND document_id IN :ids"
    rows = transaction.execute(
        # PostgreSQL compares no JSON.
        "SELECT path, left_out FROM documents WHERE org_id = :org AND CAST(left_out AS VARCHAR) <> '[]'"
        f" {of_ids} ORDER BY path, document_id",
        {"ids": document_ids},
    )
    return [ReadInPart(path, tuple(json.loads(left_out))) for path, left_out in rows]
