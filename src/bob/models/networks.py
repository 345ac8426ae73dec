"""The networks that come with Bob, and those of them that make vectors of texts.

None of them knows of the internet.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from bob.core.errors import ModelError
from bob.core.protocols import Embedder
from bob.models.wordpiece import WordPiece

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from onnxruntime import InferenceSession

log = logging.getLogger(__name__)

MODELS = Path(__file__).parent
"""The folder of the networks."""

DEFAULT_MODEL = MODELS / "all-MiniLM-L6-v2"
DEFAULT_QUESTION_ENCODER = MODELS / "minilm-question"

BATCH_TOKENS = 1600
"""Padded tokens in one run: more is no faster and costs memory (32 texts of 200: a gigabyte)."""

RUN_TOKENS = 12
"""A run costs as much as so many tokens, whatever it reads: no batch is padded with more."""

RUNS_AT_ONCE = 4
"""Each run takes memory of its own and uses all processors by itself: more at once are no faster."""

_NETWORK = "model.onnx"


@dataclass(frozen=True, slots=True)
class _Manifest:
    """What `manifest.json` says of a network: its name, sizes, and hashes of the files in its folder."""

    name: str
    sizes: dict[str, int]
    hashes: dict[str, str]

    @classmethod
    def load(cls, path: Path, sizes: Sequence[str], files: Sequence[str]) -> _Manifest:
        try:
            entries: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            hashes = {name: str(entries["sha256"][name]) for name in files}
            return cls(str(entries["name"]), {name: int(entries[name]) for name in sizes}, hashes)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise _damaged(path, error) from error


class Network:
    """A folder as `tools/` writes it: `model.onnx`, `manifest.json`, and what a subclass reads beside them.

    Constructing costs nothing; the network is loaded when first used. Safe to share between threads. What
    comes out for a text does not depend on the others, nor on `threads`, beyond the last bit of a float.
    """

    _SIZES: ClassVar[tuple[str, ...]]
    _FILES: ClassVar[tuple[str, ...]] = (_NETWORK,)

    def __init__(self, folder: Path, threads: int) -> None:
        """`threads` is how many a run may use; 0: all processors."""
        self._folder = folder
        self._threads = threads
        self._loading = threading.Lock()
        self._turns = threading.BoundedSemaphore(RUNS_AT_ONCE)
        self._session: InferenceSession | None = None

    @property
    def model_id(self) -> str:
        """Name and first 8 hex digits of the network's hash. Raises ModelError."""
        return f"{self._manifest.name}@{self._manifest.hashes[_NETWORK][:8]}"

    def verify(self) -> None:
        """Compares every file with its hash in the manifest. Raises ModelError; reads the whole network."""
        for name, expected in self._manifest.hashes.items():
            path = self._folder / name
            try:
                actual = hashlib.sha256(path.read_bytes()).hexdigest()
            except OSError as error:
                raise _damaged(path, error) from error
            if actual != expected:
                raise _damaged(path, "its content differs from the shipped one")

    @cached_property
    def _manifest(self) -> _Manifest:
        return _Manifest.load(self._folder / "manifest.json", self._SIZES, self._FILES)

    def _run(
        self, outputs: Sequence[str], texts: Sequence[Sequence[int]], seconds: Sequence[int] = ()
    ) -> Iterator[tuple[list[int], list[npt.NDArray[np.float32]]]]:
        """Runs texts, given as ids with their frame, longest first, in batches of like length: the numbers
        of the texts of each batch, and its outputs. `seconds` says where the second of two texts begins."""
        import numpy as np

        with self._loading:
            if self._session is None:
                self._session = open_session(self._folder / _NETWORK, self._threads)
        numbers = sorted(range(len(texts)), key=lambda number: -len(texts[number]))
        while numbers:
            width = len(texts[numbers[0]])
            size = _batch_size([len(texts[number]) for number in numbers[: max(BATCH_TOKENS // width, 1)]])
            batch, numbers = numbers[:size], numbers[size:]
            inputs = {"input_ids": np.zeros((len(batch), width), np.int32)}
            for row, number in zip(inputs["input_ids"], batch, strict=True):
                row[: len(texts[number])] = texts[number]
            if seconds:
                inputs["token_types"] = np.zeros((len(batch), width), np.int32)
                for row, number in zip(inputs["token_types"], batch, strict=True):
                    row[seconds[number] : len(texts[number])] = 1
            inputs["lengths"] = np.array([len(texts[number]) for number in batch], np.int32)
            with self._turns:
                values = self._outputs(self._session, outputs, inputs)
            yield batch, values

    def _outputs(
        self, session: InferenceSession, outputs: Sequence[str], inputs: dict[str, npt.NDArray[np.int32]]
    ) -> list[npt.NDArray[np.float32]]:
        """What one run gives. Raises ModelError, most often because memory is short."""
        try:
            values: list[npt.NDArray[np.float32]] = session.run(list(outputs), inputs)
        except _session_errors() as error:
            raise ModelError(f"the model {self._folder / _NETWORK} failed ({error})") from error
        return values


def _batch_size(lengths: Sequence[int]) -> int:
    """How many of the texts, given longest first by their tokens, one run reads best."""
    paddings = accumulate(lengths[0] - length for length in lengths)
    return sum(padding <= RUN_TOKENS for padding in paddings)


def open_session(path: Path, threads: int) -> InferenceSession:
    """A network of `tools/`, ready to run. Raises ModelError."""
    try:
        import onnxruntime as ort
    except ImportError as error:
        # What a library in C makes of Ctrl-C while it is being imported.
        if isinstance(error.__cause__, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        raise
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
    except _session_errors() as error:
        raise _damaged(path, error) from error


def _session_errors() -> tuple[type[Exception], ...]:
    """All that ONNX Runtime raises by itself; it has no common base class."""
    from onnxruntime.capi import onnxruntime_pybind11_state as failures

    kinds = (kind for kind in vars(failures).values() if isinstance(kind, type))
    return tuple(kind for kind in kinds if issubclass(kind, Exception))


def _damaged(path: Path, reason: object) -> ModelError:
    return ModelError(f"the model file {path} cannot be used; install Bob again ({reason})")


_FIRST_WORD = 1995
"""The vocabulary's words begin after this id; before it stand special tokens and single characters."""

_COMMON, _RAREST = 3.0, math.log(28_528)
"""The logarithms of the ranks below which a word carries grammar, and of the last one."""

_FRAME = 2
"""`[CLS]` before and `[SEP]` after every window."""

_TEXT, _TOKENS = "embedding", "token_vectors"


class OnnxEmbedder(Network):
    """An `Embedder`, from `tools/build_model.py`. A text longer than the network's window is cut into windows
    of even length, and its vector is their mean, weighted by tokens."""

    _SIZES = ("dimension", "max_tokens")
    _FILES: ClassVar[tuple[str, ...]] = (_NETWORK, "vocab.txt", "LICENSE")

    def __init__(self, folder: Path = DEFAULT_MODEL, *, threads: int = 0) -> None:
        """`threads` is how many a run may use; 0: all processors."""
        super().__init__(folder, threads)

    @property
    def dimension(self) -> int:
        """The length of a vector. Raises ModelError."""
        return self._manifest.sizes["dimension"]

    @property
    def max_tokens(self) -> int:
        """The network's window in tokens, `[CLS]` and `[SEP]` included. Raises ModelError."""
        return self._manifest.sizes["max_tokens"]

    @cached_property
    def tokenizer(self) -> WordPiece:
        """The network's tokenizer. Raises ModelError."""
        path = self._folder / "vocab.txt"
        try:
            return WordPiece.load(path)
        except (OSError, ValueError, KeyError) as error:
            raise _damaged(path, error) from error

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One row of length 1 a text, shape (len(texts), dimension). Raises ModelError.

        An empty text is allowed: its row is what the network gives for no words, always the same.
        """
        rows, _ = self._read((_TEXT,), self.tokenizer.encode_all(texts))
        return rows

    def token_vectors(self, texts: Sequence[str]) -> list[npt.NDArray[np.float32]]:
        """For late interaction: the vectors of each text's own tokens, shape (tokens, dimension), length 1.

        In order of the text, `[CLS]` and `[SEP]` left out; an empty text has none. Raises ModelError.
        """
        _, tokens = self._read((_TOKENS,), self.tokenizer.encode_all(texts))
        return tokens

    def word_vectors(self, texts: Sequence[Sequence[str]]) -> list[npt.NDArray[np.float32]]:
        """For each text, given as its words and marks, the mean of each one's token vectors, of length 1;
        a word that the tokenizer drops has a row of zeros. Shape (words, dimension). Raises ModelError."""
        words = self._encode_words(texts)
        _, tokens = self._read((_TOKENS,), [list(chain(*text)) for text in words])
        return list(map(_means, words, tokens))

    def embed_with_words(
        self, texts: Sequence[Sequence[str]]
    ) -> tuple[npt.NDArray[np.float32], list[npt.NDArray[np.float32]]]:
        """What `embed` gives for the texts, joined by spaces, and what `word_vectors` gives, in one run of
        the network. Raises ModelError."""
        words = self._encode_words(texts)
        rows, tokens = self._read((_TEXT, _TOKENS), [list(chain(*text)) for text in words])
        return rows, list(map(_means, words, tokens))

    def _encode_words(self, texts: Sequence[Sequence[str]]) -> list[list[list[int]]]:
        """For each text the ids of each word: together they are those of the words joined by spaces."""
        words = iter(self.tokenizer.encode_all(chain(*texts)))
        return [list(islice(words, len(text))) for text in texts]

    def _read(
        self, outputs: Sequence[str], texts: Sequence[Sequence[int]]
    ) -> tuple[npt.NDArray[np.float32], list[npt.NDArray[np.float32]]]:
        """The vectors of texts, given as ids, and of their own tokens, as far as they are among `outputs`."""
        import numpy as np

        owners, windows = self._windows(texts)
        rows = np.zeros((len(texts), self.dimension), np.float32)
        own = [rows[:0]] * len(windows)
        for numbers, found in self._run(outputs, windows):
            for output, values in zip(outputs, found, strict=True):
                if output == _TEXT:
                    weights = [[max(len(windows[number]) - _FRAME, 1)] for number in numbers]
                    weighted = np.array(weights, np.float32) * values
                    np.add.at(rows, [owners[number] for number in numbers], weighted)
                else:
                    for number, framed in zip(numbers, values, strict=True):
                        vectors = framed[1 : len(windows[number]) - 1]
                        own[number] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        if _TEXT in outputs:
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        if _TOKENS not in outputs:
            return rows, []
        parts: list[list[npt.NDArray[np.float32]]] = [[] for _ in texts]
        for owner, vectors in zip(owners, own, strict=True):
            parts[owner].append(vectors)
        return rows, [np.concatenate(part) for part in parts]

    def _windows(self, texts: Sequence[Sequence[int]]) -> tuple[list[int], list[list[int]]]:
        """The numbers of the texts that windows are of, and their ids with their frame."""
        first, last = self.tokenizer.first_id, self.tokenizer.last_id
        room = self.max_tokens - _FRAME
        owners, windows = [], []
        for number, ids in enumerate(texts):
            # Even windows: a short rest would be read without its context.
            count = max(-(-len(ids) // room), 1)
            for index in range(count):
                part = ids[len(ids) * index // count : len(ids) * (index + 1) // count]
                owners.append(number)
                windows.append([first, *part, last])
        return owners, windows

    def rarity(self, word: str) -> float:
        """How rare a word is, from 0 to 1: BERT's vocabulary is ordered by frequency, which falls with the
        rank (Zipf's law), so the logarithm of the rank of its rarest piece tells."""
        ranks = [max(each - _FIRST_WORD, 1) for each in self.tokenizer.encode(word)]
        rank = max(ranks, default=1)
        return min(max((math.log(rank) - _COMMON) / (_RAREST - _COMMON), 0.02), 1.0)

    def knows_word(self, word: str) -> bool:
        """Whether a word stands whole in the vocabulary: one of the 24,000 most frequent of English."""
        return self.tokenizer.count(word) == 1


def _means(words: Sequence[Sequence[int]], tokens: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    import numpy as np

    means = np.zeros((len(words), tokens.shape[1]), np.float32)
    np.add.at(means, np.repeat(np.arange(len(words)), list(map(len, words))), tokens)
    lengths = np.linalg.norm(means, axis=1, keepdims=True)
    np.divide(means, lengths, out=means, where=lengths > 0)
    return means


class OnnxQuestionEncoder(OnnxEmbedder):
    """An `Embedder` of questions, from `tools/train_question_encoder.py`: their vectors are near to those of
    the passages that answer them, as the embedder it was made from has these, in whatever words."""

    _FILES = (_NETWORK,)

    def __init__(
        self, embedder: OnnxEmbedder, folder: Path = DEFAULT_QUESTION_ENCODER, *, threads: int = 0
    ) -> None:
        """`threads` is how many a run may use; 0: all processors."""
        super().__init__(folder, threads=threads)
        self._embedder = embedder

    @property
    def tokenizer(self) -> WordPiece:
        """That of the embedder."""
        return self._embedder.tokenizer

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One row of length 1 a question, shape (len(texts), dimension); where this network cannot be used,
        the embedder's. Raises ModelError."""
        try:
            return super().embed(texts)
        except ModelError as error:
            log.warning("questions are embedded as passages are: %s", error)
            return self._embedder.embed(texts)


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
