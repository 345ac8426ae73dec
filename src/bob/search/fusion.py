"""From several signals of the same rows to one score of each: words and meaning, age, and what people said of
it. Knows nothing of where the signals come from."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from bob.search.ranking import Floats, Ids


def normalized_words(scores: Floats) -> Floats:
    """BM25 scores by their maximum: 0 is no match, which is its true minimum, and 1 the best match."""
    top = float(scores.max()) if len(scores) else 0.0
    normalized: Floats = scores / np.float32(top) if top > 0 else np.zeros_like(scores)
    return normalized


def normalized_cosines(cosines: Floats, floor: float) -> Floats:
    """Cosines between `floor`, which is 0, and their maximum, which is 1. NaN (no vector yet) stays NaN."""
    values_known = cosines[~np.isnan(cosines)]
    if not len(values_known):
        return np.full_like(cosines, np.nan)
    top = float(values_known.max())
    if top <= floor:
        return np.where(np.isnan(cosines), cosines, np.float32(top > floor))
    normalized: Floats = np.clip((cosines - np.float32(floor)) / np.float32(top - floor), 0, 1)
    return normalized


def fused(
    words: Floats, vectors: Floats, vector_weight: float, best: float = 1.0
) -> tuple[Floats, Floats, Floats]:
    """The combined scores and the share that each signal has in them, all of the same shape.

    Where a vector is still to come, the words speak for both: a document is not marked down for having been
    added a moment ago. All of the words are then worth `best`, which is 1 where vectors are normalized.
    """
    has_cosine = ~np.isnan(vectors)
    vector_share = np.where(has_cosine, np.float32(vector_weight) * np.nan_to_num(vectors), 0).astype(
        np.float32
    )
    worth = 1 - vector_weight + np.where(has_cosine, 0.0, vector_weight * best)
    word_share = (worth * words).astype(np.float32)
    total: Floats = word_share + vector_share
    return total, word_share, vector_share


@dataclass(frozen=True, slots=True)
class Combined:
    """Combined scores, the share that each signal has in them, and what names and versions changed that are
    written as they were asked for; all of one shape."""

    scores: Floats
    words: Floats
    vectors: Floats
    lifts: Floats


def combine(bm25: Floats, cosines: Floats, floor: float, vector_weight: float, worth: Floats) -> Combined:
    """The signals of the same rows in one order: both normalized, fused, and lifted by what is exact."""
    total, words, vectors = fused(normalized_words(bm25), normalized_cosines(cosines, floor), vector_weight)
    scores, lifts = lifted(total, worth)
    return Combined(scores, words, vectors, lifts)


NEAR_THE_BEST = 0.2
"""How much it counts, of a passage that is to answer, how near it is to the best by words or by meaning."""


def combine_for_question(
    bm25: Floats, cosines: Floats, coverage: Floats, floor: float, vector_weight: float, worth: Floats
) -> Combined:
    """The signals of the same rows where passages are wanted that answer a question.

    The cosine, and `coverage`, the share of the question's words that a row has, are added up as they are: a
    signal that is weak in all rows counts little. A mean passes over what one signal alone is sure of, so for
    a part it counts how near a row is to the best BM25 or the best cosine, whichever is more. Then all is
    scaled so that the best row has 1. Where a vector is still to come, the words speak for both: all of the
    question's words are worth the best cosine that is known.
    """
    words, vectors = normalized_words(bm25), np.nan_to_num(normalized_cosines(cosines, floor))
    best = 1.0 if np.isnan(cosines).all() else max(float(np.nanmax(cosines)), floor)
    _, covered, meant = fused(coverage, np.maximum(cosines, np.float32(floor)), vector_weight, best)
    of_words = np.where(vectors > words, 0, words).astype(np.float32)
    of_vectors = np.where(vectors > words, vectors, 0).astype(np.float32)
    part, rest = np.float32(NEAR_THE_BEST), np.float32(1 - NEAR_THE_BEST)
    word_share: Floats = rest * covered + part * of_words
    vector_share: Floats = rest * meant + part * of_vectors
    scores, lifts = lifted(word_share + vector_share, worth)
    top = np.float32(max(float(scores.max(initial=0.0)), 1e-9))
    return Combined(scores / top, word_share / top, vector_share / top, lifts / top)


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


def lifted(scores: Floats, worth: Floats) -> tuple[Floats, Floats]:
    """The scores with those rows above all others that are worth anything (above 0, at most 1), the worthiest
    first, and what that changed in each. The others keep theirs, and none exceeds 1: beside one that has 1
    by itself, what is worth more comes first (`order_of`)."""
    has = worth > 0
    top = np.float32(scores.max(initial=0.0))
    placed = np.maximum(top + (1 - top) * (worth + scores) / 2, top)
    changed: Floats = np.where(has, placed, scores).astype(np.float32)
    change: Floats = changed - scores
    return changed, change


def order_of(scores: Floats, worth: Floats) -> Ids:
    """The positions of rows, best first; of those with one score first what is worth more (`lifted`)."""
    return np.lexsort((-worth, -scores))


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
    """The score of what was written or changed `days` ago: half of it after each half-life.

    >>> with_age(0.8, 30.0, 30.0)
    0.4
    """
    if half_life_days is None:
        return score
    return float(score * 0.5 ** (max(days, 0.0) / half_life_days))


TITLE_COSINE, COSINE, WORDS, COVERAGE, BIAS = 4.3, 8.5, 8.5, 4.3, -7.0
"""The first four weigh as one to two to two to one: a plateau, on which single queries change places."""


def relevance(title_cosines: Floats, cosines: Floats, words: Floats, coverage: Floats) -> Floats:
    """The probability that each text fits, all of one shape; `words` and `coverage` from 0 to 1.

    A cosine that is NaN, where a vector is still to come, is left to the words: they speak for both.
    """
    has_cosine = ~np.isnan(cosines)
    meant = np.where(has_cosine, np.nan_to_num(cosines), words)
    titled = np.where(has_cosine, np.nan_to_num(title_cosines), words)
    evidence = TITLE_COSINE * titled + COSINE * meant + WORDS * words + COVERAGE * coverage + BIAS
    probability: Floats = (1 / (1 + np.exp(-evidence))).astype(np.float32)
    return probability
