"""Search: two rankings, one order, with an explanation (SPEC D)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np

from bob.core.protocols import Embedder, Reranker
from bob.core.search import NO_FILTERS, Explanation, Filters, FoundChunk, Hit, Place, Query
from bob.search.duplicates import DuplicateFilter
from bob.search.fusion import combine, combine_for_question, order_of, reranked, with_age
from bob.search.index import (
    SearchIndex,
    View,
    chunk_after,
    cosines,
    coverage,
    found_chunks,
    mask_of,
    no_evidence,
    rank_vectors,
    rank_words,
)
from bob.search.query import documents_matching, languages_matching, places_matching, unknown_values
from bob.search.ranking import Floats, Ids, Mask, best, distinct
from bob.search.rare_words import NOTHING_RARE, Exact, RareWords, with_corrections
from bob.search.text_conditions import TextConditions
from bob.storage.database import Database, Transaction
from bob.text.words import date_terms, query_terms

CANDIDATES = 200
"""From each signal so many rows go into the fusion: a row beyond that in both is not among the best ten,"""

MOST_CANDIDATES = 3_200
"""unless most of these say the same, or are read and do not pass: then four times as many, up to this."""

COSINE_FLOOR = 0.0

RARE = 0.5
"""In a query of nothing but rare words the vectors' weight is less by this share."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How results are scored; see `bob.app.settings.SearchSettings`."""

    vector_weight: float
    threshold: float
    recency_half_life_days: float | None
    duplicate_similarity: float
    rerank_candidates: int
    rerank_weight: float


@dataclass(frozen=True, slots=True)
class Signals:
    """What speaks for the rows of an index, for one query.

    `bm25` has shape (rows,); `vector` is the query's, None where meaning is not asked or not known; `exact`
    are the rows that have its names and versions as they are written. `coverage_of` gives the share of its
    words that rows have, where passages are wanted that answer, else None.
    """

    bm25: Floats
    vector: Floats | None
    vector_weight: float
    exact: Sequence[Exact]
    coverage_of: Callable[[Ids], Floats] | None


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidate rows, best first, with all that explains their order; arrays of one shape.

    `reranks` is what the reranker changed in `scores`; it gave `rerank_scores`, which is NaN for the rest.
    `lifts` is what a name or version of the query changed that the row has as it is written. `coverage` is
    NaN unless passages are wanted that answer.
    """

    rows: Ids
    scores: Floats
    words: Floats
    vectors: Floats
    bm25: Floats
    cosines: Floats
    coverage: Floats
    reranks: Floats
    rerank_scores: Floats
    lifts: Floats
    word_ranks: dict[int, int]
    vector_ranks: dict[int, int]

    def ordered(self, order: Ids) -> Ranking:
        """The same rows in another order, given as positions in this one."""
        arrays: dict[str, Any] = {
            field.name: value[order]
            for field in fields(self)
            if isinstance(value := getattr(self, field.name), np.ndarray)
        }
        return replace(self, **arrays)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits, and the query's words as the index sees them: the hashes of each, and its idf (that of a
    word that no document has is the highest). The query is what was searched for, `corrections` the words in
    it that were typed otherwise. `notices` tell of these, and why nothing was found, where a filter asks for
    what no document has. `scores` are those of the hits, also of such as are left out later: where few are of
    the time that is asked for, not little was found."""

    query: Query
    hits: list[Hit]
    term_groups: list[tuple[int, ...]]
    term_idfs: list[float]
    vectors_pending: bool
    notices: tuple[str, ...] = ()
    corrections: tuple[tuple[str, str], ...] = ()
    scores: tuple[float, ...] = ()

    def to_json(self, typed: str) -> dict[str, Any]:
        """The result as `bob search --json` prints it, with the query as it was typed."""
        return {
            "query": typed,
            "hits": [hit.to_json() for hit in self.hits],
            "notices": list(self.notices),
        }


