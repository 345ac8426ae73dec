"""Counts requests for Prometheus, by route, method and status; knows nothing of what was asked.

`prometheus_client` writes the text. The counts are kept here: its own `Counter` writes files into
`PROMETHEUS_MULTIPROC_DIR` where that is set, and Bob writes into its own folders only.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter, defaultdict
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prometheus_client import Metric

_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Seconds; Prometheus' usual ones, and two for language models."""

CONTENT_TYPE = "text/plain; version=0.0.4"


class Metrics:
    """The counts of one server."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, str, str]] = Counter()
        self._durations: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(_BOUNDS) + 1))
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._lock = threading.Lock()

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        with self._lock:
            self._requests[method, route, str(status)] += 1
            self._durations[route][bisect_left(_BOUNDS, seconds)] += 1
            self._seconds[route] += seconds

    def text(self, gauges: dict[str, tuple[str, int]]) -> bytes:
        """All counts in Prometheus' text format; `gauges` are values of now with what they mean, by name."""
        from prometheus_client import generate_latest
        from prometheus_client.metrics_core import GaugeMetricFamily
        from prometheus_client.registry import Collector

        values = [GaugeMetricFamily(name, meaning, value) for name, (meaning, value) in gauges.items()]

        class Counts(Collector):
            """Of this server only: the library's own registry is one for the whole process."""

            def collect(_) -> list[Metric]:  # noqa: N805 - `self` is the server's counts
                return [*self._families(), *values]

        return generate_latest(Counts())

    def _families(self) -> tuple[Metric, Metric]:
        from prometheus_client.metrics_core import CounterMetricFamily, HistogramMetricFamily

        requests = CounterMetricFamily(
            "bob_requests", "Answered requests.", labels=("method", "route", "status")
        )
        durations = HistogramMetricFamily(
            "bob_request_seconds", "Seconds until the response started.", labels=("route",)
        )
        bounds = (*map(str, _BOUNDS), "+Inf")
        with self._lock:
            for labels, count in sorted(self._requests.items()):
                requests.add_metric(labels, count)
            for route, counts in sorted(self._durations.items()):
                buckets = list(zip(bounds, map(float, accumulate(counts)), strict=True))
                durations.add_metric((route,), buckets, self._seconds[route])
        return requests, durations
