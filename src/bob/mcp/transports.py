"""How clients reach the server: over this process's standard input and output, or over HTTP on loopback."""

from __future__ import annotations

import secrets
import threading
from typing import TYPE_CHECKING

import anyio

from bob.mcp.calls import Calls
from bob.mcp.server import server_over

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

PATH = "/mcp"

MOST_SESSIONS = 1_000
"""A session costs about 40 KB; one that nobody uses ends after half an hour."""


def serve_stdio(calls: Calls) -> None:
    """Serve one client until it closes our input."""
    from mcp.server.stdio import stdio_server

    async def serve() -> None:
        server = server_over(calls)
        async with stdio_server() as (incoming, outgoing):
            # The model is loaded beside the first messages: a client waits for initialize, and not for it.
            begin_to_prepare(calls)
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(serve)


def begin_to_prepare(calls: Calls) -> None:
    """Make the shared parts and load the model in the background."""

    def prepare() -> None:
        calls.prepare()
        calls.desk.engine.warm_up()

    threading.Thread(target=prepare).start()


def http_app(calls: Calls, token: str, most_sessions: int = MOST_SESSIONS) -> ASGIApp:
    """The application, at `PATH`, for whoever sends the token. Host and origin are checked around it, and by
    the SDK once more. While `most_sessions` are open, no other can be begun."""
    app = server_over(calls).streamable_http_app(streamable_http_path=PATH, max_sessions=most_sessions)
    return _Bearer(app, token)


class _Bearer:
    """Lets a request pass that carries the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(given) == 1 and secrets.compare_digest(given[0], self._expected):
            return await self._app(scope, receive, send)
        from starlette.responses import JSONResponse

        refused = JSONResponse(
            {"error": "send the header Authorization: Bearer TOKEN, with the token of bob mcp --http"},
            401,
            {"WWW-Authenticate": "Bearer"},
        )
        return await refused(scope, receive, send)
