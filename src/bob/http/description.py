"""Tells programs what every route answers, also when it refuses: added to the OpenAPI document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import TypeAdapter

from bob.http.authenticate import Needed, is_open
from bob.http.failures import JSON, PROBLEM
from bob.http.shapes import Error, Problem

CREDENTIALS: dict[str, Any] = {
    "HTTPBearer": {"type": "http", "scheme": "bearer", "description": "A token (JWT) or an API key."},
    "APIKeyHeader": {"type": "apiKey", "in": "header", "name": "x-api-key"},
}
"""Read by the middleware, so no route has them as parameters."""

_REFERENCE = "#/components/schemas/{model}"
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


def describe_api(app: FastAPI, routers: Iterable[APIRouter], events: Mapping[str, type]) -> dict[str, Any]:
    """The OpenAPI document of the application with these routers. `events` are shapes of what streams tell,
    by the name of the schema."""
    document = get_openapi(
        title=app.title, version=app.version, description=app.description, routes=app.routes
    )
    components = document.setdefault("components", {})
    components["securitySchemes"] = CREDENTIALS
    schemas = components.setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas |= _schemas_of(Problem) | _schemas_of(Error)
    for name, shape in events.items():
        described = _schemas_of(shape)
        own = described.pop(shape.__name__)
        schemas |= described | {name: _event_schema(name, own)}
    schemas["StreamEvent"] = {
        "title": "StreamEvent",
        "description": "An event of an answer, a reply or an evaluation.",
        "anyOf": [{"$ref": _REFERENCE.format(model=name)} for name in events],
    }
    # The framework makes this name of a form's route.
    form = document["paths"]["/files"]["post"]["requestBody"]["content"]["multipart/form-data"]
    schemas["UploadFilesRequest"] = schemas.pop("Body_upload_files") | {"title": "UploadFilesRequest"}
    form["schema"] = {"$ref": _REFERENCE.format(model="UploadFilesRequest")}
    components["schemas"] = dict(sorted(schemas.items()))
    for route in (route for router in routers for route in router.routes):
        if isinstance(route, APIRoute) and route.include_in_schema:
            _add_needs(route, document["paths"][route.path_format])
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            _add_refusals(path, method, operation["responses"])
    return document


def _schemas_of(shape: type) -> dict[str, Any]:
    """The schema of a shape and of those that it has, by name."""
    schema = TypeAdapter(shape).json_schema(mode="serialization", ref_template=_REFERENCE)
    schemas: dict[str, Any] = schema.pop("$defs", {})
    return schemas | {shape.__name__: schema}


def _event_schema(name: str, own: dict[str, Any]) -> dict[str, Any]:
    """The schema of one event of a stream: its data is JSON, whose shape the event's name tells."""
    text = {"type": "string", "contentMediaType": JSON}
    return {
        "title": name,
        "description": own["description"],
        "oneOf": [
            {
                "title": f"{name}{event.capitalize()}",
                "type": "object",
                "required": ["id", "event", "data"],
                "properties": {
                    "id": {"type": "string"},
                    "event": {"const": event, "type": "string"},
                    "data": text | {"contentSchema": {"$ref": data["$ref"]}},
                },
            }
            for event, data in own["properties"].items()
        ],
    }


def _add_needs(route: APIRoute, operations: dict[str, Any]) -> None:
    dependencies = (dependency.call for dependency in route.dependant.dependencies)
    for needed in (getattr(dependency, "needed", None) for dependency in dependencies):
        if not isinstance(needed, Needed):
            continue
        for method in route.methods or ():
            operation = operations[method.lower()]
            operation["security"] = [{name: []} for name in CREDENTIALS]
            operation["description"] = f"{operation.get('description', '')}\n\n{needed.in_words}".strip()


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
        refusal = responses.setdefault(status, {"description": _REASONS[status]})
        refusal.setdefault("content", content)
