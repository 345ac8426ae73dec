"""Makes the features of messages when they are indexed, and ranks messages by them for a question.

It reads by the model that comes with Bob, whichever embeds files: nothing of a conversation leaves the
machine for this, and one run of the model gives both the vector of a message and those of its words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from bob.core.protocols import MessageEmbedder
from bob.search.message_features import VERSION, MessageColumns, MessageFeatures, quantized
from bob.search.message_ranking import (
    DEFAULT_WEIGHTS,
    ChatMessage,
    RankedMessage,
    RecallQuestion,
    RecallWeights,
    WordVectors,
    ranked_columns,
    ranked_messages,
)
from bob.text.stop_words import QUERY_STOP_WORDS
from bob.text.terms import ANALYZER, COUNT_BITS, TEXT_BITS, postings, query_terms, words_of

MOST_WORDS = 600
"""The model reads so many words and marks of a message, from its beginning; BM25 knows all of them."""

_PARTS = re.compile(r"\w+|[^\w\s]")


def spoken(author: str, text: str) -> str:
    """A message as it is indexed: with the name of who said it, which a question may use."""
    return f"{author}: {text}" if author else text


class FeatureBuilder:
    """Turns texts into features. Safe to share between threads."""

    def __init__(self, embedder: MessageEmbedder) -> None:
        self._embedder = embedder

    @property
    def model_id(self) -> str:
        """Names all that features depend on; those of another id have to be made anew. Raises ModelError."""
        return f"{self._embedder.model_id}+{ANALYZER}+message-{VERSION}"

    def build(self, texts: Sequence[str]) -> list[MessageFeatures]:
        """The features of each text, which do not depend on the other texts. Raises ModelError."""
        parts = [_PARTS.findall(text)[:MOST_WORDS] for text in texts]
        vectors, word_vectors = self._embedder.embed_with_words(parts)
        found = []
        for text, words, vector, rows in zip(texts, parts, vectors, word_vectors, strict=True):
            packed = np.frombuffer(postings(text, (), None), np.uint64)
            kept = _telling(words)
            found.append(
                MessageFeatures(
                    terms=packed >> np.uint64(COUNT_BITS),
                    counts=(packed & np.uint64((1 << TEXT_BITS) - 1)).astype(np.uint8),
                    vector=vector.astype(np.float16),
                    word_vectors=quantized(rows[kept]),
                )
            )
        return found


class Recall:
    """Finds what past messages say to a question. Safe to share between threads."""

    def __init__(self, embedder: MessageEmbedder, weights: RecallWeights = DEFAULT_WEIGHTS) -> None:
        self._embedder = embedder
        self._weights = weights

    def rank(
        self,
        question: str,
        messages: Sequence[ChatMessage],
        features: Sequence[MessageFeatures],
        limit: int,
    ) -> list[RankedMessage]:
        """The `limit` best of the messages, best first. `features` has one for each of `messages`.

        Raises ModelError.
        """
        return ranked_messages(self.analysed(question), messages, features, limit, self._weights)

    def rank_columns(
        self,
        question: RecallQuestion,
        messages: Sequence[ChatMessage],
        columns: MessageColumns,
        word_vectors: WordVectors,
        limit: int,
    ) -> list[RankedMessage]:
        """The same for a question that is analysed, where the rows of words are read for the best only."""
        return ranked_columns(question, messages, columns, word_vectors, limit, self._weights)

    def analysed(self, question: str) -> RecallQuestion:
        """The question as the ranking takes it."""
        words = _PARTS.findall(question)[:MOST_WORDS]
        vectors, (rows,) = self._embedder.embed_with_words([words])
        kept = _telling(words)
        return RecallQuestion(
            terms=[query_terms([words[each]])[0] for each in kept],
            names=frozenset(word.lower() for word in words_of(question)),
            vector=vectors[0],
            word_vectors=rows[kept],
        )


def _telling(words: Sequence[str]) -> list[int]:
    """The places of the words that carry meaning; of all words, if none does."""
    plain = [at for at, word in enumerate(words) if word[0].isalnum() or word[0] == "_"]
    return [at for at in plain if words[at].lower() not in QUERY_STOP_WORDS] or plain
