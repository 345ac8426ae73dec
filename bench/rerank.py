"""What reranking gives on BEIR sets and what it costs, against the same search without it in the same run.

    python bench/rerank.py FOLDER... [--split test] [--queries 100] [--weights 0.1,0.2] [--candidates 10,20]

Sets are indexed as `bob eval benchmark beir` does it, and in the same place. With more judged queries than
`--queries`, a fixed random sample is asked. «first» is a query all of whose candidates the reranker has to
read; «again» the same query when it remembers them, as a long-lived process does. Times are of CPU.
"""

from __future__ import annotations

import random
import time
from dataclasses import replace
from pathlib import Path
from statistics import mean, median

import measure

from bob.app import Engine
from bob.app.settings import SearchSettings, load_settings
from bob.core.search import Query
from bob.evaluation import beir
from bob.evaluation.benchmark_beir import BenchmarkBeir
from bob.evaluation.metrics import ndcg
from bob.models.networks import OnnxEmbedder
from bob.search.late_interaction import LateInteraction
from bob.search.service import Search

DEPTH = 10
ENOUGH_TOKENS = 2_000_000
"""Remembered while quality is measured, so that a chunk is read once whatever the number of settings."""


class Reranked:
    """One set, searched with and without a reranker over the same database."""

    def __init__(self, folder: Path, split: str, queries: int) -> None:
        settings = load_settings().settings
        off = settings.search.model_copy(update={"rerank": "none"})
        self.plain = _benchmark(folder, off)
        self.plain._index_corpus(embed=True)
        self.benchmark = _benchmark(folder, off)
        self._embedder = OnnxEmbedder(threads=settings.embedder.threads)
        self.judged = beir.qrels(folder, split)
        texts = beir.queries(folder)
        self.asked = sorted(self.judged)
        if len(self.asked) > queries:
            self.asked = sorted(random.Random(1).sample(self.asked, queries))
        self.texts = {each: texts[each] for each in self.asked}
        self.remember(ENOUGH_TOKENS)

    @property
    def search(self) -> Search:
        """The search with a reranker."""
        return self.benchmark._search

    def remember(self, tokens: int) -> None:
        """Begin with a reranker that has read nothing."""
        self.search._reranker = LateInteraction(self._embedder, tokens)

    def quality(self, benchmark: BenchmarkBeir) -> list[float]:
        """nDCG@10 of each query."""
        return [
            ndcg([name for name, _ in benchmark._ranking(each, text, "hybrid")], self.judged[each], DEPTH)
            for each, text in self.texts.items()
        ]

    def rerank_by(self, candidates: int, weight: float) -> None:
        """Take other settings."""
        options = self.search._options
        self.search._options = replace(options, rerank_candidates=candidates, rerank_weight=weight)

    def times(self, queries: int) -> tuple[list[float], list[float], list[float]]:
        """CPU seconds of the plain search, of one that reads all candidates, and of one that knows them."""
        plain: list[float] = []
        first: list[float] = []
        again: list[float] = []
        for text in list(self.texts.values())[:queries]:
            self.remember(ENOUGH_TOKENS)
            for into, search in ((plain, self.plain._search), (first, self.search), (again, self.search)):
                began = time.process_time()
                search.search_chunks(Query(text), DEPTH)
                into.append(time.process_time() - began)
        return plain, first, again


def _benchmark(folder: Path, search: SearchSettings) -> BenchmarkBeir:
    return Engine(load_settings().settings.model_copy(update={"search": search})).evaluation.beir(folder)


def main() -> None:
    """Measure each set and print the tables."""
    parser = measure.options(__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--split", default="test")
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--timed", type=int, default=10, help="queries whose time is measured")
    usual = SearchSettings()
    parser.add_argument("--weights", default=str(usual.rerank_weight))
    parser.add_argument("--candidates", default=str(usual.rerank_candidates))
    chosen = parser.parse_args()
    for folder in chosen.folders:
        found = Reranked(folder, chosen.split, chosen.queries)
        without = found.quality(found.plain)
        rows, costs = [], []
        for candidates in sorted((int(each) for each in chosen.candidates.split(",")), reverse=True):
            for weight in (float(each) for each in chosen.weights.split(",")):
                found.rerank_by(candidates, weight)
                with_it = found.quality(found.benchmark)
                change = [a - b for a, b in zip(with_it, without, strict=True)]
                better, worse = sum(each > 0 for each in change), sum(each < 0 for each in change)
                rows.append([candidates, weight, mean(without), mean(with_it), mean(change), better, worse])
            if chosen.timed:
                taken = [1000 * median(each) for each in found.times(chosen.timed)]
                costs.append([candidates, *taken, *(each / taken[0] for each in taken[1:])])
                found.remember(ENOUGH_TOKENS)
        name = f"{folder.name}, {chosen.split}, {len(found.asked)} queries"
        head = ["candidates", "weight", "nDCG@10", "reranked", "change", "better", "worse"]
        measure.show(f"reranking: {name}", head, rows, as_json=chosen.json)
        if costs:
            head = ["candidates", "plain ms", "first ms", "again ms", "first, times", "again, times"]
            measure.show(f"cost of reranking: {name}", head, costs, as_json=chosen.json)


if __name__ == "__main__":
    main()
