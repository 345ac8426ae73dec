"""Pages of lists: cursors where a page ended, and answers with an `ETag` that a client may keep."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from datetime import UTC, datetime
from math import isfinite
from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from bob.core.errors import RequestError
from bob.http.failures import JSON, json_bytes

LARGEST = 2**53
"""No id is larger: JavaScript's numbers end there."""

_LATEST = 253_402_300_000
"""The year 9999, in seconds."""

_NO_TEXT = re.compile("[\0\ud800-\udfff]")
"""No database takes these."""

Cursor = Annotated[
    str | None, Query(alias="cursor", description="The `next` of the previous page.", max_length=10_000)
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
    return RequestError(field, f"{field} must be the next of the previous page")


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


NOT_CHANGED: dict[int | str, dict[str, Any]] = {
    304: {"description": "Not modified: `If-None-Match` has the present `ETag`."}
}
"""For the description of routes that answer so."""


def tagged(request: Request, content: Any) -> Response:
    """JSON with its tag, or 304 when the client sent that tag in `If-None-Match`."""
    return tagged_bytes(request, json_bytes(content), JSON)


def tagged_bytes(request: Request, body: bytes, kind: str) -> Response:
    """As `tagged`, for a body of any kind."""
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    given = [each.strip() for each in request.headers.get("if-none-match", "").split(",")]
    if tag in (each.removeprefix("W/") for each in given) or "*" in given:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=kind)
