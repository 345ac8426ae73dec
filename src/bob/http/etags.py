"""Answers that a client may keep: with their hash as an `ETag`, and 304 when it has that already."""

from __future__ import annotations

import hashlib
from typing import Any

from fastapi import Request
from starlette.responses import Response

from bob.http.failures import JSON, json_bytes

NOT_CHANGED: dict[int | str, dict[str, Any]] = {
    304: {"description": "The client has it already: its `If-None-Match` names the `ETag`."}
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
