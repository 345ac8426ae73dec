"""An inverted index as flat arrays, and BM25 over it; knows nothing of files, texts or databases.

BM25 after Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), in
Lucene's form: the idf is log(1 + (N - df + 0.5) / (df + 0.5)), never negative. A chunk's headings count as
extra occurrences of their words (`heading_weight`), as in that paper's BM25F with one length for both
fields. What does not depend on the query, the saturated term frequency, is computed when the index is
built and kept as its impact; a query then only adds up slices.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import onnxruntime

_GROUPED = 64

_Integer = TypeVar("_Integer", np.int64, np.uint64)


def distinct(values: npt.NDArray[_Integer]) -> npt.NDArray[_Integer]:
    """The values, each once, in order. `numpy.unique` imports masked arrays for it, which takes a tenth of
    the time in which a search starts."""
    ordered = np.sort(values)
    distinct: npt.NDArray[_Integer] = ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]]
    return distinct


def kth_largest(values: npt.NDArray[np.float32], k: int) -> np.float32:
    """The k-th largest value, counted from 1; `values`, shape (n,) with n >= k, holds no NaN.

    The k-th largest of the groups' maxima cannot be larger, so whatever lies below it need not be sorted.
    """
    groups = len(values) // _GROUPED
    if groups > 4 * k:
        maxima = values[: groups * _GROUPED].reshape(_GROUPED, groups).max(axis=0)
        values = values[values >= np.partition(maxima, groups - k)[groups - k]]
    smallest: np.float32 = np.partition(values, len(values) - k)[len(values) - k]
    return smallest


Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]

_COUNT_BITS = np.uint64(12)
_COUNTS_MASK = np.uint64(0xFFF)
_TEXT_BITS = np.uint16(8)
_TEXT_MASK = np.uint16(0xFF)

_BLOCK_ROWS = 16_384


@dataclass(frozen=True, slots=True)
class Bm25:
    """BM25's two constants and the weight of a word in a heading (SPEC D3); `pivot_length` is the length, in
    words, of a row that is neither favoured nor punished for it.

    It stands where BM25 has the average length. The average would let every row of an index have a say in
    what is found in one project; chunks are cut to a length, so that a constant is as good.
    """

    k1: float
    b: float
    heading_weight: float
    pivot_length: float = 120.0


@dataclass(frozen=True, slots=True)
class Inverted:
    """Postings of `row_count` rows: term i owns rows[offsets[i]:offsets[i + 1]] and as many impacts."""

    row_count: int
    terms: npt.NDArray[np.uint64]
    offsets: Ids
    rows: npt.NDArray[np.int32]
    impacts: npt.NDArray[np.float16]

    def span(self, term: int) -> tuple[int, int]:
        """Where the term's postings begin and end; an empty range when no row has it."""
        position = int(np.searchsorted(self.terms, np.uint64(term)))
        if position == len(self.terms) or int(self.terms[position]) != term:
            return 0, 0
        return int(self.offsets[position]), int(self.offsets[position + 1])

    def has_terms(self, terms: npt.NDArray[np.uint64]) -> Mask:
        """Which of the terms a row has; shape (terms,)."""
        if not len(self.terms):
            return np.zeros(len(terms), dtype=np.bool_)
        places = np.minimum(np.searchsorted(self.terms, terms), len(self.terms) - 1)
        known: Mask = self.terms[places] == terms
        return known


@dataclass(frozen=True, slots=True)
class Block:
    """Postings of some rows, by term and then by row: terms[i] has the next sizes[i] of rows and counts;
    `lengths` are those of the rows, in occurrences of words."""

    terms: npt.NDArray[np.uint64]
    sizes: Ids
    rows: npt.NDArray[np.int32]
    counts: npt.NDArray[np.uint16]
    lengths: Floats


def invert(packed: Iterable[bytes], bm25: Bm25) -> Inverted:
    """The inverted index of rows given by their packed postings (see `bob.text.words`).

    Works through blocks of rows, so that what it holds beside its result is the same again and not eight
    times that.
    """
    blocks: list[Block] = []
    row_count = 0
    rest = iter(packed)
    while some := list(islice(rest, _BLOCK_ROWS)):
        blocks.append(sorted_block(some, row_count))
        row_count += len(some)
    lengths = np.concatenate([np.empty(0, np.float32), *(block.lengths for block in blocks)])
    norms = (bm25.k1 * (1 - bm25.b + bm25.b * lengths / bm25.pivot_length)).astype(np.float32)
    terms = distinct(np.concatenate([np.empty(0, np.uint64), *(block.terms for block in blocks)]))
    offsets = np.zeros(len(terms) + 1, dtype=np.int64)
    for block in blocks:
        offsets[np.searchsorted(terms, block.terms) + 1] += block.sizes
    np.cumsum(offsets, out=offsets)
    rows = np.empty(offsets[-1], dtype=np.int32)
    impacts = np.empty(offsets[-1], dtype=np.float16)
    filled = offsets[:-1].copy()
    for block in blocks:
        of = np.searchsorted(terms, block.terms)
        slots = np.repeat(filled[of] - (np.cumsum(block.sizes) - block.sizes), block.sizes)
        slots += np.arange(len(slots))
        filled[of] += block.sizes
        rows[slots] = block.rows
        impacts[slots] = saturated(block.counts, norms[block.rows], bm25)
    return Inverted(row_count, terms, offsets, rows, impacts)


