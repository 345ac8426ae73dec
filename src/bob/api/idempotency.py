"""Requests that may be sent twice: with the same `Idempotency-Key` only the first one does something.

The answer to a key is kept in memory, for a day or until the server ends, and given again; to the same key
with another body the answer is 422, and 409 while the first request is under way. A stream is gone on with.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import OrderedDict
from dataclasses import dataclass, field

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bob.api.authenticate import sender_of
from bob.api.failures import error_response
from bob.api.guard import values

_KEPT_SECONDS = 24 * 3600.0
_MOST = 1_000
_MOST_BYTES = 256 * 1024
"""Longer answers are not kept: they are large lists, and nothing that was made."""

_LONGEST_KEY = 255
_FOR_NO_ONE_ELSE = (b"set-cookie", b"x-request-id", b"date", b"content-length")

Key = tuple[str, str, str, str]


@dataclass(slots=True)
class _Answer:
    digest: bytes
    at: float
    status: int | None = None
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    body: bytes = b""
    stream_id: str | None = None


class Idempotency:
    """Answers a POST with a key that was answered before as it was then."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._answers: OrderedDict[Key, _Answer] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        given = values(scope["headers"], b"idempotency-key") if scope["type"] == "http" else []
        sender = sender_of(scope)
        if not given or sender is None or scope["method"] != "POST" or scope["path"].startswith("/v1/"):
            # Clients of OpenAI's API mean nothing that Bob would have to make once.
            return await self._app(scope, receive, send)
        if len(given) != 1 or not 0 < len(given[0]) <= _LONGEST_KEY:
            told = f"Idempotency-Key has to be one word of at most {_LONGEST_KEY} characters"
            return await self._refused(scope, receive, send, 400, told)
        messages, digest = await _whole(receive)
        key = (sender.org_id, sender.user_id, scope["path"], given[0])
        self._forget_old()
        known = self._answers.get(key)
        if known is None:
            known = self._answers[key] = _Answer(digest, time.monotonic())
            return await self._first(key, known, scope, _again(messages, receive), send)
        if known.digest != digest:
            told = "this Idempotency-Key was sent with another body"
            return await self._refused(scope, receive, send, 422, told)
        if known.stream_id is not None:
            path = f"/streams/{known.stream_id}"
            gone_on = {**scope, "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b""}
            return await self._app(gone_on, receive, send)
        if known.status is None:
            return await self._refused(
                scope, receive, send, 409, "the first request with this key is under way"
            )
        await send({"type": "http.response.start", "status": known.status, "headers": known.headers})
        return await send({"type": "http.response.body", "body": known.body})

    async def _first(self, key: Key, answer: _Answer, scope: Scope, receive: Receive, send: Send) -> None:
        async def kept(message: Message) -> None:
            if message["type"] == "http.response.start":
                _take_head(answer, message)
            elif answer.stream_id is None and len(answer.body) <= _MOST_BYTES:
                answer.body += message.get("body", b"")
            await send(message)

        status = None
        try:
            await self._app(scope, receive, kept)
            status = answer.status
        finally:
            # What failed by no fault of the request may be tried again, and so may what is too long to keep.
            if status is None or status >= 500 or status in (408, 429) or len(answer.body) > _MOST_BYTES:
                self._answers.pop(key, None)

    async def _refused(self, scope: Scope, receive: Receive, send: Send, status: int, told: str) -> None:
        answer = error_response(scope["path"], status, told, param="Idempotency-Key")
        await answer(scope, receive, send)

    def _forget_old(self) -> None:
        oldest = time.monotonic() - _KEPT_SECONDS
        while self._answers:
            key, first = next(iter(self._answers.items()))
            if first.at > oldest and len(self._answers) < _MOST:
                return
            del self._answers[key]


def _take_head(answer: _Answer, message: Message) -> None:
    headers = [(name.lower(), value) for name, value in message.get("headers", [])]
    stream = values(headers, b"x-bob-stream")
    answer.stream_id = stream[0] if stream and message["status"] == 200 else None
    answer.headers = [each for each in headers if each[0] not in _FOR_NO_ONE_ELSE]
    answer.status = message["status"]


async def _whole(receive: Receive) -> tuple[list[Message], bytes]:
    """The messages of a body, and a hash of it; the guard before has limited both size and time."""
    messages, digest = [], hashlib.sha256()
    while True:
        message = await receive()
        messages.append(message)
        digest.update(message.get("body", b""))
        if not message.get("more_body", False):
            return messages, digest.digest()


def _again(messages: list[Message], receive: Receive) -> Receive:
    waiting = list(messages)

    async def replayed() -> Message:
        await asyncio.sleep(0)
        return waiting.pop(0) if waiting else await receive()

    return replayed
