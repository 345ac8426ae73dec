"""How long a hybrid query takes, against embedding the query alone in the same run, at several sizes.

    python bench/query.py TREE [--sizes 1000,10000,100000,1000000] [--cache DIR]

TREE is a folder of .rst, .md or .txt files; databases are made of its sentences (`bench/corpus.py`) and kept
in the cache. Also: the time to make the snapshot, and how far the rankings agree with exhaustive ones.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import corpus
import measure
import numpy as np
import numpy.typing as npt

from bob.app import Engine
from bob.core.search import Query
from bob.search import service as searching
from bob.search.index import SearchIndex
from bob.search.ranking import Bm25
from bob.text.words import query_terms

DEPTH = 10
WORD_QUERIES = 40
"""Rankings by words are checked for so many queries: each has to look at every posting."""

PARTS = ("view", "embedding", "words", "vectors", "fetching")

Floats = npt.NDArray[np.float64]


class Split:
    """Adds up the time that a search spends in each part, by standing before the part's functions."""

    def __init__(self, engine: Engine) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._undo: list[tuple[Any, str, Any]] = []
        for owner, name, part in (
            (SearchIndex, "view", "view"),
            (type(engine.embedder), "embed", "embedding"),
            (searching, "rank_words", "words"),
            (searching, "best", "words"),
            (searching, "rank_vectors", "vectors"),
            (searching, "cosines", "vectors"),
            (searching, "found_chunks", "fetching"),
        ):
            self._stand_before(owner, name, part)

    def _stand_before(self, owner: Any, name: str, part: str) -> None:
        original: Callable[..., Any] = getattr(owner, name)

        def timed(*args: Any, **named: Any) -> Any:
            began = time.perf_counter()
            try:
                return original(*args, **named)
            finally:
                self.seconds[part] += time.perf_counter() - began

        self._undo.append((owner, name, original))
        setattr(owner, name, timed)

    def stop(self) -> None:
        """Put the functions back."""
        for owner, name, original in self._undo:
            setattr(owner, name, original)


def latencies(engine: Engine, queries: list[str], repeat: int) -> dict[str, Any]:
    """Alternating: embed the query alone, then search for it, so that both meet the same machine."""
    for text in queries[:5]:
        engine.search.search_chunks(Query(text), DEPTH)
    alone: list[float] = []
    whole: list[float] = []
    cpu: list[float] = []
    split: dict[str, list[float]] = defaultdict(list)
    for text in queries * repeat:
        began = time.process_time()
        with measure.timed(alone):
            engine.embedder.embed([text])
        between = time.process_time()
        with measure.timed(whole):
            engine.search.search_chunks(Query(text), DEPTH)
        cpu.append((time.process_time() - between) / (between - began))
        parts = Split(engine)
        engine.search.search_chunks(Query(text), DEPTH)
        parts.stop()
        for part in PARTS:
            split[part].append(parts.seconds[part])
    ratios = [search / embed for search, embed in zip(whole, alone, strict=True)]
    return {
        "embed": measure.spread(alone),
        "query": measure.spread(whole),
        "ratio": median(ratios),
        "cpu_ratio": median(cpu),
        "parts": {part: 1000 * median(split[part]) for part in PARTS},
    }


def vector_agreement(engine: Engine, source: corpus.Material, size: int) -> float:
    """The share of the exact ten nearest that the index finds, over all queries."""
    view = engine.index.view()
    assert view.base is not None
    stored = view.base.dense.vectors
    cosines = np.concatenate(
        [stored[at : at + 50_000] @ source.query_vectors.T for at in range(0, size, 50_000)]
    )
    found = 0
    for at, vector in enumerate(source.query_vectors):
        exact = np.argpartition(-cosines[:, at], DEPTH)[:DEPTH]
        rows, _ = searching.rank_vectors(view, vector, searching.CANDIDATES, view.alive)
        found += len(np.intersect1d(rows[:DEPTH], exact))
    return found / (DEPTH * len(source.query_vectors))


