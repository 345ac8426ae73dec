"""Errors, translated once: under `/v1` in the form of OpenAI's, elsewhere as problem documents (RFC 9457).

    {"error": {"message", "type", "param", "code"}}          application/json
    {"type", "title", "status", "detail", "request_id"}      application/problem+json

No text of a request is in them, but for names that it gave.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping
from datetime import date, datetime
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException
from starlette.responses import Response

from bob.core.errors import (
    BobError,
    LanguageModelError,
    MemoryServiceError,
    MissingExtraError,
    NotFoundError,
    RefusedError,
    RequestError,
    SettingsError,
    StoreError,
    UpstreamError,
    UsageError,
)
from bob.http.logs import request_id

log = logging.getLogger(__name__)

JSON = "application/json"
PROBLEM = "application/problem+json"

_REFUSALS = {401: "invalid_api_key", 403: "forbidden", 429: "rate_limit_exceeded"}

_INVALID, _OURS, _UPSTREAM = "invalid_request_error", "server_error", "upstream_error"


def handle_errors(app: FastAPI) -> None:
    """Have the application answer with such errors, whatever fails."""

    @app.exception_handler(BobError)
    def answer_error(request: Request, error: BobError) -> Response:
        return response_to(request.url.path, error)

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> Response:
        field, message = _explain_invalid(error.errors()[0])
        return error_response(request.url.path, 400, message, param=field)

    @app.exception_handler(HTTPException)
    def refused(request: Request, error: HTTPException) -> Response:
        return error_response(request.url.path, error.status_code, str(error.detail), headers=error.headers)


def response_to(path: str, error: BobError) -> Response:
    """What a request to `path` is answered when it fails so."""
    headers, status = {}, status_of(error)
    wait = error.wait if isinstance(error, UpstreamError | RefusedError) else None
    if wait is not None:
        headers["Retry-After"] = f"{wait:g}" if isinstance(error, UpstreamError) else str(math.ceil(wait))
    if isinstance(error, RefusedError) and status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, StoreError):
        log.error("%s", error)
    if _speaks_openai(path):
        return JsonBytes({"error": error_of(error)}, status, headers)
    field = error.field if isinstance(error, RequestError) else None
    return _problem(status, _message(error), field, headers)


def problem_of(error: Exception) -> dict[str, Any]:
    """A problem document for an error in the middle of a stream."""
    status = status_of(error) if isinstance(error, BobError) else 500
    detail = _message(error) if isinstance(error, BobError) else _unexpected(error)
    field = error.field if isinstance(error, RequestError) else None
    return _problem_json(status, detail, field)


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
    elif isinstance(error, RefusedError):
        code = _REFUSALS.get(error.status)
    return {"message": _message(error), "type": kind, "param": param, "code": code}


def _message(error: BobError) -> str:
    """What is told of an error: where a team's database is, and as whom it is asked, stays in the log."""
    if isinstance(error, StoreError):
        return "the database is not available; see the server's log"
    return str(error)


def status_of(error: BobError) -> int:
    """The HTTP status of an error."""
    match error:
        case UpstreamError() | RefusedError():
            return error.status
        case LanguageModelError():
            return 502
        case NotFoundError():
            return 404
        case MissingExtraError() | SettingsError():
            return 500
        case UsageError():
            return 400
        case StoreError() | MemoryServiceError():
            return 503
        case _:
            return 500


def _explain_invalid(first: Mapping[str, Any]) -> tuple[str | None, str]:
    """The field that is wrong, if it is one, and why."""
    kind, loc = first["type"], first["loc"]
    if kind == "json_invalid":
        return None, f"the body is not valid JSON: {first['ctx']['error']} at character {loc[-1]}"
    # The first part says where the request has it: path, query, body.
    field = ".".join(str(part) for part in loc[1:])
    if not field:
        return None, "the body must be a JSON object, sent as application/json"
    match kind:
        case "extra_forbidden":
            return field, f"unknown field {field}"
        case "missing":
            return field, f"{field} is missing"
    return field, f"{field}: {first['msg']}"


class JsonBytes(Response):
    """JSON that may hold any text: a lone surrogate becomes a question mark."""

    def __init__(
        self, content: Any, status: int = 200, headers: Mapping[str, str] | None = None, kind: str = JSON
    ) -> None:
        super().__init__(json_bytes(content), status, headers, kind)


def json_bytes(content: Any) -> bytes:
    """JSON in UTF-8, on one line."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def error_response(
    path: str,
    status: int,
    message: str,
    *,
    param: str | None = None,
    code: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """What a request to `path` is answered for an error that is none of Bob's tree."""
    if not _speaks_openai(path):
        return _problem(status, message, param, headers)
    kind = _INVALID if status in range(400, 500) else _OURS
    error = {"message": message, "type": kind, "param": param, "code": code}
    return JsonBytes({"error": error}, status, headers)


def _problem(status: int, detail: str, field: str | None, headers: Mapping[str, str] | None) -> Response:
    return JsonBytes(_problem_json(status, detail, field), status, headers, PROBLEM)


def _problem_json(status: int, detail: str, field: str | None) -> dict[str, Any]:
    title = HTTPStatus(status).phrase
    problem: dict[str, Any] = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    if field:
        problem["field"] = field
    current_id = request_id.get()
    # Who is not known is told the same bytes each time.
    if current_id is not None and status != HTTPStatus.UNAUTHORIZED:
        problem["request_id"] = current_id
    return problem


def unexpected(path: str, error: Exception) -> Response:
    """What a request to `path` is answered when Bob itself fails."""
    return error_response(path, 500, _unexpected(error))


def _unexpected(error: Exception) -> str:
    return f"internal error ({type(error).__name__})"


def _speaks_openai(path: str) -> bool:
    return path == "/v1" or path.startswith("/v1/")


class Body(BaseModel):
    """The fields of a request. A field that it does not have is an error, not a slip that nobody sees."""

    model_config = ConfigDict(extra="forbid")


def now() -> datetime:
    """This moment, in the time zone of this machine."""
    return datetime.now().astimezone()


def today() -> date:
    """The day it is on this machine."""
    return now().date()
