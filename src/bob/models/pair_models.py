"""Small networks that read two texts together: a question with a passage, a claim with its evidence."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bob.models.embedder import BATCH_TOKENS, RUNS_AT_ONCE, check_hash, damaged, open_session

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from onnxruntime import InferenceSession

    from bob.models.embedder import OnnxEmbedder

DEFAULT_READER = Path(__file__).parent / "minilm-reader"
DEFAULT_VERIFIER = Path(__file__).parent / "minilm-verifier"

_FRAME = 3
"""`[CLS]`, and `[SEP]` after each text."""

_LONGEST_ANSWER = 30
"""Tokens of an answer; SQuAD's usual bound."""

_NOTHING = -20.0
"""The margin of a passage without a word."""


class PairModel:
    """A folder as `tools/pair_network.py` writes it: `model.onnx` and `manifest.json`.

    Constructing costs nothing; the network is loaded when first used, and shares the vocabulary of the
    embedder that it was made from. Safe to share between threads. What comes out for a pair does not depend
    on the others beyond the last bit of a float.
    """

    def __init__(self, embedder: OnnxEmbedder, folder: Path, *, threads: int = 0) -> None:
        """`threads` is how many a run may use; 0: all processors."""
        self._folder = folder
        self._embedder = embedder
        self._threads = threads
        self._loading = threading.Lock()
        self._runs = threading.BoundedSemaphore(RUNS_AT_ONCE)
        self._session: InferenceSession | None = None

    @property
    def model_id(self) -> str:
        """Name and first 8 hex digits of the model file's hash. Raises ModelError."""
        return f"{self._manifest['name']}@{self._manifest['sha256']['model.onnx'][:8]}"

    def run_pairs(
        self, output: str, pairs: Sequence[tuple[str, str]]
    ) -> Iterator[tuple[int, int, npt.NDArray[np.float32]]]:
        """For each pair its number, where its second text begins, and the output, of shape (tokens, …) or
        (…): the longest pairs come first. Too long texts are cut at their end. Raises ModelError."""
        import numpy as np

        if not pairs:
            return
        rows = sorted(self._encoded(pairs), key=lambda row: -len(row[2]))
        session = self._loaded()
        while rows:
            width = len(rows[0][2])
            size = max(BATCH_TOKENS // width, 1)
            batch, rows = rows[:size], rows[size:]
            ids_array, types = (np.zeros((len(batch), width), np.int32) for _ in range(2))
            for row, (_, second, ids) in enumerate(batch):
                ids_array[row, : len(ids)] = ids
                types[row, second : len(ids)] = 1
            lengths = np.array([len(ids) for _, _, ids in batch], np.int32)
            inputs = {"input_ids": ids_array, "token_types": types, "lengths": lengths}
            with self._runs:
                (found,) = session.run([output], inputs)
            for (number, second, ids), values in zip(batch, found, strict=True):
                yield number, second, values[: len(ids)] if values.ndim > 1 else values

    def _encoded(self, pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[int, int, list[int]]]:
        """For each pair its number, where its second text begins, and the ids of both with their frame."""
        words = self._embedder.tokenizer
        first, last = words.first_id, words.last_id
        longest, longest_first = (int(self._manifest[name]) for name in ("max_tokens", "first_tokens"))
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        ids_of = dict(zip(texts, words.encode_all(texts), strict=True))
        for number, (one, other) in enumerate(pairs):
            ids = ids_of[one][:longest_first]
            room = longest - len(ids) - _FRAME
            yield number, len(ids) + 2, [first, *ids, last, *ids_of[other][:room], last]

    def verify(self) -> None:
        """Compares the network with its hash in the manifest. Raises ModelError; reads all of it."""
        check_hash(self._folder / "model.onnx", self._manifest["sha256"]["model.onnx"])

    @cached_property
    def _manifest(self) -> dict[str, Any]:
        path = self._folder / "manifest.json"
        try:
            manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            for name in ("name", "max_tokens", "first_tokens"):
                manifest[name]
            manifest["sha256"]["model.onnx"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise damaged(path, error) from error
        return manifest

    def _loaded(self) -> InferenceSession:
        with self._loading:
            if self._session is None:
                self._session = open_session(self._folder / "model.onnx", self._threads)
            return self._session


class OnnxReader(PairModel):
    """A `Reader`: the embedder's network, trained to say where an answer begins and ends."""

    def __init__(self, embedder: OnnxEmbedder, folder: Path = DEFAULT_READER, *, threads: int = 0) -> None:
        """`threads` is how many a run may use; 0: all processors."""
        super().__init__(embedder, folder, threads=threads)

    def score_passages(self, question: str, passages: Sequence[str]) -> list[float]:
        """For each passage how much better its best span answers than nothing does, as a difference of
        logits: above 0 it answers (Devlin et al. 2019, SQuAD 2.0). Raises ModelError."""
        margins = [_NOTHING] * len(passages)
        pairs = [(question, passage) for passage in passages]
        for number, second, logits in self.run_pairs("spans", pairs):
            margins[number] = _margin(logits, second)
        return margins


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
        for number, _, logits in self.run_pairs("verdict", pairs):
            odds = np.exp(logits - logits.max())
            shares[number] = (float(odds[0] / odds.sum()), float(odds[1] / odds.sum()))
        return shares


def _margin(logits: npt.NDArray[np.float32], passage: int) -> float:
    """The best span of the tokens from `passage` on, without the frame, less the first token's score."""
    starts, ends = logits[passage:-1, 0], logits[passage:-1, 1]
    spans = [
        float((starts[: len(starts) - length] + ends[length:]).max())
        for length in range(min(_LONGEST_ANSWER, len(starts)))
    ]
    return max(spans) - float(logits[0, 0] + logits[0, 1]) if spans else _NOTHING
