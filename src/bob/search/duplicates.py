"""Folds results that say the same in the same words (SPEC D3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence


class DuplicateFilter:
    """Remembers what was shown, and tells whether a text says nearly the same."""

    def __init__(self, similarity: float) -> None:
        """`similarity` is the Jaccard index of the two texts' sets of words from which they are one."""
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
            if common >= self._similarity * (size + other - common):
                return shown
        self._shown.append((key, words))
        return None


def contains_phrase(texts: Iterable[str], phrase: str) -> bool:
    """Whether one of the texts holds the phrase, whatever its case and white space."""
    wanted = " ".join(phrase.casefold().split())
    return any(wanted in " ".join(text.casefold().split()) for text in texts)


def taken(keys: Sequence[int], limit: int) -> Iterator[Sequence[int]]:
    """The keys in pieces that grow: most searches need only the first."""
    start, size = 0, limit + limit // 2 + 1
    while start < len(keys):
        yield keys[start : start + size]
        start, size = start + size, size * 4
