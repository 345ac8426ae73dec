"""Cursors: where a page ended, as text that a client only hands back."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

from bob.errors import RequestError


def written(*values: Any) -> str:
    """The cursor for these values.

    >>> read(written("a/b.md", 7), "cursor")
    ['a/b.md', 7]
    """
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def read(cursor: str, field: str) -> list[Any]:
    """The values of a cursor.

    Raises:
        RequestError: it is none that this server gave.
    """
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        values = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (UnicodeError, binascii.Error, ValueError, RecursionError):
        values = None
    if not isinstance(values, list):
        raise RequestError(field, f"{field} has to be what the page before gave as next")
    return values
