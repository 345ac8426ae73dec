"""Work that goes on in the background and is watched as server-sent events, by any number of readers, at once
or later (SPEC L2): `text/event-stream`, begun with a request, gone on with by `GET /streams/{id}`.

Work runs in a few threads of its own; a reader that waits costs none. What a stream told is kept for a while
after its end, so that a reader who lost the connection goes on where it was (`Last-Event-ID`).
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Header, Path, Request
from starlette.responses import Response, StreamingResponse
from typing_extensions import TypedDict

from bob.core.errors import BobError, NotFoundError, RefusedError, RequestError
from bob.core.principal import Role
from bob.http.authenticate import Caller, Needed, needs
from bob.http.failures import JsonBytes, error_response, json_bytes, problem_of
from bob.http.shapes import Routes

log = logging.getLogger(__name__)

_MOST_WAITING = 64
_MOST_ENDED = 200
_KEPT_SECONDS = 600.0
"""Streams that ended are kept so long, and so many of them."""

_MOST_EVENTS = 10_000
_MOST_BYTES = 8 * 1024 * 1024
"""Of one stream; the oldest events go first."""

_MOST_READERS = 4_096
_ALIVE_SECONDS = 15.0
"""A silent stream says so often that it is alive: proxies close what is silent for a minute."""

Owner = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened; `number` counts from 1 within its stream."""

    number: int
    name: str
    data: bytes

    def sent(self) -> bytes:
        """As server-sent events are written."""
        return b"id: %d\nevent: %s\ndata: %s\n\n" % (self.number, self.name.encode(), self.data)


class Stream:
    """The events of one piece of work. `owner` is who may read it, as long as they may do what `needed`
    asks: organization, user and credential."""

    def __init__(self, stream_id: str, owner: Owner, needed: Needed | None = None) -> None:
        self.stream_id = stream_id
        self.owner = owner
        self.needed = needed
        self.ended_at: float | None = None
        self._begun = False
        self._stopped = threading.Event()
        self._events: deque[Event] = deque()
        self._bytes = 0
        self._count = 0
        self._lock = threading.Lock()
        self._readers: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()

    @property
    def stopped(self) -> bool:
        """Whether somebody wants the work to end."""
        return self._stopped.is_set()

    def stop(self) -> None:
        """Ask the work to end: it does so at its next event, and at once if it has not begun."""
        with self._lock:
            waits = not self._begun and self.ended_at is None
            self._begun = self._begun or waits
        self._stopped.set()
        if waits:
            self.tell("stopped", {})
            self.end()

    def begin(self) -> bool:
        """Whether the work is to be done: nobody stopped it before its turn came."""
        with self._lock:
            due, self._begun = not self._begun, True
        return due

    def tell(self, name: str, content: Any) -> None:
        """Add an event."""
        data = json_bytes(content)
        with self._lock:
            self._count += 1
            self._events.append(Event(self._count, name, data))
            self._bytes += len(data)
            while len(self._events) > _MOST_EVENTS or (self._bytes > _MOST_BYTES and len(self._events) > 1):
                self._bytes -= len(self._events.popleft().data)
        self._wake()

    def end(self) -> None:
        """Nothing follows."""
        with self._lock:
            self.ended_at = time.monotonic()
        self._wake()

    async def events(self, after: int = 0) -> AsyncIterator[Event | None]:
        """The events whose number is larger, those to come as they come, until the end; None now and then
        while there is none."""
        woken = asyncio.Event()
        reader = (asyncio.get_running_loop(), woken)
        with self._lock:
            self._readers.add(reader)
        try:
            while True:
                woken.clear()
                with self._lock:
                    new_events = (
                        [event for event in self._events if event.number > after]
                        if self._count > after
                        else []
                    )
                    ended = self.ended_at is not None
                for event in new_events:
                    yield event
                    after = event.number
                if ended:
                    return
                try:
                    await asyncio.wait_for(woken.wait(), _ALIVE_SECONDS)
                except TimeoutError:
                    yield None
        finally:
            with self._lock:
                self._readers.discard(reader)

    def readers(self) -> int:
        """How many read it now."""
        with self._lock:
            return len(self._readers)

    def _wake(self) -> None:
        with self._lock:
            readers = list(self._readers)
        for loop, woken in readers:
            # A loop that is closed has no readers any more.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(woken.set)


Work = Callable[[Stream], None]


