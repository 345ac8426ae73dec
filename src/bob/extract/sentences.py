"""Cuts paragraphs into sentences, each at its place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bob.extract.reading import Place

_END = re.compile(r"[.!?]+[\"'”’)\]*_`]*(?=\s+[\"'“‘(\[*_`]*[^\W_])|\n\s*\n")
_LINK = re.compile(r"\[[^\]\n]*\]\([^)\n]*\)|`[^`\n]*`")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|ca|approx|incl|resp|no|nr|fig|mr|mrs|dr|prof|st|z\.B|d\.h|p\.ej|"
    r"[A-Z])\.$",
    re.IGNORECASE,
)


def sentences(place: Place) -> Iterator[Place]:
    """The sentences of a paragraph, without the white space between them."""
    text = place.text
    start = 0
    for end in (*_ends(text), len(text)):
        if text[start:end].strip():
            yield place.part(start, end)
        start = end


def sentence_texts(text: str) -> Iterator[str]:
    """The sentences of a text, where their place does not matter."""
    start = 0
    for end in (*_ends(text), len(text)):
        if text[start:end].strip():
            yield text[start:end]
        start = end


def _ends(text: str) -> Iterator[int]:
    # "[17. Queues](0017.md)" is no end of a sentence.
    text = _LINK.sub(lambda link: re.sub(r"[.!?]", "_", link[0]), text)
    start = 0
    for end in _END.finditer(text):
        follows = text[end.end() : end.end() + 3].lstrip()
        if not _ABBREVIATION.search(text, start, end.end()) and not follows[:1].islower():
            yield end.end()
            start = end.end()
