"""Every route of the server, from its own OpenAPI document."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bob.app import Engine
from bob.app.settings import Settings
from bob.http.app import create_app
from reference.place import NOTICE

_PROSE = """
What `bob serve` answers to; `GET /openapi.json` describes the same for programs, with every shape.
[Serving](../server.md) has what holds for all routes: who may ask, errors, pages, streams, and requests that
are sent twice.
""".strip()

_SHAPES = """
What the routes answer, by the name that it has in the OpenAPI document. A field with `?` may be missing.
""".strip()

_PARTS = {
    "ask": "Ask and search",
    "library": "The library",
    "index": "Indexing",
    "chats": "Chats",
    "context": "Prompts",
    "memories": "Memories",
    "personas": "Personas",
    "decisions": "Decisions",
    "health": "Health of what is known",
    "notes": "Notes",
    "lint": "Lint",
    "eval": "Evaluations",
    "work": "Work items",
    "ai": "Tools of assistants",
    "hippocampus": "The memory as a service",
    "streams": "Streams",
    "session": "Sessions of browsers",
    "keys": "API keys",
    "status": "State and settings",
}
_OPENAI = "OpenAI's API"


def http_api_page() -> str:
    """The page."""
    document = _document()
    found: dict[str, list[str]] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            (tag,) = operation.get("tags") or [_OPENAI]
            found.setdefault(_PARTS.get(tag, tag), []).append(_route(document, method, path, operation))
    order = [*_PARTS.values(), *(each for each in found if each not in _PARTS.values())]
    parts = [NOTICE, "# Routes", _PROSE]
    for part in (each for each in order if each in found):
        parts += [f"## {part}", *found[part]]
    parts += [
        "## Shapes",
        _SHAPES,
        "\n".join(["| shape | | fields |", "| --- | --- | --- |", *_shapes(document)]),
    ]
    return "\n\n".join(parts) + "\n"


def _document() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(Settings(database=str(Path(folder) / "bob.db")))
        document: dict[str, Any] = create_app(engine).openapi()
        engine.close()
    return document


def _route(document: dict[str, Any], method: str, path: str, operation: dict[str, Any]) -> str:
    parts = [f"### `{method.upper()} {path}`", f"{operation['summary']}. {_text(operation['description'])}"]
    rows = [*_parameters(operation), *_body(document, operation)]
    if rows:
        parts.append("\n".join(["| takes | |", "| --- | --- |", *rows]))
    parts += _answer(operation)
    return "\n\n".join(parts)


def _parameters(operation: dict[str, Any]) -> Iterator[str]:
    for each in operation.get("parameters", []):
        where = {"query": "", "path": " (path)", "header": " (header)"}[each["in"]]
        told = each.get("description") or each["schema"].get("description", "")
        yield f"| `{each['name']}`{where} | {_cell(told, each.get('required', False), each['schema'])} |"


def _body(document: dict[str, Any], operation: dict[str, Any]) -> Iterator[str]:
    content = operation.get("requestBody", {}).get("content", {})
    for kind, media in content.items():
        schema = _resolved(document, media["schema"])
        note = " (form)" if kind == "multipart/form-data" else " (body)"
        required = schema.get("required", [])
        for name, each in schema.get("properties", {}).items():
            yield f"| `{name}`{note} | {_cell(each.get('description', ''), name in required, each)} |"


def _resolved(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    name = schema.get("$ref", "").rpartition("/")[2]
    return document["components"]["schemas"][name] if name else schema


def _cell(told: str, required: bool, schema: dict[str, Any]) -> str:
    words = [_text(told)] if told else []
    if required:
        words.append("Needed.")
    elif schema.get("default") not in (None, "", [], {}):
        words.append(f"Default: `{json.dumps(schema['default'])}`.")
    return " ".join(words).replace("|", "\\|")


def _answer(operation: dict[str, Any]) -> Iterator[str]:
    for status, response in operation["responses"].items():
        if not status.startswith("2"):
            continue
        for kind, content in response.get("content", {}).items():
            example = content.get("example")
            if name := _name_of(content["schema"]):
                events = "events: " if kind == "text/event-stream" else ""
                yield f"Answers {status}, {events}[`{name}`](#shapes)."
            if example is not None:
                yield f"```text\n{example.strip()}\n```"
            elif kind == "image/png":
                yield "The answer is a PNG."


def _shapes(document: dict[str, Any]) -> Iterator[str]:
    """A row for each shape that a route answers with, and for those within."""
    schemas = document["components"]["schemas"]
    waiting = [
        name
        for operations in document["paths"].values()
        for operation in operations.values()
        for response in operation["responses"].values()
        for content in response.get("content", {}).values()
        if (name := _name_of(content["schema"]))
    ]
    reached: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += re.findall(r"#/components/schemas/(\w+)", json.dumps(schemas[name]))
    for name in sorted(reached):
        schema = schemas[name]
        required = schema.get("required", [])
        fields = [
            f"`{field}`{'' if field in required else '?'}: {_kind(shape)}"
            for field, shape in schema.get("properties", {}).items()
        ]
        choices = [_kind(one) for one in schema.get("oneOf", schema.get("anyOf", []))]
        told = _text(schema.get("description", ""))
        cell = "; ".join(fields) or " or ".join(choices) or _kind(schema)
        yield f"| `{name}` | {told} | {cell} |".replace("|  |", "| |")


def _kind(schema: dict[str, Any]) -> str:
    """The kind of a value in words."""
    if name := _name_of(schema):
        return name
    if "const" in schema:
        return f'"{schema["const"]}"'
    if "enum" in schema:
        return " or ".join(f'"{value}"' for value in schema["enum"])
    if choices := schema.get("anyOf", schema.get("oneOf")):
        return " or ".join(_kind(one) for one in choices)
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    if data := schema.get("properties", {}).get("data", {}).get("contentSchema"):
        return f"`{schema['properties']['event']['const']}` with {_kind(data)}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_kind(schema['additionalProperties'])}"
    return str(schema.get("format") or schema.get("type") or "anything")


def _name_of(schema: dict[str, Any]) -> str:
    """The name of a shape that is referred to, "" for none."""
    return str(schema.get("$ref", "")).rpartition("/")[2]


def _text(told: str) -> str:
    return " ".join(told.split())
