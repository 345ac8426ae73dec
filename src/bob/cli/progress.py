"""Shows how far indexing is: a moving line in a terminal, a line every few seconds in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bob.cli.output import duration, print_notice
from bob.cli.terminal import redraw_line

if TYPE_CHECKING:
    from bob.documents.index_report import Progress

_LOG_EVERY_SECONDS = 5.0
_DRAW_EVERY_SECONDS = 0.1


class Speed:
    """Turns progress into words with speed and time left."""

    def __init__(self) -> None:
        self._phase = ""
        self._began = 0.0

    def line(self, progress: Progress) -> str:
        """One line about where the run is."""
        now = time.monotonic()
        if progress.phase != self._phase:
            self._phase, self._began = progress.phase, now
        passed = max(now - self._began, 0.001)
        rate = progress.done / passed
        left = (
            f", {duration((progress.total - progress.done) / rate)} left"
            if rate and progress.done > 1
            else ""
        )
        if progress.phase == "vectors":
            return f"vectors  {progress.done:,}/{progress.total:,} chunks  {rate:,.0f} chunks/s{left}"
        failed = f", {progress.failed} failed" if progress.failed else ""
        return (
            f"reading  {progress.done:,}/{progress.total:,} files  {rate:,.0f} files/s, "
            f"{progress.chunks:,} chunks ({progress.chunks / passed:,.0f}/s){failed}{left}"
        )


@contextmanager
def shown(quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """A callback that shows progress on standard error; nothing when `quiet`."""
    if quiet:
        yield lambda _: None
        return
    live = sys.stderr.isatty()
    speed = Speed()
    last = [time.monotonic(), 0.0]
    drawn = [False]

    def show(progress: Progress) -> None:
        now = time.monotonic()
        line = speed.line(progress)
        if live and (now - last[1] > _DRAW_EVERY_SECONDS or progress.done == progress.total):
            redraw_line(line)
            last[1], drawn[0] = now, True
        elif not live and now - last[0] > _LOG_EVERY_SECONDS:
            print_notice(line)
            last[0] = now

    try:
        yield show
    finally:
        if drawn[0]:
            redraw_line()


@contextmanager
def shown_count(noun: str) -> Iterator[Callable[[int, int], None]]:
    """A callback that shows on standard error how many of all are done, in a terminal only."""
    drawn = [False]

    def show(done: int, total: int) -> None:
        if sys.stderr.isatty():
            redraw_line(f"{noun}  {done:,}/{total:,}")
            drawn[0] = True

    try:
        yield show
    finally:
        if drawn[0]:
            redraw_line()
