"""What several routes take: conditions on documents, cursors of pages, and paths of this machine."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import Field
from starlette.responses import Response

from bob.core.errors import RequestError
from bob.core.search import Filters
from bob.core.storable import is_storable
from bob.http.failures import JSON, Body, json_bytes
from bob.storage.paths import absolute
from bob.text.dates import first_day

_MOST = 100
"""Values of one condition."""

DAY = "As 2025, 2025-06 or 2025-06-30."


class Narrowing(Body):
    """Conditions that all hold; within one list any value will do."""

    projects: list[str] = Field(
        [], max_length=_MOST, description="Only documents of these projects.", examples=[["garden"]]
    )
    types: list[str] = Field(
        [],
        max_length=_MOST,
        description="Only these source types, or file name endings.",
        examples=[["markdown"]],
    )
    tags: list[str] = Field(
        [], max_length=_MOST, description="Only documents with one of these tags.", examples=[["plan"]]
    )
    languages: list[str] = Field(
        [], max_length=_MOST, description="Only documents in one of these languages.", examples=[["en"]]
    )
    paths: list[str] = Field(
        [],
        max_length=_MOST,
        description="Only below this folder or file; a relative path matches below every folder.",
        examples=[["notes/"]],
    )
    after: str | None = Field(
        None, description=f"Only sources of this day or later. {DAY}", examples=["2025"]
    )
    before: str | None = Field(None, description=f"Only sources before this day. {DAY}", examples=["2026-06"])

    def filters(self) -> Filters:
        """The conditions.

        Raises:
            RequestError: a date is none, or a text is one that no database takes.
        """
        for field in ("projects", "types", "tags", "languages", "paths"):
            if not all(map(is_storable, getattr(self, field))):
                reason = "must not contain the character 0 or half of a surrogate pair"
                raise RequestError(field, f"{field} {reason}")
        return Filters(
            projects=tuple(self.projects),
            source_types=tuple(self.types),
            tags=tuple(self.tags),
            languages=tuple(self.languages),
            path_prefixes=tuple(self.paths),
            after=parse_day("after", self.after),
            before=parse_day("before", self.before),
        )


class NarrowingAtDay(Narrowing):
    """Conditions, and the day whose knowledge counts."""

    as_of: str | None = Field(None, description=f"Answer as of this day. {DAY}", examples=["2024-06-30"])

    def filters(self) -> Filters:
        """The conditions. Raises RequestError as `Narrowing.filters` does."""
        return replace(super().filters(), as_of=parse_day("as_of", self.as_of))


def parse_day(field: str, value: str | None) -> date | None:
    """The day that a request names in `field`; the first one of a month or a year.

    Raises:
        RequestError: it is none.
    """
    first = None if value is None else first_day(value)
    if value is not None and first is None:
        raise RequestError(field, f"{field} is not a date; use for example 2025, 2025-06 or 2025-06-30")
    return first


LARGEST_ID = 2**53
"""No id is larger: JavaScript's numbers end there."""

_EARLIEST, _LATEST = -62_135_596_800, 253_402_300_000
"""The years 1 and 9999, in seconds from 1970."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Cursor = Annotated[
    str | None, Query(alias="cursor", description="The `next` of the previous page.", max_length=10_000)
]

HowMany = Annotated[int, Query(description="Maximum number of results.", ge=1, le=1000)]


def write_cursor(*values: Any) -> str:
    """The cursor for these values.

    >>> read_cursor(write_cursor("a/b.md", 7), "cursor")
    ['a/b.md', 7]
    """
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def read_cursor(cursor: str, field: str) -> list[Any]:
    """The values of a cursor: texts, numbers and nulls, in the one way in which `written` writes them.

    Raises:
        RequestError: it is none that this server gave.
    """
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        values = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (UnicodeError, binascii.Error, ValueError, RecursionError):
        values = None
    if not isinstance(values, list) or not all(map(_is_plain, values)) or write_cursor(*values) != cursor:
        raise bad_cursor(field)
    return values


def _is_plain(value: object) -> bool:
    """Whether a database takes the value. Python takes true for 1, and PostgreSQL does not."""
    if isinstance(value, str):
        return is_storable(value)
    number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    return value is None or number


def bad_cursor(field: str = "cursor") -> RequestError:
    """The error for a cursor that no page gave."""
    return RequestError(field, f"{field} must be the next of the previous page")


def cursor_number(cursor: str) -> int:
    """The one number of a cursor. Raises RequestError as `read` does."""
    numbers = read_cursor(cursor, "cursor")
    if len(numbers) != 1 or not isinstance(numbers[0], int) or not 0 <= numbers[0] < LARGEST_ID:
        raise bad_cursor()
    return numbers[0]


def cursor_moment(cursor: str) -> tuple[datetime, int]:
    """A moment and a number, as `written` took them: seconds since 1970, and an id. Raises RequestError."""
    match read_cursor(cursor, "cursor"):
        case [int() | float() as seconds, int() as found] if (
            _EARLIEST <= seconds < _LATEST and 0 <= found < LARGEST_ID
        ):
            return _EPOCH + timedelta(seconds=seconds), found
    raise bad_cursor()


NOT_FOUND: dict[int | str, dict[str, Any]] = {404: {"description": "Not found."}}
"""For routes whose body may name what is not there."""

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
    tags = [known_tag.strip() for known_tag in request.headers.get("if-none-match", "").split(",")]
    if tag in (known_tag.removeprefix("W/") for known_tag in tags) or "*" in tags:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=kind)


def existing_path(text: str, field: str) -> Path:
    """The file or folder that a request names in `field`.

    Raises:
        RequestError: it does not begin at the root or the home folder, or nothing is there.
    """
    path = named_path(text, field)
    try:
        path.stat()
    except OSError as error:
        raise RequestError(field, f"{path}: no such file or folder") from error
    return path


def named_path(text: str, field: str) -> Path:
    """The path that a request names in `field`, whether or not anything is there.

    Raises:
        RequestError: it does not begin at the root or the home folder.
    """
    if not text.startswith(("/", "~/")) or not text.isprintable():
        raise RequestError(field, f"{field} must be an absolute path, or begin with ~/")
    return absolute(Path(text))
