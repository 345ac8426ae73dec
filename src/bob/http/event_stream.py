"""Streams over HTTP: `text/event-stream`, begun with a request, gone on with by `GET /streams/{id}`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import FastAPI, Header, Path
from starlette.responses import Response, StreamingResponse

from bob.core.errors import NotFoundError, RequestError
from bob.core.principal import Role
from bob.http.authenticate import Authenticator, Caller
from bob.http.examples import answered
from bob.http.failures import JsonBytes, error_response
from bob.http.streams import Owner, Stream, Streams, Work

EVENT_STREAM = "text/event-stream"
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}

_EVENT: dict[str, Any] = {
    "title": "Event",
    "description": "Each event of the stream; `data` is JSON.",
    "type": "object",
    "required": ["id", "event", "data"],
    "properties": {name: {"type": "string"} for name in ("id", "event", "data")},
}

LastEventId = Annotated[
    str | None,
    Header(alias="Last-Event-ID", description="Number of the last event received.", examples=["7"]),
]
StreamId = Annotated[str, Path(description="The stream's id, from the header `X-Bob-Stream`.")]


def streamed(example: str) -> dict[int | str, dict[str, Any]]:
    """The description of a route's answer."""
    return {
        200: {
            "description": "Server-sent events.",
            "content": {EVENT_STREAM: {"schema": _EVENT, "example": example}},
        }
    }


def register(app: FastAPI, auth: Authenticator, streams: Streams) -> None:
    """Add the routes."""
    reader = auth.needs(Role.READER, None)

    @app.get(
        "/streams/{stream_id}",
        summary="Read a stream again, or continue it",
        tags=["streams"],
        response_class=StreamingResponse,
        responses=streamed('id: 8\nevent: claim\ndata: {"text": "The hedge is cut in August."}\n\n'),
    )
    async def read(stream_id: StreamId, last: LastEventId = None, caller: Caller = reader) -> Response:
        """The events after `Last-Event-ID`, or all that are kept. Only the key or token that began a stream
        may read it, and only while it may still do what it began."""
        return response(streams, of(streams, caller, stream_id), last)

    @app.delete(
        "/streams/{stream_id}",
        responses=answered({"stream": "q3Jm0Zc1nXo", "running": True}, 202),
        summary="Stop the work of a stream",
        tags=["streams"],
        status_code=202,
    )
    async def stop(stream_id: StreamId, caller: Caller = reader) -> Response:
        """The work ends as soon as it can. To stop reading is not enough: the work then goes on."""
        stream = of(streams, caller, stream_id)
        stream.stop()
        return JsonBytes({"stream": stream.stream_id, "running": stream.ended_at is None}, 202)


def begun(streams: Streams, caller: Caller, work: Work) -> Stream:
    """A stream that whoever began it may read, and nobody else."""
    return streams.start(_owner(caller), work, caller.needed)


def of(streams: Streams, caller: Caller, stream_id: str) -> Stream:
    """A stream that the sender began.

    Raises:
        NotFoundError: there is none.
        RefusedError: 403, they may not do any more what it was begun with.
    """
    stream = streams.at(_owner(caller), stream_id)
    if stream.needed is not None:
        stream.needed.check(caller.principal, at_home=caller.at_home)
    return stream


def resumed(streams: Streams, caller: Caller, stream_id: str) -> Response:
    """What a request that began a stream is answered when it is sent again."""
    try:
        return response(streams, of(streams, caller, stream_id))
    except NotFoundError:
        told = "this was already done; its stream is kept for ten minutes, by the server that began it"
        return error_response("/streams", 409, told, param="Idempotency-Key")


def _owner(caller: Caller) -> Owner:
    principal = caller.principal
    return principal.org_id, principal.user_id, principal.credential


def response(streams: Streams, stream: Stream, last: str | None = None) -> Response:
    """A stream as an answer, from after the event with the number `last`."""
    streams.check_room()
    headers = _HEADERS | {"X-Bob-Stream": stream.stream_id}
    return StreamingResponse(_lines(stream, _number(last)), headers=headers, media_type=EVENT_STREAM)


def _number(last: str | None) -> int:
    if not last:
        return 0
    if not (last.isascii() and last.isdigit() and len(last) < 16):
        raise RequestError("Last-Event-ID", "Last-Event-ID must be the number of an event")
    return int(last)


async def _lines(stream: Stream, after: int) -> AsyncIterator[bytes]:
    async for event in stream.events(after):
        yield b": still there\n\n" if event is None else event.sent()
