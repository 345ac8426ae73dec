"""What a search asks of the index: a ranking by words, one by vectors, and the chunks that rows stand for.

Rows are numbered through the snapshot and then the delta. Rows whose chunk was removed, and rows outside a
filter, never appear in a ranking.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from bob.core.document import WRITTEN_BY
from bob.core.locator import Locator, locators_from_json
from bob.core.search import FoundChunk
from bob.search.ranking import (
    Dense,
    Floats,
    Ids,
    Inverted,
    Mask,
    bm25_scores,
    cosines_of,
    nearest,
    rows_of_terms,
)
from bob.search.snapshot import (
    CURRENT,
    Base,
    Delta,
    Recipe,
    build,
    delta_size,
    folder_of,
    is_outdated,
    open_base,
    read_delta,
)
from bob.storage.database import Database, Transaction
from bob.text.words import composed

REBUILD_AFTER = 2_000
REBUILD_SHARE = 8
"""A snapshot is made anew when the delta has more than 2,000 rows and more than an eighth of the index.
So the work of a growing index stays proportional to its size, and a search reads little from the database."""


_STAMP = """
SELECT (SELECT value FROM counters WHERE org_id = :org AND name = 'chunk'),
       (SELECT value FROM counters WHERE org_id = :org AND name = 'vector'),
       (SELECT value FROM counters WHERE org_id = :org AND name = 'past'),
       (SELECT value FROM counters WHERE org_id = :org AND name = 'removal')
"""
"""What changes with every commit that a search has to see: asked before each one, so a single statement."""


_SELECT = """
SELECT c.chunk_id, c.document_id, c.ordinal, d.path, d.title, d.project, d.source_type, d.language,
       d.source_date, d.source_date_kind, c.heading_path, c.context, c.locator, c.text, c.content_hash,
       EXISTS (SELECT 1 FROM decisions e WHERE e.org_id = c.org_id AND e.document_id = c.document_id)
FROM chunks c JOIN documents d ON d.org_id = c.org_id AND d.document_id = c.document_id
WHERE c.org_id = :org AND {condition}
"""

_SELECT_TEXTS = """
SELECT c.chunk_id, c.text, d.title, c.heading_path, d.language
FROM chunks c JOIN documents d ON d.org_id = c.org_id AND d.document_id = c.document_id
WHERE c.org_id = :org AND c.chunk_id IN :ids
"""

_WRITTEN_BY = list(WRITTEN_BY.values())
_NO_EVIDENCE = """
SELECT c.chunk_id FROM documents d JOIN chunks c ON c.org_id = d.org_id AND c.document_id = d.document_id
WHERE d.org_id = :org AND (d.extra ->> 'prepared_by' IS NOT NULL OR d.extra ->> 'written_by' IS NOT NULL)
  AND c.context IN :marks
