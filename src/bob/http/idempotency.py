"""Requests that may be sent twice: with the same `Idempotency-Key` only the first one does something.

What was answered is kept in the database for a day, and given again to the same credential alone, after the
route has seen that its role and scope suffice. To the same key with another body the answer is 422, and 409
while the first request is under way, and where its answer is not kept: it has a secret, or is too large. A
stream is gone on with.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress

from fastapi import FastAPI, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bob.access.answer_once import AnswerOnce, Conflict
from bob.access.api_key import WrittenKey
from bob.core.errors import StoreError
from bob.core.principal import Principal
from bob.http.authenticate import ATTEMPT, Authenticator, Caller, sender_of
from bob.http.failures import error_response
from bob.http.guard import values
from bob.storage.idempotency import NotKept, Reservation, StoredAnswer, serving

log = logging.getLogger(__name__)

REPLAYED = "Idempotent-Replayed"
"""A header of answers that were given before."""

_MOST_BYTES = 1024 * 1024
_LONGEST_KEY = 255
_FOR_NO_ONE_ELSE = (b"set-cookie", b"x-request-id", b"date", b"content-length")
_STREAM = b"x-bob-stream"
_PRUNE_SECONDS = 3600.0

_NOT_KEPT: dict[NotKept, str] = {
    "secret": "this was already done; its secret is shown only once",
    "large": "this was already done; its answer was too large to keep",
    "forgotten": "this was already done; its answer is no longer kept",
}

Resume = Callable[[Caller, str], Response]
"""The answer that goes on with a stream. Raises NotFoundError: the stream is not here."""


class AlreadyDoneError(Exception):
    """Ends a request whose role and scope suffice, before its route does anything."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


class Attempt:
    """One request with a key: what is known of it before its route is."""

    def __init__(self, reservation: Reservation, path: str, resume: Resume) -> None:
        self.reservation = reservation
        self._path = path
        self._resume = resume
        self._once: AnswerOnce | None = None
        self._not_kept: NotKept | None = None

    def begin(self, caller: Caller) -> None:
        """Reserve the request, which may be served: role and scope were checked.

        Raises:
            AlreadyDoneError: it was served before, or is under way.
        """
        self._not_kept = caller.needed.not_kept
        self._once = caller.engine.team.answer_once
        earlier = self._once.begin(self.reservation)
        if earlier is not None:
            raise AlreadyDoneError(self._again(caller, earlier))

    def _again(self, caller: Caller, earlier: StoredAnswer | Conflict) -> Response:
        if isinstance(earlier, Conflict):
            return _refusal(self._path, earlier.status, earlier.reason)
        if earlier.not_kept is not None:
            return _refusal(self._path, 409, _NOT_KEPT[earlier.not_kept])
        headers = dict(earlier.headers)
        stream_id = headers.get(_STREAM.decode())
        response = Response(earlier.body, earlier.status, headers)
        if stream_id is not None:
            response = self._resume(caller, stream_id)
        response.headers[REPLAYED] = "true"
        return response

    async def finish(self, head: Message | None, body: bytes = b"") -> None:
        """Keep the answer, before it is sent; None: there is none."""
        answer = None if head is None else _stored(head, body, self._not_kept)
        assert self._once is not None
        try:
            await run_in_threadpool(self._once.finish, self.reservation, answer)
        except StoreError as error:
            # Whoever asked gets the answer; a repeat is told that it is not known.
            log.error("cannot keep the answer to an Idempotency-Key: %s", error)


class Idempotency:
    """Answers a POST with a key that was answered before as it was then."""

    def __init__(self, app: ASGIApp, resume: Resume) -> None:
        self._app = app
        self._resume = resume

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        keys = values(scope["headers"], b"idempotency-key") if scope["type"] == "http" else []
        sender = sender_of(scope)
        if not keys or sender is None or scope["method"] != "POST" or scope["path"].startswith("/v1/"):
            # Clients of OpenAI's API mean nothing that Bob would have to make once.
            return await self._app(scope, receive, send)
        if len(keys) != 1 or not 0 < len(keys[0]) <= _LONGEST_KEY:
            reason = f"Idempotency-Key must be one word of at most {_LONGEST_KEY} characters"
            return await _refusal(scope["path"], 400, reason)(scope, receive, send)
        messages, body = await _whole(receive)
        reservation = _reservation(sender, scope, keys[0], body)
        attempt = Attempt(reservation, scope["path"], self._resume)
        answering = _Answering(attempt, send)
        with serving(reservation):
            try:
                await self._app({**scope, ATTEMPT: attempt}, _again(messages, receive), answering.send)
            finally:
                if reservation.held and not answering.ended:
                    await attempt.finish(None)