class Streams:
    """The streams of one server whose work is done `at_once`; what is more waits for its turn."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._workers = ThreadPoolExecutor(at_once, thread_name_prefix="bob-stream")
        self._streams: dict[str, Stream] = {}
        self._lock = threading.Lock()

    def start(self, owner: Owner, work: Work, needed: Needed | None = None) -> Stream:
        """Begin work; it goes on when nobody reads. Raises RefusedError as `open` does."""
        stream = self.open(owner, needed)
        self.begin(stream, work)
        return stream

    def open(self, owner: Owner, needed: Needed | None = None) -> Stream:
        """A stream whose work has not begun.

        Raises:
            RefusedError: 429, too much waits already.
        """
        stream = Stream(secrets.token_urlsafe(16), owner, needed)
        with self._lock:
            self._forget_old()
            if (
                sum(other.ended_at is None for other in self._streams.values())
                >= self._at_once + _MOST_WAITING
            ):
                raise RefusedError(429, "too much work is running; try again later", wait=5)
            self._streams[stream.stream_id] = stream
        return stream

    def begin(self, stream: Stream, work: Work) -> None:
        """Have a stream's work done as soon as there is room."""
        # With the context of the request: its id stands in what is logged.
        self._workers.submit(copy_context().run, _done, work, stream)

    def find(self, owner: Owner, stream_id: str) -> Stream:
        """A stream of this owner.

        Raises:
            NotFoundError: there is none, or not any more.
        """
        stream = self._streams.get(stream_id)
        if stream is None or stream.owner != owner:
            raise NotFoundError("no such stream; streams are kept for ten minutes after they end")
        return stream

    def keeps(self, stream: Stream) -> bool:
        """Whether it can still be read."""
        return stream.stream_id in self._streams

    def check_room(self) -> None:
        """Raises RefusedError (429) when too many read already."""
        with self._lock:
            readers = sum(stream.readers() for stream in self._streams.values())
        if readers >= _MOST_READERS:
            raise RefusedError(429, "too many open streams", wait=5)

    def running(self) -> int:
        """How many have not ended."""
        with self._lock:
            return sum(stream.ended_at is None for stream in self._streams.values())

    def close(self) -> None:
        """Ask all work to end, and begin none."""
        with self._lock:
            for stream in self._streams.values():
                stream.stop()
        self._workers.shutdown(wait=False, cancel_futures=True)

    def _forget_old(self) -> None:
        now = time.monotonic()
        ended = sorted(
            (stream.ended_at, key) for key, stream in self._streams.items() if stream.ended_at is not None
        )
        surplus = len(ended) - _MOST_ENDED
        for position, (moment, key) in enumerate(ended):
            if position < surplus or now - moment > _KEPT_SECONDS:
                del self._streams[key]


def _done(work: Work, stream: Stream) -> None:
    if not stream.begin():
        return
    try:
        work(stream)
        if stream.stopped:
            stream.tell("stopped", {})
    except BobError as error:
        stream.tell("error", problem_of(error))
    except Exception as error:  # BLE001 - logged, and told to whoever reads the stream
        log.exception("work in the background failed")
        stream.tell("error", problem_of(error))
    finally:
        stream.end()


router = Routes(tags=["streams"])

EVENT_STREAM = "text/event-stream"

_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}

LastEventId = Annotated[
    str | None,
    Header(alias="Last-Event-ID", description="Number of the last event received.", examples=["7"]),
]

StreamId = Annotated[str, Path(description="The stream's id, from the header `X-Bob-Stream`.")]


def streamed(event_schema: str, example: str) -> dict[int | str, dict[str, Any]]:
    """The description of a route that answers with events; what they are is told to `describe_api`."""
    schema = {"$ref": f"#/components/schemas/{event_schema}"}
    return {
        200: {
            "description": "Server-sent events.",
            "content": {EVENT_STREAM: {"schema": schema, "example": example}},
        }
    }


class StoppedStream(TypedDict):
    """A stream, and whether its work still goes on."""

    stream: str
    running: bool


async def _background(request: Request) -> Streams:
    streams: Streams = request.app.state.streams
    return streams


Background = Annotated[Streams, Depends(_background)]
"""Answers and evaluations of this server that are under way."""
Reader = Annotated[Caller, needs(Role.READER, None)]


@router.get(
    "/streams/{stream_id}",
    summary="Read a stream again, or continue it",
    response_class=StreamingResponse,
    responses=streamed(
        "StreamEvent", 'id: 8\nevent: claim\ndata: {"text": "The hedge is cut in August."}\n\n'
    ),
)
async def read_stream(
    caller: Reader, stream_id: StreamId, streams: Background, last: LastEventId = None
) -> Response:
    """The events after `Last-Event-ID`, or all that are kept. Only the key or token that began a stream
    may read it, and only while it may still do what it began."""
    return stream_response(streams, find_stream(streams, caller, stream_id), last)


@router.delete(
    "/streams/{stream_id}", summary="Stop the work of a stream", response_model=StoppedStream, status_code=202
)
async def stop_stream(caller: Reader, stream_id: StreamId, streams: Background) -> Response:
    """The work ends as soon as it can. To stop reading is not enough: the work then goes on."""
    stream = find_stream(streams, caller, stream_id)
    stream.stop()
    return JsonBytes({"stream": stream.stream_id, "running": stream.ended_at is None}, 202)


def start_stream(streams: Streams, caller: Caller, work: Work) -> Stream:
    """A stream that whoever began it may read, and nobody else."""
    return streams.start(_owner(caller), work, caller.needed)


def find_stream(streams: Streams, caller: Caller, stream_id: str) -> Stream:
    """A stream that the sender began.

    Raises:
        NotFoundError: there is none.
        RefusedError: 403, they may not do any more what it was begun with.
    """
    stream = streams.find(_owner(caller), stream_id)
    if stream.needed is not None:
        stream.needed.check(caller.principal, at_home=caller.at_home)
    return stream


def resume_stream(streams: Streams, caller: Caller, stream_id: str) -> Response:
    """What a request that began a stream is answered when it is sent again."""
    try:
        return stream_response(streams, find_stream(streams, caller, stream_id))
    except NotFoundError:
        reason = "this was already done; its stream is kept for ten minutes, by the server that began it"
        return error_response("/streams", 409, reason, param="Idempotency-Key")


def _owner(caller: Caller) -> Owner:
    principal = caller.principal
    return principal.org_id, principal.user_id, principal.credential


def stream_response(streams: Streams, stream: Stream, last: str | None = None) -> Response:
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
