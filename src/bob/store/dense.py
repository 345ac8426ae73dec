"""Nearest vectors by cosine: exact, by way of one bit a dimension when there are many.

Each dimension's sign, against the mean of all vectors, is one bit. The rows whose bits differ least from
the query's are the candidates, and only they are scored with the full vectors. On a million rows this
reads 48 bytes a row instead of 1,536.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bob.store.inverted import Floats, Ids, Mask

Bits = npt.NDArray[np.uint64]

SCAN_ALL_BELOW = 20_000
"""Up to so many rows every vector is compared: 30 MB, a few milliseconds."""

LEAST_CANDIDATES = 2_000
CANDIDATE_SHARE = 50
"""Of n rows max(2,000, n / 50) candidates are scored in full; docs/leaderboard.md has what that misses."""

_BLOCK = 1_024
"""Rows compared at once: they fit into the cache, and a product of this size is not spread over threads,
whose waiting for one another costs several times the product on a machine that has other work."""

_FAR = np.iinfo(np.uint16).max


@dataclass(frozen=True, slots=True)
class Dense:
    """Unit vectors, shape (rows, dimension); their sign bits, shape (words, rows); the mean they are against.

    Rows without a vector are zero in `vectors` and False in `present`. Without `bits` every row is compared.
    """

    vectors: Floats
    present: Mask
    bits: Bits
    mean: Floats


def sign_bits(vectors: Floats, mean: Floats) -> Bits:
    """One bit a dimension, shape (ceil(dimension / 64), rows): laid out so that a scan reads straight on."""
    rows, dimension = vectors.shape
    words = math.ceil(dimension / 64)
    padded = np.zeros((rows, words * 64), dtype=np.bool_)
    padded[:, :dimension] = vectors > mean
    packed = np.packbits(padded, axis=1).view(np.uint64).reshape(rows, words)
    return np.ascontiguousarray(packed.T)


def nearest(dense: Dense, query: Floats, limit: int, allowed: Mask | None = None) -> tuple[Ids, Floats]:
    """The `limit` rows nearest to `query` (shape (dimension,), length 1), best first, with their cosines."""
    usable = dense.present if allowed is None else dense.present & allowed
    count = int(np.count_nonzero(usable))
    if count == 0 or limit <= 0:
        return np.empty(0, np.int64), np.empty(0, np.float32)
    if count <= SCAN_ALL_BELOW or count <= limit or not dense.bits.size:
        candidates = np.flatnonzero(usable)
    else:
        candidates = _fewest_differing_bits(dense, query, usable, count, limit)
    cosines = cosines_of(dense, candidates, query)
    order = np.lexsort((candidates, -cosines))[:limit]
    return candidates[order].astype(np.int64), cosines[order]


def cosines_of(dense: Dense, rows: Ids, query: Floats) -> Floats:
    """The cosine of each given row with the query; rows must have a vector."""
    cosines = np.empty(len(rows), dtype=np.float32)
    for start in range(0, len(rows), _BLOCK):
        block = slice(start, start + _BLOCK)
        cosines[block] = dense.vectors[rows[block]] @ query
    return cosines


def _fewest_differing_bits(dense: Dense, query: Floats, usable: Mask, count: int, limit: int) -> Ids:
    wanted = max(LEAST_CANDIDATES, count // CANDIDATE_SHARE, 4 * limit)
    query_bits = sign_bits(query[np.newaxis, :], dense.mean)[:, 0]
    differing = np.zeros(len(usable), dtype=np.uint16)
    for word, query_word in zip(dense.bits, query_bits, strict=True):
        differing += np.bitwise_count(word ^ query_word)
    if count < len(usable):
        differing[~usable] = _FAR
    last = min(wanted, count) - 1
    cut = np.partition(differing, last)[last]
    return np.flatnonzero(differing <= cut)
