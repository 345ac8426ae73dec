"""Fuses the ranking by words and the ranking by vectors into one (SPEC D1), and a reranker with it (D4).

A convex combination of scores that are brought to the range 0 to 1 first. Bruch, Gai and Ingber, "An
Analysis of Fusion Functions for Hybrid Retrieval" (2023), find it better than reciprocal rank fusion and
that the constants matter little; docs/leaderboard.md has our own measurements.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

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


class DuplicateFilter:
    """Remembers what was shown, and tells whether a text says nearly the same."""

    def __init__(self, similarity: float) -> None:
        """`similarity` is the Jaccard index of the two texts' sets of words from which they are one."""
        self._similarity = similarity
        self._shown: list[tuple[int, frozenset[str]]] = []

    def original_of(self, key: int, text: str) -> int | None:
        """The key of the text that this one repeats; None for a new one, which is remembered."""
        words = frozenset(text.lower().split())
        size = len(words)
        for shown, theirs in self._shown:
            other = len(theirs)
            # The index cannot exceed the ratio of the sizes, which costs nothing to look at.
            if size < self._similarity * other or other < self._similarity * size:
                continue
            common = len(words & theirs)
            if common >= self._similarity * (size + other - common):
                return shown
        self._shown.append((key, words))
        return None


def contains_phrase(texts: Iterable[str], phrase: str) -> bool:
    """Whether one of the texts holds the phrase, whatever its case and white space."""
    wanted = " ".join(phrase.casefold().split())
    return any(wanted in " ".join(text.casefold().split()) for text in texts)


def taken(keys: Sequence[int], limit: int) -> Iterator[Sequence[int]]:
    """The keys in pieces that grow: most searches need only the first."""
    start, size = 0, limit + limit // 2 + 1
    while start < len(keys):
        yield keys[start : start + size]
        start, size = start + size, size * 4


ALIKE_FROM = 0.6
"""Cosine from which a verdict on one query says something of another; at 1 it says all. Duplicates in public
trackers have 0.64 in the median, texts of other subjects less than 0.4."""

MOST = 0.5
"""Verdicts move a score at most this share of its way to 1, or to 0: what did not help falls behind all that
fit about as well, and what helped does not rise above what fits far better."""


def with_feedback(score: float, verdicts: Iterable[tuple[float, bool]]) -> float:
    """The score after verdicts, each the cosine of its query with this one, and whether the item helped.

    >>> with_feedback(0.5, [])
    0.5
    >>> with_feedback(0.5, [(1.0, True)]) > 0.65 > 0.5 > with_feedback(0.5, [(0.9, False)])
    True
    """
    votes = sum(
        min(max((cosine - ALIKE_FROM) / (1 - ALIKE_FROM), 0.0), 1.0) * (1 if helpful else -1)
        for cosine, helpful in verdicts
    )
    moved = MOST * math.tanh(votes)
    return score + moved * (1 - score if moved > 0 else score)


def with_age(score: float, days: float, half_life_days: float | None) -> float:
    """The score of an item that was changed `days` ago.

    >>> with_age(0.8, 30.0, 30.0)
    0.4
    """
    if half_life_days is None:
        return score
    return float(score * 0.5 ** (max(days, 0.0) / half_life_days))