"""

_PAST = "SELECT document_id FROM past_documents WHERE org_id = :org"
"""Documents that a newer version has replaced (`bob.documents.past_rows`)."""


@dataclass(frozen=True, slots=True)
class ChunkTexts:
    """All that a chunk says: its text, its document's title and its headings, with accents as part of their
    letters (`bob.text.words.composed`); and its language."""

    texts: tuple[str, ...]
    language: str | None


@dataclass(frozen=True, slots=True)
class View:
    """One moment of the index: the base, the delta, and the two laid end to end.

    `alive` are the rows whose chunk was not removed; `current` those of them that hold now, which is the same
    array where nothing is kept of the past.
    """

    stamp: tuple[object, ...]
    base: Base | None
    delta: Delta
    chunk_ids: Ids
    document_ids: Ids
    alive: Mask
    current: Mask
    late: Dense
    late_rows: Ids
    has_vectors: bool
    languages: tuple[str, ...]

    @property
    def rows(self) -> int:
        """How many rows there are, removed ones included."""
        return len(self.chunk_ids)

    @property
    def parts(self) -> list[Inverted]:
        """The postings: of the base, if there is one, and of the delta."""
        return [self.delta.inverted] if self.base is None else [self.base.inverted, self.delta.inverted]


class SearchIndex:
    """The index of one organization, always as of the last commit."""

    def __init__(self, database: Database, recipe: Recipe) -> None:
        self._database = database
        self._recipe = recipe
        self._folder = folder_of(database)
        self._view: View | None = None
        self._viewing = threading.Lock()

    def view(self) -> View:
        """The index as of now; the same object as long as nothing was committed. Threads take turns."""
        with self._viewing:
            return self._current()

    def _current(self) -> View:
        with self._database.read() as transaction:
            stamp = self._stamp(transaction)
            if self._view is not None and self._view.stamp == stamp:
                return self._view
            base = self._view.base if self._view else None
            if base is None or base.name != stamp[0]:
                base = open_base(self._folder, self._current_name(), self._recipe)
            if base is not None and is_outdated(transaction, base):
                base = None
        if base is None and self.compact():
            return self._current()
        with self._database.read() as transaction:
            if base is not None and is_outdated(transaction, base):
                # Another process made a newer one meanwhile.
                return self._current()
            stamp = self._stamp(transaction)
            delta = read_delta(transaction, self._recipe, base)
            languages = self._languages(transaction)
            # The counter is there once anything was put into the past.
            past = [] if stamp[3] is None else transaction.execute(_PAST).fetchall()
        self._view = _laid_out(stamp, base, delta, languages, [row[0] for row in past])
        return self._view

    def compact(self, *, force: bool = False) -> bool:
        """Make a new snapshot if the delta has grown large (or anyway); True when one was made."""
        name = self._current_name()
        base = open_base(self._folder, name, self._recipe)
        with self._database.read() as transaction:
            if base is not None and is_outdated(transaction, base):
                base = None
            size = delta_size(transaction, self._recipe, base)
        rows = 0 if base is None else len(base.chunk_ids)
        if not force and (size <= REBUILD_AFTER or size <= rows // REBUILD_SHARE):
            return False
        build(self._database, self._recipe, name)
        return True

    def _stamp(self, transaction: Transaction) -> tuple[object, ...]:
        counted: tuple[object, ...] = transaction.execute(_STAMP).fetchone()
        return (self._current_name(), *counted)

    def _current_name(self) -> str | None:
        """The name of the snapshot in force, None when there is none."""
        try:
            return (self._folder / CURRENT).read_text()
        except OSError:
            return None

    def _languages(self, transaction: Transaction) -> tuple[str, ...]:
        rows_found = transaction.execute(
            "SELECT DISTINCT language FROM documents WHERE org_id = :org AND language <> ''"
        )
        return tuple(sorted(row[0] for row in rows_found))


def _laid_out(
    stamp: tuple[object, ...], base: Base | None, delta: Delta, languages: tuple[str, ...], past: list[int]
) -> View:
    chunk_ids, document_ids = delta.chunk_ids, delta.document_ids
    if base is not None:
        chunk_ids = np.concatenate([base.chunk_ids, chunk_ids])
        document_ids = np.concatenate([base.document_ids, document_ids])
    alive = np.ones(len(chunk_ids), dtype=np.bool_)
    if len(delta.removed):
        alive &= ~np.isin(chunk_ids, delta.removed)
    current = alive & ~np.isin(document_ids, past) if past else alive
    late_rows, is_present = _rows_of(chunk_ids, delta.vector_chunk_ids)
    late_vectors = delta.vectors[is_present]
    late = Dense(late_vectors, np.ones(len(late_vectors), dtype=np.bool_))
    has_vectors = bool(len(late_rows)) or (base is not None and bool(base.dense.present.any()))
    return View(
        stamp,
        base,
        delta,
        chunk_ids,
        document_ids,
        alive,
        current,
        late,
        late_rows,
        has_vectors,
        languages,
    )


def _rows_of(chunk_ids: Ids, ids: Ids) -> tuple[Ids, Mask]:
    """The rows of the wanted chunks, and which of those are there at all."""
    if not len(ids) or not len(chunk_ids):
        return np.empty(0, np.int64), np.zeros(len(ids), dtype=np.bool_)
    order = np.argsort(chunk_ids, kind="stable")
    positions = np.minimum(np.searchsorted(chunk_ids, ids, sorter=order), len(chunk_ids) - 1)
    rows = order[positions]
    is_present = chunk_ids[rows] == ids
    return rows[is_present], is_present


def mask_of(view: View, document_ids: Iterable[int] | None) -> Mask:
    """The rows that may be found: of chunks that still exist, in these documents (None: in all that hold
    now)."""
    if document_ids is None:
        return view.current
    ids = np.fromiter(document_ids, dtype=np.int64)
    return view.alive & np.isin(view.document_ids, ids)


def rank_words(view: View, groups: Sequence[Sequence[int]], mask: Mask) -> tuple[Floats, Floats, Mask]:
    """BM25 of every row (0: no match or masked), shape (rows,); of every group its idf among the rows of the
    mask, and whether any of these has it."""
    if mask.all():
        return bm25_scores(view.parts, groups)
    scores, idfs, known = bm25_scores(view.parts, groups, mask)
    scores[~mask] = 0
    return scores, idfs, known


def frequency(view: View, group: Sequence[int], mask: Mask) -> int:
    """How many rows of the mask have a term of the group; one that has several counts for each."""
    return rows_of_terms(view.parts, group, mask)


def known_terms(view: View, terms: Iterable[int]) -> set[int]:
    """Those of the terms that a row has."""
    tried = np.fromiter(terms, dtype=np.uint64)
    return {int(term) for part in view.parts for term in tried[part.has_terms(tried)]}


def rows_with_any(view: View, group: Sequence[int]) -> Mask:
    """The rows that have a term of the group, shape (rows,)."""
    has = np.zeros(view.rows, dtype=np.bool_)
    begin = 0
    for part in view.parts:
        for term in group:
            start, end = part.span(term)
            has[begin : begin + part.row_count][part.rows[start:end]] = True
        begin += part.row_count
    return has


def rows_with_all(view: View, groups: Sequence[Sequence[int]]) -> Mask:
    """The rows that have a term of every group, shape (rows,)."""
    every = np.ones(view.rows, dtype=np.bool_)
    for group in groups:
        every &= rows_with_any(view, group)
    return every


def coverage(view: View, groups: Sequence[Sequence[int]], idfs: Floats, rows: Ids) -> Floats:
    """Of each given row the share of the groups that it has a term of, by their idf; shape (rows,)."""
    covered = np.zeros(len(rows), dtype=np.float32)
    for group, idf in zip(groups, idfs, strict=True):
        covered[rows_with_any(view, group)[rows]] += idf
    return covered / np.float32(max(float(idfs.sum()), 1e-9))


def rank_vectors(view: View, query: Floats, limit: int, mask: Mask) -> tuple[Ids, Floats]:
    """The rows nearest to the query vector, best first, with their cosines."""
    rows, cosines = np.empty(0, np.int64), np.empty(0, np.float32)
    if view.base is not None:
        allowed = mask[: len(view.base.chunk_ids)]
        rows, cosines = nearest(view.base.dense, query, limit, None if allowed.all() else allowed)
    if len(view.late_rows):
        late_rows, late_cosines = nearest(view.late, query, limit, mask[view.late_rows])
        rows = np.concatenate([rows, view.late_rows[late_rows]])
        cosines = np.concatenate([cosines, late_cosines])
        order = np.lexsort((rows, -cosines))[:limit]
        rows, cosines = rows[order], cosines[order]
    return rows, cosines


def cosines(view: View, query: Floats, rows: Ids) -> Floats:
    """The cosine of each row with the query; NaN where the row's vector is still to come."""
    cosines = np.full(len(rows), np.nan, dtype=np.float32)
    if view.base is not None:
        in_base = np.flatnonzero(rows < len(view.base.chunk_ids))
        in_base = in_base[view.base.dense.present[rows[in_base]]]
        cosines[in_base] = cosines_of(view.base.dense, rows[in_base], query)
    if len(view.late_rows):
        order = np.argsort(view.late_rows, kind="stable")
        positions = np.minimum(np.searchsorted(view.late_rows, rows, sorter=order), len(order) - 1)
        late = order[positions]
        here = np.flatnonzero(view.late_rows[late] == rows)
        cosines[here] = cosines_of(view.late, late[here], query) if len(here) else cosines[here]
    return cosines


