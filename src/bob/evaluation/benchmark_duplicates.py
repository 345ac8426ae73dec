"""Measures how a tracker's duplicates are found, and how much is found for what does not belong (SPEC K5).

Every document of a BEIR set becomes a work item, and the queries go where those of `/ai/rag-search` go: to
the organization's memory, with its floor. An item never answers its own title.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bob.core.protocols import OrganizationMemory
from bob.evaluation import beir
from bob.evaluation.beir import BeirDocument
from bob.evaluation.metrics import reciprocal_rank
from bob.work.item_text import build_document
from bob.work.items import STATUSES, WorkItem, collection_name, resource_id
from bob.work.resource_rows import Resource
from bob.work.semantic_memory import Hippocampus

_DEPTH = 10
_AT_ONCE = 32
_WHENEVER = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, slots=True)
class DuplicatesResult:
    """Means over the judged queries. `kept` is the share of queries with a duplicate among the first five
    that still have one when the floor is applied; `off_topic_nothing` the share of queries of another
    subject that find nothing, with their number."""

    hit_at_1: float
    hit_at_5: float
    mrr_at_10: float
    queries: int
    kept: float
    documents: int
    median_query_seconds: float
    off_topic_nothing: float | None = None
    off_topic_queries: int = 0

    def to_json(self) -> dict[str, Any]:
        """The result as `bob eval benchmark duplicates --json` prints it."""
        shares: dict[str, Any] = {
            "hit@1": self.hit_at_1,
            "hit@5": self.hit_at_5,
            "mrr@10": self.mrr_at_10,
            "queries": self.queries,
            "kept": self.kept,
            "documents": self.documents,
            "median_query_seconds": self.median_query_seconds,
        }
        if self.off_topic_nothing is not None:
            shares |= {
                "off_topic_nothing": self.off_topic_nothing,
                "off_topic_queries": self.off_topic_queries,
            }
        return shares


class BenchmarkDuplicates:
    """One set of items in a database of its own."""

    def __init__(
        self,
        folder: Path,
        org_id: str,
        hippocampus: Hippocampus,
        memory: OrganizationMemory,
        without_floor: OrganizationMemory,
    ) -> None:
        self._folder = folder
        self._org_id = org_id
        self.hippocampus = hippocampus
        self._memory = memory
        self._without_floor = without_floor

    def measure_duplicates(
        self, split: str, off_topic: Path | None = None, progress: Callable[[int, int], None] | None = None
    ) -> DuplicatesResult:
        """Keep what is not kept yet, ask every judged query and every query of `off_topic`, and score.

        `progress` gets the items embedded so far and their number. Raises UsageError: a folder is no set.
        """
        judged, texts = beir.judged(self._folder, split)
        strangers = list(beir.queries(off_topic).values()) if off_topic is not None else []
        names = self.keep_corpus(progress)
        rankings: list[tuple[list[str], Mapping[str, int]]] = []
        seconds, findable, kept_count = [], 0, 0
        for query, relevance in judged.items():
            began = time.perf_counter()
            ranking = self._ranking(self._memory, query, texts[query], names)
            seconds.append(time.perf_counter() - began)
            rankings.append((ranking, relevance))
            if _hit(self._ranking(self._without_floor, query, texts[query], names), relevance, 5):
                findable += 1
                kept_count += _hit(ranking, relevance, 5)
        silent = sum(not self._memory.query(self._org_id, text, 1) for text in strangers)
        count = len(rankings)
        return DuplicatesResult(
            sum(_hit(*ranking, 1) for ranking in rankings) / count,
            sum(_hit(*ranking, 5) for ranking in rankings) / count,
            sum(reciprocal_rank(*ranking, _DEPTH) for ranking in rankings) / count,
            count,
            kept_count / findable if findable else 1.0,
            len(names),
            sorted(seconds)[count // 2],
            silent / len(strangers) if strangers else None,
            len(strangers),
        )

    def _ranking(
        self, memory: OrganizationMemory, query: str, text: str, names: Mapping[str, str]
    ) -> list[str]:
        ranking = memory.query(self._org_id, text, _DEPTH + 1)
        return [names[number] for number, _ in ranking if names[number] != query][:_DEPTH]

    def keep_corpus(self, progress: Callable[[int, int], None] | None) -> dict[str, str]:
        """The set's ids by those of their resources."""
        name = collection_name(self._org_id)
        collection_id = self.hippocampus.collection(name)[0].collection_id
        self.hippocampus.renew()
        ids = self.hippocampus.ids(collection_id)
        names: dict[str, str] = {}
        missing: list[Resource] = []
        for number, document in enumerate(beir.corpus(self._folder), 1):
            item = resource_id(number)
            names[item] = document.id
            if item not in ids:
                missing.append(
                    Resource(collection_id, item, document.title, _document(number, document), name)
                )
        for start in range(0, len(missing), _AT_ONCE):
            self.hippocampus.put(missing[start : start + _AT_ONCE])
            if progress is not None:
                progress(min(start + _AT_ONCE, len(missing)), len(missing))
        return names


def _document(number: int, document: BeirDocument) -> str:
    """The document of a new work item with this title and description."""
    item = WorkItem(
        number, document.title, document.text, None, STATUSES[0], None, None, "", _WHENEVER, _WHENEVER, {}
    )
    return build_document(item, {})


def _hit(ranking: list[str], relevance: Mapping[str, int], k: int) -> bool:
    return any(relevance.get(name, 0) > 0 for name in ranking[:k])
