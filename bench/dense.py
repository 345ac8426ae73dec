"""What the scan over bytes costs, and that it finds what comparing every vector finds.

    python bench/dense.py TREE [--sizes 10000,100000,1000000] [--cache DIR]
    python bench/dense.py --database DB --beir FOLDER    (a database's vectors, a BEIR set's queries)

Agreement is of the ten nearest, and of as many as a search hands on to fusion.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median
from unittest.mock import patch

import corpus
import measure
import numpy as np
import numpy.typing as npt

from bob.app import Engine
from bob.app.settings import Settings
from bob.evaluation import beir
from bob.search import ranking
from bob.search.ranking import Codes, Dense, encoded, nearest
from bob.search.service import CANDIDATES

TIMED = 20
_BLOCK = 16_384

Vectors = npt.NDArray[np.float32]


def indexed(vectors: Vectors) -> Dense:
    """The vectors as a snapshot holds them."""
    parts = [encoded(vectors[at : at + _BLOCK]) for at in range(0, len(vectors), _BLOCK)]
    codes = Codes(
        np.concatenate([part.steps for part in parts]),
        np.concatenate([part.scales for part in parts]),
        np.concatenate([part.losses for part in parts]),
    )
    return Dense(vectors, np.ones(len(vectors), np.bool_), codes)


def agreement(made: Dense, queries: Vectors, depth: int) -> float:
    """The share of the `depth` nearest, by comparing every vector, that the scan returns."""
    met = 0
    for query in queries:
        cosines = made.vectors @ query
        exact = np.argpartition(-cosines, depth)[:depth]
        with patch.object(ranking, "SCAN_ALL_BELOW", 0):
            found, _ = nearest(made, query, depth)
        met += len(np.intersect1d(found, exact))
    return met / (depth * len(queries))


def milliseconds(made: Dense, queries: Vectors, depth: int) -> float:
    """The median time of a search over the bytes."""
    taken: list[float] = []
    with patch.object(ranking, "SCAN_ALL_BELOW", 0):
        for query in queries[:TIMED]:
            with measure.timed(taken):
                nearest(made, query, depth)
    return 1000 * median(taken)


def exact_milliseconds(made: Dense, queries: Vectors) -> float:
    """The median time of comparing every vector."""
    taken: list[float] = []
    with patch.object(ranking, "SCAN_ALL_BELOW", sys.maxsize):
        for query in queries[:TIMED]:
            with measure.timed(taken):
                nearest(made, query, 10)
    return 1000 * median(taken)


def report(vectors: Vectors, queries: Vectors, *, as_json: bool) -> None:
    """Print the table of one size."""
    made = indexed(vectors)
    nearest(made, queries[0], 10)
    exact = exact_milliseconds(made, queries)
    rows: list[measure.Row] = [["every vector", "", 1.0, exact, 1.0]]
    for depth in (10, min(CANDIDATES, len(vectors) // 2)):
        taken = milliseconds(made, queries, depth)
        rows.append(["bytes first", depth, agreement(made, queries, depth), taken, taken / exact])
    title = f"scan over {len(vectors):,} vectors, {len(queries)} queries"
    measure.show(title, ["scan", "nearest", "agreement", "ms", "of exact"], rows, as_json=as_json)


def stored(database: Path) -> Vectors:
    """The vectors of a database with a snapshot."""
    engine = Engine(Settings(database=database))
    corpus.snapshot(engine)
    base = engine.index.view().base
    assert base is not None
    return np.array(base.dense.vectors[base.dense.present])


def main() -> None:
    """Measure each size and print its table."""
    parser = measure.options(__doc__)
    parser.add_argument("tree", type=Path, nargs="?")
    parser.add_argument("--sizes", default="10000,100000", help="numbers of vectors")
    parser.add_argument("--cache", type=Path, default=measure.DEFAULT_CACHE)
    parser.add_argument("--passages", type=int, default=4_000, help="real vectors to begin with")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--database", type=Path)
    parser.add_argument("--beir", type=Path)
    chosen = parser.parse_args()
    if chosen.database is not None and chosen.beir is not None:
        asked = list(beir.queries(chosen.beir).values())[: chosen.queries]
        queries = Engine(Settings()).embedder.embed(asked)
        report(stored(chosen.database), queries, as_json=chosen.json)
        return
    if chosen.tree is None:
        parser.error("name a TREE, or a --database and a --beir folder")
    source = corpus.material(chosen.tree, chosen.cache, chosen.passages, chosen.queries)
    for size in (int(each) for each in chosen.sizes.split(",")):
        report(corpus.all_vectors(source, size), source.query_vectors, as_json=chosen.json)


if __name__ == "__main__":
    main()