class DecisionStatuses(Protocol):
    """Knows how the decisions stand that documents state; asked only where there are some."""

    def documents(self, statuses: Sequence[str], day: date | None) -> set[int]:
        """The documents that have a decision of one of the statuses on that day."""

    def marked(self, transaction: Transaction, hits: Sequence[Hit], day: date | None) -> list[Hit]:
        """The hits, each with the decisions that it is part of."""


class Search:
    """Searches one organization's index."""

    def __init__(
        self,
        database: Database,
        index: SearchIndex,
        embedder: Embedder,
        question_encoder: Embedder,
        options: SearchOptions,
        decisions: Callable[[], DecisionStatuses],
        is_english: Callable[[str], bool],
        reranker: Reranker | None = None,
    ) -> None:
        self._database = database
        self._index = index
        self._embedder, self._question_encoder = embedder, question_encoder
        self._options = options
        self._make_decisions = decisions
        self._rare = RareWords(database, is_english)
        self._reranker = reranker
        self._read_evidence: tuple[Ids, Mask] | None = None

    @cached_property
    def _decisions(self) -> DecisionStatuses:
        return self._make_decisions()

    def search_chunks(
        self,
        query: Query,
        limit: int,
        *,
        mode: str = "hybrid",
        today: date | None = None,
        evidence_only: bool = False,
        as_question: bool = False,
    ) -> SearchResult:
        """The best `limit` chunks; `today` is for the recency setting. See `bob.search.query` for what a
        person types. Only `hybrid` is reranked: the other modes show one signal as it is. With
        `evidence_only` what Bob prepared and what assistants wrote is left out; `as_question`, the passages
        are wanted that answer, not those that are like the query."""
        scope = Filters(
            projects=query.filters.projects, other_than=query.filters.other_than, within=query.filters.within
        )
        view = self._view_of(scope)
        conditions = TextConditions(query)
        mask = conditions.with_words(view, self._mask(view, query))
        if evidence_only:
            mask = mask & self._evidence(view)
        depth = max(CANDIDATES, 5 * limit)
        groups = query_terms(query.text, view.languages)
        bm25, idfs, known = _by_words(view, query.text, groups, mask)
        if query.phrases or query.excluded:
            order = bm25 if mode != "vectors" and query.text.strip() else np.ones_like(bm25)
            mask = conditions.narrowed(self._database, view, mask, order, depth)
            bm25, idfs, known = _by_words(view, query.text, groups, mask)
        corrections: tuple[tuple[str, str], ...] = ()
        if not known.all() and mode != "vectors":
            unknown = {group for group, there in zip(groups, known, strict=True) if not there}
            corrections = self._rare.corrections(view, mask, query.text, unknown, scope)
        if corrections:
            query = replace(query, text=with_corrections(query.text, corrections))
            groups = query_terms(query.text, view.languages)
            bm25, idfs, _ = _by_words(view, query.text, groups, mask)
        where = f" of project {' or '.join(scope.projects)}" if scope.projects else ""
        notices = [f"No file{where} has the word {typed!r}; searched for {m!r}." for typed, m in corrections]
        if query.text.strip():
            signals = self._signals(view, mask, query, groups, idfs, bm25, mode, as_question=as_question)
            hits = self._ranked_hits(view, mask, query, signals, limit, depth, mode, today)
        else:
            hits = self._listed_hits(view, mask, query, limit)
        if not hits and query.filters != NO_FILTERS:
            with self._database.read() as transaction:
                notices += unknown_values(transaction, query.filters)
        pending = any(hit.explain.cosine is None for hit in hits)
        scores = tuple(hit.score for hit in hits)
        return SearchResult(query, hits, groups, idfs.tolist(), pending, tuple(notices), corrections, scores)

    def _view_of(self, scope: Filters) -> View:
        """The index as of now, with the languages of what may be found: how words are read must not depend on
        other projects."""
        view = self._index.view()
        if scope == NO_FILTERS or len(view.languages) < 2:
            return view
        with self._database.read() as transaction:
            return replace(view, languages=languages_matching(transaction, scope))

    def _signals(
        self,
        view: View,
        mask: Mask,
        query: Query,
        groups: Sequence[tuple[int, ...]],
        idfs: Floats,
        bm25: Floats,
        mode: str,
        *,
        as_question: bool,
    ) -> Signals:
        vector = None
        if mode != "words" and view.has_vectors:
            embedder = self._question_encoder if as_question else self._embedder
            vector = embedder.embed([query.text])[0]
        if mode == "vectors":
            bm25 = np.zeros_like(bm25)
        rare = NOTHING_RARE
        if mode == "hybrid":
            rare = self._rare.find_exact(view, mask, query.text, groups, idfs, bm25)
        rare_share = rare.idf / max(float(idfs.sum()), 1e-9)
        weight = 1.0 if mode == "vectors" else self._options.vector_weight * (1 - RARE * rare_share)
        coverage_of = partial(coverage, view, groups, idfs) if as_question else None
        return Signals(bm25, vector, weight, rare.exact, coverage_of)

    def _ranked_hits(
        self,
        view: View,
        mask: Mask,
        query: Query,
        signals: Signals,
        limit: int,
        depth: int,
        mode: str,
        today: date | None,
    ) -> list[Hit]:
        """The best rows as hits; ranked again with more rows where too few hits are left of the first."""
        half_life = None if today is None else self._options.recency_half_life_days
        while True:
            ranking = _ranked(view, mask, signals, depth)
            if self._reranker is not None and mode == "hybrid":
                ranking = self._reranked(view, query, ranking, self._reranker)
            with self._database.read() as transaction:
                hits = self._hits(transaction, view, query, ranking, limit, today if half_life else None)
                is_cut = max(len(ranking.word_ranks), len(ranking.vector_ranks)) >= depth
                if len(hits) < limit and is_cut and depth < MOST_CANDIDATES:
                    depth *= 4
                    continue
                hits = [hit for hit in hits if hit.score >= self._options.threshold]
                if half_life:
                    hits.sort(key=lambda hit: -hit.score)
                return self._numbered(transaction, query, hits[:limit])

    def _listed_hits(self, view: View, mask: Mask, query: Query, limit: int) -> list[Hit]:
        """What passes conditions alone, the newest document in the index first."""
        rows = np.flatnonzero(mask)
        rows = rows[np.lexsort((view.chunk_ids[rows], -view.document_ids[rows]))]
        nothing, unknown = np.zeros(len(rows), np.float32), np.full(len(rows), np.nan, np.float32)
        of_rows = (nothing, nothing, nothing, nothing, unknown, unknown, nothing, unknown, nothing)
        ranking = Ranking(rows, *of_rows, word_ranks={}, vector_ranks={})
        with self._database.read() as transaction:
            hits = self._hits(transaction, view, query, ranking, limit, None)
            return self._numbered(transaction, query, hits)

    def places(self, filters: Filters) -> list[Place]:
        """Where the chunks stand of documents that pass conditions, each place once."""
        with self._database.read() as transaction:
            return places_matching(transaction, filters)

    def chunk_after(self, chunk: FoundChunk) -> FoundChunk | None:
        """The chunk that stands behind another in its document."""
        with self._database.read() as transaction:
            return chunk_after(transaction, chunk)

    def _evidence(self, view: View) -> Mask:
        """The rows that people wrote; read once for each state of the index."""
        if self._read_evidence is None or self._read_evidence[0] is not view.chunk_ids:
            with self._database.read() as transaction:
                self._read_evidence = view.chunk_ids, ~np.isin(view.chunk_ids, no_evidence(transaction))
        return self._read_evidence[1]

    def _mask(self, view: View, query: Query) -> Mask:
        mask = view.current
        if query.filters == NO_FILTERS and not query.but_not:
            return mask
        with self._database.read() as transaction:
            if query.filters != NO_FILTERS:
                mask = mask_of(view, self._documents(transaction, query.filters))
            for filters in query.but_not:
                then = replace(filters, as_of=query.filters.as_of)
                mask = mask & ~mask_of(view, self._documents(transaction, then))
        return mask

    def _documents(self, transaction: Transaction, filters: Filters) -> list[int]:
        """The documents that pass all conditions."""
        allowed = documents_matching(transaction, filters)
        if not filters.decisions:
            return allowed
        decided = self._decisions.documents(filters.decisions, filters.as_of)
        return [row for row in allowed if row in decided]

    def _reranked(self, view: View, query: Query, ranking: Ranking, reranker: Reranker) -> Ranking:
        """The same rows, the first of them in the order that the reranker's scores give them."""
        first = view.chunk_ids[ranking.rows[: self._options.rerank_candidates]].tolist()
        with self._database.read() as transaction:
            chunks = found_chunks(transaction, first)
        conditions = TextConditions(query)
        read = [
            position
            for position, chunk_id in enumerate(first)
            if chunk_id in chunks and conditions.are_met(_texts_of(chunks[chunk_id]))
        ]
        scores, reranks = ranking.scores.copy(), ranking.reranks.copy()
        opinions = ranking.rerank_scores.copy()
        opinions[read] = reranker.scores(query.text, [chunks[first[position]] for position in read])
        scores[read], reranks[read] = reranked(scores[read], opinions[read], self._options.rerank_weight)
        order = np.arange(len(scores))
        order[: len(first)] = np.lexsort((ranking.rows[: len(first)], -scores[: len(first)]))
        changed = replace(ranking, scores=scores, reranks=reranks, rerank_scores=opinions)
        return changed.ordered(order)

    def _hits(
        self,
        transaction: Transaction,
        view: View,
        query: Query,
        ranking: Ranking,
        limit: int,
        today: date | None,
    ) -> list[Hit]:
        """The best rows as hits, near-duplicates folded; `today` given, all of them, with their age."""
        conditions = TextConditions(query)
        hits: list[Hit] = []
        places: dict[int, int] = {}
        seen = DuplicateFilter(self._options.duplicate_similarity)
        aging = today is not None
        for piece in taken(range(len(ranking.rows)), len(ranking.rows) if aging else limit):
            ids = [int(view.chunk_ids[ranking.rows[position]]) for position in piece]
            chunks = found_chunks(transaction, ids)
            for position, chunk_id in zip(piece, ids, strict=True):
                chunk = chunks.get(chunk_id)
                if chunk is None or not conditions.are_met(_texts_of(chunk)):
                    continue
                original = seen.original_of(chunk_id, chunk.text)
                if original is not None:
                    if original in places:
                        hits[places[original]] = _with_duplicate(hits[places[original]], chunk_id)
                    continue
                if len(hits) < limit or aging:
                    places[chunk_id] = len(hits)
                    hits.append(self._hit(ranking, position, chunk, today))
            if len(hits) >= limit and not aging:
                break
        return hits

    def _numbered(self, transaction: Transaction, query: Query, hits: Sequence[Hit]) -> list[Hit]:
        """The hits with their ranks, each with the decisions that it is part of."""
        numbered = [replace(hit, rank=rank) for rank, hit in enumerate(hits, 1)]
        # Most searches find no decision, and need not know what there is to know of them.
        if not any(hit.chunk.decided for hit in numbered):
            return numbered
        return self._decisions.marked(transaction, numbered, query.filters.as_of)

    def _hit(self, ranking: Ranking, position: int, chunk: FoundChunk, today: date | None) -> Hit:
        row = int(ranking.rows[position])
        recency = self._recency(chunk, today)
        cosine, opinion = float(ranking.cosines[position]), float(ranking.rerank_scores[position])
        covered = float(ranking.coverage[position])
        return Hit(
            rank=0,
            score=float(ranking.scores[position]) * recency,
            chunk=chunk,
            explain=Explanation(
                words=float(ranking.words[position]),
                vectors=float(ranking.vectors[position]),
                bm25=float(ranking.bm25[position]),
                cosine=None if math.isnan(cosine) else cosine,
                words_rank=ranking.word_ranks.get(row),
                vectors_rank=ranking.vector_ranks.get(row),
                rerank=float(ranking.reranks[position]),
                rerank_score=None if math.isnan(opinion) else opinion,
                recency=recency,
                exact=float(ranking.lifts[position]),
                coverage=None if math.isnan(covered) else covered,
            ),
        )

    def _recency(self, chunk: FoundChunk, today: date | None) -> float:
        half_life = self._options.recency_half_life_days
        if half_life is None or today is None or chunk.source_date is None:
            return 1.0
        return with_age(1.0, (today - chunk.source_date).days, half_life)


