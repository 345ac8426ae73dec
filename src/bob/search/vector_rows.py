"""Vectors as rows: which chunks still need one, and putting them in, visible a whole document at a time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bob.core.document import embedding_text
from bob.storage import jobs, organizations
from bob.storage.database import HalfVector, Transaction

EMBED = "embed"
"""The kind of the job that makes a document's vectors."""

_MODEL_KEY = "embedder.model"


@dataclass(frozen=True, slots=True)
class PendingChunk:
    """A chunk without a vector, and the text to embed."""

    chunk_id: int
    document_id: int
    content_hash: str
    text: str


def pending(transaction: Transaction, model: str, document_ids: Sequence[int]) -> list[PendingChunk]:
    """The chunks of these documents that have no vector of this model."""
    rows = transaction.execute(
        "SELECT chunk_id, document_id, content_hash, heading_path, context, text FROM chunks c"
        " WHERE org_id = :org AND document_id IN :ids AND NOT EXISTS (SELECT 1 FROM vectors v"
        " WHERE v.org_id = :org AND v.model = :model AND v.chunk_id = c.chunk_id)"
        " ORDER BY document_id, ordinal",
        {"ids": document_ids, "model": model},
    )
    return [
        PendingChunk(
            chunk_id, document_id, content_hash, embedding_text(tuple(json.loads(path)), context, body)
        )
        for chunk_id, document_id, content_hash, path, context, body in rows
    ]


def stage(transaction: Transaction, model: str, made: Iterable[tuple[PendingChunk, bytes]]) -> None:
    """Put vectors in, not yet visible; those of chunks that are gone meanwhile are dropped."""
    transaction.execute_many(
        "INSERT INTO vectors (org_id, chunk_id, model, vector)"
        " SELECT org_id, chunk_id, :model, :vector FROM chunks"
        " WHERE org_id = :org AND chunk_id = :id AND content_hash = :hash ON CONFLICT DO NOTHING",
        [
            {"model": model, "id": chunk.chunk_id, "hash": chunk.content_hash, "vector": HalfVector(vector)}
            for chunk, vector in made
        ],
    )


def publish(transaction: Transaction, model: str, document_id: int) -> bool:
    """Make a document's vectors visible if all are there; False when some are missing."""
    if pending(transaction, model, [document_id]):
        return False
    staged = (
        "org_id = :org AND model = :model AND sequence IS NULL AND chunk_id IN"
        " (SELECT chunk_id FROM chunks WHERE org_id = :org AND document_id = :document_id)"
    )
    these = {"model": model, "document_id": document_id}
    if transaction.execute(f"SELECT 1 FROM vectors WHERE {staged} LIMIT 1", these).fetchone():
        (sequence,) = transaction.take_ids("vector", 1)
        transaction.execute(
            f"UPDATE vectors SET sequence = :sequence WHERE {staged}", these | {"sequence": sequence}
        )
    return True


def pending_count(transaction: Transaction, model: str) -> int:
    """How many chunks have no vector of this model that searches see."""
    row = transaction.execute(
        "SELECT (SELECT count(*) FROM chunks WHERE org_id = :org)"
        " - (SELECT count(*) FROM vectors WHERE org_id = :org AND model = :model AND sequence IS NOT NULL)",
        {"model": model},
    ).fetchone()
    return int(row[0])


def current_model(transaction: Transaction) -> str | None:
    """The model whose vectors the organization has; None before the first run."""
    return organizations.get_config(transaction, _MODEL_KEY)


def adopt_model(transaction: Transaction, model: str) -> bool:
    """Make `model` the organization's; True if another one was, whose vectors are dropped (SPEC C2)."""
    previous = current_model(transaction)
    if previous == model:
        return False
    organizations.set_config(transaction, _MODEL_KEY, model)
    if previous is None:
        return False
    transaction.execute("DELETE FROM vectors WHERE org_id = :org AND model <> :model", {"model": model})
    rows = transaction.execute("SELECT document_id FROM documents WHERE org_id = :org AND chunk_count > 0")
    jobs.enqueue_all(transaction, EMBED, [document_id for (document_id,) in rows])
    return True
