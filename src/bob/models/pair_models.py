"""The networks that read two texts together: a question and a passage, or a claim and evidence."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from bob.models.networks import MODELS, Network, OnnxEmbedder

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

DEFAULT_READER = MODELS / "minilm-reader"
DEFAULT_VERIFIER = MODELS / "gte-verifier"

_PAIR_FRAME = 3
"""`[CLS]`, and `[SEP]` after each text."""

_LONGEST_ANSWER = 30
"""Tokens of an answer; SQuAD's usual bound."""

_NOTHING = -20.0
"""The margin of a passage without a word."""


class PairModel(Network):
    """Reads two texts together, from `tools/pair_network.py`, with the vocabulary of the embedder that it was
    made from. Too long texts are cut at their end."""

    _SIZES = ("max_tokens", "first_tokens")

    def __init__(self, embedder: OnnxEmbedder, folder: Path, *, threads: int = 0) -> None:
        """`threads` is how many a run may use; 0: all processors."""
        super().__init__(folder, threads)
        self._embedder = embedder


class OnnxReader(PairModel):
    """A `Reader`: the embedder's network, trained to say where an answer begins and ends."""

    def __init__(self, embedder: OnnxEmbedder, folder: Path = DEFAULT_READER, *, threads: int = 0) -> None:
        """`threads` is how many a run may use; 0: all processors."""
        super().__init__(embedder, folder, threads=threads)

    def score_passages(self, question: str, passages: Sequence[str]) -> list[float]:
        """For each passage how much better its best span answers than nothing does, as a difference of
        logits: above 0 it answers (Devlin et al. 2019, SQuAD 2.0). Raises ModelError."""
        whole = self.score_parts(question, [(passage, [(0, len(passage))]) for passage in passages])
        return [_NOTHING if margin is None else margin for (margin,) in whole]

    def score_parts(
        self, question: str, passages: Sequence[tuple[str, Sequence[tuple[int, int]]]]
    ) -> list[list[float | None]]:
        """For each part of each passage, given by its first character and the one after its last, how much
        better the best span in it answers than nothing in the passage does. Raises ModelError."""
        rows, second, places = self._framed(question, passages)
        margins: list[list[float | None]] = [[None] * len(parts) for _, parts in passages]
        for numbers, (found,) in self._run(("spans",), rows, [second] * len(rows)):
            for number, logits in zip(numbers, found, strict=True):
                margins[number] = [
                    _margin(logits, begin, end) if begin < end else None for begin, end in places[number]
                ]
        return margins

    def _framed(
        self, question: str, passages: Sequence[tuple[str, Sequence[tuple[int, int]]]]
    ) -> tuple[list[list[int]], int, list[list[tuple[int, int]]]]:
        """The ids of the question with each passage, where the passages begin among them, and where each
        part of each passage begins and ends."""
        words, sizes = self._embedder.tokenizer, self._manifest.sizes
        asked = words.encode(question)[: sizes["first_tokens"]]
        second, last = len(asked) + 2, sizes["max_tokens"] - 1
        rows, places = [], []
        for text, parts in passages:
            cuts = sorted({0, len(text), *chain.from_iterable(parts)})
            pieces = words.encode_all([text[begin:end] for begin, end in pairwise(cuts)])
            ends = accumulate(map(len, pieces), initial=second)
            tokens = dict(zip(cuts, (min(end, last) for end in ends), strict=True))
            ids = [words.first_id, *asked, words.last_id, *chain.from_iterable(pieces)]
            rows.append([*ids[:last], words.last_id])
            places.append([(tokens[begin], tokens[end]) for begin, end in parts])
        return rows, second, places


class OnnxVerifier(PairModel):
    """A `Verifier`: the embedder's network, trained to tell what evidence says of a claim."""

    def __init__(self, embedder: OnnxEmbedder, folder: Path = DEFAULT_VERIFIER, *, threads: int = 0) -> None:
        """`threads` is how many a run may use; 0: all processors."""
        super().__init__(embedder, folder, threads=threads)

    def judge_pairs(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, float]]:
        """For each claim with its evidence the probabilities that the evidence says it, and that it denies
        it. Raises ModelError."""
        import numpy as np

        shares = [(0.0, 0.0)] * len(pairs)
        seconds, rows = self._encoded(pairs)
        for numbers, (found,) in self._run(("verdict",), rows, seconds):
            for number, logits in zip(numbers, found, strict=True):
                odds = np.exp(logits - logits.max())
                shares[number] = (float(odds[0] / odds.sum()), float(odds[1] / odds.sum()))
        return shares

    def _encoded(self, pairs: Sequence[tuple[str, str]]) -> tuple[list[int], list[list[int]]]:
        """Where the second text of each pair begins, and the ids of both with their frame."""
        words, sizes = self._embedder.tokenizer, self._manifest.sizes
        first, last = words.first_id, words.last_id
        texts = list(dict.fromkeys(chain(*pairs)))
        ids_of = dict(zip(texts, words.encode_all(texts), strict=True))
        seconds, rows = [], []
        for one, other in pairs:
            ids = ids_of[one][: sizes["first_tokens"]]
            room = sizes["max_tokens"] - len(ids) - _PAIR_FRAME
            seconds.append(len(ids) + 2)
            rows.append([first, *ids, last, *ids_of[other][:room], last])
        return seconds, rows


def _margin(logits: npt.NDArray[np.float32], begin: int, end: int) -> float:
    """The best span of the tokens from `begin` to `end` (excluded), less the first token's score."""
    starts, ends = logits[begin:end, 0], logits[begin:end, 1]
    spans = [
        float((starts[: len(starts) - length] + ends[length:]).max())
        for length in range(min(_LONGEST_ANSWER, len(starts)))
    ]
    return max(spans) - float(logits[0, 0] + logits[0, 1]) if spans else _NOTHING
