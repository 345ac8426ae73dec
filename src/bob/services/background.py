"""Lets the funnel see messages while something else goes on: a chat in a terminal, a server (SPEC G1)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

from bob.errors import BobError
from bob.services.remember import Remember

log = logging.getLogger(__name__)

EVERY_SECONDS = 2.0
"""So often it looks for messages that other processes have kept, too."""


class RememberInBackground:
    """A thread that works through waiting messages, as a context manager. It ends between two messages: what
    is left waits in the outbox for the next time."""

    def __init__(self, remember: Callable[[], Remember]) -> None:
        self._remember = remember
        self._ended = threading.Event()
        # No daemon: the model must not be cut short while it runs.
        self._thread = threading.Thread(target=self._work, name="remember")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _work(self) -> None:
        told = None
        while not self._ended.is_set():
            try:
                told_now = self._remember().run(stopped=self._ended.is_set).error
            except BobError as error:
                told_now = str(error)
            if told_now is not None and told_now != told:
                log.warning("messages wait to be remembered: %s", told_now)
            told = told_now
            self._ended.wait(EVERY_SECONDS)
