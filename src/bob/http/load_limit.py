"""Serves few expensive requests at once, however many come: each takes memory while the model runs for it.

What is more waits for its turn; when too many wait, the rest is refused at once (429). A request whose body
is still on its way takes nobody's turn, however slowly it comes.
"""

from __future__ import annotations

import asyncio

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

AT_ONCE = 8
MOST_WAITING = 64
WAIT_SECONDS = 2
"""After so long a client that was refused may come again."""

EXPENSIVE = frozenset({"/ask", "/context", "/search", "/v1/embeddings", "/verify"})
"""Paths whose requests run the model over texts of any length, and are answered in one piece. Those that are
streamed have their own turns (`bob.http.streams`)."""


class Crowd:
    """Gives each expensive request its turn, in the order in which they came."""

    def __init__(self, app: ASGIApp, at_once: int = AT_ONCE, most_waiting: int = MOST_WAITING) -> None:
        self._app = app
        self._most = at_once + most_waiting
        self._turns = asyncio.Semaphore(at_once)
        self._present = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request."""
        if scope["type"] != "http" or scope["path"] not in EXPENSIVE:
            return await self._app(scope, receive, send)
        has_turn = False

        async def take_turn() -> None:
            nonlocal has_turn
            if self._present >= self._most:
                told = "too many requests wait already; come again later"
                raise HTTPException(429, told, {"Retry-After": str(WAIT_SECONDS)})
            self._present += 1
            try:
                await self._turns.acquire()
                has_turn = True
            finally:
                self._present -= not has_turn

        async def received() -> Message:
            message = await receive()
            if not has_turn and message["type"] == "http.request" and not message.get("more_body", False):
                await take_turn()
            return message

        try:
            if scope["method"] != "POST":
                # Its route reads no body.
                await take_turn()
            await self._app(scope, received, send)
        finally:
            if has_turn:
                self._turns.release()
                self._present -= 1