def word_agreement(engine: Engine, queries: list[str]) -> float:
    """The share of the ten best by BM25, computed in double precision from the stored postings, that the
    index finds. A row whose score equals the tenth's to four digits counts as one of the ten."""
    view = engine.index.view()
    groups = [query_terms(text, view.languages) for text in queries]
    ids, rows, terms, frequencies, lengths = _matching_postings(engine, groups)
    bm25 = engine.settings.search
    pivot = Bm25(bm25.bm25_k1, bm25.bm25_b, bm25.heading_weight).pivot_length
    norms = bm25.bm25_k1 * (1 - bm25.bm25_b + bm25.bm25_b * lengths / pivot)
    found = 0
    for group in groups:
        scores = np.zeros(len(ids))
        for term in {term for forms in group for term in forms}:
            mine = terms == term
            frequency = frequencies[mine]
            idf = np.log(1 + (len(ids) - mine.sum() + 0.5) / (mine.sum() + 0.5))
            scores[rows[mine]] += idf * frequency * (bm25.bm25_k1 + 1) / (frequency + norms[rows[mine]])
        tenth = np.partition(scores, len(scores) - DEPTH)[len(scores) - DEPTH]
        ours = searching.best(searching.rank_words(view, group, view.alive)[0], DEPTH)
        found += int((scores[np.searchsorted(ids, view.chunk_ids[ours])] >= tenth * (1 - 1e-4)).sum())
    return found / (DEPTH * len(queries))


def _matching_postings(
    engine: Engine, groups: list[list[tuple[int, ...]]]
) -> tuple[Floats, npt.NDArray[np.int64], npt.NDArray[np.uint64], Floats, Floats]:
    wanted = np.unique(
        np.array([term for group in groups for forms in group for term in forms], dtype=np.uint64)
    )
    heading_weight = engine.settings.search.heading_weight
    ids: list[int] = []
    lengths: list[float] = []
    pieces = []
    with engine.database.read() as connection:
        result = connection.execute(
            "SELECT chunk_id, postings FROM chunk_postings WHERE org_id = :org ORDER BY chunk_id"
        )
        while batch := result.fetchmany(5_000):
            own = [np.frombuffer(row[1], np.uint64) for row in batch]
            every = np.concatenate(own)
            in_text = (every & np.uint64(0xFF)).astype(float)
            in_heading = ((every >> np.uint64(8)) & np.uint64(0xF)).astype(float)
            row_of = np.repeat(np.arange(len(own)), [len(each) for each in own])
            lengths += np.bincount(row_of, in_text + in_heading, len(own)).tolist()
            hashes = every >> np.uint64(12)
            at = np.minimum(np.searchsorted(wanted, hashes), len(wanted) - 1)
            mine = wanted[at] == hashes
            frequency = in_text + heading_weight * in_heading
            pieces.append((row_of[mine] + len(ids), hashes[mine], frequency[mine]))
            ids += [row[0] for row in batch]
    rows, terms, frequencies = (np.concatenate([piece[at] for piece in pieces]) for at in range(3))
    return np.array(ids), rows, terms, frequencies, np.array(lengths)


def main() -> None:
    """Measure each size and print the tables."""
    parser = measure.options(__doc__)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--sizes", default="1000,10000,100000", help="numbers of chunks")
    parser.add_argument("--cache", type=Path, default=measure.DEFAULT_CACHE)
    parser.add_argument("--passages", type=int, default=4_000, help="real vectors to begin with")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--repeat", type=int, default=1)
    chosen = parser.parse_args()
    source = corpus.material(chosen.tree, chosen.cache, chosen.passages, chosen.queries)
    rows, agreement = [], []
    for size in (int(each) for each in chosen.sizes.split(",")):
        engine = corpus.database(source, chosen.cache, size)
        made = corpus.snapshot(engine)
        of = latencies(engine, source.queries, chosen.repeat)
        rest = of["query"]["median_ms"] - sum(of["parts"].values())
        rows.append(
            [
                size,
                of["embed"]["median_ms"],
                of["query"]["median_ms"],
                of["query"]["p95_ms"],
                of["ratio"],
                of["cpu_ratio"],
                *of["parts"].values(),
                rest,
            ]
        )
        agreement.append(
            [
                size,
                vector_agreement(engine, source, size),
                word_agreement(engine, source.queries[:WORD_QUERIES]),
                made,
                measure.peak_megabytes(),
            ]
        )
        engine.close()
    head = ["chunks", "embed ms", "query ms", "p95 ms", "ratio", "CPU ratio", *PARTS, "rest"]
    measure.show("query", head, rows, as_json=chosen.json)
    measure.show(
        "agreement of the best ten with exhaustive ranking",
        ["chunks", "vectors", "words", "snapshot s", "peak MB"],
        agreement,
        as_json=chosen.json,
    )


if __name__ == "__main__":
    main()