def found_chunks(transaction: Transaction, chunk_ids: Sequence[int]) -> dict[int, FoundChunk]:
    """The chunks that still exist, by id."""
    if not chunk_ids:
        return {}
    rows = transaction.execute(_SELECT.format(condition="c.chunk_id IN :ids"), {"ids": chunk_ids})
    return {chunk.chunk_id: chunk for chunk in _chunks(rows)}


def chunk_texts(transaction: Transaction, chunk_ids: Sequence[int]) -> dict[int, ChunkTexts]:
    """What the chunks that still exist say, by id. Lighter than `found_chunks`, for tests of many."""
    rows = list(transaction.execute(_SELECT_TEXTS, {"ids": chunk_ids})) if chunk_ids else []
    headings = json.loads(f"[{','.join(row[3] for row in rows)}]")
    return {
        chunk_id: ChunkTexts(tuple(map(composed, (text, title, *heading_path))), language)
        for (chunk_id, text, title, _, language), heading_path in zip(rows, headings, strict=True)
    }


def no_evidence(transaction: Transaction) -> list[int]:
    """The chunks that Bob prepared or an assistant wrote."""
    return [int(chunk_id) for (chunk_id,) in transaction.execute(_NO_EVIDENCE, {"marks": _WRITTEN_BY})]


