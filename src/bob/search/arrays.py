"""Two things that NumPy does too, but slower than a search can wait for."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

_GROUPED = 64

_Integer = TypeVar("_Integer", np.int64, np.uint64)


def distinct(values: npt.NDArray[_Integer]) -> npt.NDArray[_Integer]:
    """The values, each once, in order. `numpy.unique` imports masked arrays for it, which takes a tenth of
    the time in which a search starts."""
    ordered = np.sort(values)
    found: npt.NDArray[_Integer] = ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]]
    return found


def kth_largest(values: npt.NDArray[np.float32], k: int) -> np.float32:
    """The k-th largest value, counted from 1; `values`, shape (n,) with n >= k, holds no NaN.

    The k-th largest of the groups' maxima cannot be larger, so whatever lies below it need not be sorted.
    """
    groups = len(values) // _GROUPED
    if groups > 4 * k:
        maxima = values[: groups * _GROUPED].reshape(_GROUPED, groups).max(axis=0)
        values = values[values >= np.partition(maxima, groups - k)[groups - k]]
    found: np.float32 = np.partition(values, len(values) - k)[len(values) - k]
    return found
