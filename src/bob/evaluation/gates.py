"""Limits under which a run or a comparison counts as failed, for continuous integration."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from bob.core.errors import UsageError
from bob.evaluation.compare import SMALLEST_CHANGE, Comparison
from bob.evaluation.scoring import LESS_IS_BETTER, MEASURES


@dataclass(frozen=True, slots=True)
class Gate:
    """A limit for one measure; for every measure of every question when `measure` is None."""

    measure: str | None
    limit: float


def lowest_values(texts: Iterable[str]) -> list[Gate]:
    """Gates for a run, from texts like `recall=0.8`.

    Raises:
        UsageError: a text is none, or names a measure of which less is better.
    """
    return [_gate("--fail-under", text, MEASURES.keys() - LESS_IS_BETTER) for text in texts]


def highest_values(texts: Iterable[str]) -> list[Gate]:
    """Gates for a run, from texts like `median_seconds=0.5`.

    Raises:
        UsageError: a text is none, or names a measure of which more is better.
    """
    return [_gate("--fail-over", text, LESS_IS_BETTER) for text in texts]


def largest_losses(texts: Iterable[str]) -> list[Gate]:
    """Gates for a comparison: `recall=-0.02` allows the mean a loss of 0.02; `-0.02` allows as much to each
    measure of each question, and `0` none.

    Raises:
        UsageError: a text is none, or a limit is above 0.
    """
    gates = [
        _gate("--fail-under", text, MEASURES.keys())
        if "=" in text
        else Gate(None, _number("--fail-under", text))
        for text in texts
    ]
    for gate in gates:
        if gate.limit > 0:
            raise UsageError(
                f"--fail-under: {gate.limit:g} is not a loss; use -{gate.limit:g} to allow a loss of "
                "that size"
            )
    return gates


def failed_values(
    metrics: Mapping[str, float], lowest: Iterable[Gate], highest: Iterable[Gate]
) -> Iterator[str]:
    """What a run fails by, in words."""
    for gates, word, sign in ((lowest, "under", 1), (highest, "over", -1)):
        for gate in gates:
            value = metrics.get(str(gate.measure))
            if value is None:
                yield f"{gate.measure}: no question of the set has it"
            elif sign * (value - gate.limit) < -SMALLEST_CHANGE:
                yield f"{gate.measure} is {value:.4g}, {word} {gate.limit:g}"


def failed_losses(comparison: Comparison, gates: Iterable[Gate]) -> Iterator[str]:
    """What a comparison fails by, in words."""
    for gate in gates:
        if gate.measure is None:
            for drift in comparison.drifts:
                lost = [
                    f"{name} {change.before:.4g} → {change.after:.4g}"
                    for name, change in drift.measures.items()
                    if change.gain < gate.limit - SMALLEST_CHANGE
                ]
                if lost:
                    yield f"{drift.id}: {', '.join(lost)}"
        elif gate.measure not in comparison.measures:
            yield f"{gate.measure}: no question of both runs has it"
        else:
            change = comparison.measures[gate.measure]
            if change.gain < gate.limit - SMALLEST_CHANGE:
                yield f"{gate.measure} {change.before:.4g} → {change.after:.4g}"


def _gate(flag: str, text: str, choices: Collection[str]) -> Gate:
    measure, _, number = text.partition("=")
    if measure not in choices:
        other = "--fail-over" if measure in LESS_IS_BETTER else "--fail-under"
        if measure in MEASURES:
            raise UsageError(f"{flag}: {measure} belongs to {other}")
        names = ", ".join(name for name in MEASURES if name in choices)
        raise UsageError(f"{flag}: {text!r} must be of the form recall=0.8; measures: {names}")
    return Gate(measure, _number(flag, number))


def _number(flag: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(f"{flag}: {text!r} is not a number")
    return value
