"""Turns texts into vectors with the model that comes with Bob; knows nothing of the network."""

from __future__ import annotations

import hashlib
import json
import math
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bob.core.errors import ModelError
from bob.core.protocols import Embedder
from bob.models.wordpiece import WordPiece

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from onnxruntime import InferenceSession

DEFAULT_MODEL = Path(__file__).parents[1] / "models" / "all-MiniLM-L6-v2"

BATCH_TOKENS = 1600
"""Padded tokens in one run: more is no faster and costs memory (32 texts of 200: a gigabyte)."""

RUNS_AT_ONCE = 4
"""Each run takes memory of its own and uses all processors by itself: more at once are no faster."""

_FIRST_WORD = 1995
"""The vocabulary's words begin after this id; before it stand special tokens and single characters."""

_COMMON, _RAREST = 3.0, math.log(28_528)
"""The logarithms of the ranks below which a word carries grammar, and of the last one."""

_FRAME = 2
"""`[CLS]` before and `[SEP]` after every window."""


@dataclass(frozen=True, slots=True)
class _Manifest:
    """What `manifest.json` says of the model."""

    name: str
    dimension: int
    max_tokens: int
    hashes: dict[str, str]

    @classmethod
    def load(cls, path: Path) -> _Manifest:
        try:
            entries: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            hashes = {name: str(entries["sha256"][name]) for name in ("model.onnx", "vocab.txt", "LICENSE")}
            return cls(str(entries["name"]), int(entries["dimension"]), int(entries["max_tokens"]), hashes)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise damaged(path, error) from error


@dataclass(frozen=True, slots=True)
class _Window:
    """A part of one text that the model takes in one piece: ids with their frame."""

    text: int
    part: int
    ids: tuple[int, ...]


_Parts = dict[int, "npt.NDArray[np.float32]"]
"""The token vectors of one text by the number of the window that they were made in."""


