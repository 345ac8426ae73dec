"""Cursors: where a page ended, as text that a client only hands back."""

from __future__ import annotations

import base64
import binascii
import json
import re
from datetime import UTC, datetime
from math import isfinite
from typing import Annotated, Any

from fastapi import Query

from bob.core.errors import RequestError

LARGEST = 2**53
"""No id is larger: JavaScript's numbers end there."""

_LATEST = 253_402_300_000
"""The year 9999, in seconds."""

_NO_TEXT = re.compile("[\0\ud800-\udfff]")
"""No database takes these."""

Cursor = Annotated[
    str | None, Query(alias="cursor", description="As `next` of the page before.", max_length=10_000)
]


def written(*values: Any) -> str:
    """The cursor for these values.

    >>> read(written("a/b.md", 7), "cursor")
    ['a/b.md', 7]
    """
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def read(cursor: str, field: str) -> list[Any]:
    """The values of a cursor: texts, numbers and nulls, in the one way in which `written` writes them.

    Raises:
        RequestError: it is none that this server gave.
    """
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        values = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (UnicodeError, binascii.Error, ValueError, RecursionError):
        values = None
    if not isinstance(values, list) or not all(map(_is_plain, values)) or written(*values) != cursor:
        raise refused(field)
    return values


def _is_plain(value: object) -> bool:
    """Whether a database takes the value. Python takes true for 1, and PostgreSQL does not."""
    if isinstance(value, str):
        return _NO_TEXT.search(value) is None
    number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    return value is None or number


def refused(field: str = "cursor") -> RequestError:
    """The error for a cursor that no page gave."""
    return RequestError(field, f"{field} has to be what the page before gave as next")


def number(cursor: str) -> int:
    """The one number of a cursor. Raises RequestError as `read` does."""
    found = read(cursor, "cursor")
    if len(found) != 1 or not isinstance(found[0], int) or not 0 <= found[0] < LARGEST:
        raise refused()
    return found[0]


def moment_and_number(cursor: str) -> tuple[datetime, int]:
    """A moment and a number, as `written` took them: seconds since 1970, and an id. Raises RequestError."""
    match read(cursor, "cursor"):
        case [int() | float() as seconds, int() as found] if 0 <= seconds < _LATEST and 0 <= found < LARGEST:
            return datetime.fromtimestamp(seconds, UTC), found
    raise refused()
