"""Refuses requests that another web site makes through somebody's browser, and those that do not come to an
end.

A page of any site can send requests to loopback. If its own name resolves to 127.0.0.1 (DNS rebinding), that
name stands in `Host`; else its origin stands in `Origin`, or the browser says in `Sec-Fetch-Site` that it is
another. Programs send loopback's name, or one of those that the settings allow, and neither of the others.
A page of the server's own shows with its cookie or a header (`X-Bob-Page`) that it means what it sends:
no other page can send either (ADR 22).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterable

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bob.http.failures import error_response

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
COOKIE = "bob_session"
PAGE_HEADER = b"x-bob-page"

_HOST = re.compile(
    r"(?:\[(?P<address>[0-9A-Fa-f:.]{2,45})\]|(?P<name>[A-Za-z0-9._-]{1,253}))(?::(?P<port>\d{1,5}))?",
    re.ASCII,
)
_OTHER_SITES = "requests from other web sites are refused"
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_FORMS = ("application/x-www-form-urlencoded", "text/plain")
"""What a page's form can send elsewhere without asking, and no program needs to send here."""

USUAL_SECONDS = 60.0
"""A body may take so long to come."""


class Guard:
    """Lets a request pass whose `Host` is this machine or one of `hosts`, and that no other site made. Of its
    body no more is read than `most_bytes`, and no longer than `seconds`."""

    def __init__(
        self, app: ASGIApp, most_bytes: int, hosts: Collection[str], seconds: float = USUAL_SECONDS
    ) -> None:
        self._app = app
        self._most_bytes = most_bytes
        self._too_long = f"the request body is larger than {most_bytes:,} bytes (server.max_request_mb)"
        self._seconds = seconds
        self._hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request."""
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        headers = scope["headers"]
        reason = refusal(values(headers, b"host"), values(headers, b"origin"), self._hosts)
        reason = reason or browser_refusal(scope["method"], headers)
        if reason is not None:
            return await error_response(scope["path"], 403, reason, code="forbidden")(scope, receive, send)
        # Below /v1 the routes refuse what is no JSON themselves, in OpenAI's words.
        if is_form(scope["method"], headers) and not scope["path"].startswith("/v1/"):
            reason = "send JSON (application/json); files go to /files as multipart/form-data"
            return await error_response(scope["path"], 415, reason)(scope, receive, send)
        if self._most_bytes < expected_bytes(headers):
            reason = self._too_long
            return await error_response(scope["path"], 413, reason)(scope, receive, send)
        try:
            return await self._app(scope, self._limited(receive), send)
        except HTTPException as error:
            # Raised below where a body was read before any route: nobody there translates it.
            reason, error_headers = str(error.detail), error.headers
            answer = error_response(scope["path"], error.status_code, reason, headers=error_headers)
            return await answer(scope, receive, send)

    def _limited(self, receive: Receive) -> Receive:
        received, ended = 0, False
        deadline = asyncio.get_running_loop().time() + self._seconds

        async def limited() -> Message:
            nonlocal received, ended
            if ended:
                # Nothing is to come but that the client goes away.
                return await receive()
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError:
                raise HTTPException(
                    408, "the request took too long to arrive", {"Connection": "close"}
                ) from None
            received += len(message.get("body", b""))
            ended = not message.get("more_body", False)
            if received > self._most_bytes:
                raise HTTPException(413, self._too_long, {"Connection": "close"})
            return message

        return limited


def refusal(hosts: list[str], origins: list[str], allowed: Collection[str] = ()) -> str | None:
    """Why a request with these headers is not served, None when it is.

    >>> refusal(["127.0.0.1:8080"], [])
    >>> refusal(["localhost:8080"], ["http://localhost:8080"])
    >>> refusal(["evil.example:8080"], [])
    'this server answers to localhost, 127.0.0.1 and [::1] only'
    >>> refusal(["localhost:8080"], ["http://localhost:3000"])
    'requests from other web sites are refused'
    >>> refusal(["bob.example"], ["https://bob.example"], {"bob.example"})
    """
    name = _host(hosts[0]) if len(hosts) == 1 else None
    if name is None or (name not in LOOPBACK and name not in allowed):
        more = " and the names in server.hosts" if allowed else ""
        return f"this server answers to localhost, 127.0.0.1 and [::1]{more} only"
    # By a name of its own it may stand behind a proxy that ends TLS.
    schemes = ("http",) if name in LOOPBACK else ("http", "https")
    own = {f"{scheme}://{hosts[0]}".lower() for scheme in schemes}
    if any(origin.lower() not in own for origin in origins):
        return _OTHER_SITES
    return None


def browser_refusal(method: str, headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """Why a request that a browser sent is not served, None when it is, or no browser sent it.

    >>> browser_refusal("GET", [(b"sec-fetch-site", b"cross-site")])
    'requests from other web sites are refused'
    >>> browser_refusal("POST", [(b"sec-fetch-site", b"same-origin"), (b"x-bob-page", b"ui")])
    >>> browser_refusal("POST", [])
    """
    listed = list(headers)
    sites = values(listed, b"sec-fetch-site")
    if any(site not in ("same-origin", "none") for site in sites):
        # A link on another page may lead to a page here; what it shows stays hidden from that page.
        followed = values(listed, b"sec-fetch-mode") == ["navigate"]
        if not (method == "GET" and followed and values(listed, b"sec-fetch-dest") == ["document"]):
            return _OTHER_SITES
    from_browser = bool(sites) or bool(values(listed, b"origin"))
    if method in _SAFE or not from_browser:
        return None
    if values(listed, PAGE_HEADER) or session_of(listed) is not None:
        return None
    return "a page that changes something must send the header X-Bob-Page, or its session's cookie"


def is_form(method: str, headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether the body is what a page's form sends."""
    kinds = values(headers, b"content-type")
    return method not in _SAFE and any(kind.lower().lstrip().startswith(_FORMS) for kind in kinds)


def expected_bytes(headers: Iterable[tuple[bytes, bytes]]) -> int:
    """How long a body will be, if its sender waits to be told that it may come; else 0.

    >>> expected_bytes([(b"content-length", b"12"), (b"expect", b"100-continue")])
    12
    >>> expected_bytes([(b"content-length", b"12")])
    0
    """
    listed = list(headers)
    lengths = [value for value in values(listed, b"content-length") if value.isascii() and value.isdigit()]
    return int(lengths[0]) if lengths and values(listed, b"expect") else 0


def session_of(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """The session that a request's cookie names; None without one, or with several."""
    listed = list(headers)
    name = cookie_name(listed)
    pairs = [pair.partition("=") for header in values(listed, b"cookie") for pair in header.split(";")]
    sessions = [value.strip() for key, _, value in pairs if key.strip() == name]
    return sessions[0] if len(sessions) == 1 and sessions[0] else None


def cookie_name(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """What the cookie is called: browsers send a host's cookies to all of its ports."""
    hosts = values(headers, b"host")
    port = hosts[0].rpartition(":")[2] if hosts else ""
    return f"{COOKIE}_{port}" if port.isascii() and port.isdigit() else COOKIE


def _host(header: str) -> str | None:
    """The name or address in a Host header, in small letters; None for what is no host (RFC 9110, 7.2)."""
    match = _HOST.fullmatch(header)
    if match is None or (match["port"] and not 0 < int(match["port"]) < 65_536):
        return None
    return (match["address"] or match["name"]).lower()


def values(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> list[str]:
    """The values of a header, as often as it was sent."""
    return [value.decode("latin-1") for key, value in headers if key == name]
