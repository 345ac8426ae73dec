"""The index of one collection in memory, always as of the last commit; a change costs what it changed.

One number tells whether anything happened since the last look. If so, only the rows with a larger number are
read. New rows become a small part of the postings of their own, and parts are joined as they gather, each
row a few times in all (a log-structured merge); a replaced or removed row stays where it is and is masked,
until most rows are. BM25's statistics are taken when a query asks, over exactly the rows that it may see: so
they are those of an index made anew, and no owner's texts weigh on another's.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bob.search.ranking import Block, Bm25, Floats, Ids, Mask, saturated, sorted_block
from bob.search.snapshot import unpack
from bob.storage.database import Database, Transaction

_STAMP = "SELECT value FROM counters WHERE org_id = :org AND name = 'resource'"
_CHANGED = """
SELECT sequence, resource_id, owner_id, model, postings, vector, title_vector FROM resources
WHERE org_id = :org AND collection_id = :collection_id AND sequence > :after ORDER BY sequence
"""
_COUNT = "SELECT count(*) FROM resources WHERE org_id = :org AND collection_id = :collection_id"
_IDS = "SELECT resource_id FROM resources WHERE org_id = :org AND collection_id = :collection_id"

_JOIN_BELOW = 4
"""A part is joined with the next when it has no more than four times its rows."""

_MOST_MASKED = 1_000
"""With more masked rows than that, and than living ones, the index is made anew."""

_ROWS_AT_ONCE = 1_024
"""Rows multiplied at once: a larger product is spread over threads, which costs more than it gains."""


@dataclass(frozen=True, slots=True)
class Part:
    """The postings of some rows: term i has block.rows[offsets[i]:offsets[i + 1]] and as many counts."""

    row_count: int
    block: Block
    offsets: Ids

    def span(self, term: int) -> slice:
        """Where a term's postings are; empty when no row has it."""
        row = int(np.searchsorted(self.block.terms, np.uint64(term)))
        if row == len(self.block.terms) or int(self.block.terms[row]) != term:
            return slice(0, 0)
        return slice(int(self.offsets[row]), int(self.offsets[row + 1]))


@dataclass(frozen=True, slots=True)
class ResourceView:
    """A collection at one moment, row by row. Masked rows are False in `alive`; rows whose vectors are of
    another model are False in `present`. `contents` and `titles` have shape (rows, dimension)."""

    ids: Sequence[str]
    owners: Sequence[str]
    owner_numbers: Ids
    alive: Mask
    present: Mask
    lengths: Floats
    contents: Floats
    titles: Floats
    parts: tuple[Part, ...]

    def of_owner(self, owner_id: str) -> Mask:
        """The rows that an owner may find, shape (rows,)."""
        if owner_id not in self.owners:
            return np.zeros(len(self.alive), np.bool_)
        mine: Mask = self.alive & (self.owner_numbers == self.owners.index(owner_id))
        return mine

    def cosines(self, query: Floats) -> tuple[Floats, Floats]:
        """Of the query with every row's title and with its whole text, shape (rows,) each; NaN where there
        is no vector of this model."""
        return _dots(self.titles, query, self.present), _dots(self.contents, query, self.present)

    def words(self, groups: Sequence[Sequence[int]], mask: Mask, bm25: Bm25) -> tuple[Floats, Floats]:
        """BM25 as a share of the most that the query can reach, and the share of its words that occur
        weighted by idf; both from 0 to 1, shape (rows,), of the masked-in rows alone.

        A group holds the terms that one query word stands for; its idf is that of its rarest that occurs.
        """
        scores, covered = np.zeros(len(mask), np.float32), np.zeros(len(mask), np.float32)
        total = int(np.count_nonzero(mask))
        if not total or not groups:
            return scores, covered
        average = max(float(self.lengths[mask].mean(dtype=np.float64)), 1.0)
        norms = (bm25.k1 * (1 - bm25.b + bm25.b * self.lengths / average)).astype(np.float32)
        reachable, seen = 0.0, set[int]()
        for group in groups:
            group_idf, having = 0.0, np.zeros(len(mask), np.bool_)
            for term in group:
                rows, worth = self._postings(term, mask, norms, bm25)
                if not len(rows):
                    continue
                idf = _idf(total, len(rows))
                group_idf = max(group_idf, idf)
                having[rows] = True
                if term not in seen:
                    seen.add(term)
                    scores[rows] += np.float32(idf) * worth
            group_idf = group_idf or _idf(total, 0)
            reachable += group_idf
            covered[having] += np.float32(group_idf)
        most = np.float32(reachable)
        return np.minimum(scores / (most * np.float32(bm25.k1 + 1)), 1), np.minimum(covered / most, 1)

    def _postings(self, term: int, mask: Mask, norms: Floats, bm25: Bm25) -> tuple[Ids, Floats]:
        rows, counts = [], []
        for part in self.parts:
            span = part.span(term)
            if span.stop > span.start:
                rows.append(part.block.rows[span])
                counts.append(part.block.counts[span])
        if not rows:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        rows_found, counted = np.concatenate(rows).astype(np.int64), np.concatenate(counts)
        is_kept = mask[rows_found]
        rows_found, counted = rows_found[is_kept], counted[is_kept]
        return rows_found, saturated(counted, norms[rows_found], bm25)


