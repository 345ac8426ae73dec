"""Fuses the ranking by words and the ranking by vectors into one (SPEC D1), and a reranker with it (D4).

A convex combination of scores that are brought to the range 0 to 1 first. Bruch, Gai and Ingber, "An
Analysis of Fusion Functions for Hybrid Retrieval" (2023), find it better than reciprocal rank fusion and
that the constants matter little; docs/leaderboard.md has our own measurements.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


def normalized_words(scores: Floats) -> Floats:
    """BM25 scores by their maximum: 0 is no match, which is its true minimum, and 1 the best match."""
    top = float(scores.max()) if len(scores) else 0.0
    normalized: Floats = scores / np.float32(top) if top > 0 else np.zeros_like(scores)
    return normalized


def normalized_cosines(cosines: Floats, floor: float) -> Floats:
    """Cosines between `floor`, which is 0, and their maximum, which is 1. NaN (no vector yet) stays NaN."""
    known = cosines[~np.isnan(cosines)]
    if not len(known):
        return np.full_like(cosines, np.nan)
    top = float(known.max())
    if top <= floor:
        return np.where(np.isnan(cosines), cosines, np.float32(top > floor))
    normalized: Floats = np.clip((cosines - np.float32(floor)) / np.float32(top - floor), 0, 1)
    return normalized


def fused(words: Floats, vectors: Floats, vector_weight: float) -> tuple[Floats, Floats, Floats]:
    """The combined scores and the share that each signal has in them, all of the same shape.

    Where a vector is still to come, the words speak for both: a document is not marked down for having been
    added a moment ago.
    """
    known = ~np.isnan(vectors)
    vector_share = np.where(known, np.float32(vector_weight) * np.nan_to_num(vectors), 0).astype(np.float32)
    word_share = (np.where(known, 1 - vector_weight, 1.0) * words).astype(np.float32)
    total: Floats = word_share + vector_share
    return total, word_share, vector_share


def reranked(scores: Floats, reranker: Floats, weight: float) -> tuple[Floats, Floats]:
    """Fused scores mixed with a reranker's of the same rows, and what that changed in each.

    The reranker's are brought to the range of the fused ones first, so the result stays within it: what was
    not reranked because it had less has no more now. Equal opinions of all rows change nothing.
    """
    if not len(scores) or not np.ptp(reranker):
        return scores, np.zeros_like(scores)
    low, high = scores.min(), scores.max()
    placed = low + (high - low) * (reranker - reranker.min()) / np.ptp(reranker)
    mixed: Floats = np.clip((1 - weight) * scores + weight * placed, low, high).astype(np.float32)
    change: Floats = mixed - scores
    return mixed, change
