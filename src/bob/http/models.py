"""`/v1/models`: Bob alone, Bob about each project, and the model that embeds."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from starlette.responses import Response

from bob.app import Engine
from bob.core.errors import NotFoundError, RequestError
from bob.core.principal import Role
from bob.http.authenticate import Authenticator, Caller
from bob.http.failures import JsonBytes

BOB = "bob"
"""The model's name without a project; with one it is `bob/PROJECT`."""


def register(app: FastAPI, auth: Authenticator) -> None:
    """Add the routes."""
    reader = auth.needs(Role.READER, "v1")

    @app.get("/v1/models", summary="List the models")
    def models(caller: Caller = reader) -> Response:
        """`bob`, `bob/PROJECT` for each project that has documents, and the embedding model."""
        return JsonBytes(
            {"object": "list", "data": [_model(model_name) for model_name in model_names(caller.engine)]}
        )

    @app.get("/v1/models/{name:path}", summary="Read a model")
    def model(name: str, caller: Caller = reader) -> Response:
        """The model, or 404 with the names that there are."""
        if name == caller.engine.embedder.model_id:
            return JsonBytes(_model(name))
        project = project_of(caller.engine, name, None)
        return JsonBytes(_model(f"{BOB}/{project}" if project else BOB))


def model_names(engine: Engine) -> list[str]:
    """All that `/v1/models` lists."""
    projects = engine.conversations.chats.projects()
    return [BOB, *(f"{BOB}/{project}" for project in projects), engine.embedder.model_id]


def project_of(engine: Engine, model: str, header: str | None) -> str:
    """The project that a request is about, "" for none, from its model's name and `X-Bob-Project`.

    Raises:
        NotFoundError: there is no such model or project.
        RequestError: the two name different projects.
    """
    name, _, named = model.partition("/")
    if name != BOB or (not named and model != BOB):
        raise NotFoundError(f"unknown model {model!r}; use one of {', '.join(model_names(engine))}")
    chats = engine.conversations.chats
    project = chats.project(named) if named else ""
    named = chats.project(header) if header else project
    if project and named != project:
        raise RequestError("model", f"X-Bob-Project is {named!r}, but the model is about {project!r}")
    return named


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": BOB}
