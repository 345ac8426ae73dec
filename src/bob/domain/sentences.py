"""Where the sentences of a text end: not at abbreviations, and not inside brackets, code or quotations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

_SENTENCE_END = re.compile(r"(?<![.!?…。！？])[.!?…。！？]++[\"'”’)\]*_`]*+(?=\s|$)|[。！？]")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|eg|i\.e|ie|etc|vs|cf|al|approx|resp|incl|Mr|Mrs|Ms|Dr|Prof|St|No|Nos|Fig|Figs|Eq|Sec|Ch|pp?|"
    r"vol|ed|Inc|Ltd|Co|Corp|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|Sr|Sra|Dra?|Av|pág|ex|z\.B|d\.h|"
    r"bzw|ca|Nr)|(?:^|\b[A-Z]\w*\s|[A-Z]\.\s?)[A-Z]|^\s*\d{1,3})\.$"
)

_NOT_BLANK = re.compile(r"\S")
_MARKS = ("(", ")", "[", "]", "``", "`", '"')
_LONGEST_ABBREVIATION = 200
"""Characters, with the name before an initial."""

_OPEN_BRACKET_CHARACTERS = 400
"""No sentence ends inside brackets or code, as long as they are closed within so many characters."""


def sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The ranges of the sentences between `start` and `end`, in order; together they cover it all."""
    begin = counted = start
    counts = dict.fromkeys(_MARKS, 0)
    for stop in _SENTENCE_END.finditer(text, start, end):
        if stop.end() <= begin:
            continue
        for mark in _MARKS:
            counts[mark] += text.count(mark, counted, stop.end())
        counted = stop.end()
        follows = _NOT_BLANK.search(text, stop.end(), end)
        near = text[follows.start() : min(follows.start() + _OPEN_BRACKET_CHARACTERS, end)] if follows else ""
        if (
            _ABBREVIATION.search(text[max(begin, stop.end() - _LONGEST_ABBREVIATION) : stop.end()])
            or near[:1].islower()
            or _inside(counts, near)
        ):
            continue
        yield begin, stop.end()
        begin = stop.end()
        counts = dict.fromkeys(_MARKS, 0)
    if begin < end:
        yield begin, end


def _inside(counts: Mapping[str, int], near: str) -> bool:
    """Whether a bracket or a code span is open that is closed soon, or a quotation. `counts` are those of the
    marks in the sentence so far."""
    return any(
        counts[opening] > counts[closing] and closing in near for opening, closing in (("(", ")"), ("[", "]"))
    ) or any(counts[mark] % 2 == 1 and mark in near for mark in ("``", "`", '"'))
