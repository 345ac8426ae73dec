"""What ranking needs of messages and memories, as bytes, one row an item and model (SPEC G4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bob.storage.database import HalfVector, Transaction


def keep_for_messages(
    transaction: Transaction, model: str, packed: Mapping[int, tuple[bytes, bytes, bytes]]
) -> None:
    """Keep the features of messages, by their numbers, in place of what was there: terms, vector and rows of
    words, in columns of their own, since most searches read the rows of few messages."""
    remove_of_messages(transaction, list(packed), model)
    transaction.insert(
        "message_features",
        *(
            {
                "model": model,
                "message_id": number,
                "terms": terms,
                "vector": HalfVector(vector),
                "word_vectors": words,
            }
            for number, (terms, vector, words) in packed.items()
        ),
    )


def remove_of_messages(
    transaction: Transaction, message_ids: Sequence[int], model: str | None = None
) -> None:
    """Drop the features of messages, of one model or of all."""
    of_model = "" if model is None else "AND model = :model"
    transaction.execute(
        f"DELETE FROM message_features WHERE org_id = :org AND message_id IN :ids {of_model}",
        {"ids": message_ids, "model": model},
    )


def keep_for_memory(transaction: Transaction, model: str, memory_id: int, packed: bytes) -> None:
    """Keep the features of a memory, in place of what was there of any model."""
    remove_of_memory(transaction, memory_id)
    transaction.insert("memory_features", {"model": model, "memory_id": memory_id, "features": packed})


def remove_of_memory(transaction: Transaction, memory_id: int) -> None:
    """Drop the features of a memory, as when its words change; they are made anew when they are needed."""
    transaction.execute(
        "DELETE FROM memory_features WHERE org_id = :org AND memory_id = :memory_id", {"memory_id": memory_id}
    )


def of_memories(transaction: Transaction, model: str, memory_ids: Sequence[int]) -> dict[int, bytes]:
    """The features of those memories that have some of this model."""
    rows = transaction.execute(
        "SELECT memory_id, features FROM memory_features"
        " WHERE org_id = :org AND model = :model AND memory_id IN :ids",
        {"model": model, "ids": memory_ids},
    )
    return {int(number): bytes(packed) for number, packed in rows}
