"""Reads short passages for a question: does the answer stand there?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bob.models.pair_model import PairModel

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bob.models.embedder import OnnxEmbedder

DEFAULT_READER = Path(__file__).parent / "minilm-reader"

_LONGEST_ANSWER = 30
"""Tokens of an answer; SQuAD's usual bound."""

_NOTHING = -20.0
"""The margin of a passage without a word."""


class OnnxReader:
    """A `Reader`: the embedder's network, trained to say where an answer begins and ends."""

    def __init__(self, embedder: OnnxEmbedder, folder: Path = DEFAULT_READER, *, threads: int = 0) -> None:
        """`threads` is how many a run may use; 0: all processors."""
        self._model = PairModel(folder, embedder, threads=threads)

    @property
    def model_id(self) -> str:
        """Name and first 8 hex digits of the model file's hash. Raises ModelError."""
        return self._model.model_id

    def score_passages(self, question: str, passages: Sequence[str]) -> list[float]:
        """For each passage how much better its best span answers than nothing does, as a difference of
        logits: above 0 it answers (Devlin et al. 2019, SQuAD 2.0). Raises ModelError."""
        found = [_NOTHING] * len(passages)
        pairs = [(question, passage) for passage in passages]
        for number, second, logits in self._model.run_pairs("spans", pairs):
            found[number] = _margin(logits, second)
        return found

    def verify(self) -> None:
        """Compares the network with its hash in the manifest. Raises ModelError; reads all of it."""
        self._model.verify()


def _margin(logits: npt.NDArray[np.float32], passage: int) -> float:
    """The best span of the tokens from `passage` on, without the frame, less the first token's score."""
    starts, ends = logits[passage:-1, 0], logits[passage:-1, 1]
    spans = [
        float((starts[: len(starts) - length] + ends[length:]).max())
        for length in range(min(_LONGEST_ANSWER, len(starts)))
    ]
    return max(spans) - float(logits[0, 0] + logits[0, 1]) if spans else _NOTHING
