"""Moves found items by what people said of them and by their age; scores stay between 0 and 1."""

from __future__ import annotations

import math
from collections.abc import Iterable

ALIKE_FROM = 0.6
"""Cosine from which a verdict on one query says something of another; at 1 it says all. Duplicates in public
trackers have 0.64 in the median, texts of other subjects less than 0.4."""

MOST = 0.5
"""Verdicts move a score at most this share of its way to 1, or to 0: what did not help falls behind all that
fit about as well, and what helped does not rise above what fits far better."""


def with_feedback(score: float, verdicts: Iterable[tuple[float, bool]]) -> float:
    """The score after verdicts, each the cosine of its query with this one, and whether the item helped.

    >>> with_feedback(0.5, [])
    0.5
    >>> with_feedback(0.5, [(1.0, True)]) > 0.65 > 0.5 > with_feedback(0.5, [(0.9, False)])
    True
    """
    votes = sum(
        min(max((cosine - ALIKE_FROM) / (1 - ALIKE_FROM), 0.0), 1.0) * (1 if helpful else -1)
        for cosine, helpful in verdicts
    )
    moved = MOST * math.tanh(votes)
    return score + moved * (1 - score if moved > 0 else score)


def with_age(score: float, days: float, half_life_days: float | None) -> float:
    """The score of an item that was changed `days` ago.

    >>> with_age(0.8, 30.0, 30.0)
    0.4
    """
    if half_life_days is None:
        return score
    return float(score * 0.5 ** (max(days, 0.0) / half_life_days))
