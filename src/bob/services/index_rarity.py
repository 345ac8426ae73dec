"""How rare a word is among the indexed chunks."""

from __future__ import annotations

from bob.index.terms import term_hashes
from bob.services.judge_claims import idf_share
from bob.store.search_index import SearchIndex, View

LEAST_CHUNKS = 200
"""In fewer chunks a word's frequency says more of the few texts than of the word."""


class IndexRarity:
    """A `Rarity` over one organization's index, as of the moment of each call."""

    def __init__(self, index: SearchIndex) -> None:
        self._index = index

    def __call__(self, word: str) -> float | None:
        """The share of the highest inverse document frequency, None in a small index."""
        view = self._index.view()
        if view.rows < LEAST_CHUNKS:
            return None
        return idf_share(view.rows, min(self._frequency(view, term) for term in term_hashes(word, "en")))

    def _frequency(self, view: View, term: int) -> int:
        return sum(end - start for start, end in (part.span(term) for part in view.parts))
