"""What every answer has: an id, headers that keep pages of other sites away, a place in the counts and the
log.

Nothing of a request's content is counted or logged: method, route, status, duration and id.
`prometheus_client` writes the counts. They are kept here: its own `Counter` writes files into
`PROMETHEUS_MULTIPROC_DIR` where that is set, and Bob writes into its own folders only.
"""

from __future__ import annotations

import logging
import threading
import time
from bisect import bisect_left
from collections import Counter, defaultdict
from itertools import accumulate
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bob.http.failures import unexpected
from bob.http.guard import values
from bob.http.logs import choose_id, request_id

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


log = logging.getLogger(__name__)

SLOW_SECONDS = 10.0

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        "font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""No script from elsewhere and none inside a page, no frames, no address handed on, nothing guessed."""


async def _metrics(request: Request) -> Metrics:
    metrics: Metrics = request.app.state.metrics
    return metrics


ServerMetrics = Annotated[Metrics, Depends(_metrics)]
"""The counts of this server."""


class Traced:
    """Serves each request under an id; what fails unexpectedly is answered, and logged with it."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        own_id = choose_id(values(scope["headers"], b"x-request-id"))
        token = request_id.set(own_id)
        began, status = time.perf_counter(), 0
        took = 0.0

        async def marked(message: Message) -> None:
            nonlocal status, took
            if message["type"] == "http.response.start":
                status, took = message["status"], time.perf_counter() - began
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = own_id
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        try:
            await self._app(scope, receive, marked)
        except Exception as error:  # BLE001 - the last place that can answer; it is logged
            log.exception("internal error")
            if not status:
                await unexpected(scope["path"], error)(scope, receive, marked)
        finally:
            route = getattr(scope.get("route"), "path", "(none)")
            self._metrics.count(_known(scope["method"]), route, status, took)
            level = logging.WARNING if status >= 500 or took > SLOW_SECONDS else logging.INFO
            fields = {"method": _known(scope["method"]), "route": route, "status": status}
            log.log(
                level, "%(method)s %(route)s %(status)s", fields, extra={"seconds": round(took, 4)} | fields
            )
            request_id.reset(token)


def _known(method: str) -> str:
    """The method; a label of the counts must not be whatever anybody sends."""
    return method if method in ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT") else "OTHER"
