"""Limits how many requests each caller sends: a bucket of tokens each, in this process alone (SPEC L2)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable

_MOST_BUCKETS = 10_000
"""Above it those that are full again are dropped: they say nothing."""


class LimitRequests:
    """Lets each caller send `per_minute` requests at once, and as many in every minute that follows.
    `seconds` is a clock that never goes back."""

    def __init__(self, per_minute: int, seconds: Callable[[], float]) -> None:
        self._most = float(per_minute)
        self._rate = per_minute / 60
        self._seconds = seconds
        self._buckets: dict[Hashable, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def take(self, caller: Hashable) -> float | None:
        """Count a request. The seconds after which the caller may come again, None when it may go on."""
        now = self._seconds()
        with self._lock:
            left = self._left(caller, now)
            if left < 1:
                return (1 - left) / self._rate
            if len(self._buckets) >= _MOST_BUCKETS:
                full = [bucket for bucket in self._buckets if self._left(bucket, now) >= self._most]
                for each in full:
                    del self._buckets[each]
            self._buckets[caller] = (left - 1, now)
            return None

    def _left(self, caller: Hashable, now: float) -> float:
        left, at = self._buckets.get(caller, (self._most, now))
        return min(self._most, left + (now - at) * self._rate)
