"""Logistic regression for the tools that fit weights; run by none of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def logistic(
    design: Floats, labels: npt.NDArray[np.bool_], weights: Floats, ridge: float
) -> tuple[Floats, float]:
    """Slopes and bias of a weighted logistic regression, by Newton's method, for a design of (rows, signals).

    `ridge` is the penalty on the squares of the slopes, halved; the bias is not penalized.
    """
    full = np.column_stack([design, np.ones(len(design))])
    penalty = np.append(np.full(design.shape[1], ridge), 0.0)
    found = np.zeros(full.shape[1])
    for _ in range(30):
        said = 1 / (1 + np.exp(-full @ found))
        slope = full.T @ (weights * (said - labels)) + penalty * found
        bend = (full * (weights * said * (1 - said))[:, np.newaxis]).T @ full + np.diag(penalty + 1e-9)
        step = np.linalg.solve(bend, slope)
        found -= step
        if float(np.abs(step).max()) < 1e-6:
            break
    return found[:-1], float(found[-1])


def listwise(designs: Sequence[Floats], labels: Sequence[Floats], ridge: float) -> Floats:
    """The weights by which the softmax over the rows of each design, of (rows, signals), gives those that are
    labelled 1 the most, by Newton's method; `ridge` is the penalty on the squares of the weights, halved."""
    found = np.zeros(designs[0].shape[1])
    worth = _likelihood(designs, labels, ridge, found)
    for _ in range(40):
        slope, bend = -ridge * found, ridge * np.eye(len(found))
        for design, label in zip(designs, labels, strict=True):
            share = _softmax(design @ found)
            wanted = share * label / (share * label).sum()
            mean = design.T @ share
            slope += design.T @ (wanted - share)
            bend += (design * share[:, np.newaxis]).T @ design - np.outer(mean, mean)
        step = np.linalg.solve(bend, slope)
        # With several rows labelled 1 the likelihood is not concave: a whole step may go too far.
        while (better := _likelihood(designs, labels, ridge, found + step)) < worth:
            step /= 2
        found, worth = found + step, better
        if float(np.abs(step).max()) < 1e-6:
            break
    return found


def _softmax(scores: Floats) -> Floats:
    share = np.exp(scores - scores.max())
    return share / share.sum()


def _likelihood(designs: Sequence[Floats], labels: Sequence[Floats], ridge: float, weights: Floats) -> float:
    """The logarithm of it, less the penalty."""
    said = ((_softmax(design @ weights) * label).sum() for design, label in zip(designs, labels, strict=True))
    return float(np.log(list(said)).sum() - ridge / 2 * weights @ weights)
