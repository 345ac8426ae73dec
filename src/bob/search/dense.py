"""Nearest vectors by cosine, always exact; with many rows by way of one byte a dimension.

A row is also kept as bytes, with the length of what the rounding took away. So the product of two byte
vectors bounds the true cosine from both sides, and a row whose upper bound is below the lower bound of
enough others cannot be among the nearest. The few that remain are compared in full. The scan reads 384
bytes a row instead of 1,536, with the integer instructions that ONNX Runtime picks for the processor.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bob.search.arrays import kth_largest
from bob.search.inverted import Floats, Ids, Mask

if TYPE_CHECKING:
    import onnxruntime

Bytes = npt.NDArray[np.uint8]

SCAN_ALL_BELOW = 20_000
"""Up to so many rows every vector is compared: 30 MB, a few milliseconds."""

_ROW_STEPS = 127
_QUERY_STEPS = 63
"""Not 127: processors without dedicated instructions add pairs of products in 16 bits, and
2 * 255 * 63 is the most that fits."""

_ZERO = 128
"""The byte that stands for 0."""

_ROUNDING = 1e-5
"""What 32-bit floats may get wrong in a bound or a cosine; far more than was ever seen."""

_BLOCK = 1_024
"""Rows compared at once: they fit into the cache, and a product of this size is not spread over threads,
whose waiting for one another costs several times the product on a machine that has other work."""


@dataclass(frozen=True, slots=True)
class Codes:
    """Vectors in bytes: `steps`, shape (rows, dimension), is the vector over `scales`, rounded, plus 128;
    `losses` is the length of the difference. The last two have shape (rows,)."""

    steps: Bytes
    scales: Floats
    losses: Floats


@dataclass(frozen=True, slots=True)
class Dense:
    """Unit vectors, shape (rows, dimension), and the same in bytes; without these every row is compared.

    Rows without a vector are zero in `vectors` and False in `present`.
    """

    vectors: Floats
    present: Mask
    codes: Codes | None = None


def encoded(vectors: Floats) -> Codes:
    """The vectors in bytes."""
    scales = np.maximum(np.abs(vectors).max(axis=1, initial=0), np.float32(1e-12)) / np.float32(_ROW_STEPS)
    steps = np.rint(vectors / scales[:, np.newaxis])
    losses = np.linalg.norm(vectors - steps * scales[:, np.newaxis], axis=1)
    return Codes((steps + _ZERO).astype(np.uint8), scales.astype(np.float32), losses.astype(np.float32))


def nearest(dense: Dense, query: Floats, limit: int, allowed: Mask | None = None) -> tuple[Ids, Floats]:
    """The `limit` rows nearest to `query` (shape (dimension,), length 1), best first, with their cosines."""
    usable = dense.present if allowed is None else dense.present & allowed
    count = int(np.count_nonzero(usable))
    if count == 0 or limit <= 0:
        return np.empty(0, np.int64), np.empty(0, np.float32)
    if count <= SCAN_ALL_BELOW or count <= limit or dense.codes is None:
        candidates = np.flatnonzero(usable)
    else:
        candidates = _not_ruled_out(dense.codes, query, usable, limit)
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


def _not_ruled_out(codes: Codes, query: Floats, usable: Mask, limit: int) -> Ids:
    """All usable rows that may be among the `limit` nearest.

    With x = x' + e and q = q' + f (rounded vector and loss), |xq - x'q'| <= |e||q| + |x'||f|, and
    |x'| <= 1 + |e|.
    """
    scale = np.float32(max(float(np.abs(query).max()), 1e-12) / _QUERY_STEPS)
    steps = np.rint(query / scale)
    loss = np.float32(np.linalg.norm(query - steps * scale))
    packed = steps.astype(np.int8)[:, np.newaxis]
    dots = _session().run(None, {"codes": codes.steps, "query": packed})[0][:, 0]
    dots -= np.int32(_ZERO * int(steps.sum()))
    # Every such product fits a 32-bit float exactly; mixed with integers it would become a 64-bit one.
    middle = dots.astype(np.float32) * (codes.scales * scale)
    margin = codes.losses * (1 + loss) + (loss + np.float32(_ROUNDING))
    lower = middle - margin
    if not usable.all():
        lower[~usable] = -np.inf
    possible = np.flatnonzero(middle + margin >= kth_largest(lower, limit))
    return possible[usable[possible]]


@lru_cache(maxsize=1)
def _session() -> onnxruntime.InferenceSession:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = os.cpu_count() or 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    graph = Path(__file__).with_name("int8_dot.onnx")
    return onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
