"""An inverted index as flat arrays, and BM25 over it; knows nothing of files, texts or databases.

BM25 after Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), in
Lucene's form: the idf is log(1 + (N - df + 0.5) / (df + 0.5)), never negative. A chunk's headings count as
extra occurrences of their words (`heading_weight`), as in that paper's BM25F with one length for both
fields. What does not depend on the query, the saturated term frequency, is computed when the index is
built and kept as its impact; a query then only adds up slices.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from bob.search.arrays import distinct, kth_largest

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
    """BM25's two constants and the weight of a word in a heading (SPEC D3)."""

    k1: float
    b: float
    heading_weight: float


@dataclass(frozen=True, slots=True)
class Inverted:
    """Postings of `row_count` rows: term i owns rows[offsets[i]:offsets[i + 1]] and as many impacts."""

    row_count: int
    average_length: float
    terms: npt.NDArray[np.uint64]
    offsets: Ids
    rows: npt.NDArray[np.int32]
    impacts: npt.NDArray[np.float16]

    def span(self, term: int) -> tuple[int, int]:
        """Where the term's postings begin and end; an empty range when no row has it."""
        at = int(np.searchsorted(self.terms, np.uint64(term)))
        if at == len(self.terms) or int(self.terms[at]) != term:
            return 0, 0
        return int(self.offsets[at]), int(self.offsets[at + 1])


@dataclass(frozen=True, slots=True)
class Block:
    """Postings of some rows, by term and then by row: terms[i] has the next sizes[i] of rows and counts;
    `lengths` are those of the rows, in occurrences of words."""

    terms: npt.NDArray[np.uint64]
    sizes: Ids
    rows: npt.NDArray[np.int32]
    counts: npt.NDArray[np.uint16]
    lengths: Floats


def invert(packed: Iterable[bytes], bm25: Bm25, average_length: float | None = None) -> Inverted:
    """The inverted index of rows given by their packed postings (see `bob.text.terms`).

    Works through blocks of rows, so that what it holds beside its result is the same again and not eight
    times that. `average_length` is that of an older, larger index when this one only adds to it.
    """
    blocks: list[Block] = []
    row_count = 0
    rest = iter(packed)
    while some := list(islice(rest, _BLOCK_ROWS)):
        blocks.append(sorted_block(some, row_count))
        row_count += len(some)
    lengths = np.concatenate([np.empty(0, np.float32), *(block.lengths for block in blocks)])
    if average_length is None:
        average_length = float(lengths.mean(dtype=np.float64)) if row_count else 1.0
    average_length = max(average_length, 1.0)
    norms = (bm25.k1 * (1 - bm25.b + bm25.b * lengths / average_length)).astype(np.float32)
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
        place = np.repeat(filled[of] - (np.cumsum(block.sizes) - block.sizes), block.sizes)
        place += np.arange(len(place))
        filled[of] += block.sizes
        rows[place] = block.rows
        impacts[place] = saturated(block.counts, norms[block.rows], bm25)
    return Inverted(row_count, average_length, terms, offsets, rows, impacts)


def sorted_block(packed: Sequence[bytes], first_row: int) -> Block:
    """The postings of rows by term; the rows are numbered from `first_row`."""
    every = np.frombuffer(b"".join(packed), dtype=np.uint64)
    row_of = np.repeat(np.arange(len(packed), dtype=np.int32), [len(each) // 8 for each in packed])
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
    `norms` are those of the rows: k1 (1 - b + b length / average)."""
    in_heading = (counts >> _TEXT_BITS).astype(np.float32)
    frequency = (counts & _TEXT_MASK).astype(np.float32) + np.float32(bm25.heading_weight) * in_heading
    below = frequency + norms
    # A word in a heading only counts nothing if headings do, and with k1 = 0 that is nothing by nothing.
    impacts: Floats = np.divide(
        frequency * np.float32(bm25.k1 + 1), below, out=np.zeros_like(frequency), where=below > 0
    )
    return impacts


def bm25_scores(parts: Sequence[Inverted], groups: Sequence[Sequence[int]]) -> tuple[Floats, Floats]:
    """BM25 of every row of all parts, one after another, and the idf of every group of terms.

    A group holds the terms that one query word stands for; its idf is that of its rarest form that occurs,
    and that of a term without any row when none does.

    Returns:
        scores, shape (rows of all parts,), 0 where nothing matches; idfs, shape (len(groups),).
    """
    total = sum(part.row_count for part in parts)
    scores = np.zeros(total, dtype=np.float32)
    unknown = np.float32(np.log(1 + (total + 0.5) / 0.5))
    idfs = np.zeros(len(groups), dtype=np.float32)
    seen: set[int] = set()
    for at, group in enumerate(groups):
        for term in group:
            spans = [part.span(term) for part in parts]
            frequency = sum(end - start for start, end in spans)
            if not frequency:
                continue
            idf = np.float32(np.log(1 + (total - frequency + 0.5) / (frequency + 0.5)))
            idfs[at] = max(idfs[at], idf)
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
        if not idfs[at]:
            idfs[at] = unknown
    return scores, idfs


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
