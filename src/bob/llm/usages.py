"""The numbers of tokens that a server says it has counted, as far as they can be believed."""

from __future__ import annotations

_MOST = 1_000_000_000
"""No request has so many; databases and sums have room for it."""


def believable(*counts: object) -> list[int] | None:
    """The counts, of which None is 0; None when one of them is no number of tokens."""
    numbers = [0 if count is None else count for count in counts]
    good = [n for n in numbers if isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= _MOST]
    return good if len(good) == len(numbers) else None
