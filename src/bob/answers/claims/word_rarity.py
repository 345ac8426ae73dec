"""How rare a word is among the documents, or else in the language: what it weighs in a claim."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from bob.core.protocols import WordEmbedder
from bob.search.index import SearchIndex, View
from bob.text.words import term_hashes

Rarity = Callable[[str], float | None]
"""The rarity of a word in lower case among the documents, from 0 to 1; None where that is not known."""


def unknown(word: str) -> float | None:
    """The `Rarity` where there are no documents to count in."""
    return None


class WordWeights:
    """The weight of a word: how rare it is among the documents, or else in the language."""

    def __init__(self, embedder: WordEmbedder, rarity: Rarity) -> None:
        self._embedder = embedder
        self._rarity = rarity
        self._known: dict[str, float] = {}

    def __call__(self, word: str) -> float:
        """The weight of a word in lower case, from 0 to 1."""
        if word not in self._known:
            here = self._rarity(word)
            self._known[word] = self._embedder.rarity(word) if here is None else here
        return self._known[word]


def idf_share(documents: int, frequency: int) -> float:
    """The inverse document frequency as a share of the highest one, from 0 to 1."""
    return max(math.log((documents + 1) / (frequency + 0.5)), 0.0) / math.log(documents + 2)


LEAST_CHUNKS = 200
"""In fewer chunks a word's frequency says more of the few texts than of the word."""


class IndexRarity:
    """Gives a `Rarity` over one organization's index as of the moment of the call: asking the database what
    is new takes longer than looking up a word, so it is asked once for all words."""

    def __init__(self, index: SearchIndex) -> None:
        self._index = index

    def __call__(self) -> Rarity:
        """The share of the highest inverse document frequency of a word, None in a small index."""
        return partial(_rarity, self._index.view())


def _rarity(view: View, word: str) -> float | None:
    if view.rows < LEAST_CHUNKS:
        return None
    return idf_share(view.rows, min(_frequency(view, term) for term in term_hashes(word, "en")))


def _frequency(view: View, term: int) -> int:
    return sum(end - start for start, end in (part.span(term) for part in view.parts))
