"""Ranks the messages of past conversations for a question, exactly; pure functions over their features.

Four signals, each between 0 and 1: late interaction (every word of the question looks for its nearest in the
message, rare words counting more; Khattab and Zaharia, "ColBERT", 2020), BM25 of the message with the two
before and after it, the meaning of the message with the one before it, and whether its author is named. The
last three look at every message; late interaction at the best of these. docs/adr/0016-recall.md has the
figures.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bob.search.fusion import normalized_cosines, normalized_words
from bob.search.message_features import MessageColumns, MessageFeatures
from bob.search.ranking import Floats

CANDIDATES = 150
"""So many messages are read word by word. Of the turns that answer LoCoMo's questions, 97 % were among them
in the two conversations by which the number was chosen."""

WordVectors = Callable[[Sequence[int]], Sequence[npt.NDArray[np.int8]]]
"""The rows of words of the messages at these places, in the same order."""

_NEIGHBOURS = 2
"""Messages before and after whose words count as a message's own."""

_K1, _B = 0.9, 0.4


@dataclass(frozen=True, slots=True)
class RecallWeights:
    """How much each signal counts; they sum to 1."""

    late: float = 0.4
    words: float = 0.2
    meaning: float = 0.25
    author: float = 0.15


DEFAULT_WEIGHTS = RecallWeights()
"""Chosen on two of LoCoMo's conversations (docs/leaderboard.md)."""


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """Where a message stands. Messages of one chat are given in their order; a text that stands alone, such
    as a memory, has a chat of its own. `author` is a name that a question may use, or empty."""

    chat: Hashable
    author: str = ""


@dataclass(frozen=True, slots=True)
class RecallQuestion:
    """A question, analysed: `terms` has the hashes under which each word that counts may be found, `names`
    its words in lower case, `vector` its meaning, shape (dimension,), and `word_vectors` one row of length 1
    for each of `terms`."""

    terms: Sequence[tuple[int, ...]]
    names: frozenset[str]
    vector: Floats
    word_vectors: Floats


@dataclass(frozen=True, slots=True)
class RankedMessage:
    """A message found: its place in what was given, its score from 0 to 1, and each signal's share of it.

    `nearness` does not depend on the other messages, as the score does: the mean cosine of the question's
    words to their nearest in the message.
    """

    index: int
    score: float
    late: float
    words: float
    meaning: float
    author: float
    nearness: float


def ranked_messages(
    question: RecallQuestion,
    messages: Sequence[ChatMessage],
    features: Sequence[MessageFeatures],
    limit: int,
    weights: RecallWeights = DEFAULT_WEIGHTS,
) -> list[RankedMessage]:
    """The `limit` best messages, best first; equal scores in the order given. The order of the chats changes
    no score."""
    if not messages:
        return []
    columns = MessageColumns.of(features)
    return ranked_columns(
        question,
        messages,
        columns,
        lambda best: [features[row].word_vectors for row in best],
        limit,
        weights,
    )


def ranked_columns(
    question: RecallQuestion,
    messages: Sequence[ChatMessage],
    columns: MessageColumns,
    word_vectors: WordVectors,
    limit: int,
    weights: RecallWeights = DEFAULT_WEIGHTS,
) -> list[RankedMessage]:
    """The same ranking where the rows of words are somewhere else: `word_vectors` is asked once, for those of
    the candidates."""
    if not messages or limit < 1:
        return []
    before, after = _neighbours(messages)
    occurrences, sizes = _occurrences(question.terms, columns)
    shares = {
        "words": weights.words * normalized_words(_bm25(occurrences, sizes, before, after)),
        "meaning": weights.meaning * _normalized(_cosines(question.vector, columns, before)),
        "author": weights.author * _named(question.names, messages),
    }
    first: Floats = np.sum(list(shares.values()), axis=0)
    best = np.argsort(-first, kind="stable")[: max(CANDIDATES, limit)]
    rarity = _inverse_frequency(occurrences)
    nearness = _nearness(question.word_vectors, rarity, word_vectors(best.tolist()))
    late = weights.late * _normalized(nearness)
    scores = first[best] + late
    order = np.argsort(-scores, kind="stable")[:limit]
    return [
        RankedMessage(
            int(best[row]),
            float(scores[row]),
            late=float(late[row]),
            nearness=float(nearness[row]),
            **{name: float(share[best[row]]) for name, share in shares.items()},
        )
        for row in order
    ]


def _normalized(scores: Floats) -> Floats:
    return normalized_cosines(scores, float(scores.min()))


