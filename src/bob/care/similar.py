"""Finds documents that hold nearly the same words, among many, without comparing all with all.

MinHash with banding (Broder 1997; Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets", chapter 3):
two documents of which four fifths of the words are common share one of eight bands of four with a probability
of 98 %, of nine tenths with 99.99 %. What shares a band is then compared exactly.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Terms = npt.NDArray[np.uint64]
Positions = npt.NDArray[np.int64]

BANDS, ROWS = 8, 4
_AT_ONCE = 1 << 20
"""Terms that are hashed in one go: few enough to stay in the processor's cache."""
_ALL_PAIRS_BELOW = 20
"""In a larger group of likely duplicates each is compared with the next one only."""


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

    found: list[tuple[int, int, float]] = []
    for one, other in sorted(set(_candidates(terms, starts))):
        first, second = distinct_terms(one), distinct_terms(other)
        if min(len(first), len(second)) < fewest_terms:
            continue
        common = len(np.intersect1d(first, second, assume_unique=True))
        jaccard = common / (len(first) + len(second) - common)
        if jaccard >= similarity:
            found.append((one, other, jaccard))
    return found


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
            for each in members[b]:
                group_of[each] = a
            members[a] += members.pop(b)
    return [(sorted(each), lowest[at]) for at, each in sorted(members.items())]


def _candidates(terms: Terms, starts: Positions) -> Iterator[tuple[int, int]]:
    hashes = _min_hashes(terms, starts)
    for band in range(BANDS):
        rows = hashes[band * ROWS : (band + 1) * ROWS]
        keys = rows[0].copy()
        for row in rows[1:]:
            keys = keys * np.uint64(0x9E3779B97F4A7C15) ^ row
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        edges = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
        begins, ends = np.append(0, edges), np.append(edges, len(ordered))
        for at in np.flatnonzero(ends - begins > 1):
            yield from _pairs([int(each) for each in order[begins[at] : ends[at]]])


def _pairs(group: Sequence[int]) -> Iterator[tuple[int, int]]:
    if len(group) > _ALL_PAIRS_BELOW:
        yield from pairwise(group)
        return
    for at, one in enumerate(group):
        yield from ((one, other) for other in group[at + 1 :])


def _min_hashes(terms: Terms, starts: Positions) -> npt.NDArray[np.uint64]:
    """Of each document the smallest hash under each of the functions; shape (BANDS * ROWS, documents)."""
    # Multiply-shift: odd factors, the upper half of the product. The terms are hashes already.
    factors = np.random.default_rng(20240229).integers(
        1 << 62, size=BANDS * ROWS, dtype=np.uint64
    ) | np.uint64(1)
    found = np.empty((BANDS * ROWS, len(starts)), np.uint64)
    first = 0
    while first < len(starts):
        last = max(int(np.searchsorted(starts, starts[first] + _AT_ONCE)), first + 1)
        begin, end = starts[first], starts[last] if last < len(starts) else len(terms)
        part, within = terms[begin:end], starts[first:last] - begin
        for at, factor in enumerate(factors):
            found[at, first:last] = np.minimum.reduceat((part * factor) >> np.uint64(32), within)
        first = last
    return found
