"""How rare a word is among the indexed chunks."""

from __future__ import annotations

from functools import partial

from bob.answers.judge_claims import Rarity, idf_share
from bob.search.index import SearchIndex, View
from bob.text.terms import term_hashes

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
