"""Memories told, given out and taken in over HTTP (SPEC G6)."""

from __future__ import annotations

import json

from fastapi import FastAPI
from pydantic import Field
from starlette.responses import Response

from bob.core.errors import RequestError
from bob.core.principal import Role
from bob.http.authenticate import Authenticator, Caller
from bob.http.chats import SCOPE
from bob.http.examples import answered
from bob.http.examples_chats import MEMORY
from bob.http.failures import Body, JsonBytes, json_bytes, now

_JSON_LINES = "application/x-ndjson"
_EXPORTED = f"{json.dumps(MEMORY)}\n"


class TellRequest(Body):
    """What to remember."""

    text: str = Field(
        min_length=1,
        max_length=100_000,
        description="The text.",
        examples=["The press is rented out at 5 euros a day."],
    )
    project: str = Field("", max_length=200, description="Project of the memory.", examples=["garden"])
    importance: int | None = Field(None, ge=1, le=100, description="Default: rated automatically.")
    lines: bool = Field(False, description="Make a memory of each non-empty line.")


class ImportMemoriesRequest(Body):
    """Memories of another Bob."""

    text: str = Field(
        max_length=10_000_000,
        description='JSON lines as `GET /memories/export` gives them; only "summary" is needed.',
        examples=['{"summary": "The press costs 6 euros a day."}'],
    )
    project: str = Field("", max_length=200, description="Project for lines without one.")


def register(app: FastAPI, auth: Authenticator) -> None:
    """Add the routes."""
    reader = auth.needs(Role.READER, SCOPE)
    member = auth.needs(Role.MEMBER, SCOPE)

    @app.post(
        "/memories",
        summary="Remember something",
        tags=["memories"],
        status_code=201,
        responses=answered({"memories": [MEMORY]}, 201),
    )
    def tell(request: TellRequest, caller: Caller = member) -> Response:
        """The memories as they are kept. What they contradict no longer holds; secrets are left out."""
        conversations = caller.engine.conversations
        scope, service = (
            conversations.scope(request.project, caller.principal.user_id),
            conversations.remember,
        )
        if request.lines:
            kept = service.tell_lines(scope, request.text, request.importance)
        else:
            told = service.tell(scope, request.text, request.importance)
            kept = [] if told is None else [told]
        if not kept:
            raise RequestError("text", "the text has only what looks like a secret")
        return JsonBytes({"memories": [each.to_json() for each in kept]}, 201)

    @app.get(
        "/memories/export",
        summary="Export memories",
        tags=["memories"],
        response_class=Response,
        responses={200: {"content": {_JSON_LINES: {"schema": {"type": "string"}, "example": _EXPORTED}}}},
    )
    def export(caller: Caller = reader) -> Response:
        """All of yours as JSON lines, those that no longer hold included."""
        found = caller.engine.conversations.memories.export(caller.principal.user_id)
        return Response(b"".join(json_bytes(each) + b"\n" for each in found), media_type=_JSON_LINES)

    @app.post(
        "/memories/import",
        summary="Import memories",
        tags=["memories"],
        responses=answered({"added": 2, "known": 0, "errors": []}),
    )
    def take_in(request: ImportMemoriesRequest, caller: Caller = member) -> Response:
        """What is known already is not doubled; `errors` name the lines that are no memories."""
        conversations, user = caller.engine.conversations, caller.principal.user_id
        scope = conversations.scope(request.project, user)
        return JsonBytes(conversations.memories.import_lines(scope, request.text, "text", now()).to_json())
