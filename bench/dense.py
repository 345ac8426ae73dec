"""What the scan over sign bits misses against exact search, for several numbers of candidates.

    python bench/dense.py TREE [--sizes 10000,100000,1000000] [--cache DIR]
    python bench/dense.py --database DB --beir FOLDER    (a database's vectors, a BEIR set's queries)

Recall is of the ten nearest, and of as many as a search hands on to fusion. This is where LEAST_CANDIDATES
and CANDIDATE_SHARE in `bob.store.dense` come from.
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

from bob.engine import Engine
from bob.eval import beir
from bob.services.search import CANDIDATES
from bob.settings import Settings
from bob.store import dense
from bob.store.dense import Dense, nearest, sign_bits

COUNTS = (100, 200, 400, 1_000, 2_000, 5_000, 10_000, 20_000)
TIMED = 20
_BLOCK = 16_384

Vectors = npt.NDArray[np.float32]


def indexed(vectors: Vectors) -> Dense:
    """The vectors as a snapshot holds them."""
    mean = vectors.mean(axis=0)
    blocks = [sign_bits(vectors[at : at + _BLOCK], mean) for at in range(0, len(vectors), _BLOCK)]
    bits = np.ascontiguousarray(np.concatenate(blocks, axis=1))
    return Dense(vectors, np.ones(len(vectors), np.bool_), bits, mean)


def recalls(made: Dense, queries: Vectors) -> dict[int, tuple[float, float]]:
    """For each number of candidates the recall of the best ten, and of the best CANDIDATES."""
    deepest = min(CANDIDATES, len(made.vectors) // 2)
    ten: dict[int, list[float]] = {count: [] for count in COUNTS}
    deep: dict[int, list[float]] = {count: [] for count in COUNTS}
    for query in queries:
        cosines = made.vectors @ query
        exact = np.argpartition(-cosines, deepest)[:deepest]
        exact = exact[np.argsort(-cosines[exact])]
        differing = np.zeros(len(cosines), np.uint16)
        for word, own in zip(made.bits, sign_bits(query[np.newaxis], made.mean)[:, 0], strict=True):
            differing += np.bitwise_count(word ^ own)
        reached = np.cumsum(np.bincount(differing))
        for count in COUNTS:
            taken = differing[exact] <= np.searchsorted(reached, count)
            ten[count].append(taken[:10].mean())
            deep[count].append(taken.mean())
    return {count: (float(np.mean(ten[count])), float(np.mean(deep[count]))) for count in COUNTS}


def milliseconds(made: Dense, queries: Vectors, count: int) -> float:
    """The median time of a search that scores `count` candidates in full."""
    taken: list[float] = []
    with (
        patch.object(dense, "SCAN_ALL_BELOW", 0),
        patch.object(dense, "LEAST_CANDIDATES", count),
        patch.object(dense, "CANDIDATE_SHARE", 10**9),
    ):
        for query in queries[:TIMED]:
            with measure.timed(taken):
                nearest(made, query, 10)
    return 1000 * median(taken)


def exact_milliseconds(made: Dense, queries: Vectors) -> float:
    """The median time of comparing every vector."""
    taken: list[float] = []
    with patch.object(dense, "SCAN_ALL_BELOW", sys.maxsize):
        for query in queries[:TIMED]:
            with measure.timed(taken):
                nearest(made, query, 10)
    return 1000 * median(taken)


def report(vectors: Vectors, queries: Vectors, *, as_json: bool) -> None:
    """Print the table of one size."""
    made = indexed(vectors)
    nearest(made, queries[0], 10)
    of = recalls(made, queries)
    exact = exact_milliseconds(made, queries)
    rows: list[measure.Row] = [["all", 1.0, 1.0, exact, 1.0]]
    for count in (each for each in COUNTS if each < len(vectors)):
        taken = milliseconds(made, queries, count)
        rows.append([count, *of[count], taken, taken / exact])
    title = f"bit scan over {len(vectors):,} vectors, {len(queries)} queries"
    head = ["candidates", "recall@10", f"recall@{CANDIDATES}", "ms", "of exact"]
    measure.show(title, head, rows, as_json=as_json)


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
