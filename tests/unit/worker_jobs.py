"""Jobs for the tests of workers; a module of its own, since children import it by name."""

import os
import signal
import time
from pathlib import Path

from bob.core.errors import UnreadableError


def work(job):
    kind, value = job
    return globals()[f"_{kind}"](value)


def _echo(value):
    return value


def _exit(value):
    os._exit(value)


def _segfault(value):
    os.kill(os.getpid(), signal.SIGSEGV)


def _sleep(value):
    time.sleep(value)


def _spin(value):
    # One call that never lets another thread of the interpreter run.
    sum(range(10**15))


def _allocate(value):
    return len(bytearray(value))


def _refuse(value):
    raise UnreadableError("damaged", value)


def _fail(value):
    raise IndexError(value)


def _print(value):
    print(value, flush=True)
    os.write(1, b"noise")
    os.write(2, b"noise")
    return value


def _unsendable(value):
    return lambda: value


def _pid(value):
    return os.getpid()


def _note_pid(value):
    path, kind = value
    Path(path).write_text(str(os.getpid()))
    return globals()[f"_{kind}"](600)
