"""Serves few expensive requests at once, however many come: each takes memory while the model runs for it.

What is more waits for its turn; when too many wait, the rest is refused at once (429), before its body is read.
"""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Receive, Scope, Send

from bob.api.failures import error_response

AT_ONCE = 8
MOST_WAITING = 64
WAIT_SECONDS = 2
"""After so long a client that was refused may come again."""

EXPENSIVE = frozenset({"/ask", "/context", "/search", "/v1/embeddings", "/verify"})
"""Paths whose requests run the model over texts of any length, and are answered in one piece. Those that are
streamed have their own turns (`bob.api.streams`)."""


class Crowd:
    """Gives each expensive request its turn, in the order in which they came."""

    def __init__(self, app: ASGIApp, at_once: int = AT_ONCE, most_waiting: int = MOST_WAITING) -> None:
        self._app = app
        self._most = at_once + most_waiting
        self._turns = asyncio.Semaphore(at_once)
        self._present = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request."""
        if scope["type"] != "http" or scope["method"] != "POST" or scope["path"] not in EXPENSIVE:
            return await self._app(scope, receive, send)
        if self._present >= self._most:
            answer = error_response(
                scope["path"],
                429,
                "too many requests wait already; come again later",
                code="rate_limit_exceeded",
                headers={"Retry-After": str(WAIT_SECONDS)},
            )
            return await answer(scope, receive, send)
        self._present += 1
        try:
            async with self._turns:
                await self._app(scope, receive, send)
        finally:
            self._present -= 1