def _neighbours(messages: Sequence[ChatMessage]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """For each message the place of the one before and of the one after it in its chat; -1 for none."""
    before = np.full(len(messages), -1)
    after = np.full(len(messages), -1)
    last: dict[Hashable, int] = {}
    for index, message in enumerate(messages):
        previous = last.get(message.chat, -1)
        last[message.chat] = index
        if previous >= 0:
            before[index], after[previous] = previous, index
    return before, after


def _of_neighbour(values: npt.NDArray[np.float32], neighbours: npt.NDArray[np.intp]) -> Floats:
    """The values (last axis: messages) of each message's neighbour, 0 where it has none."""
    taken: Floats = np.where(neighbours >= 0, values[..., neighbours], np.float32(0))
    return taken


def _occurrences(terms: Sequence[tuple[int, ...]], columns: MessageColumns) -> tuple[Floats, Floats]:
    """How often each word of the question occurs in each message, shape (len(terms), messages), and how many
    words each message has, shape (messages,)."""
    owners, counts, messages = columns.owners, columns.counts, len(columns.vectors)
    found = np.zeros((len(terms), messages), np.float32)
    for row, hashes in zip(found, terms, strict=True):
        places = np.flatnonzero(np.isin(columns.terms, np.array(hashes, np.uint64)))
        np.add.at(row, owners[places], counts[places].astype(np.float32))
    return found, np.bincount(owners, counts, messages).astype(np.float32)


def _inverse_frequency(counts: Floats) -> Floats:
    have = (counts > 0).sum(axis=1)
    rarity: Floats = np.log1p((counts.shape[1] - have + 0.5) / (have + 0.5)).astype(np.float32)
    return rarity


def _bm25(
    found: Floats,
    sizes: Floats,
    before: npt.NDArray[np.intp],
    after: npt.NDArray[np.intp],
) -> Floats:
    """BM25 of each message as if the words of its neighbours were its own."""
    own = np.vstack((found, sizes))
    around = own.copy()
    for neighbours in (before, after):
        step = own
        for _ in range(_NEIGHBOURS):
            step = _of_neighbour(step, neighbours)
            around += step
    counts, lengths = around[:-1], around[-1]
    mean = lengths.mean(dtype=np.float64) or 1.0
    damping = _K1 * (1 - _B + _B * lengths / np.float32(mean))
    gains = counts * (_K1 + 1) / np.where(counts > 0, counts + damping, 1)
    scores: Floats = (_inverse_frequency(counts)[:, None] * gains).sum(axis=0, dtype=np.float32)
    return scores


def _cosines(question: Floats, columns: MessageColumns, before: npt.NDArray[np.intp]) -> Floats:
    """The cosine of the question to the sum of a message's vector and that of the one before it."""
    vectors = columns.vectors.astype(np.float32)
    products = vectors @ question
    follows = np.flatnonzero(before >= 0)
    first = before[follows]
    cosines: Floats = products.copy()
    # The sum of two vectors of length 1 has the square of its length from their product alone.
    inner = np.einsum("ij,ij->i", vectors[1:], vectors[:-1])[follows - 1]
    apart = np.flatnonzero(first != follows - 1)
    inner[apart] = np.einsum("ij,ij->i", vectors[follows[apart]], vectors[first[apart]])
    cosines[follows] = (products[follows] + products[first]) / np.sqrt(np.maximum(2 + 2 * inner, 1e-6))
    return cosines


def _named(names: frozenset[str], messages: Sequence[ChatMessage]) -> Floats:
    """1 where the question names the message's author by one word of the name or more, else 0."""
    is_author = {
        author: float(not names.isdisjoint(author.lower().split())) for author in {m.author for m in messages}
    }
    return np.array([is_author[message.author] for message in messages], np.float32)


def _nearness(question: Floats, weights: Floats, words: Sequence[npt.NDArray[np.int8]]) -> Floats:
    """For each message the mean, by weight, over the question's words of the best cosine to a word of the
    message, shape (len(words),); 0 when one of them has no words."""
    sizes = np.array([len(word) for word in words])
    values = np.zeros(len(words), np.float32)
    total = float(weights.sum())
    if not sizes.any() or not total:
        return values
    rows = np.concatenate(words).astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    cosines = (question @ rows.T) / np.maximum(lengths, 1)
    some = sizes > 0
    starts = (np.cumsum(sizes) - sizes)[some]
    values[some] = weights @ np.maximum.reduceat(cosines, starts, axis=1) / total
    return values
