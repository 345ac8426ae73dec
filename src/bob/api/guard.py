"""Refuses requests that another web site makes through somebody's browser.

A page of any site can send requests to loopback. If its own name resolves to 127.0.0.1 (DNS rebinding), that
name stands in `Host`; else its origin stands in `Origin`. Programs send loopback's name, or one of those that
the settings allow, and no origin.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bob.api.failures import error_response

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class Guard:
    """Lets a request pass whose `Host` is this machine or one of `hosts`, and whose `Origin`, if it has one,
    is this server, and reads no more of it than `most_bytes`."""

    def __init__(self, app: ASGIApp, most_bytes: int, hosts: Collection[str]) -> None:
        self._app = app
        self._most_bytes = most_bytes
        self._hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request."""
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        headers = scope["headers"]
        reason = refusal(_values(headers, b"host"), _values(headers, b"origin"), self._hosts)
        if reason is not None:
            return await error_response(scope["path"], 403, reason, code="forbidden")(scope, receive, send)
        return await self._app(scope, self._limited(receive), send)

    def _limited(self, receive: Receive) -> Receive:
        received = 0

        async def limited() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._most_bytes:
                most = f"{self._most_bytes:,} bytes (server.max_request_mb)"
                raise HTTPException(413, f"the request has more than {most}")
            return message

        return limited


def refusal(hosts: list[str], origins: list[str], allowed: Collection[str] = ()) -> str | None:
    """Why a request with these headers is not served, None when it is.

    >>> refusal(["127.0.0.1:8080"], [])
    >>> refusal(["localhost:8080"], ["http://localhost:8080"])
    >>> refusal(["evil.example:8080"], [])
    'this server answers to localhost, 127.0.0.1 and [::1] only'
    >>> refusal(["localhost:8080"], ["http://localhost:3000"])
    'this server answers no requests of other web sites'
    >>> refusal(["bob.example"], ["https://bob.example"], {"bob.example"})
    """
    name = _host(hosts[0]) if len(hosts) == 1 else None
    if name is None or (name not in LOOPBACK and name not in allowed):
        more = " and the names in server.hosts" if allowed else ""
        return f"this server answers to localhost, 127.0.0.1 and [::1]{more} only"
    # By a name of its own it may stand behind a proxy that ends TLS.
    schemes = ("http",) if name in LOOPBACK else ("http", "https")
    own = {f"{scheme}://{hosts[0]}".lower() for scheme in schemes}
    if any(each.lower() not in own for each in origins):
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
