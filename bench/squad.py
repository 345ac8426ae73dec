"""How answers to SQuAD's questions are counted, and how its passages are cut into sentences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

MOST_TOKENS = 30
"""Of a span that answers; SQuAD's usual bound."""

_SENTENCE_ENDS = re.compile(r"[.!?][\"')\]]*\s+(?=[\"'(\[]?[A-Z0-9])")
_NOT_COMPARED = re.compile(r"\b(?:a|an|the)\b|[^\w\s]")


def f1(answer: str, gold: Iterable[str]) -> float:
    """SQuAD's F1: the best over the gold answers, of words without articles and punctuation."""
    best = 0.0
    for other in gold:
        ours, theirs = _compared(answer), _compared(other)
        common = sum((Counter(ours) & Counter(theirs)).values())
        if common:
            best = max(best, 2 * common / (len(ours) + len(theirs)))
    return best


def sentences(passage: str) -> list[tuple[int, int]]:
    """The ranges of a passage's sentences; together they cover it."""
    ends = [match.end() for match in _SENTENCE_ENDS.finditer(passage)]
    return list(zip([0, *ends], [*ends, len(passage)], strict=True))


def _compared(text: str) -> list[str]:
    return _NOT_COMPARED.sub(" ", text.lower()).split()