def _ranked(view: View, mask: Mask, signals: Signals, depth: int) -> Ranking:
    """The `depth` best rows of each signal in one order."""
    vector, exact = signals.vector, signals.exact
    by_words = best(signals.bm25, depth)
    by_vectors: Ids = np.empty(0, np.int64)
    nearest: Floats = np.empty(0, np.float32)
    if vector is not None:
        by_vectors, nearest = rank_vectors(view, vector, depth, mask)
    rows = distinct(np.concatenate([by_words, by_vectors, *(match.rows for match in exact)]))
    bm25 = signals.bm25[rows]
    found = np.full(len(rows), np.nan, np.float32)
    if vector is not None:
        found[np.searchsorted(rows, by_vectors)] = nearest
        others = np.isnan(found)
        if others.any():
            found[others] = cosines(view, vector, rows[others])
    worth = np.zeros(len(rows), np.float32)
    for match in exact:
        worth[np.searchsorted(rows, match.rows)] += match.idf / sum(other.idf for other in exact)
    none = np.full(len(rows), np.nan, np.float32)
    if signals.coverage_of is None:
        covered = none
        combined = combine(bm25, found, COSINE_FLOOR, signals.vector_weight, worth)
    else:
        covered = signals.coverage_of(rows)
        combined = combine_for_question(bm25, found, covered, COSINE_FLOOR, signals.vector_weight, worth)
    ranking = Ranking(
        rows,
        combined.scores,
        combined.words,
        combined.vectors,
        bm25,
        found,
        covered,
        np.zeros(len(rows), np.float32),
        none,
        combined.lifts,
        {int(row): rank for rank, row in enumerate(by_words, 1)},
        {int(row): rank for rank, row in enumerate(by_vectors, 1)},
    )
    return ranking.ordered(order_of(combined.scores, worth))


def _by_words(
    view: View, text: str, groups: Sequence[tuple[int, ...]], mask: Mask
) -> tuple[Floats, Floats, Mask]:
    """The ranking by words (`rank_words`), in which months and days of the query count in whatever form."""
    dated = [(term,) for term in date_terms(text)]
    bm25, idfs, known = rank_words(view, [*groups, *dated], mask)
    return bm25, idfs[: len(groups)], known[: len(groups)]


def _texts_of(chunk: FoundChunk) -> tuple[str, ...]:
    return (chunk.text, chunk.title, *chunk.heading_path)


def _with_duplicate(hit: Hit, chunk_id: int) -> Hit:
    return replace(hit, explain=replace(hit.explain, duplicates=(*hit.explain.duplicates, chunk_id)))


def taken(keys: Sequence[int], limit: int) -> Iterator[Sequence[int]]:
    """The keys in pieces that grow: most searches need only the first."""
    start, size = 0, limit + limit // 2 + 1
    while start < len(keys):
        yield keys[start : start + size]
        start, size = start + size, size * 4
