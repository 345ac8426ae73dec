"""Refuses requests that another web site makes through a browser on this machine.

A page of any site can send requests to loopback. If its own name resolves to 127.0.0.1 (DNS rebinding), that
name stands in `Host`; else its origin stands in `Origin`. Programs send loopback's name, and no origin.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from bob.api.failures import error_response

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class Guard:
    """Lets a request pass whose `Host` is this machine, and whose `Origin`, if it has one, is this server."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request."""
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        reason = refusal(_values(scope["headers"], b"host"), _values(scope["headers"], b"origin"))
        if reason is None:
            return await self._app(scope, receive, send)
        return await error_response(403, reason, code="forbidden")(scope, receive, send)


def refusal(hosts: list[str], origins: list[str]) -> str | None:
    """Why a request with these headers is not served, None when it is.

    >>> refusal(["127.0.0.1:8080"], [])
    >>> refusal(["localhost:8080"], ["http://localhost:8080"])
    >>> refusal(["evil.example:8080"], [])
    'this server answers to localhost, 127.0.0.1 and [::1] only'
    >>> refusal(["localhost:8080"], ["http://localhost:3000"])
    'this server answers no requests of other web sites'
    """
    if len(hosts) != 1 or _host(hosts[0]) not in LOOPBACK:
        return "this server answers to localhost, 127.0.0.1 and [::1] only"
    if any(each.lower() != f"http://{hosts[0]}".lower() for each in origins):
        return "this server answers no requests of other web sites"
    return None


def _host(header: str) -> str | None:
    try:
        parts = urlsplit(f"http://{header}")
        # Reading the port raises for what is no number.
        plain = parts.port is None or parts.port > 0
    except ValueError:
        return None
    return parts.hostname if plain and parts.netloc == header and "@" not in header else None


def _values(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in headers if key == name]
