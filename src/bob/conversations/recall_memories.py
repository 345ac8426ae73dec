"""Which memories fit a question: near in meaning first, and the more important the better (SPEC G4).

Seed 004 leaves this as its next step, "cake vs. steak": an important memory about something else must not
push out a lesser one about what is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bob.conversations import memory_rows
from bob.core.conversation import Memory, Scope
from bob.core.protocols import MessageEmbedder
from bob.search.message_features import (
    FeatureBuilder,
    MessageColumns,
    MessageFeatures,
    content_positions,
    leading_words,
)
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
from bob.storage.database import Database
from bob.text.words import query_terms, words_of


def spoken(author: str, text: str) -> str:
    """A message as it is indexed: with the name of who said it, which a question may use."""
    return f"{author}: {text}" if author else text


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
        words = leading_words(question)
        vectors, (rows,) = self._embedder.embed_with_words([words])
        positions = content_positions(words)
        return RecallQuestion(
            terms=[query_terms(words[position])[0] for position in positions],
            names=frozenset(word.lower() for word in words_of(question)),
            vector=vectors[0],
            word_vectors=rows[positions],
        )


@dataclass(frozen=True, slots=True)
class RecalledMemory:
    """A memory with how well it fits: `nearness` is the mean cosine of the question's words to their nearest
    in the memory, `score` weighs it by importance."""

    memory: Memory
    nearness: float
    score: float


class RecallMemories:
    """Recalls memories of one organization's users, exactly: the scope is bounded by the last chats."""

    def __init__(
        self,
        database: Database,
        builder: FeatureBuilder,
        recall: Recall,
        *,
        limit: int,
        last_chats: int,
        similarity: float,
    ) -> None:
        self._database = database
        self._builder = builder
        self._recall = recall
        self._limit = limit
        self._last_chats = last_chats
        self._similarity = similarity

    def for_prompt(self, scope: Scope, chat_id: int | None, question: str) -> list[Memory]:
        """What a prompt is given: all pinned memories, then those of the user's last chats but this one that
        are near enough, best first, up to the limit in all."""
        if not self._limit:
            return []
        with self._database.read() as transaction:
            near = memory_rows.of_last_chats(transaction, scope.user_id, self._last_chats, but=chat_id)
        pinned = [memory for memory in near if memory.pinned]
        recalled = [
            memory.memory
            for memory in self._ranked(scope.org_id, question, near)
            if memory.nearness >= self._similarity and not memory.memory.pinned
        ]
        return [*pinned, *recalled[: max(self._limit - len(pinned), 0)]]

    def search(
        self, scope: Scope, query: str, limit: int, *, everywhere: bool, current: bool = True
    ) -> list[RecalledMemory]:
        """A user's memories by how well they fit a query; of the scope's project only unless `everywhere`."""
        with self._database.read() as transaction:
            project = None if everywhere else scope.project
            memories = memory_rows.of_user(transaction, scope.user_id, project=project, current=current)
        return self._ranked(scope.org_id, query, memories)[:limit]

    def _ranked(self, org_id: str, question: str, memories: Sequence[Memory]) -> list[RecalledMemory]:
        if not memories:
            return []
        features = self._features(org_id, memories)
        apart = [ChatMessage(memory.memory_id) for memory in memories]
        ranked = self._recall.rank(question, apart, features, len(memories))
        scored = [
            RecalledMemory(
                memories[match.index],
                match.nearness,
                match.nearness * (0.5 + memories[match.index].importance / 200),
            )
            for match in ranked
        ]
        return sorted(scored, key=lambda match: (-match.score, match.memory.memory_id))

    def _features(self, org_id: str, memories: Sequence[Memory]) -> list[MessageFeatures]:
        """The features of each memory; those that are missing, as after an edit, are made and kept."""
        model = self._builder.model_id
        ids = [memory.memory_id for memory in memories]
        with self._database.read() as transaction:
            packed = memory_rows.features_of(transaction, model, ids)
        missing = [memory for memory in memories if memory.memory_id not in packed]
        if missing:
            made = self._builder.build([memory.summary for memory in missing])
            fresh = {memory.memory_id: one.pack() for memory, one in zip(missing, made, strict=True)}
            with self._database.write() as transaction:
                for memory_id, content in fresh.items():
                    memory_rows.keep_features(transaction, model, memory_id, content)
            packed |= fresh
        return [MessageFeatures.unpack(packed[memory.memory_id]) for memory in memories]
