"""What a change and a search of a collection cost, at 2,000 and at 20,000 resources of made-up text; and what
a change costs where the same texts are documents (ADR 31).

    python bench/resource_index.py --sizes 2000 20000

Vectors are random directions, since nothing here depends on their meaning: what the model takes to embed a
query or a text is not counted (bench/query.py has it).
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from bob.core.document import Chunk
from bob.core.locator import LineLocator
from bob.documents.rows import DocumentRecord, IndexedChunk
from bob.documents.rows import save as save_document
from bob.search import vector_rows
from bob.search.index import SearchIndex
from bob.search.snapshot import Recipe, pack
from bob.storage.database import SqliteDatabase
from bob.storage.organizations import ensure_organization
from bob.text.words import ANALYZER, postings, query_terms
from bob.work.resource_index import ResourceIndex, ResourceView
from bob.work.resource_rows import Resource
from bob.work.semantic_memory import BM25, Hippocampus

VOCABULARY, WORDS, DIMENSION = 20_000, 120, 384
OWNER = "org:local"


class RandomVectors:
    """An embedder that costs nothing."""

    model_id, dimension = "random@1", DIMENSION

    def __init__(self) -> None:
        self._random = np.random.default_rng(1)

    def embed(self, texts: list[str]) -> np.ndarray:
        rows = self._random.standard_normal((len(texts), DIMENSION)).astype(np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--sizes", type=int, nargs="+", default=[2_000, 20_000])
    for size in arguments.parse_args().sizes:
        with tempfile.TemporaryDirectory() as folder:
            measure(size, Path(folder) / "bob.db")
            measure_documents(size, Path(folder) / "documents.db")


def measure(size: int, path: Path) -> None:
    random = np.random.default_rng(2)
    database = SqliteDatabase(path, "local")
    ensure_organization(database)
    embedder = RandomVectors()
    memory = Hippocampus(database, embedder)
    collection = memory.collection(OWNER)[0].collection_id
    memory.put([resource(collection, number, random) for number in range(size)])
    index = ResourceIndex(database, collection, embedder.model_id, DIMENSION)
    print(f"{size:,} resources")
    print(f"  read anew          {timed(index.view)[0]:8.1f} ms")
    print(f"  look, no change    {median([timed(index.view)[0] for _ in range(50)]):8.2f} ms")
    refreshes, searches = [], []
    for number in range(size, size + 200):
        memory.put([resource(collection, number, random)])
        took, view = timed(index.view)
        refreshes.append(took)
        query = embedder.embed([""])[0]
        groups = query_terms(text(random, 8))
        mask = view.of_owner(OWNER)
        searches.append(timed(score, view, groups, mask, query)[0])
    shown("refresh, one new", refreshes)
    shown("score all", searches)
    whole = []
    for number in range(50):
        memory.put([resource(collection, number, random)])
        asked = text(random, 8)
        whole.append(timed(memory.search, asked, collection, OWNER, 5, 0.15)[0])
    shown("refresh and search", whole)
    removed = []
    for number in range(20):
        memory.delete(f"workItem:{number}", collection)
        removed.append(timed(index.view)[0])
    shown("refresh, one gone", removed)
    database.close()


def shown(name: str, milliseconds: list[float]) -> None:
    worst = float(np.quantile(milliseconds, 0.99))
    print(f"  {name:18} {median(milliseconds):8.2f} ms (99 %: {worst:.1f}, worst: {max(milliseconds):.1f})")


def median(values: list[float]) -> float:
    return float(np.median(values))


def score(view: ResourceView, groups: list[tuple[int, ...]], mask: np.ndarray, query: np.ndarray) -> None:
    view.words(groups, mask, BM25)
    view.cosines(query)


def timed(run: Callable[..., Any], *values: object) -> tuple[float, Any]:
    began = perf_counter()
    found = run(*values)
    return (perf_counter() - began) * 1000, found


def measure_documents(size: int, path: Path) -> None:
    """The same changes over the index of documents: each text is a document of one chunk."""
    random = np.random.default_rng(2)
    database = SqliteDatabase(path, "local")
    ensure_organization(database)
    embedder = RandomVectors()
    index = SearchIndex(database, Recipe(ANALYZER, embedder.model_id, DIMENSION, BM25))
    for start in range(0, size, 1_000):
        save(database, embedder, range(start, min(start + 1_000, size)), random)
    index.compact(force=True)
    index.view()
    one, thousandth = [], []
    for number in range(5):
        save(database, embedder, [size + number], random)
        one.append(timed(index.view)[0])
    save(database, embedder, range(size + 5, size + 1_005), random)
    index.view()
    for number in range(5):
        save(database, embedder, [size + 1_005 + number], random)
        thousandth.append(timed(index.view)[0])
    shown("documents: refresh, one new", one)
    shown("documents: refresh, one new after 1,000", thousandth)
    database.close()


def save(
    database: SqliteDatabase, embedder: RandomVectors, numbers: Iterable[int], random: np.random.Generator
) -> None:
    with database.write() as transaction:
        for number in numbers:
            made = resource(0, number, random)
            chunk = Chunk(0, made.content, (), LineLocator(start_line=1, end_line=1), WORDS)
            hashed = str(number)
            record = DocumentRecord(
                f"/{number}.md", "p", made.title, "markdown", "m", "en", None, (), {}, hashed, 1, 1
            )
            indexed = [IndexedChunk(chunk, hashed, postings(made.content, (), "en"))]
            saved = save_document(transaction, record, indexed, embedder.model_id)
            pending = vector_rows.pending(transaction, embedder.model_id, [saved.document_id])
            vectors = [pack(row) for row in embedder.embed([each.text for each in pending])]
            vector_rows.stage(transaction, embedder.model_id, zip(pending, vectors, strict=True))
            vector_rows.publish(transaction, embedder.model_id, saved.document_id)


def resource(collection: int, number: int, random: np.random.Generator) -> Resource:
    return Resource(collection, f"workItem:{number}", text(random, 8), text(random, WORDS), OWNER)


def text(random: np.random.Generator, words: int) -> str:
    """Words as frequent as in real text (Zipf)."""
    return " ".join(f"w{number}" for number in np.minimum(random.zipf(1.3, words), VOCABULARY))


if __name__ == "__main__":
    main()
