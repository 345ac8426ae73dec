"""When a request to a server is sent again: after which answers, how often, and how long it waits."""

from __future__ import annotations

import math

TRIES = 3
"""One and two more, for what passes: HTTP 429 and 5xx, and a connection that fails."""

FIRST_PAUSE = 0.5
"""Seconds before the second try; the pause doubles, unless the server asks for another."""

TOO_MANY = 429
"""The status of HTTP with which a server asks for fewer requests."""


def may_pass(status: int) -> bool:
    """Whether the same request may succeed a little later, by the status with which it failed.

    >>> may_pass(429), may_pass(503), may_pass(404)
    (True, True, False)
    """
    return status == TOO_MANY or status >= 500


def retry_after(header: str | None) -> float | None:
    """Retry-After in seconds; its other form, a date, counts as not given.

    >>> retry_after("2.5"), retry_after("Wed, 21 Oct 2015 07:28:00 GMT"), retry_after(None)
    (2.5, None, None)
    """
    try:
        seconds = float(header or "")
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None
