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

_BIAS = -4.88
_WEIGHTS = {
    "unit_cosine": 2.71,
    "chunk_cosine": 2.25,
    "chunk_coverage": 2.01,
    "context_coverage": 2.28,
    "fit": 0.20,
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """The signals, each between 0 and 1.

    Cosines are those of the best unit and the best chunk with the question (of the unit, while vectors are
    pending). Coverage is the share of the question's words, weighted by their rarity, that a text has: the
    best chunk with its headings, or the best unit with its headings; a word that no document has counts as
    the rarest of all. `fit` is 1 when the best unit has what the question wants (a number, a date, a
    reason), 0 when not, one half when the question does not tell.
    """

    unit_cosine: float = 0.0
    chunk_cosine: float = 0.0
    chunk_coverage: float = 0.0
    context_coverage: float = 0.0
    fit: float = 0.0

    def to_json(self) -> dict[str, float]:
        """The signals as the audit shows them."""
        return {name: round(value, 4) for name, value in asdict(self).items()}


def support(evidence: Evidence) -> float:
    """The probability that the evidence answers the question."""
    signals = asdict(evidence)
    weighted = sum(weight * signals[name] for name, weight in _WEIGHTS.items())
    return 1 / (1 + math.exp(-(_BIAS + weighted)))
