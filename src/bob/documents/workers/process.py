"""The parent's side of one worker: starts a child when there is a job, and replaces it when it dies."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import IO, Any, cast

from bob.documents.workers.child import Reply, read_frame, write_frame

_CODE = "import sys; sys.path[:] = sys.argv[1:]; from bob.documents.workers.child import main; main()"
# Start-up is no part of a job's time: on a busy machine imports alone can take seconds.
_START_SECONDS = 120.0
_BROKEN = ("crashed", "memory")
"""Failures after which a child may be short of memory, or its state broken."""


class WorkerProcess:
    """One child at a time; `call` is for one thread, `kill` for any."""

    def __init__(self, work: Callable[[Any], Any], timeout_seconds: float, memory_bytes: int | None) -> None:
        self._greeting = (work, timeout_seconds, memory_bytes)
        self._timeout_seconds = timeout_seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False
        self._lock = threading.Lock()

    def call(self, job: object) -> Reply:
        """What the child makes of the job; a child that dies or takes too long is a failure of the job.

        Raises:
            RuntimeError: no child can be started, or it cannot import the work.
            pickle.PicklingError, TypeError, AttributeError: the work or the job cannot be pickled.
        """
        process = self._process
        if process is None or process.poll() is not None:
            process = self._start()
        reply, timed_out = self._exchange(process, job, self._timeout_seconds)
        if reply is None:
            return None, self._failure(process, timed_out)
        if timed_out or (reply[1] is not None and reply[1][0] in _BROKEN):
            # The answer came as the time was up, or memory is short or state broken: the next job gets a
            # fresh child.
            self._end()
        return cast(Reply, reply)

    def kill(self) -> None:
        """Ends the child and refuses to start another one for a call that is under way."""
        with self._lock:
            self._closed = True
        self._end()

    def _start(self) -> subprocess.Popen[bytes]:
        self._end()
        with self._lock:
            if self._closed:
                raise RuntimeError("the workers are closed")
            process = subprocess.Popen(
                # -P: the folder of this module, which has an html.py, must not hide the standard library's.
                [sys.executable, "-P", "-c", _CODE, *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            self._process = process
        ready, _ = self._exchange(process, self._greeting, _START_SECONDS)
        if ready != "ready":
            self._end()
            raise RuntimeError("a worker process could not be started, or could not import its work")
        return process

    def _exchange(self, process: subprocess.Popen[bytes], value: object, seconds: float) -> tuple[Any, bool]:
        """The answer (None if the child died) and whether the time was up."""
        up = threading.Event()

        def end() -> None:
            up.set()
            process.kill()

        timer = threading.Timer(seconds, end)
        timer.daemon = True
        timer.start()
        try:
            write_frame(cast(IO[bytes], process.stdin), value)
            return read_frame(cast(IO[bytes], process.stdout)), up.is_set()
        except (OSError, EOFError):
            return None, up.is_set()
        finally:
            timer.cancel()

    def _failure(self, process: subprocess.Popen[bytes], timed_out: bool) -> tuple[str, str]:
        process.kill()
        status = process.wait()
        self._end()
        if timed_out:
            return "timeout", f"reading it took longer than {self._timeout_seconds:g} seconds"
        return "crashed", f"reading it crashed ({_status_name(status)}): the file may be damaged"

    def _end(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):  # what was not yet sent has no one to go to
                    stream.close()
        process.wait()


def _status_name(status: int) -> str:
    if status >= 0:
        return f"exit code {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"
