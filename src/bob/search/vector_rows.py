"""Vectors as rows: which chunks still need one, and putting them in, visible a whole document at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, delete, exists, func, select, text, update

from bob.core.document import embedding_text
from bob.storage import app_config, jobs
from bob.storage.counters import next_ids
from bob.storage.embedding_type import Embedding
from bob.storage.schema import chunks, documents, vectors

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


def pending(
    connection: Connection, org_id: str, model: str, document_ids: Sequence[int]
) -> list[PendingChunk]:
    """The chunks of these documents that have no vector of this model."""
    has_one = exists().where(
        vectors.c.org_id == org_id, vectors.c.model == model, vectors.c.chunk_id == chunks.c.chunk_id
    )
    rows = connection.execute(
        select(
            chunks.c.chunk_id,
            chunks.c.document_id,
            chunks.c.content_hash,
            chunks.c.heading_path,
            chunks.c.context,
            chunks.c.text,
        )
        .where(chunks.c.org_id == org_id, chunks.c.document_id.in_(document_ids), ~has_one)
        .order_by(chunks.c.document_id, chunks.c.ordinal)
    )
    return [
        PendingChunk(chunk_id, document_id, content_hash, embedding_text(tuple(path), context, body))
        for chunk_id, document_id, content_hash, path, context, body in rows
    ]


def stage(
    connection: Connection, org_id: str, model: str, made: Iterable[tuple[PendingChunk, bytes]]
) -> None:
    """Put vectors in, not yet visible; those of chunks that are gone meanwhile are dropped."""
    rows = [
        {"org": org_id, "model": model, "id": chunk.chunk_id, "hash": chunk.content_hash, "vector": vector}
        for chunk, vector in made
    ]
    if rows:
        connection.execute(
            text(
                "INSERT INTO vectors (org_id, chunk_id, model, vector) "
                "SELECT org_id, chunk_id, :model, :vector FROM chunks "
                "WHERE org_id = :org AND chunk_id = :id AND content_hash = :hash ON CONFLICT DO NOTHING"
            ).bindparams(bindparam("vector", type_=Embedding)),
            rows,
        )


def publish(connection: Connection, org_id: str, model: str, document_id: int) -> bool:
    """Make a document's vectors visible if all are there; False when some are missing."""
    if pending(connection, org_id, model, [document_id]):
        return False
    own = select(chunks.c.chunk_id).where(chunks.c.org_id == org_id, chunks.c.document_id == document_id)
    staged = (
        (vectors.c.org_id == org_id)
        & (vectors.c.model == model)
        & vectors.c.sequence.is_(None)
        & vectors.c.chunk_id.in_(own)
    )
    if connection.execute(select(func.count()).select_from(vectors).where(staged)).scalar_one():
        connection.execute(
            update(vectors).where(staged).values(sequence=next_ids(connection, org_id, "vector", 1)[0])
        )
    return True


def pending_count(connection: Connection, org_id: str, model: str) -> int:
    """How many chunks have no vector of this model that searches see."""
    of_chunks = select(func.count()).select_from(chunks).where(chunks.c.org_id == org_id)
    published = (
        select(func.count())
        .select_from(vectors)
        .where(vectors.c.org_id == org_id, vectors.c.model == model, vectors.c.sequence.is_not(None))
    )
    return int(connection.execute(of_chunks).scalar_one()) - int(connection.execute(published).scalar_one())


def current_model(connection: Connection, org_id: str) -> str | None:
    """The model whose vectors the organization has; None before the first run."""
    return app_config.get(connection, org_id, _MODEL_KEY)


def adopt_model(connection: Connection, org_id: str, model: str) -> bool:
    """Make `model` the organization's; True if another one was, whose vectors are dropped (SPEC C2)."""
    previous = current_model(connection, org_id)
    if previous == model:
        return False
    app_config.put(connection, org_id, _MODEL_KEY, model)
    if previous is None:
        return False
    connection.execute(delete(vectors).where(vectors.c.org_id == org_id, vectors.c.model != model))
    for (document_id,) in connection.execute(
        select(documents.c.document_id).where(documents.c.org_id == org_id, documents.c.chunk_count > 0)
    ).all():
        jobs.enqueue(connection, org_id, EMBED, document_id)
    return True
