"""The child's side of `workers`: takes jobs from standard input, writes replies to standard output.

A frame is its length in eight bytes and a pickle. Imports little: it is what a child pays before its work.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import struct
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from bob.core.errors import UnreadableError

LENGTH = struct.Struct("!Q")
Reply = tuple[Any, tuple[str, str] | None]
"""A result, or None and (code, reason)."""


def main() -> None:
    """Serves jobs until standard input ends. Its first frame is (work, seconds a job, bytes of memory)."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then ends its children
    frames, answers = sys.stdin.buffer, _private_output()
    work, seconds, memory = read_frame(frames)
    _limit("RLIMIT_AS", memory)
    write_frame(answers, "ready")
    jobs: queue.SimpleQueue[Any] = queue.SimpleQueue()
    # A thread watches the input even while a job runs: it ends when the parent dies, however that died.
    threading.Thread(target=_receive, args=(frames, jobs), daemon=True).start()
    while True:
        job = jobs.get()
        _limit_processor(seconds)
        reply = attempt(work, job)
        try:
            write_frame(answers, reply)
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            write_frame(answers, (None, ("crashed", f"its result cannot be passed on: {error}")))


def attempt(work: Callable[[Any], Any], job: Any) -> Reply:
    """The result of `work(job)`, or why there is none."""
    try:
        return work(job), None
    except UnreadableError as error:
        return None, (error.code, error.reason)
    except MemoryError:
        return None, ("memory", "reading it takes more memory than the limit allows")
    except RecursionError:
        return None, ("crashed", "it is nested too deeply")
    except Exception as error:  # noqa: BLE001 - a parser's bug must cost one file, never the run
        frame = traceback.extract_tb(error.__traceback__)[-1]
        text = f"{type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}: {error}"
        return None, ("crashed", f"the parser failed, which is a bug of the parser ({text[:300]})")


def read_frame(stream: IO[bytes]) -> Any:
    """The next object. Raises EOFError when the other side is gone."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    size = LENGTH.unpack(head)[0]
    body = stream.read(size)
    if len(body) < size:
        raise EOFError
    return pickle.loads(body)


def write_frame(stream: IO[bytes], value: object) -> None:
    """Sends an object, or nothing if it cannot be pickled. Raises OSError when the other side is gone."""
    body = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    stream.write(LENGTH.pack(len(body)) + body)
    stream.flush()


def _receive(frames: IO[bytes], jobs: queue.SimpleQueue[Any]) -> None:
    try:
        while True:
            jobs.put(read_frame(frames))
    finally:
        os._exit(0)


def _private_output() -> IO[bytes]:
    """The pipe to the parent; what libraries print goes nowhere instead of between the frames."""
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return answers


def _limit_processor(seconds: float) -> None:
    # The parent's clock ends a job that takes too long. Should the parent be gone and the job hold the
    # interpreter's lock, so that the watching thread cannot run, the system ends it by this.
    times = os.times()
    _limit("RLIMIT_CPU", int(times.user + times.system + seconds * (os.cpu_count() or 1)) + 2)


def _limit(name: str, value: int | None) -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    if value is None:
        return
    kind = getattr(resource, name)
    _, hard = resource.getrlimit(kind)
    try:
        resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))
    except (OSError, ValueError):  # a system that knows the limit but does not allow it
        return
