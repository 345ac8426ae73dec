"""Errors in the form of OpenAI's: `{"error": {"message", "type", "param", "code"}}`.

No text of a request is in them, but for names that it gave.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from bob.errors import (
    BobError,
    LanguageModelError,
    MissingExtraError,
    NotFoundError,
    RequestError,
    SettingsError,
    StoreError,
    UpstreamError,
    UsageError,
)

JSON = "application/json"

_INVALID, _OURS, _UPSTREAM = "invalid_request_error", "server_error", "upstream_error"


def register(app: FastAPI) -> None:
    """Have the application answer with such errors, whatever fails."""

    @app.exception_handler(BobError)
    def told(_: Request, error: BobError) -> Response:
        headers = {}
        if isinstance(error, UpstreamError) and error.wait is not None:
            headers["Retry-After"] = f"{error.wait:g}"
        return JsonBytes({"error": error_of(error)}, status_of(error), headers)

    @app.exception_handler(RequestValidationError)
    def invalid(_: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        place = ".".join(str(each) for each in first["loc"] if each != "body")
        return error_response(400, f"{place or 'the body'}: {first['msg']}", param=place or None)

    @app.exception_handler(HTTPException)
    def refused(_: Request, error: HTTPException) -> Response:
        return error_response(error.status_code, str(error.detail), headers=error.headers)

    @app.exception_handler(Exception)
    def unexpected(_: Request, error: Exception) -> Response:
        return error_response(500, f"an error in Bob itself ({type(error).__name__})")


def error_of(error: BobError) -> dict[str, Any]:
    """What a client is told of an error, also in the middle of a stream."""
    kind, param, code = _INVALID if status_of(error) in range(400, 500) else _OURS, None, None
    if isinstance(error, UpstreamError):
        kind, param, code = error.kind, error.field, error.code
    elif isinstance(error, LanguageModelError):
        kind = _UPSTREAM
    elif isinstance(error, RequestError):
        param = error.field
    elif isinstance(error, NotFoundError):
        param, code = "model", "model_not_found"
    return {"message": str(error), "type": kind, "param": param, "code": code}


def status_of(error: BobError) -> int:
    """The HTTP status of an error."""
    match error:
        case UpstreamError():
            return error.status
        case LanguageModelError():
            return 502
        case NotFoundError():
            return 404
        case MissingExtraError() | SettingsError():
            return 500
        case UsageError():
            return 400
        case StoreError():
            return 503
        case _:
            return 500


class JsonBytes(Response):
    """JSON that may hold any text: a lone surrogate becomes a question mark."""

    def __init__(self, content: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(json_bytes(content), status, headers, JSON)


def json_bytes(content: Any) -> bytes:
    """JSON in UTF-8, on one line."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def error_response(
    status: int,
    message: str,
    *,
    param: str | None = None,
    code: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """An error that is none of Bob's tree."""
    kind = _INVALID if status in range(400, 500) else _OURS
    error = {"message": message, "type": kind, "param": param, "code": code}
    return JsonBytes({"error": error}, status, headers)
