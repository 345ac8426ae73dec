"""What a verdict on a claim costs beside embedding, against five chunks: `python bench/verdicts.py TREE`.

Claims are true sentences of the tree, each judged with the chunks around it: first with all texts new, then
once more with the chunks' sentences remembered, as in an answer of many claims.
The baseline is the embedding of the texts in the same run.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import measure
import numpy as np
import numpy.typing as npt

from bob.answers.claims.judge_claims import JudgeClaims
from bob.app import Engine
from bob.app.settings import Settings
from bob.evaluation.benchmark_seeded import BenchmarkSeeded
from bob.models.networks import OnnxEmbedder
from bob.models.pair_models import OnnxVerifier


class Timed:
    """A `WordEmbedder` that adds up the time spent in it."""

    def __init__(self) -> None:
        self._embedder = OnnxEmbedder()
        self.seconds = 0.0

    def word_vectors(self, texts: Sequence[Sequence[str]]) -> list[npt.NDArray[np.float32]]:
        """As the embedder's, timed."""
        began = time.perf_counter()
        try:
            return self._embedder.word_vectors(texts)
        finally:
            self.seconds += time.perf_counter() - began

    def rarity(self, word: str) -> float:
        """As the embedder's."""
        return self._embedder.rarity(word)


def main() -> None:
    """Judge each claim twice and print medians."""
    parser = measure.options(__doc__)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--claims", type=int, default=100)
    chosen = parser.parse_args()
    embedder = Timed()
    judge = JudgeClaims(embedder, OnnxVerifier(OnnxEmbedder()))
    sentences = BenchmarkSeeded(Engine(Settings()).parse_file, judge).sentences([chosen.tree], seed=1)
    judge.judge_claims([(sentences[-1].text, sentences[-1].chunks)])
    rows = []
    for name in ("chunks are new", "chunks remembered"):
        whole, embedding = [], []
        for each in sentences[: chosen.claims]:
            embedder.seconds, began = 0.0, time.perf_counter()
            judge.judge_claims(
                [(each.text if name == "chunks are new" else f"Also, {each.text}", each.chunks)]
            )
            whole.append(time.perf_counter() - began)
            embedding.append(embedder.seconds)
        rest = median(a - b for a, b in zip(whole, embedding, strict=True))
        rows.append(
            (name, 1000 * median(whole), 1000 * median(embedding), 1000 * rest, rest / median(embedding))
        )
    columns = ("", "whole ms", "embedding ms", "rest ms", "rest, of embedding")
    measure.show(f"one claim against five chunks, {chosen.claims} claims", columns, rows, as_json=chosen.json)


if __name__ == "__main__":
    main()
