"""Cuts paragraphs into sentences, each at its place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bob.decisions.passages import Place
from bob.text.sentences import sentence_ranges

_BLANK_LINE = re.compile(r"\n\s*\n")


def sentences(place: Place) -> Iterator[Place]:
    """The sentences of a paragraph, without the white space between them."""
    yield from (place.part(start, end) for start, end in _ranges(place.text))


def sentence_texts(text: str) -> Iterator[str]:
    """The sentences of a text, where their place does not matter."""
    yield from (text[start:end] for start, end in _ranges(text))


def _ranges(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end in (*(each.end() for each in _BLANK_LINE.finditer(text)), len(text)):
        yield from (each for each in sentence_ranges(text, start, end) if text[each[0] : each[1]].strip())
        start = end
