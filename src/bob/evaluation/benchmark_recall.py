"""Measures how well past messages are found, on public sets of questions about conversations (SPEC N2)."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean, median
from typing import Any

from bob.conversations.recall_memories import Recall, spoken
from bob.core.errors import StoreError, UsageError
from bob.core.private_files import make_private_folder
from bob.evaluation.conversation_sets import Conversation, read_locomo, read_longmemeval
from bob.search.message_features import FeatureBuilder, MessageFeatures
from bob.search.message_ranking import CANDIDATES, ChatMessage

_AT_ONCE = 64
_FRAME = 4
"""Bytes before each message's features in the cache: how long they are."""
_TURN_DEPTHS = (5, 10, 20)
_CHAT_DEPTHS = (1, 5, 10)

Report = Callable[[int, int], None]
"""Told how many messages have their features, of how many."""


@dataclass(frozen=True, slots=True)
class RecallResult:
    """Means over questions by measure, for all and by category, and what they were measured on."""

    measures: dict[str, float]
    by_category: dict[str, dict[str, float]]
    questions: int
    messages: int
    median_query_seconds: float
    model: str

    def to_json(self) -> dict[str, Any]:
        """The result as `bob eval benchmark locomo --json` prints it."""
        return {
            **self.measures,
            "by_category": self.by_category,
            "n": self.questions,
            "messages": self.messages,
            "median_query_ms": 1000 * self.median_query_seconds,
            "model": self.model,
        }


class BenchmarkRecall:
    """Asks the questions of public sets of the ranking of past messages, `recall`."""

    def __init__(self, builder: FeatureBuilder, recall: Recall, cache: Path) -> None:
        """`cache` is a folder where features are kept for the next run."""
        self._builder = builder
        self.recall = recall
        self._cache = cache

    def locomo(self, path: Path, report: Report, only: Sequence[str] = ()) -> RecallResult:
        """recall@5, @10 and @20 of LoCoMo's turns: the share of a question's evidence among the first.

        `only` names the conversations that are measured; none: all. Raises UsageError.
        """
        conversations = chosen(read_locomo(path), only)
        scored: list[tuple[str, dict[str, float]]] = []
        seconds: list[float] = []
        total = sum(len(conversation.turns) for conversation in conversations)
        done = 0
        for conversation in conversations:
            features = self.features(conversation, partial(_add, report, done, total))
            done += len(conversation.turns)
            messages = chat_messages(conversation)
            for question in conversation.questions:
                began = time.perf_counter()
                ranked = self.recall.rank(question.text, messages, features, max(_TURN_DEPTHS))
                seconds.append(time.perf_counter() - began)
                ids = [conversation.turns[ranked_turn.index].id for ranked_turn in ranked]
                scored.append(
                    (
                        question.category,
                        {f"recall@{k}": _share(ids[:k], question.evidence) for k in _TURN_DEPTHS},
                    )
                )
        return self._result(scored, total, seconds)

    def longmemeval(self, path: Path, report: Report) -> RecallResult:
        """Which chats LongMemEval's questions find, all of them in one pool, each ranked by its best message:
        `any@k` is the share of questions with an evidence chat among the first k, `all@10` with all of them.

        Raises UsageError.
        """
        pool = read_longmemeval(path)
        total = len(pool.turns)
        features = self.features(pool, lambda count: report(count, total))
        messages = chat_messages(pool)
        scored: list[tuple[str, dict[str, float]]] = []
        seconds: list[float] = []
        for question in pool.questions:
            began = time.perf_counter()
            ranked = self.recall.rank(question.text, messages, features, CANDIDATES)
            seconds.append(time.perf_counter() - began)
            chats = list(dict.fromkeys(pool.turns[ranked_turn.index].chat for ranked_turn in ranked))
            measures = {f"any@{k}": float(bool(question.evidence & set(chats[:k]))) for k in _CHAT_DEPTHS}
            measures["all@10"] = float(question.evidence <= set(chats[:10]))
            scored.append((question.category, measures))
        return self._result(scored, total, seconds)

    def features(self, conversation: Conversation, report: Callable[[int], None]) -> list[MessageFeatures]:
        """The features of all turns, made anew only where the cache has none for these texts and model."""
        texts = [spoken(turn.author, turn.text) for turn in conversation.turns]
        key = hashlib.sha256("\0".join((self._builder.model_id, *texts)).encode()).hexdigest()[:16]
        path = self._cache / f"messages-{key}.features"
        if path.is_file():
            try:
                vectors = _unframed(path.read_bytes())
            except StoreError:
                vectors = []
            if len(vectors) == len(texts):
                report(len(texts))
                return vectors
        vectors = []
        for start in range(0, len(texts), _AT_ONCE):
            vectors += self._builder.build(texts[start : start + _AT_ONCE])
            report(len(vectors))
        make_private_folder(self._cache)
        path.write_bytes(_framed(vectors))
        return vectors

    def _result(
        self, scored: Sequence[tuple[str, dict[str, float]]], messages: int, seconds: Sequence[float]
    ) -> RecallResult:
        if not scored:
            raise UsageError("there are no questions to measure")
        by_category: dict[str, dict[str, float]] = {}
        for name in sorted({category for category, _ in scored}):
            own = [measures for category, measures in scored if category == name]
            by_category[name] = {**_means(own), "n": len(own)}
        return RecallResult(
            _means([measures for _, measures in scored]),
            by_category,
            len(scored),
            messages,
            median(seconds),
            self._builder.model_id,
        )


def _add(report: Report, before: int, total: int, count: int) -> None:
    report(before + count, total)


def chosen(conversations: Sequence[Conversation], only: Sequence[str]) -> list[Conversation]:
    """Those of the names. Raises UsageError: there is no such conversation."""
    by_name = {conversation.name: conversation for conversation in conversations}
    for name in only:
        if name not in by_name:
            raise UsageError(f"no conversation {name!r}; use one of {', '.join(by_name)}")
    return [conversation for conversation in conversations if not only or conversation.name in only]


def chat_messages(conversation: Conversation) -> list[ChatMessage]:
    """The turns as the ranking takes them."""
    return [ChatMessage(turn.chat, turn.author) for turn in conversation.turns]


def _share(ids: Sequence[str], evidence: frozenset[str]) -> float:
    return len(evidence & set(ids)) / len(evidence)


def _means(measures: Sequence[dict[str, float]]) -> dict[str, float]:
    return {name: fmean(measure[name] for measure in measures) for name in measures[0]}


def _framed(features: Sequence[MessageFeatures]) -> bytes:
    packed = [feature.pack() for feature in features]
    return b"".join(len(content).to_bytes(_FRAME, "little") + content for content in packed)


def _unframed(framed: bytes) -> list[MessageFeatures]:
    frames = []
    view = memoryview(framed)
    while view:
        end = _FRAME + int.from_bytes(view[:_FRAME], "little")
        frames.append(MessageFeatures.unpack(bytes(view[_FRAME:end])))
        view = view[end:]
    return frames
