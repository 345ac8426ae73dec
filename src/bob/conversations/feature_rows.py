"""What ranking needs of messages and memories, as bytes, one row an item and model (SPEC G4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, delete, insert, select

from bob.storage.schema_conversations import memory_features, message_features


def keep_for_messages(
    connection: Connection, org_id: str, model: str, packed: Mapping[int, tuple[bytes, bytes, bytes]]
) -> None:
    """Keep the features of messages, by their numbers, in place of what was there: terms, vector and rows of
    words, in columns of their own, since most searches read the rows of few messages."""
    remove_of_messages(connection, org_id, list(packed), model)
    rows = [
        {
            "org_id": org_id,
            "model": model,
            "message_id": number,
            "terms": terms,
            "vector": vector,
            "word_vectors": words,
        }
        for number, (terms, vector, words) in packed.items()
    ]
    if rows:
        connection.execute(insert(message_features), rows)


def remove_of_messages(
    connection: Connection, org_id: str, message_ids: Sequence[int], model: str | None = None
) -> None:
    """Drop the features of messages, of one model or of all."""
    gone = delete(message_features).where(
        message_features.c.org_id == org_id, message_features.c.message_id.in_(list(message_ids))
    )
    connection.execute(gone if model is None else gone.where(message_features.c.model == model))


def keep_for_memory(connection: Connection, org_id: str, model: str, memory_id: int, packed: bytes) -> None:
    """Keep the features of a memory, in place of what was there of any model."""
    remove_of_memory(connection, org_id, memory_id)
    values = {"org_id": org_id, "model": model, "memory_id": memory_id, "features": packed}
    connection.execute(insert(memory_features).values(values))


def remove_of_memory(connection: Connection, org_id: str, memory_id: int) -> None:
    """Drop the features of a memory, as when its words change; they are made anew when they are needed."""
    connection.execute(
        delete(memory_features).where(
            memory_features.c.org_id == org_id, memory_features.c.memory_id == memory_id
        )
    )


def of_memories(
    connection: Connection, org_id: str, model: str, memory_ids: Sequence[int]
) -> dict[int, bytes]:
    """The features of those memories that have some of this model."""
    rows = connection.execute(
        select(memory_features.c.memory_id, memory_features.c.features).where(
            memory_features.c.org_id == org_id,
            memory_features.c.model == model,
            memory_features.c.memory_id.in_(list(memory_ids)),
        )
    )
    return {int(number): bytes(packed) for number, packed in rows}
