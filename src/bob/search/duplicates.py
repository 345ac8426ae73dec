"""Which of the passages that are shown say nearly the same as one before them."""

from __future__ import annotations


class DuplicateFilter:
    """Remembers what was shown, and tells whether a text says nearly the same."""

    def __init__(self, similarity: float) -> None:
        """`similarity` is the Jaccard index of the two texts' sets of words from which they are one, unless
        they differ in a number: it may be all that the second is about."""
        self._similarity = similarity
        self._shown: list[tuple[int, frozenset[str]]] = []

    def original_of(self, key: int, text: str) -> int | None:
        """The key of the text that this one repeats; None for a new one, which is remembered."""
        words = frozenset(text.lower().split())
        size = len(words)
        for shown, theirs in self._shown:
            other = len(theirs)
            # The index cannot exceed the ratio of the sizes, which costs nothing to look at.
            if size < self._similarity * other or other < self._similarity * size:
                continue
            common = len(words & theirs)
            if common >= self._similarity * (size + other - common) and not any(
                any(map(str.isdigit, word)) for word in words ^ theirs
            ):
                return shown
        self._shown.append((key, words))
        return None
