"""Which memories fit a question: near in meaning first, and the more important the better (SPEC G4).

Seed 004 leaves this as its next step, "cake vs. steak": an important memory about something else must not
push out a lesser one about what is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bob.conversations import feature_rows, memory_rows
from bob.conversations.recall_messages import FeatureBuilder, Recall
from bob.core.conversation import Memory, Scope
from bob.search.message_features import MessageFeatures
from bob.search.message_ranking import ChatMessage
from bob.storage.database import Database


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
        """What a prompt is given: pinned memories, then those of the user's last chats but this one that are
        near enough, best first."""
        if not self._limit:
            return []
        with self._database.read() as connection:
            near = memory_rows.of_last_chats(
                connection, scope.org_id, scope.user_id, self._last_chats, but=chat_id
            )
        pinned = [each for each in near if each.pinned]
        found = [
            each.memory
            for each in self._ranked(scope.org_id, question, near)
            if each.nearness >= self._similarity and not each.memory.pinned
        ]
        return [*pinned, *found][: self._limit]

    def search(
        self, scope: Scope, query: str, limit: int, *, everywhere: bool, current: bool = True
    ) -> list[RecalledMemory]:
        """A user's memories by how well they fit a query; of the scope's project only unless `everywhere`."""
        with self._database.read() as connection:
            project = None if everywhere else scope.project
            found = memory_rows.of_user(
                connection, scope.org_id, scope.user_id, project=project, current=current
            )
        return self._ranked(scope.org_id, query, found)[:limit]

    def _ranked(self, org_id: str, question: str, found: Sequence[Memory]) -> list[RecalledMemory]:
        if not found:
            return []
        known = self._features(org_id, found)
        apart = [ChatMessage(each.memory_id) for each in found]
        ranked = self._recall.rank(question, apart, known, len(found))
        scored = [
            RecalledMemory(
                found[each.index], each.nearness, each.nearness * (0.5 + found[each.index].importance / 200)
            )
            for each in ranked
        ]
        return sorted(scored, key=lambda each: (-each.score, each.memory.memory_id))

    def _features(self, org_id: str, found: Sequence[Memory]) -> list[MessageFeatures]:
        """The features of each memory; those that are missing, as after an edit, are made and kept."""
        model = self._builder.model_id
        ids = [each.memory_id for each in found]
        with self._database.read() as connection:
            packed = feature_rows.of_memories(connection, org_id, model, ids)
        missing = [each for each in found if each.memory_id not in packed]
        if missing:
            made = self._builder.build([each.summary for each in missing])
            fresh = {each.memory_id: one.pack() for each, one in zip(missing, made, strict=True)}
            with self._database.write() as connection:
                for memory_id, content in fresh.items():
                    feature_rows.keep_for_memory(connection, org_id, model, memory_id, content)
            packed |= fresh
        return [MessageFeatures.unpack(packed[each.memory_id]) for each in found]
