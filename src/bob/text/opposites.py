"""Pairs of words that turn a sentence into its opposite, in five languages."""

from __future__ import annotations

from bob.text import lexicon
from bob.text.words import stem


def _table() -> dict[str, frozenset[str]]:
    antonyms: dict[str, set[str]] = {}
    for pair in lexicon.words("opposites"):
        one, other = map(stem, pair.split("/"))
        if one != other:
            antonyms.setdefault(one, set()).add(other)
            antonyms.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in antonyms.items()}


OPPOSITES = _table()
"""A stem and the stems that mean the opposite."""

POSITIONAL = frozenset(map(stem, lexicon.words("positional opposites")))
"""Words that turn the meaning of the next word alone: they oppose each other only before the same one."""
