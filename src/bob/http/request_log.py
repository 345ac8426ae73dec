"""What every answer has: an id, headers that keep pages of other sites away, a place in the counts and the
log.

Nothing of a request's content is logged: method, route, status, duration and id.
"""

from __future__ import annotations

import logging
import time

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bob.http import request_ids
from bob.http.failures import unexpected
from bob.http.guard import values
from bob.http.metrics import Metrics

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


class Traced:
    """Serves each request under an id; what fails unexpectedly is answered, and logged with it."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        request_id = request_ids.chosen(values(scope["headers"], b"x-request-id"))
        token = request_ids.current.set(request_id)
        began, status = time.perf_counter(), 0
        took = 0.0

        async def marked(message: Message) -> None:
            nonlocal status, took
            if message["type"] == "http.response.start":
                status, took = message["status"], time.perf_counter() - began
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = request_id
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
            request_ids.current.reset(token)


def _known(method: str) -> str:
    """The method; a label of the counts must not be whatever anybody sends."""
    return method if method in ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT") else "OTHER"
