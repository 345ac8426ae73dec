"""Whether what was found answers the question at all: the rule by which Bob abstains (SPEC E1).

A logistic model of a few signals, trained by `bench/abstention.py` on questions asked of their own corpus
and of another one; that command prints the weights below and the two error rates on held-out sets, which
docs/leaderboard.md keeps.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

ANSWERS_FROM = 0.5
"""The support from which an answer is given."""

_BIAS = -5.0
_WEIGHTS = {
    "unit_cosine": 5.0,
    "chunk_cosine": 2.0,
    "margin": 0.0,
    "chunk_coverage": 3.0,
    "unit_coverage": 1.5,
    "context_coverage": 0.0,
    "matched": 0.0,
    "known": 0.0,
    "rarest": 0.0,
    "fit": 0.0,
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """The signals, each between 0 and 1.

    Cosines are those of the best unit and the best chunk with the question; `margin` is what the best chunk
    has over the median one. Coverage is the share of the question's words, weighted by their rarity, that a
    text has: the best chunk (headings included), the best unit, that unit with its headings, and all hits
    together (`known`); a word that no document has counts as the rarest of all. `matched` grows with the
    number of words that the best chunk has, since a long question is rarely covered whole. `rarest` is 1 when the
    best chunk has the question's rarest word, `fit` when the best unit has what the question wants (a
    number, a date, a reason), one half when the question does not tell.
    """

    unit_cosine: float = 0.0
    chunk_cosine: float = 0.0
    margin: float = 0.0
    chunk_coverage: float = 0.0
    unit_coverage: float = 0.0
    context_coverage: float = 0.0
    matched: float = 0.0
    known: float = 0.0
    rarest: float = 0.0
    fit: float = 0.0

    def to_json(self) -> dict[str, float]:
        """The signals as the audit shows them."""
        return {name: round(value, 4) for name, value in asdict(self).items()}


def support(evidence: Evidence) -> float:
    """The probability that the evidence answers the question."""
    signals = asdict(evidence)
    weighted = sum(weight * signals[name] for name, weight in _WEIGHTS.items())
    return 1 / (1 + math.exp(-(_BIAS + weighted)))