def sorted_block(packed: Sequence[bytes], first_row: int) -> Block:
    """The postings of rows by term; the rows are numbered from `first_row`."""
    every = np.frombuffer(b"".join(packed), dtype=np.uint64)
    row_of = np.repeat(np.arange(len(packed), dtype=np.int32), [len(row) // 8 for row in packed])
    counts = (every & _COUNTS_MASK).astype(np.uint16)
    occurrences = (counts & _TEXT_MASK) + (counts >> _TEXT_BITS)
    lengths = np.bincount(row_of, weights=occurrences, minlength=len(packed)).astype(np.float32)
    hashes = every >> _COUNT_BITS
    order = np.argsort(hashes, kind="stable")
    hashes = hashes[order]
    starts = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1])[: len(hashes)])
    sizes = np.diff(np.append(starts, len(hashes)))
    return Block(hashes[starts], sizes, row_of[order] + np.int32(first_row), counts[order], lengths)


def saturated(counts: npt.NDArray[np.uint16], norms: Floats, bm25: Bm25) -> Floats:
    """What each occurrence of a term is worth before its idf: BM25's saturated frequency, at most k1 + 1.
    `norms` are those of the rows: k1 (1 - b + b length / pivot length)."""
    in_heading = (counts >> _TEXT_BITS).astype(np.float32)
    frequency = (counts & _TEXT_MASK).astype(np.float32) + np.float32(bm25.heading_weight) * in_heading
    below = frequency + norms
    # A word in a heading only counts nothing if headings do, and with k1 = 0 that is nothing by nothing.
    impacts: Floats = np.divide(
        frequency * np.float32(bm25.k1 + 1), below, out=np.zeros_like(frequency), where=below > 0
    )
    return impacts


def bm25_scores(
    parts: Sequence[Inverted], groups: Sequence[Sequence[int]], mask: Mask | None = None
) -> tuple[Floats, Floats, Mask]:
    """BM25 of every row of all parts, one after another, and the idf of every group of terms.

    `mask`, shape (rows of all parts,), is the collection, None for all rows: how rare a word is must not
    depend on rows that are not searched. A row outside it has a score without meaning.

    A group holds the terms that one query word stands for; its idf is that of its rarest form that occurs,
    and that of a term without any row when none does.

    Returns:
        scores, shape (rows of all parts,), 0 where nothing matches; idfs, and whether a row has the
        group at all, each of shape (len(groups),).
    """
    rows = sum(part.row_count for part in parts)
    total = rows if mask is None else int(np.count_nonzero(mask))
    scores = np.zeros(rows, dtype=np.float32)
    unknown = np.float32(np.log(1 + (total + 0.5) / 0.5))
    idfs = np.zeros(len(groups), dtype=np.float32)
    seen: set[int] = set()
    known = np.ones(len(groups), dtype=np.bool_)
    for index, group in enumerate(groups):
        for term in group:
            spans = [part.span(term) for part in parts]
            frequency = rows_of_term(parts, spans, mask)
            if not frequency:
                continue
            idf = np.float32(np.log(1 + (total - frequency + 0.5) / (frequency + 0.5)))
            idfs[index] = max(idfs[index], idf)
            if term in seen:
                continue
            seen.add(term)
            base = 0
            for part, (start, end) in zip(parts, spans, strict=True):
                # A third faster than an indexed `+=`, which gathers and scatters.
                np.add.at(
                    scores[base : base + part.row_count],
                    part.rows[start:end],
                    idf * part.impacts[start:end].astype(np.float32),
                )
                base += part.row_count
        if not idfs[index]:
            idfs[index] = unknown
            known[index] = False
    return scores, idfs, known


def rows_of_term(
    parts: Sequence[Inverted], spans: Sequence[tuple[int, int]], mask: Mask | None = None
) -> int:
    """How many rows of the mask (None: all) have a term, given where its postings stand in each part."""
    if mask is None:
        return sum(end - start for start, end in spans)
    found = base = 0
    for part, (start, end) in zip(parts, spans, strict=True):
        found += int(np.count_nonzero(mask[base : base + part.row_count][part.rows[start:end]]))
        base += part.row_count
    return found


def rows_of_terms(parts: Sequence[Inverted], terms: Sequence[int], mask: Mask | None = None) -> int:
    """How many rows of the mask have one of the terms; a row that has several counts for each."""
    return sum(rows_of_term(parts, [part.span(term) for part in parts], mask) for term in terms)


def best(scores: Floats, limit: int) -> Ids:
    """The rows with the `limit` highest scores above 0, best first; equal scores in row order."""
    cut = kth_largest(scores, limit) if limit < len(scores) else 0
    if cut > 0:
        matching = np.flatnonzero(scores >= cut)
        if len(matching) > limit:
            above = matching[scores[matching] > cut]
            equal = matching[scores[matching] == cut]
            matching = np.concatenate([above, equal[: limit - len(above)]])
    else:
        matching = np.flatnonzero(scores > 0)
    return matching[np.lexsort((matching, -scores[matching]))].astype(np.int64)


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
