"""Personas over HTTP: which there are, and what one is made of (SPEC J)."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Path
from starlette.responses import Response

from bob.api.authenticate import Asked, Authenticator
from bob.api.chats import SCOPE
from bob.api.examples import answered
from bob.api.examples_chats import PERSONA, PERSONA_FOLDER
from bob.api.failures import JsonBytes
from bob.domain.principal import Role
from bob.errors import NotFoundError

Name = Annotated[str, Path(description="The persona's name.", examples=["ines"], max_length=255)]


def register(app: FastAPI, door: Authenticator) -> None:
    """Add the routes. Personas are files of the user of this machine, so nobody else may read them."""
    reader = door.needs(Role.READER, SCOPE, at_home=True)

    @app.get(
        "/personas",
        summary="List personas",
        tags=["personas"],
        responses=answered({"personas": [PERSONA_FOLDER]}),
    )
    def every(asked: Asked = reader) -> Response:
        """Those in the folder of the settings, by name, and which of their two files are there."""
        return JsonBytes({"personas": [each.to_json() for each in asked.engine.personas.listed()]})

    @app.get("/personas/{name}", summary="Read a persona", tags=["personas"], responses=answered(PERSONA))
    def read(name: Name, asked: Asked = reader) -> Response:
        """Its voice card, and the parts of its corpus without their text."""
        listed = [each.name for each in asked.engine.personas.listed()]
        if name not in listed:
            raise NotFoundError(f"there is no persona {name!r}")
        persona = asked.engine.personas.open(name)
        parts = [each.to_json() for each in persona.corpus.parts]
        notices = list(persona.notices)
        return JsonBytes({"name": name, "voice": persona.voice, "parts": parts, "notices": notices})
