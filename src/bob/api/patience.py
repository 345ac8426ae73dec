"""How long the server waits for a client: a connection that sends its headers too slowly is closed.

Uvicorn waits for them for ever; bodies are `bob.api.guard`'s to wait for.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


class PatientProtocol(H11Protocol):
    """HTTP/1.1 with a limit: from the first byte (or the beginning of the connection) to the end of the
    headers `HEADER_SECONDS` may pass."""

    HEADER_SECONDS = 20.0

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client is there."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        self._end_wait()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Bytes came; headers may still be incomplete."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """An answer is sent; the beginning of the next request may be there already."""
        super().on_response_complete()
        self._look()

    def _look(self) -> None:
        half, _ = self.conn.trailing_data
        if self.conn.their_state is not h11.IDLE:
            self._end_wait()
        elif half and self._timer is None:
            self._wait()

    def _wait(self) -> None:
        self._timer = self.loop.call_later(self.HEADER_SECONDS, self._give_up)

    def _end_wait(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self._timer = None
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.close()


def patient(seconds: float) -> type[Any]:
    """The protocol with another limit."""
    return type("Patient", (PatientProtocol,), {"HEADER_SECONDS": seconds})
