"""How long the server waits for a slow client, and how many expensive requests it serves at once.

Uvicorn waits for both for ever; bodies that a route still wants are `bob.http.guard`'s to wait for. It has no
setting for either. A protocol of one's own may be handed to it, but what its own knows (`conn`, `cycle`) is
not part of its interface: pyproject.toml bounds its version, and a test names what is missing.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

_LEAST_BYTES = 16_384
"""So much of an answer that waits has to be taken in `TAKING_SECONDS`: about 500 bytes a second."""


class PatientProtocol(H11Protocol):
    """HTTP/1.1 with two limits. From the first byte (or the beginning of the connection) to the end of the
    headers `HEADER_SECONDS` may pass, and as many from an answer to the end of the body that it did not
    wait for. Of what the system cannot send, some has to be taken in `TAKING_SECONDS`."""

    HEADER_SECONDS = 20.0
    TAKING_SECONDS = 30.0

    _timer: asyncio.TimerHandle | None = None
    _taking: asyncio.TimerHandle | None = None
    _left = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client is there."""
        super().connection_made(transport)
        # Writing pauses as soon as anything waits, so that what waits only becomes less until it is gone.
        transport.set_write_buffer_limits(high=0)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        self._end_wait()
        self._end_taking()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Bytes came; headers may still be incomplete."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """An answer is sent; the beginning of the next request may be there already."""
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        """The system takes no more of an answer for now."""
        super().pause_writing()
        self._expect_taking()

    def resume_writing(self) -> None:
        """It has taken all."""
        self._end_taking()
        super().resume_writing()

    def _look(self) -> None:
        if not self._is_owed():
            self._end_wait()
        elif self._timer is None:
            self._wait()

    def _is_owed(self) -> bool:
        """Whether the client is within headers, or within a body that nobody waits for any more."""
        if self.conn.their_state is h11.IDLE:
            return bool(self.conn.trailing_data[0])
        return self.conn.their_state is h11.SEND_BODY and self.cycle.response_complete

    def _wait(self) -> None:
        self._timer = self.loop.call_later(self.HEADER_SECONDS, self._give_up)

    def _end_wait(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self._timer = None
        if not self.transport.is_closing():
            self.transport.close()

    def _expect_taking(self) -> None:
        self._left = self.transport.get_write_buffer_size()
        self._taking = self.loop.call_later(self.TAKING_SECONDS, self._look_at_answer)

    def _end_taking(self) -> None:
        if self._taking is not None:
            self._taking.cancel()
            self._taking = None

    def _look_at_answer(self) -> None:
        if self._left - self.transport.get_write_buffer_size() < _LEAST_BYTES:
            # To close it would be to wait for the last byte.
            self.transport.abort()
        else:
            self._expect_taking()


def patient(seconds: float) -> type[Any]:
    """The protocol with other limits."""
    return type("Patient", (PatientProtocol,), {"HEADER_SECONDS": seconds, "TAKING_SECONDS": seconds})


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
                reason = "too many waiting requests; try again later"
                raise HTTPException(429, reason, {"Retry-After": str(WAIT_SECONDS)})
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
