"""Retrieval metrics as trec_eval computes them; tests hold them equal to pytrec_eval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

Relevance = Mapping[str, int]
"""Judged documents of one query with their grade; a grade below 1 is not relevant."""


def ndcg(ranking: Sequence[str], relevance: Relevance, k: int) -> float:
    """Normalized discounted cumulative gain of the first k, with the grade as gain (ndcg_cut)."""
    gains = [max(relevance.get(document_id, 0), 0) for document_id in ranking[:k]]
    ideal = sorted((grade for grade in relevance.values() if grade > 0), reverse=True)[:k]
    best = _discounted(ideal)
    return _discounted(gains) / best if best else 0.0


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def recall(ranking: Sequence[str], relevance: Relevance, k: int) -> float:
    """The share of the relevant documents that is among the first k."""
    relevant = {document_id for document_id, grade in relevance.items() if grade > 0}
    return len(relevant & set(ranking[:k])) / len(relevant) if relevant else 0.0


def precision(ranking: Sequence[str], relevance: Relevance, k: int) -> float:
    """The share of relevant documents among the first k; missing ones count as not relevant (P_k)."""
    return sum(relevance.get(document_id, 0) > 0 for document_id in ranking[:k]) / k


def reciprocal_rank(ranking: Sequence[str], relevance: Relevance, k: int) -> float:
    """One over the rank of the first relevant document; 0 when none is among the first k."""
    for rank, document_id in enumerate(ranking[:k], 1):
        if relevance.get(document_id, 0) > 0:
            return 1 / rank
    return 0.0
