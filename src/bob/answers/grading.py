"""From signals to the probability that evidence bears a claim out: two small models, averaged in logits.

A logistic regression, which carries on sensibly where it has seen little, and gradient-boosted trees
(Friedman, 2001), which see that signals mean more or less together. `tools/train_grading.py` fits both on
public sets and writes `grading.json`; docs/leaderboard.md has what they reach on claims that they were not
fitted to.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

HOLDS_FROM = 0.5
"""The probability from which a claim is supported."""

PARTLY_FROM = 0.25
"""The probability from which at least a part of a claim is."""

_FILE = Path(__file__).with_name("grading.json")
_CERTAIN = 30.0

Tree = Sequence[Sequence[float]]
"""Nodes, the root first: [value] for a leaf, else [signal, threshold, left, right] with the numbers of signal
and nodes; at most the threshold goes left."""


@dataclass(frozen=True, slots=True)
class Grading:
    """A fitted model. Signals are held within `ranges`, which training saw."""

    names: tuple[str, ...]
    ranges: tuple[tuple[float, float], ...]
    bias: float
    slopes: tuple[float, ...]
    trees_bias: float
    trees: tuple[Tree, ...]

    def probability(self, signals: Mapping[str, float]) -> float:
        """The probability that the claim holds. Raises KeyError when a signal is missing."""
        values = [
            min(max(signals[name], low), high)
            for name, (low, high) in zip(self.names, self.ranges, strict=True)
        ]
        line = self.bias + sum(slope * value for slope, value in zip(self.slopes, values, strict=True))
        boosted = self.trees_bias + sum(_leaf(tree, values) for tree in self.trees)
        return 1 / (1 + math.exp(-min(max((line + boosted) / 2, -_CERTAIN), _CERTAIN)))


def _leaf(tree: Tree, values: Sequence[float]) -> float:
    node = tree[0]
    while len(node) > 1:
        signal, threshold, left, right = node
        node = tree[int(left if values[int(signal)] <= threshold else right)]
    return node[0]


@lru_cache(maxsize=1)
def grading() -> Grading:
    """The model that comes with Bob."""
    return from_json(json.loads(_FILE.read_text(encoding="utf-8")))


def from_json(value: Mapping[str, Any]) -> Grading:
    """A model as `tools/train_grading.py` writes it."""
    return Grading(
        tuple(value["names"]),
        tuple((low, high) for low, high in value["ranges"]),
        value["bias"],
        tuple(value["slopes"]),
        value["trees_bias"],
        tuple(value["trees"]),
    )
