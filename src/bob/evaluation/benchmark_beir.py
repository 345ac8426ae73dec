"""Runs a BEIR set through Bob's own chunking, index and search (SPEC N2)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bob.core.document import Section
from bob.core.locator import LineLocator
from bob.core.search import Query
from bob.documents import rows as document_rows
from bob.documents.embed_pending import EmbedPending
from bob.documents.rows import DocumentRecord, IndexedChunk
from bob.evaluation import beir
from bob.evaluation.metrics import ndcg, recall, reciprocal_rank
from bob.search import vector_rows
from bob.search.chunker import StructureChunker
from bob.search.index import SearchIndex
from bob.search.service import Search
from bob.storage.database import Database
from bob.text.words import postings

_COMMIT_DOCUMENTS = 500
_DEPTH = 100


@dataclass(frozen=True, slots=True)
class BeirResult:
    """Means over the judged queries."""

    ndcg_at_10: float
    recall_at_100: float
    mrr_at_10: float
    queries: int
    documents: int
    median_query_seconds: float

    def to_json(self) -> dict[str, Any]:
        """The result as `bob eval benchmark beir --json` prints it."""
        return {
            "ndcg@10": self.ndcg_at_10,
            "recall@100": self.recall_at_100,
            "mrr@10": self.mrr_at_10,
            "queries": self.queries,
            "documents": self.documents,
            "median_query_seconds": self.median_query_seconds,
        }


class BenchmarkBeir:
    """One BEIR set in a database of its own."""

    def __init__(
        self,
        folder: Path,
        database: Database,
        index: SearchIndex,
        embed: EmbedPending,
        model: str,
        chunker: StructureChunker,
        search: Search,
    ) -> None:
        self._folder = folder
        self._database = database
        self._index = index
        self._embed = embed
        self._model = model
        self._chunker = chunker
        self._search = search

    def measure_ranking(self, split: str, mode: str, run_file: Path | None = None) -> BeirResult:
        """Index what is not indexed yet, ask every judged query, and score.

        A query is never its own answer: where queries are documents of the corpus, the one with the query's
        id is left out. `run_file` gets the rankings in TREC's form.
        """
        judged, texts = beir.judged(self._folder, split)
        count = self._index_corpus(embed=mode != "words")
        rankings: dict[str, list[tuple[str, float]]] = {}
        seconds = []
        for query_id in judged:
            began = time.perf_counter()
            rankings[query_id] = self._ranking(query_id, texts[query_id], mode)
            seconds.append(time.perf_counter() - began)
        if run_file is not None:
            _write_run(run_file, rankings, mode)
        scored = [([name for name, _ in rankings[query_id]], judged[query_id]) for query_id in judged]
        return BeirResult(
            sum(ndcg(ranking, relevance, 10) for ranking, relevance in scored) / len(scored),
            sum(recall(ranking, relevance, 100) for ranking, relevance in scored) / len(scored),
            sum(reciprocal_rank(ranking, relevance, 10) for ranking, relevance in scored) / len(scored),
            len(judged),
            count,
            sorted(seconds)[len(seconds) // 2],
        )

    def _ranking(self, query_id: str, text: str, mode: str) -> list[tuple[str, float]]:
        """The best documents, each by its best chunk."""
        best: dict[str, float] = {}
        for hit in self._search.search_chunks(Query(text), 2 * _DEPTH, mode=mode).hits:
            best.setdefault(hit.chunk.path, hit.score)
        best.pop(query_id, None)
        return list(best.items())[:_DEPTH]

    def _index_corpus(self, *, embed: bool) -> int:
        with self._database.read() as transaction:
            paths = document_rows.all_paths(transaction)
        total = 0
        batch: list[tuple[DocumentRecord, list[IndexedChunk]]] = []
        for record, indexed in self._documents():
            total += 1
            if record.path not in paths and indexed:
                batch.append((record, indexed))
            if len(batch) >= _COMMIT_DOCUMENTS:
                self._save(batch)
                batch = []
        self._save(batch)
        if embed:
            self._embed.embed_chunks()
        self._index.compact()
        return total

    def _save(self, batch: list[tuple[DocumentRecord, list[IndexedChunk]]]) -> None:
        with self._database.write() as transaction:
            vector_rows.adopt_model(transaction, self._model)
            for record, indexed in batch:
                document_rows.save(transaction, record, indexed, self._model)

    def _documents(self) -> Iterator[tuple[DocumentRecord, list[IndexedChunk]]]:
        for document in beir.corpus(self._folder):
            # Some sets have documents that are nothing but a title.
            text = document.text if document.text.strip() else document.title
            heading = (document.title,) if document.title and text != document.title else ()
            lines = LineLocator(start_line=1, end_line=text.count("\n") + 1)
            chunks = self._chunker.chunks([Section(text, lines, heading)]) if text.strip() else []
            indexed = [
                IndexedChunk(chunk, chunk.content_hash, postings(chunk.text, heading, "en"))
                for chunk in chunks
            ]
            yield (
                DocumentRecord(
                    path=document.id,
                    project=self._folder.name,
                    title=document.title,
                    source_type="beir",
                    parser="beir",
                    language="en",
                    source_date=None,
                    tags=(),
                    extra={},
                    content_hash=document.id,
                    size=len(text),
                    mtime_ns=0,
                ),
                indexed,
            )


def _write_run(path: Path, rankings: dict[str, list[tuple[str, float]]], mode: str) -> None:
    with path.open("w", encoding="utf-8") as out:
        for query_id, ranking in rankings.items():
            for rank, (document, score) in enumerate(ranking, 1):
                out.write(f"{query_id} Q0 {document} {rank} {score:.6f} bob-{mode}\n")
