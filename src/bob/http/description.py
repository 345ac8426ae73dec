"""Tells programs what every route answers, also when it refuses: added to the OpenAPI document."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from bob.http.authenticate import Needed, is_open
from bob.http.failures import JSON, PROBLEM

PROBLEM_SCHEMA: dict[str, Any] = {
    "title": "Problem",
    "description": "A problem document (RFC 9457).",
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "examples": ["about:blank"]},
        "title": {"type": "string", "examples": ["Bad Request"]},
        "status": {"type": "integer", "examples": [400]},
        "detail": {"type": "string", "examples": ["limit must be a whole number from 1 to 50"]},
        "field": {
            "type": "string",
            "description": "The invalid field, if there is one.",
            "examples": ["limit"],
        },
        "request_id": {
            "type": "string",
            "description": "The same as in the header `X-Request-ID` and the server's log.",
            "examples": ["9f86d081884c7d65"],
        },
    },
}
CREDENTIALS: dict[str, Any] = {
    "HTTPBearer": {"type": "http", "scheme": "bearer", "description": "A token (JWT) or an API key."},
    "APIKeyHeader": {"type": "apiKey", "in": "header", "name": "x-api-key"},
}
"""Read by the middleware, so no route has them as parameters."""

_OF_OPENAI: dict[str, Any] = {
    "title": "Error",
    "description": "An error in the form of OpenAI's API.",
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message", "type", "param", "code"],
            "properties": {
                name: {"type": ["string", "null"]} for name in ("message", "type", "param", "code")
            },
        }
    },
}
_REASONS = {
    "400": "The request is invalid; the answer names the field.",
    "401": "Authentication is required.",
    "403": "The role or scope is missing.",
    "404": "Not found in your organization.",
    "408": "The body took too long to arrive (`server.request_seconds`).",
    "409": "The first request with this `Idempotency-Key` is still running, or its answer was not kept.",
    "413": "The body is too large (`server.max_request_mb`).",
    "415": "The content type is not supported.",
    "422": "This `Idempotency-Key` was used with another request.",
    "502": "The language model failed.",
    "503": "The database is not available; see the server's log.",
    "429": "Too many requests; `Retry-After` says when to try again.",
}


def described(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document of the application."""
    document = get_openapi(
        title=app.title, version=app.version, description=app.description, routes=app.routes
    )
    document.setdefault("components", {})["securitySchemes"] = CREDENTIALS
    schemas = document["components"].setdefault("schemas", {})
    schemas |= {"Problem": PROBLEM_SCHEMA, "Error": _OF_OPENAI}
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    for route in app.routes:
        if isinstance(route, APIRoute) and route.include_in_schema:
            _add_needs(route, document["paths"][route.path_format])
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            _add_refusals(path, method, operation["responses"])
    return document


def _add_needs(route: APIRoute, operations: dict[str, Any]) -> None:
    found = (getattr(dependency.call, "needs", None) for dependency in route.dependant.dependencies)
    for needed in (each for each in found if isinstance(each, Needed)):
        for method in route.methods or ():
            operation = operations[method.lower()]
            operation["security"] = [{name: []} for name in CREDENTIALS]
            operation["description"] = f"{operation.get('description', '')}\n\n{needed.told}".strip()


def _add_refusals(path: str, method: str, responses: dict[str, Any]) -> None:
    refusals = ["403"] if is_open(path) else ["401", "403", "429", "503"]
    # What the framework announces as 422 is answered as 400.
    if responses.pop("422", None) is not None:
        refusals.append("400")
    if method != "get":
        refusals += ["408", "413", "415"]
    if method == "post" and not path.startswith("/v1/"):
        refusals += ["409", "422"]
    if path.startswith("/v1/"):
        refusals += ["400", "404", "502"]
    if "{" in path:
        refusals.append("404")
    refusals += [status for status in ("400", "404") if status in responses]
    kind, schema = (JSON, "Error") if path.startswith("/v1/") else (PROBLEM, "Problem")
    content = {kind: {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    for status in sorted({*refusals}):
        described = responses.setdefault(status, {"description": _REASONS[status]})
        described.setdefault("content", content)
