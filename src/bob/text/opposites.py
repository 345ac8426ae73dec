"""Pairs of words that turn a sentence into its opposite, in five languages."""

from __future__ import annotations

from collections.abc import Iterator

from bob.text import lexicon
from bob.text.words import stem


def _by_language(section: str) -> Iterator[tuple[str, str]]:
    """The words of a section with each language whose stems they may have: English ones, or their own."""
    for language in lexicon.LANGUAGES:
        for word in lexicon.words(section, language):
            yield from ((word, by) for by in dict.fromkeys(("en", language)))


def _table() -> dict[str, frozenset[str]]:
    antonyms: dict[str, set[str]] = {}
    for pair, language in _by_language("opposites"):
        one, other = (stem(word, language) for word in pair.split("/"))
        if one != other:
            antonyms.setdefault(one, set()).add(other)
            antonyms.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in antonyms.items()}


OPPOSITES = _table()
"""A stem and the stems that mean the opposite."""

POSITIONAL = frozenset(stem(*each) for each in _by_language("positional opposites"))
"""Words that turn the meaning of the next word alone: they oppose each other only before the same one."""
