"""Streams and sessions by themselves: what is kept of them, and how long."""

import asyncio

import pytest

from bob.core.errors import NotFoundError
from bob.http import authenticate as sessions_module
from bob.http import streams as streams_module
from bob.http.authenticate import Sessions
from bob.http.streams import Stream, Streams


def read(stream, after=0):
    async def all_of_it():
        return [each.number async for each in stream.events(after) if each is not None]

    return asyncio.run(asyncio.wait_for(all_of_it(), 10))


def test_a_long_stream_keeps_its_end(monkeypatch):
    monkeypatch.setattr(streams_module, "_MOST_EVENTS", 5)
    stream = Stream("x", ("local", "me"))
    for number in range(20):
        stream.tell("progress", {"done": number})
    stream.end()
    assert read(stream) == [16, 17, 18, 19, 20] and read(stream, 18) == [19, 20] and read(stream, 20) == []


def test_one_large_event_is_kept_all_the_same(monkeypatch):
    monkeypatch.setattr(streams_module, "_MOST_BYTES", 100)
    stream = Stream("x", ("local", "me"))
    for _ in range(3):
        stream.tell("answer", "x" * 1000)
    stream.end()
    assert read(stream) == [3]


def test_a_silent_stream_says_that_it_is_alive(monkeypatch):
    monkeypatch.setattr(streams_module, "_ALIVE_SECONDS", 0.01)
    stream = Stream("x", ("local", "me"))

    async def first():
        return await anext(stream.events())

    assert asyncio.run(first()) is None and stream.readers() == 0


def test_streams_that_ended_are_forgotten_after_a_while(monkeypatch):
    streams = Streams(1)
    first = streams.start(("local", "me"), lambda _: None)
    read(first)
    assert streams.find(("local", "me"), first.stream_id) is first
    monkeypatch.setattr(streams_module, "_KEPT_SECONDS", -1.0)
    streams.start(("local", "me"), lambda _: None)
    with pytest.raises(NotFoundError):
        streams.find(("local", "me"), first.stream_id)
    streams.close()


def test_sessions_end_when_they_are_idle_and_are_not_without_number(monkeypatch):
    made = Sessions()
    word = made.begin("key")
    assert made.find(word).credential == "key" and made.find("other") is None and made.find(None) is None
    monkeypatch.setattr(sessions_module, "_MOST", 2)
    words = [made.begin(None) for _ in range(3)]
    assert sum(made.find(each) is not None for each in (word, *words)) == 2
    made.end(words[-1])
    assert made.find(words[-1]) is None
    monkeypatch.setattr(sessions_module, "_IDLE_SECONDS", -1.0)
    assert made.find(words[1]) is None
