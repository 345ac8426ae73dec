"""Every route of the server, from its own OpenAPI document."""

from __future__ import annotations

import json
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
    for status, told in operation["responses"].items():
        if not status.startswith("2"):
            continue
        for kind, content in told.get("content", {}).items():
            example = content.get("example")
            if isinstance(example, str):
                yield f"```text\n{example.strip()}\n```"
            elif example is not None:
                yield f"```json\n{json.dumps(example, ensure_ascii=False)}\n```"
            elif kind == "image/png":
                yield "The answer is a PNG."


def _text(told: str) -> str:
    return " ".join(told.split())
