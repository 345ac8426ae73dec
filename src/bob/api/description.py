"""Tells programs what every route answers, also when it refuses: added to the OpenAPI document."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from bob.api.authenticate import is_open
from bob.api.failures import JSON, PROBLEM

PROBLEM_SCHEMA: dict[str, Any] = {
    "title": "Problem",
    "description": "What is wrong with a request (RFC 9457).",
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "examples": ["about:blank"]},
        "title": {"type": "string", "examples": ["Bad Request"]},
        "status": {"type": "integer", "examples": [400]},
        "detail": {"type": "string", "examples": ["limit has to be a whole number from 1 to 50"]},
        "field": {"type": "string", "description": "What is wrong, if it is one.", "examples": ["limit"]},
        "request_id": {
            "type": "string",
            "description": "As in the header `X-Request-ID`; the server's log has it too.",
            "examples": ["9f86d081884c7d65"],
        },
    },
}
_OF_OPENAI: dict[str, Any] = {
    "title": "Error",
    "description": "What is wrong with a request, in the form of OpenAI's API.",
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
    "400": "Something in the request is wrong; the answer says what.",
    "401": "Who asks is not known.",
    "403": "Who asks may not do this.",
    "404": "There is no such thing in your organization.",
    "429": "Too many requests; `Retry-After` says when to go on.",
}


def described(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document of the application."""
    document = get_openapi(
        title=app.title, version=app.version, description=app.description, routes=app.routes
    )
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    schemas |= {"Problem": PROBLEM_SCHEMA, "Error": _OF_OPENAI}
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    for path, operations in document["paths"].items():
        for operation in operations.values():
            _add_refusals(path, operation["responses"])
    return document


def _add_refusals(path: str, responses: dict[str, Any]) -> None:
    refusals = [] if is_open(path) else ["401", "403", "429"]
    # What the framework announces as 422 is answered as 400.
    if responses.pop("422", None) is not None:
        refusals.append("400")
    if "{" in path or "404" in responses:
        refusals.append("404")
    kind, schema = (JSON, "Error") if path.startswith("/v1/") else (PROBLEM, "Problem")
    content = {kind: {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    for status in sorted(refusals):
        responses[status] = {"description": _REASONS[status], "content": content}
