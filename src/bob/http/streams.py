"""Work that goes on in the background and is watched as server-sent events, by any number of readers, at once
or later (SPEC L2).

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
from typing import Any

from bob.core.errors import BobError, NotFoundError, RefusedError
from bob.http.authenticate import Needed
from bob.http.failures import json_bytes, problem_of

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
                    found = (
                        [each for each in self._events if each.number > after] if self._count > after else []
                    )
                    ended = self.ended_at is not None
                for event in found:
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
            if sum(each.ended_at is None for each in self._streams.values()) >= self._at_once + _MOST_WAITING:
                raise RefusedError(429, "too much work is running; try again later", wait=5)
            self._streams[stream.stream_id] = stream
        return stream

    def begin(self, stream: Stream, work: Work) -> None:
        """Have a stream's work done as soon as there is room."""
        # With the context of the request: its id stands in what is logged.
        self._workers.submit(copy_context().run, _done, work, stream)

    def at(self, owner: Owner, stream_id: str) -> Stream:
        """A stream of this owner.

        Raises:
            NotFoundError: there is none, or not any more.
        """
        found = self._streams.get(stream_id)
        if found is None or found.owner != owner:
            raise NotFoundError("no such stream; streams are kept for ten minutes after they end")
        return found

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
            (each.ended_at, key) for key, each in self._streams.items() if each.ended_at is not None
        )
        surplus = len(ended) - _MOST_ENDED
        for at, (moment, key) in enumerate(ended):
            if at < surplus or now - moment > _KEPT_SECONDS:
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
