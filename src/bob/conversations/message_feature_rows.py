"""What a user's messages are ranked by, as bytes, one row a message and model: thousands for one search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bob.conversations.rows import FORGOTTEN
from bob.storage.database import HalfVector, Transaction

SaidMessage = tuple[int, int, bytes | None, bytes | None]
"""A message's number, its chat's, its terms and its vector: None where these are still to come."""

# The plus keeps SQLite from going through chat after chat and sorting all rows afterwards.
_LAST = """
SELECT m.message_id, m.chat_id, f.terms, f.vector
FROM messages m LEFT JOIN message_features f
    ON f.org_id = m.org_id AND f.model = :model AND f.message_id = m.message_id
WHERE m.org_id = :org
    AND +m.chat_id IN (
        SELECT chat_id FROM chats
        WHERE org_id = :org AND user_id = :user_id
            AND (CAST(:project AS TEXT) IS NULL OR project = :project)
    )
    AND (f.message_id IS NOT NULL OR m.content <> :forgotten)
ORDER BY m.message_id DESC LIMIT :most
"""
_WORDS = """
SELECT message_id, word_vectors FROM message_features
WHERE org_id = :org AND model = :model AND message_id IN :ids
"""


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


def last_messages(
    transaction: Transaction, user_id: str, project: str | None, model: str, most: int
) -> list[SaidMessage]:
    """The last messages of a user's chats in the order in which they were sent, with features of this
    model."""
    values = {
        "user_id": user_id,
        "project": project,
        "model": model,
        "most": most,
    }
    rows = transaction.execute(_LAST, {**values, "forgotten": FORGOTTEN}).fetchall()
    return rows[::-1]


def word_vectors_of(transaction: Transaction, model: str, message_ids: Sequence[int]) -> dict[int, bytes]:
    """The rows of words of those messages that have some of this model."""
    if not message_ids:
        return {}
    return dict(transaction.execute(_WORDS, {"model": model, "ids": message_ids}))
