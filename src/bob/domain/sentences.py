"""Where the sentences of a text end: not at abbreviations, and not inside brackets, code or quotations."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SENTENCE_END = re.compile(r"[.!?…。！？]+[\"'”’)\]*_`]*(?=\s|$)|[。！？]")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|eg|i\.e|ie|etc|vs|cf|al|approx|resp|incl|Mr|Mrs|Ms|Dr|Prof|St|No|Nos|Fig|Figs|Eq|Sec|Ch|pp?|"
    r"vol|ed|Inc|Ltd|Co|Corp|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|Sr|Sra|Dra?|Av|pág|ex|z\.B|d\.h|"
    r"bzw|ca|Nr)|(?:^|\b[A-Z]\w*\s|[A-Z]\.\s?)[A-Z]|^\s*\d{1,3})\.$"
)

_OPEN_BRACKET_CHARACTERS = 400
"""No sentence ends inside brackets or code, as long as they are closed within so many characters."""


def sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The ranges of the sentences between `start` and `end`, in order; together they cover it all."""
    begin = start
    for stop in _SENTENCE_END.finditer(text, start, end):
        if stop.end() <= begin:
            continue
        so_far = text[begin : stop.end()]
        following = text[stop.end() : end].lstrip()
        if (
            _ABBREVIATION.search(so_far)
            or (following and following[0].islower())
            or _inside(so_far, following)
        ):
            continue
        yield begin, stop.end()
        begin = stop.end()
    if begin < end:
        yield begin, end


def _inside(so_far: str, following: str) -> bool:
    """Whether a bracket or a code span is open that is closed soon, or a quotation."""
    near = following[:_OPEN_BRACKET_CHARACTERS]
    return any(
        so_far.count(opening) > so_far.count(closing) and closing in near
        for opening, closing in (("(", ")"), ("[", "]"))
    ) or any(so_far.count(mark) % 2 == 1 and mark in near for mark in ("``", "`", '"'))