def chunks_of_document(transaction: Transaction, document_id: int) -> list[FoundChunk]:
    """All chunks of a document, in order."""
    statement = _SELECT.format(condition="c.document_id = :document_id ORDER BY c.ordinal")
    return _chunks(transaction.execute(statement, {"document_id": document_id}))


def chunk_after(transaction: Transaction, chunk: FoundChunk) -> FoundChunk | None:
    """The chunk that stands behind another in its document."""
    statement = _SELECT.format(condition="c.document_id = :document_id AND c.ordinal = :ordinal")
    values = {"document_id": chunk.document_id, "ordinal": chunk.ordinal + 1}
    return next(iter(_chunks(transaction.execute(statement, values))), None)


def _chunks(rows: Iterable[tuple[Any, ...]]) -> list[FoundChunk]:
    every = list(rows)
    # Read as one array each: a call for every row takes several times as long.
    headings = json.loads(f"[{','.join(row[10] for row in every)}]")
    locators = locators_from_json(json.loads(f"[{','.join(row[12] for row in every)}]"))
    return [_chunk(*each) for each in zip(every, headings, locators, strict=True)]


def _chunk(row: tuple[Any, ...], heading_path: Sequence[str], locator: Locator) -> FoundChunk:
    chunk_id, document_id, ordinal, path, title, project, source_type, language, *rest = row
    dated, dated_by, _, context, _, text, content_hash, decided = rest
    return FoundChunk(
        chunk_id,
        document_id,
        ordinal,
        path,
        title,
        project,
        source_type,
        language,
        date.fromisoformat(dated) if dated else None,
        dated_by,
        tuple(heading_path),
        context,
        locator,
        text,
        content_hash,
        bool(decided),
    )