class OnnxEmbedder:
    """An `Embedder` over a folder as `tools/build_model.py` writes it.

    Constructing costs nothing; the model is loaded when first used. Safe to share between threads. A text
    longer than the model's window is cut into windows of even length, and its vector is their mean, weighted
    by tokens. A row does not depend on the other texts, nor on `threads`, beyond the last bit of a float.
    """

    def __init__(self, folder: Path = DEFAULT_MODEL, *, threads: int = 0) -> None:
        """`threads` is how many a run may use; 0: all processors."""
        self._folder = folder
        self._threads = threads
        self._loading = threading.Lock()
        self._runs = threading.BoundedSemaphore(RUNS_AT_ONCE)
        self._session: InferenceSession | None = None

    @property
    def model_id(self) -> str:
        """Name and first 8 hex digits of the model file's hash. Raises ModelError."""
        return f"{self._manifest.name}@{self._manifest.hashes['model.onnx'][:8]}"

    @property
    def dimension(self) -> int:
        """The length of a vector. Raises ModelError."""
        return self._manifest.dimension

    @property
    def max_tokens(self) -> int:
        """The model's window in tokens, `[CLS]` and `[SEP]` included. Raises ModelError."""
        return self._manifest.max_tokens

    @cached_property
    def tokenizer(self) -> WordPiece:
        """The model's tokenizer. Raises ModelError."""
        path = self._folder / "vocab.txt"
        try:
            return WordPiece.load(path)
        except (OSError, ValueError, KeyError) as error:
            raise damaged(path, error) from error

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One row of length 1 a text, shape (len(texts), dimension). Raises ModelError.

        An empty text is allowed: its row is what the model gives for no words, always the same.
        """
        import numpy as np

        rows = np.zeros((len(texts), self.dimension), np.float32)
        for windows, (vectors,) in self._run(("embedding",), texts):
            _add_weighted(rows, windows, vectors)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows

    def token_vectors(self, texts: Sequence[str]) -> list[npt.NDArray[np.float32]]:
        """For late interaction: the vectors of each text's own tokens, shape (tokens, dimension), length 1.

        In order of the text, `[CLS]` and `[SEP]` left out; an empty text has none. Raises ModelError.
        """
        parts: list[_Parts] = [{} for _ in texts]
        for windows, (tokens,) in self._run(("token_vectors",), texts):
            _keep_own(parts, windows, tokens)
        return _joined(parts)

    def word_vectors(self, texts: Sequence[Sequence[str]]) -> list[npt.NDArray[np.float32]]:
        """For each text, given as its words and marks, the mean of each one's token vectors, of length 1;
        a word that the tokenizer drops has a row of zeros. Shape (words, dimension). Raises ModelError."""
        return self._by_word(texts, self.token_vectors([" ".join(text) for text in texts]))

    def embed_with_words(
        self, texts: Sequence[Sequence[str]]
    ) -> tuple[npt.NDArray[np.float32], list[npt.NDArray[np.float32]]]:
        """What `embed` gives for the texts, joined by spaces, and what `word_vectors` gives, in one run of
        the model. Raises ModelError."""
        import numpy as np

        joined = [" ".join(text) for text in texts]
        rows = np.zeros((len(texts), self.dimension), np.float32)
        parts: list[_Parts] = [{} for _ in texts]
        for windows, (vectors, tokens) in self._run(("embedding", "token_vectors"), joined):
            _add_weighted(rows, windows, vectors)
            _keep_own(parts, windows, tokens)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows, self._by_word(texts, _joined(parts))

    def _by_word(
        self, texts: Sequence[Sequence[str]], tokens: Sequence[npt.NDArray[np.float32]]
    ) -> list[npt.NDArray[np.float32]]:
        import numpy as np

        found: list[npt.NDArray[np.float32]] = []
        for words, vectors in zip(texts, tokens, strict=True):
            counts = self.tokenizer.counts(words)
            rows = np.zeros((len(words), self.dimension), np.float32)
            np.add.at(rows, np.repeat(np.arange(len(words)), counts), vectors)
            lengths = np.linalg.norm(rows, axis=1, keepdims=True)
            found.append(np.divide(rows, lengths, out=rows, where=lengths > 0))
        return found

    def rarity(self, word: str) -> float:
        """How rare a word is, from 0 to 1: BERT's vocabulary is ordered by frequency, which falls with the
        rank (Zipf's law), so the logarithm of the rank of its rarest piece tells."""
        ranks = [max(each - _FIRST_WORD, 1) for each in self.tokenizer.encode(word)]
        rank = max(ranks, default=1)
        return min(max((math.log(rank) - _COMMON) / (_RAREST - _COMMON), 0.02), 1.0)

    def knows_word(self, word: str) -> bool:
        """Whether a word stands whole in the vocabulary: one of the 24,000 most frequent of English."""
        return self.tokenizer.count(word) == 1

    def verify(self) -> None:
        """Compares every file with its hash in the manifest. Raises ModelError; reads the whole model."""
        for name, expected in self._manifest.hashes.items():
            check_hash(self._folder / name, expected)

    @cached_property
    def _manifest(self) -> _Manifest:
        return _Manifest.load(self._folder / "manifest.json")

    def _run(
        self, outputs: Sequence[str], texts: Sequence[str]
    ) -> Iterator[tuple[list[_Window], list[npt.NDArray[np.float32]]]]:
        """Runs all windows of all texts, longest first, in batches of like length."""
        import numpy as np

        session = self._loaded()
        windows = sorted(self._windows(texts), key=lambda each: -len(each.ids))
        while windows:
            width = len(windows[0].ids)
            size = max(BATCH_TOKENS // width, 1)
            batch, windows = windows[:size], windows[size:]
            ids = np.zeros((len(batch), width), np.int32)
            for row, window in zip(ids, batch, strict=True):
                row[: len(window.ids)] = window.ids
            lengths = np.array([len(each.ids) for each in batch], np.int32)
            with self._runs:
                found = session.run(list(outputs), {"input_ids": ids, "lengths": lengths})
            yield batch, found

    def _windows(self, texts: Sequence[str]) -> Iterator[_Window]:
        first, last = self.tokenizer.first_id, self.tokenizer.last_id
        room = self.max_tokens - _FRAME
        for number, ids in enumerate(self.tokenizer.encode_all(texts)):
            # Even windows: a short rest would be read without its context.
            count = max(-(-len(ids) // room), 1)
            for index in range(count):
                part = ids[len(ids) * index // count : len(ids) * (index + 1) // count]
                yield _Window(number, index, (first, *part, last))

    def _loaded(self) -> InferenceSession:
        with self._loading:
            if self._session is None:
                self._session = open_session(self._folder / "model.onnx", self._threads)
            return self._session


def _add_weighted(
    rows: npt.NDArray[np.float32], windows: Sequence[_Window], vectors: npt.NDArray[np.float32]
) -> None:
    import numpy as np

    weights = np.array([[max(len(window.ids) - _FRAME, 1)] for window in windows], np.float32)
    np.add.at(rows, [window.text for window in windows], weights * vectors)


def _keep_own(parts: list[_Parts], windows: Sequence[_Window], tokens: npt.NDArray[np.float32]) -> None:
    import numpy as np

    for window, vectors in zip(windows, tokens, strict=True):
        own = vectors[1 : len(window.ids) - 1]
        parts[window.text][window.part] = own / np.linalg.norm(own, axis=1, keepdims=True)


def _joined(parts: list[_Parts]) -> list[npt.NDArray[np.float32]]:
    import numpy as np

    return [np.concatenate([part for _, part in sorted(each.items())]) for each in parts]


def open_session(path: Path, threads: int) -> InferenceSession:
    """A network of `tools/`, ready to run. Raises ModelError."""
    try:
        import onnxruntime as ort
    except ImportError as error:
        # What a library in C makes of Ctrl-C while it is being imported.
        if isinstance(error.__cause__, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        raise
    from onnxruntime.capi import onnxruntime_pybind11_state as failures

    options = ort.SessionOptions()
    options.intra_op_num_threads = threads or os.cpu_count() or 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # The graph is written in its fused form; the optimizers beyond folding only cost time at load, and one
    # would bring back an operator for layer norm that is slower.
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
    # Int8 weights become floats once, at load, and not again in every run.
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    # A thread that waits for work in a loop takes the processor from everything else on the machine.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except (
        failures.Fail,
        failures.InvalidArgument,
        failures.InvalidGraph,
        failures.InvalidProtobuf,
        failures.NoSuchFile,
        failures.NotImplemented,
        failures.RuntimeException,
    ) as error:
        raise damaged(path, error) from error


def check_hash(path: Path, expected: str) -> None:
    """Compare a file of a model with its SHA-256. Raises ModelError; reads all of it."""
    try:
        actual = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise damaged(path, error) from error
    if actual != expected:
        raise damaged(path, "its content differs from the shipped one")


def damaged(path: Path, reason: object) -> ModelError:
    """What is said of a file of a model that cannot be used."""
    return ModelError(f"the model file {path} cannot be used; install Bob again ({reason})")


REMEMBERED = 2_000
"""Queries whose vectors are kept, those used last: 3 MB at 384 dimensions."""


class QueryVectors:
    """Embeds queries, each once. Safe to share between threads."""

    def __init__(self, embedder: Embedder, remembered: int = REMEMBERED) -> None:
        self._embedder = embedder
        self._remembered = remembered
        self._known: OrderedDict[str, npt.NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, query: str) -> npt.NDArray[np.float32]:
        """The query's vector, shape (dimension,). Raises ModelError."""
        return self.of_all([query])[0]

    def of_all(self, queries: Sequence[str]) -> list[npt.NDArray[np.float32]]:
        """The vectors of all queries, in order. Raises ModelError."""
        with self._lock:
            found = {query: self._known[query] for query in queries if query in self._known}
        missing = [query for query in dict.fromkeys(queries) if query not in found]
        if missing:
            found |= dict(zip(missing, self._embedder.embed(missing), strict=True))
        with self._lock:
            for each in found:
                self._known[each] = found[each]
                self._known.move_to_end(each)
            while len(self._known) > self._remembered:
                self._known.popitem(last=False)
        return [found[query] for query in queries]


@dataclass(frozen=True, slots=True)
class EmbeddedTexts:
    """Vectors of length 1, shape (texts, dimension), and the tokens of all texts together."""

    vectors: npt.NDArray[np.float32]
    tokens: int


class EmbedTexts:
    """Embeds texts; `count` gives a text's tokens, as exactly as the model allows."""

    def __init__(self, embedder: Embedder, count: Callable[[str], int]) -> None:
        self._embedder = embedder
        self._count = count

    def embed_texts(self, texts: Sequence[str]) -> EmbeddedTexts:
        """The vectors, in order. Raises ModelError."""
        return EmbeddedTexts(self._embedder.embed(texts), sum(map(self._count, texts)))
