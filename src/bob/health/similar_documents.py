"""Finds documents that hold nearly the same words, among many, without comparing all with all.

MinHash with banding (Broder 1997; Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets", chapter 3):
two documents of which four fifths of the words are common share one of ten bands of five with a
probability of 98 %, of nine tenths with 99.99 %. What shares a band, and then half of all hashes, is compared
exactly.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

Terms = npt.NDArray[np.uint64]
Hashes = npt.NDArray[np.uint64]
Positions = npt.NDArray[np.int64]

BANDS, ROWS = 10, 5
_AT_ONCE = 1 << 20
"""Terms that are hashed in one go: few enough to stay in the processor's cache."""
_NEIGHBOURS = 20
"""In a larger group of likely duplicates each is compared with so many others only."""
_PAIRS_AT_ONCE = 200_000
_SLACK = 0.25
"""The share of equal hashes is an estimate of the similarity, which with fifty of them errs by 0.06 (standard
deviation, at 0.8): so nothing that is similar is lost, and nearly all that is not."""
_MIXING = np.uint64(0x9E3779B97F4A7C15)


def similar_pairs(
    terms: Terms, starts: Positions, similarity: float, fewest_terms: int
) -> list[tuple[int, int, float]]:
    """Pairs of documents with the Jaccard index of their sets of terms, where that is at least `similarity`.

    `terms`, shape (n,), holds the terms of one document after another, each as often as it likes, and
    `starts`, shape (documents,), where each begins; every document has at least one. Documents with fewer
    different terms than `fewest_terms` are in no pair.
    """
    if len(starts) < 2:
        return []
    ends = np.append(starts[1:], len(terms))
    sets: dict[int, Terms] = {}

    def distinct_terms(document: int) -> Terms:
        if document not in sets:
            sets[document] = np.unique(terms[starts[document] : ends[document]])
        return sets[document]

    pairs: list[tuple[int, int, float]] = []
    for one, other in _likely(_min_hashes(terms, starts), similarity):
        first, second = distinct_terms(one), distinct_terms(other)
        if min(len(first), len(second)) < fewest_terms:
            continue
        common = len(np.intersect1d(first, second, assume_unique=True))
        jaccard = common / (len(first) + len(second) - common)
        if jaccard >= similarity:
            pairs.append((one, other, jaccard))
    return pairs


def groups_of(pairs: Iterable[tuple[int, int, float]]) -> list[tuple[list[int], float]]:
    """The pairs' documents gathered so that each is in one group, with the lowest similarity in the group."""
    group_of: dict[int, int] = {}
    members: dict[int, list[int]] = {}
    lowest: dict[int, float] = defaultdict(lambda: 1.0)
    for one, other, similarity in pairs:
        a, b = group_of.setdefault(one, one), group_of.setdefault(other, other)
        members.setdefault(a, [one])
        members.setdefault(b, [other])
        lowest[a] = min(lowest[a], lowest[b], similarity)
        if a != b:
            for member in members[b]:
                group_of[member] = a
            members[a] += members.pop(b)
    return [(sorted(group), lowest[group_id]) for group_id, group in sorted(members.items())]


def _likely(hashes: Hashes, similarity: float) -> list[tuple[int, int]]:
    """The pairs that share a band, and so many hashes that they may well be similar enough."""
    pairs = _sharing_a_band(hashes)
    pairs_of_block: list[tuple[int, int]] = []
    for index in range(0, len(pairs), _PAIRS_AT_ONCE):
        some = pairs[index : index + _PAIRS_AT_ONCE]
        agreeing = (hashes[:, some[:, 0]] == hashes[:, some[:, 1]]).mean(axis=0)
        pairs_of_block += [(int(one), int(other)) for one, other in some[agreeing >= similarity - _SLACK]]
    return pairs_of_block


def _sharing_a_band(hashes: Hashes) -> Positions:
    """Pairs of documents, shape (pairs, 2), each once and in order; of a band's many documents each with the
    next ones only."""
    documents = hashes.shape[1]
    candidates = [np.empty(0, np.int64)]
    for band in range(BANDS):
        rows = hashes[band * ROWS : (band + 1) * ROWS]
        keys = rows[0].copy()
        for row in rows[1:]:
            keys = keys * _MIXING ^ row
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        for apart in range(1, min(_NEIGHBOURS, documents)):
            same = np.flatnonzero(keys[apart:] == keys[:-apart])
            if not len(same):
                break
            one, other = order[same], order[same + apart]
            candidates.append(np.minimum(one, other) * documents + np.maximum(one, other))
    every = np.unique(np.concatenate(candidates))
    return np.stack(np.divmod(every, documents), axis=1)


def _min_hashes(terms: Terms, starts: Positions) -> Hashes:
    """Of each document the smallest hash under each of the functions; shape (BANDS * ROWS, documents)."""
    # Multiply-shift: odd factors, the upper half of the product. The terms are hashes already.
    factors = np.random.default_rng(20240229).integers(
        1 << 62, size=BANDS * ROWS, dtype=np.uint64
    ) | np.uint64(1)
    hashes = np.empty((BANDS * ROWS, len(starts)), np.uint64)
    first = 0
    while first < len(starts):
        last = max(int(np.searchsorted(starts, starts[first] + _AT_ONCE)), first + 1)
        begin, end = starts[first], starts[last] if last < len(starts) else len(terms)
        part, within = terms[begin:end], starts[first:last] - begin
        for index, factor in enumerate(factors):
            hashes[index, first:last] = np.minimum.reduceat((part * factor) >> np.uint64(32), within)
        first = last
    return hashes