class ResourceIndex:
    """The index of one collection. Safe to share between threads."""

    def __init__(self, database: Database, collection_id: int, model: str, dimension: int) -> None:
        self._database = database
        self._collection_id = collection_id
        self._model = model
        self._viewing = threading.Lock()
        self._dimension = dimension
        self._stamp: object = None
        self._rows = _Rows(dimension)
        self._view = self._rows.view()

    def view(self) -> ResourceView:
        """The collection as of now; the same object as long as nothing was committed."""
        with self._viewing, self._database.read() as transaction:
            stamp = transaction.execute(_STAMP).fetchone()
            if stamp != self._stamp:
                self._catch_up(transaction)
                self._stamp = stamp
                self._view = self._rows.view()
            return self._view

    def _catch_up(self, transaction: Transaction) -> None:
        here = {"collection_id": self._collection_id}
        if self._rows.mostly_masked:
            self._rows = _Rows(self._dimension)
        changed = transaction.execute(_CHANGED, here | {"after": self._rows.last_sequence}).fetchall()
        if changed:
            self._rows.add(changed, self._model)
        if transaction.execute(_COUNT, here).fetchone()[0] != len(self._rows.row_of):
            self._rows.keep_only({str(row[0]) for row in transaction.execute(_IDS, here)})


class _Rows:
    """What a view shows, growing. Arrays are only ever written behind the rows of views that exist."""

    def __init__(self, dimension: int) -> None:
        self.last_sequence = 0
        self.row_of: dict[str, int] = {}
        self._ids: list[str] = []
        self._owners: list[str] = []
        self._packed: list[bytes] = []
        self._parts: list[Part] = []
        self._owner_numbers = np.empty(0, np.int64)
        self._alive = np.empty(0, np.bool_)
        self._present = np.empty(0, np.bool_)
        self._lengths = np.empty(0, np.float32)
        self._contents = np.empty((0, dimension), np.float32)
        self._titles = np.empty((0, dimension), np.float32)

    @property
    def mostly_masked(self) -> bool:
        masked = len(self._ids) - len(self.row_of)
        return masked > _MOST_MASKED and masked > len(self.row_of)

    def view(self) -> ResourceView:
        rows = len(self._ids)
        return ResourceView(
            self._ids,
            self._owners,
            self._owner_numbers[:rows],
            self._alive[:rows].copy(),
            self._present[:rows],
            self._lengths[:rows],
            self._contents[:rows],
            self._titles[:rows],
            tuple(self._parts),
        )

    def add(self, changed: Sequence[tuple[object, ...]], model: str) -> None:
        first, count = len(self._ids), len(changed)
        self._make_room(first + count)
        usable = [n for n, row in enumerate(changed) if row[3] == model]
        here = np.array(usable, np.int64) + first
        self._present[first : first + count] = False
        self._present[here] = True
        if usable:
            self._contents[here] = unpack([_bytes(changed[n][5]) for n in usable])
            self._titles[here] = unpack([_bytes(changed[n][6]) for n in usable])
        for row, (_, resource_id, owner_id, _, packed, _, _) in enumerate(changed, first):
            name, owner = str(resource_id), str(owner_id)
            if owner not in self._owners:
                self._owners.append(owner)
            self._owner_numbers[row] = self._owners.index(owner)
            if name in self.row_of:
                self._alive[self.row_of[name]] = False
            self._alive[row] = True
            self.row_of[name] = row
            self._ids.append(name)
            self._packed.append(_bytes(packed))
        self._append_part(first)
        self.last_sequence = int(str(changed[-1][0]))

    def keep_only(self, names: set[str]) -> None:
        for name in self.row_of.keys() - names:
            self._alive[self.row_of.pop(name)] = False

    def _append_part(self, first: int) -> None:
        while self._parts and self._parts[-1].row_count <= _JOIN_BELOW * (len(self._ids) - first):
            first -= self._parts.pop().row_count
        block = sorted_block(self._packed[first:], first)
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(block.sizes)])
        self._lengths[first : len(self._ids)] = block.lengths
        self._parts.append(Part(len(self._ids) - first, block, offsets))

    def _make_room(self, rows: int) -> None:
        if rows <= len(self._alive):
            return
        room = max(rows, len(self._alive) * 3 // 2, 64)
        self._owner_numbers = _longer(self._owner_numbers, room)
        self._alive = _longer(self._alive, room)
        self._present = _longer(self._present, room)
        self._lengths = _longer(self._lengths, room)
        self._contents = _longer(self._contents, room)
        self._titles = _longer(self._titles, room)


def _longer(array: npt.NDArray[Any], room: int) -> npt.NDArray[Any]:
    grown = np.zeros((room, *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown


def _dots(vectors: Floats, query: Floats, present: Mask) -> Floats:
    scores = np.empty(len(vectors), np.float32)
    for start in range(0, len(vectors), _ROWS_AT_ONCE):
        scores[start : start + _ROWS_AT_ONCE] = vectors[start : start + _ROWS_AT_ONCE] @ query
    scores[~present] = np.nan
    return scores


def _idf(total: int, frequency: int) -> float:
    return float(np.log(1 + (total - frequency + 0.5) / (frequency + 0.5)))


def _bytes(value: object) -> bytes:
    assert isinstance(value, bytes)
    return value
