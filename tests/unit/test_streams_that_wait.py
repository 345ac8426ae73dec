"""Work that waits for its turn ends at once when it is stopped, and is never begun."""

import threading

from bob.http.streams import Streams


def test_what_waits_is_stopped_at_once():
    streams, free, begun = Streams(1), threading.Event(), []
    running = streams.start(("local",), lambda stream: free.wait(60))
    waiting = streams.start(("local",), begun.append)
    last = streams.start(("local",), begun.append)
    waiting.stop()
    assert waiting.ended_at is not None and running.ended_at is None
    assert [each.name for each in waiting._events] == ["stopped"]
    free.set()
    while last.ended_at is None:
        pass
    streams.close()
    assert begun == [last]
