"""Counts requests for Prometheus, by route, method and status; knows nothing of what was asked."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field

_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Seconds; Prometheus' usual ones, and two for language models."""

CONTENT_TYPE = "text/plain; version=0.0.4"


@dataclass(slots=True)
class _Durations:
    counts: list[int] = field(default_factory=lambda: [0] * (len(_BOUNDS) + 1))
    seconds: float = 0.0


class Metrics:
    """The counts of one server."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._durations: dict[str, _Durations] = {}
        self._lock = threading.Lock()

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        with self._lock:
            self._requests[method, route, status] += 1
            found = self._durations.setdefault(route, _Durations())
            found.counts[bisect_left(_BOUNDS, seconds)] += 1
            found.seconds += seconds

    def text(self, gauges: dict[str, tuple[str, int]]) -> str:
        """All counts in Prometheus' text format; `gauges` are values of now with what they mean, by name."""
        lines = [
            "# HELP bob_requests_total Answered requests.",
            "# TYPE bob_requests_total counter",
        ]
        with self._lock:
            for (method, route, status), count in sorted(self._requests.items()):
                labels = f'method="{method}",route="{_escaped(route)}",status="{status}"'
                lines.append(f"bob_requests_total{{{labels}}} {count}")
            lines.append("# HELP bob_request_seconds Seconds until the response started.")
            lines.append("# TYPE bob_request_seconds histogram")
            for route, found in sorted(self._durations.items()):
                lines += _histogram(route, found)
        for name, (meaning, value) in gauges.items():
            lines += [f"# HELP {name} {meaning}", f"# TYPE {name} gauge", f"{name} {value}"]
        return "\n".join(lines) + "\n"


def _histogram(route: str, found: _Durations) -> list[str]:
    label, total, lines = f'route="{_escaped(route)}"', 0, []
    for bound, count in zip((*_BOUNDS, "+Inf"), found.counts, strict=True):
        total += count
        lines.append(f'bob_request_seconds_bucket{{{label},le="{bound}"}} {total}')
    lines.append(f"bob_request_seconds_sum{{{label}}} {found.seconds:.6f}")
    lines.append(f"bob_request_seconds_count{{{label}}} {total}")
    return lines


def _escaped(label: str) -> str:
    return label.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
