"""Whether what was found answers the question at all: the rule by which Bob abstains (SPEC E1).

A logistic model of a few signals, trained by `bench/abstention.py` on questions asked of their own corpus
and of another one; that command prints the weights below and the two error rates on held-out sets, which
docs/leaderboard.md keeps.
"""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass

ANSWERS_FROM = 0.5
"""The support from which an answer is given."""

_BIAS = -5.0
_WEIGHTS = (5.0, 2.0, 3.0, 1.5)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The signals, each between 0 and 1.

    Cosines are those of the best unit and the best chunk with the question. Coverage is the share of the
    question's words, weighted by their rarity, that the best chunk (headings included) or the best unit
    has; a word that no document has counts as the rarest of all.
    """

    unit_cosine: float
    chunk_cosine: float
    chunk_coverage: float
    unit_coverage: float


def support(evidence: Evidence) -> float:
    """The probability that the evidence answers the question."""
    weighted = sum(w * x for w, x in zip(_WEIGHTS, astuple(evidence), strict=True))
    return 1 / (1 + math.exp(-(_BIAS + weighted)))
