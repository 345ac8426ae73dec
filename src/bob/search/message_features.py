"""What is kept of a message so that it can be ranked without reading its text: features, and their bytes."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from bob.core.errors import StoreError
from bob.core.protocols import MessageEmbedder
from bob.text.stop_words import QUERY_STOP_WORDS
from bob.text.words import ANALYZER, COUNT_BITS, TEXT_BITS, postings

VERSION = 1
"""The first byte of packed features; raised when their layout or what they hold changes."""

_HEADER = struct.Struct("<BxHIII")
"""Version, dimension, how many terms, how many words, how many bytes in all. 16 bytes, so that the arrays
after it stay aligned to their items."""

_TERM, _COUNT, _HALF, _BYTE = (np.dtype(code) for code in ("<u8", "u1", "<f2", "i1"))

_COUNT_BITS = np.uint64(8)

_LARGEST = 127

MOST_WORDS = 600
"""The model reads so many words and marks of a message, from its beginning; BM25 knows all of them."""

_PARTS = re.compile(r"\w+|[^\w\s]")

_OTHER_VERSION = "the features of a message are of another version; they have to be made again"
_DAMAGED = "the features of a message are damaged; they have to be made again"


@dataclass(frozen=True, slots=True, eq=False)
class MessageFeatures:
    """One message, analysed.

    `terms` are the hashes of its words' stems, ascending, shape (terms,), and `counts` how often each
    occurs, up to 255. `vector` is the meaning of the whole, of length 1, shape (dimension,). `word_vectors`
    are its words that carry meaning, in order and in context, shape (words, dimension); their direction
    counts and their length does not.
    """

    terms: npt.NDArray[np.uint64]
    counts: npt.NDArray[np.uint8]
    vector: npt.NDArray[np.float16]
    word_vectors: npt.NDArray[np.int8]

    def pack(self) -> bytes:
        """The features as bytes, the same on every machine: 9 a term, 2 a dimension, and as many as the
        model has dimensions (384) a word."""
        words, dimension = self.word_vectors.shape
        arrays = (
            self.terms.astype(_TERM).tobytes(),
            self.vector.astype(_HALF).tobytes(),
            self.counts.tobytes(),
            self.word_vectors.tobytes(),
        )
        size = _HEADER.size + sum(map(len, arrays))
        return b"".join((_HEADER.pack(VERSION, dimension, len(self.terms), words, size), *arrays))

    def pack_columns(self) -> tuple[bytes, bytes, bytes]:
        """The same as three texts of bytes, for `MessageColumns`: terms with their counts, 8 a term; the
        vector; the rows of words."""
        terms = (self.terms.astype(_TERM) << _COUNT_BITS) | self.counts
        return terms.astype(_TERM).tobytes(), self.vector.astype(_HALF).tobytes(), self.word_vectors.tobytes()

    @classmethod
    def unpack(cls, packed: bytes) -> MessageFeatures:
        """The features of `pack`, as views on its bytes.

        Raises:
            StoreError: the bytes are of another version, or damaged.
        """
        if len(packed) < _HEADER.size or packed[0] != VERSION:
            raise StoreError(_OTHER_VERSION)
        _, dimension, terms, words, size = _HEADER.unpack_from(packed)
        vector = _HEADER.size + 8 * terms
        counts = vector + 2 * dimension
        word_vectors = counts + terms
        if not len(packed) == size == word_vectors + words * dimension:
            raise StoreError(_DAMAGED)
        return cls(
            # A third of the time of `np.frombuffer`, and there may be thousands to unpack.
            np.ndarray((terms,), _TERM, packed, _HEADER.size),
            np.ndarray((terms,), _COUNT, packed, counts),
            np.ndarray((dimension,), _HALF, packed, vector),
            np.ndarray((words, dimension), _BYTE, packed, word_vectors),
        )


@dataclass(frozen=True, slots=True, eq=False)
class MessageColumns:
    """What every message is ranked by, of many at once.

    `terms` and `counts` are those of all messages one after the other, `owners` the place of the message that
    each belongs to, all of shape (terms of all,); `vectors` has a row a message, shape (messages, dimension).
    """

    terms: npt.NDArray[np.uint64]
    counts: npt.NDArray[np.uint8]
    owners: npt.NDArray[np.intp]
    vectors: npt.NDArray[np.float16]

    @classmethod
    def of(cls, features: Sequence[MessageFeatures]) -> MessageColumns:
        """The columns of messages, at least one."""
        return cls(
            np.concatenate([feature.terms for feature in features]),
            np.concatenate([feature.counts for feature in features]),
            np.repeat(np.arange(len(features)), [len(feature.terms) for feature in features]),
            np.stack([feature.vector for feature in features]),
        )

    @classmethod
    def unpack(cls, terms: Sequence[bytes], vectors: Sequence[bytes]) -> MessageColumns:
        """The columns of at least one message, from the first two of their `pack_columns`: joined before
        NumPy sees them, since arrays for each message take ten times as long.

        Raises:
            StoreError: bytes are damaged.
        """
        sizes = [len(term) for term in terms]
        wide = {len(vector) for vector in vectors}
        if len(wide) != 1 or min(wide) % 2 or any(size % 8 for size in sizes):
            raise StoreError(_DAMAGED)
        every = np.frombuffer(b"".join(terms), _TERM)
        return cls(
            every >> _COUNT_BITS,
            (every & np.uint64(255)).astype(np.uint8),
            np.repeat(np.arange(len(sizes)), np.array(sizes) // 8),
            np.frombuffer(b"".join(vectors), _HALF).reshape(len(sizes), -1),
        )

    def word_vectors(self, packed: bytes) -> npt.NDArray[np.int8]:
        """The rows of words of a message, from the last of its `pack_columns`. Raises StoreError."""
        dimension = self.vectors.shape[1]
        if len(packed) % dimension:
            raise StoreError(_DAMAGED)
        return np.frombuffer(packed, _BYTE).reshape(-1, dimension)


def quantized(rows: npt.NDArray[np.float32]) -> npt.NDArray[np.int8]:
    """Each row as bytes, its largest value at 127: its direction to within a thousandth in the cosine."""
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0)
    scaled = np.divide(rows * np.float32(_LARGEST), largest, out=np.zeros_like(rows), where=largest > 0)
    quantized: npt.NDArray[np.int8] = np.rint(scaled).astype(np.int8)
    return quantized


def leading_words(text: str) -> list[str]:
    """The words and marks of a text that the model reads."""
    return _PARTS.findall(text)[:MOST_WORDS]


def content_positions(words: Sequence[str]) -> list[int]:
    """The places of the words that carry meaning; of all words, if none does."""
    plain = [index for index, word in enumerate(words) if word[0].isalnum() or word[0] == "_"]
    return [index for index in plain if words[index].lower() not in QUERY_STOP_WORDS] or plain


class FeatureBuilder:
    """Turns texts into features. Safe to share between threads."""

    def __init__(self, embedder: MessageEmbedder) -> None:
        self._embedder = embedder

    @cached_property
    def model_id(self) -> str:
        """Names all that features depend on; those of another id have to be made anew. Raises ModelError."""
        return f"{self._embedder.model_id}+{ANALYZER}+message-{VERSION}"

    def build(self, texts: Sequence[str]) -> list[MessageFeatures]:
        """The features of each text, which do not depend on the other texts. Raises ModelError."""
        parts = [leading_words(text) for text in texts]
        vectors, word_vectors = self._embedder.embed_with_words(parts)
        features = []
        for text, words, vector, rows in zip(texts, parts, vectors, word_vectors, strict=True):
            packed = np.frombuffer(postings(text, (), None), np.uint64)
            terms = content_positions(words)
            features.append(
                MessageFeatures(
                    terms=packed >> np.uint64(COUNT_BITS),
                    counts=(packed & np.uint64((1 << TEXT_BITS) - 1)).astype(np.uint8),
                    vector=vector.astype(np.float16),
                    word_vectors=quantized(rows[terms]),
                )
            )
        return features