class _Answering:
    """Holds an answer back until it is kept. A stream is kept when it begins: the rest is at its id."""

    def __init__(self, attempt: Attempt, send: Send) -> None:
        self._attempt = attempt
        self._send = send
        self._head: Message | None = None
        self._body = bytearray()
        self.ended = False

    async def send(self, message: Message) -> None:
        """Take one part of the answer."""
        if not self._attempt.reservation.held or self.ended:
            return await self._send(message)
        if message["type"] == "http.response.start":
            self._head = message
            if values(_lowered(message), _STREAM):
                await self._end(message)
                await self._send(message)
            return None
        self._body += message.get("body", b"")
        if not message.get("more_body", False):
            assert self._head is not None
            await self._end(self._head)
            await self._send(self._head)
            await self._send({"type": "http.response.body", "body": bytes(self._body)})
        return None

    async def _end(self, head: Message) -> None:
        self.ended = True
        await self._attempt.finish(head, bytes(self._body))


def handle_repeats(app: FastAPI, authenticator: Authenticator) -> None:
    """Have what was answered before given again, and forget it in time."""

    @app.exception_handler(AlreadyDoneError)
    async def earlier(request: Request, error: AlreadyDoneError) -> Response:
        return error.response

    pruning: list[asyncio.Task[None]] = []

    def begin() -> None:
        pruning.append(asyncio.create_task(_prune_now_and_then(authenticator.prune)))

    app.router.add_event_handler("startup", begin)
    app.router.add_event_handler("shutdown", lambda: [task.cancel() for task in pruning])


async def _prune_now_and_then(prune: Callable[[], None]) -> None:
    while True:
        # A database that cannot be written now is told of by whoever needs it.
        with suppress(StoreError):
            await run_in_threadpool(prune)
        await asyncio.sleep(_PRUNE_SECONDS)


def _reservation(sender: Principal, scope: Scope, key: str, body: bytes) -> Reservation:
    who = (sender.org_id, sender.user_id, sender.credential)
    request = _hash(*(part.encode() for part in (*who, scope["method"], scope["path"], key)))
    digest = _hash(scope.get("query_string", b""), *_content(scope["headers"], body))
    return Reservation(sender.org_id, sender.user_id, request, digest, secrets.token_hex(16))


def _content(headers: Iterable[tuple[bytes, bytes]], body: bytes) -> tuple[bytes, bytes]:
    """The kind of a body and its bytes, without the boundary of parts: clients draw a new one each time."""
    kinds = values(headers, b"content-type")
    kind, _, rest = kinds[0].partition(";") if kinds else ("", "", "")
    boundary = rest.partition("boundary=")[2].partition(";")[0].strip().strip('"')
    if boundary and kind.strip().lower().startswith("multipart/"):
        body = body.replace(boundary.encode("latin-1"), b"")
    return kind.strip().lower().encode("latin-1"), body


def _hash(*parts: bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(b"%d:" % len(part) + part)
    return digest.hexdigest()


def _stored(head: Message, body: bytes, not_kept: NotKept | None) -> StoredAnswer:
    headers = _lowered(head)
    if head["status"] < 400 and not_kept is None:
        if values(headers, b"set-cookie") or WrittenKey.is_in(body.decode("latin-1")):
            not_kept = "secret"
        elif len(body) > _MOST_BYTES:
            not_kept = "large"
    if not_kept is not None:
        return StoredAnswer(head["status"], not_kept=not_kept)
    listed = [
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, value in headers
        if name not in _FOR_NO_ONE_ELSE
    ]
    return StoredAnswer(head["status"], listed, body)


def _lowered(head: Message) -> list[tuple[bytes, bytes]]:
    return [(name.lower(), value) for name, value in head.get("headers", [])]


def _refusal(path: str, status: int, reason: str) -> Response:
    return error_response(path, status, reason, param="Idempotency-Key")


async def _whole(receive: Receive) -> tuple[list[Message], bytes]:
    """The messages of a body, and the body; the guard before has limited both size and time."""
    messages = []
    while True:
        message = await receive()
        messages.append(message)
        if not message.get("more_body", False):
            return messages, b"".join(message.get("body", b"") for message in messages)


def _again(messages: list[Message], receive: Receive) -> Callable[[], Awaitable[Message]]:
    waiting = list(messages)

    async def replayed() -> Message:
        await asyncio.sleep(0)
        return waiting.pop(0) if waiting else await receive()

    return replayed
