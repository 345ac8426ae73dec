"""The id of the request that is being served: in its answer, in problem documents and in log lines."""

from __future__ import annotations

import re
import secrets
from contextvars import ContextVar

_SANE = re.compile(r"[A-Za-z0-9._-]{1,64}")

current: ContextVar[str | None] = ContextVar("bob_request_id", default=None)
"""Set for as long as a request is served, also in the threads that serve it."""


def chosen(given: list[str]) -> str:
    """The id that a client sent, if it is a plain word, else a new one.

    >>> chosen(["abc-123"])
    'abc-123'
    >>> len(chosen(["two words"]))
    16
    """
    if len(given) == 1 and _SANE.fullmatch(given[0]):
        return given[0]
    return secrets.token_hex(8)
