"""Personas over HTTP: which there are, and what one is made of (SPEC J)."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Path
from pydantic import Field
from starlette.responses import Response

from bob.core.errors import NotFoundError
from bob.core.principal import Role
from bob.http.authenticate import Authenticator, Caller
from bob.http.chats import SCOPE
from bob.http.examples import answered
from bob.http.examples_chats import FIDELITY, GUIDE, INTERVIEW, PERSONA, PERSONA_FOLDER
from bob.http.failures import Body, JsonBytes
from bob.personas.service import Persona


class InterviewRequest(Body):
    """A question."""

    question: str = Field(
        min_length=1, max_length=10_000, description="The question.", examples=["What is a friend?"]
    )


class QuestionsRequest(Body):
    """What to probe."""

    topics: list[Annotated[str, Field(min_length=1, max_length=1000)]] = Field(
        [],
        max_length=20,
        description="Topics; default: aesthetic, style and vulnerabilities.",
        examples=[["friendship"]],
    )


Name = Annotated[str, Path(description="The persona's name.", examples=["ines"], max_length=255)]


def register(app: FastAPI, auth: Authenticator) -> None:
    """Add the routes. Personas are files of the user of this machine, so nobody else may read them."""
    reader = auth.needs(Role.READER, SCOPE, at_home=True)

    @app.get(
        "/personas",
        summary="List personas",
        tags=["personas"],
        responses=answered({"personas": [PERSONA_FOLDER]}),
    )
    def every(caller: Caller = reader) -> Response:
        """Those in the folder of the settings, by name, and which of their two files are there."""
        return JsonBytes({"personas": [each.to_json() for each in caller.engine.personas.listed()]})

    @app.get("/personas/{name}", summary="Read a persona", tags=["personas"], responses=answered(PERSONA))
    def read(name: Name, caller: Caller = reader) -> Response:
        """Its voice card, and the parts of its corpus without their text."""
        return JsonBytes(_opened(caller, name).to_json())

    @app.post(
        "/personas/{name}/interview",
        summary="Ask a persona",
        tags=["personas"],
        responses=answered(INTERVIEW),
    )
    def interview(name: Name, request: InterviewRequest, caller: Caller = reader) -> Response:
        """A language model answers in its voice, from passages of its corpus. Without one, `answer` is null,
        and `brief` is what one would be told."""
        return JsonBytes(_opened(caller, name).simulated_interview(request.question).to_json())

    @app.post(
        "/personas/{name}/questions",
        summary="Write questions for a persona",
        tags=["personas"],
        responses=answered(GUIDE),
    )
    def questions(name: Name, request: QuestionsRequest, caller: Caller = reader) -> Response:
        """Those that probe it, from the passages that suit the topics; without a language model from
        headings."""
        return JsonBytes(_opened(caller, name).generate_questions(request.topics).to_json())

    @app.get(
        "/personas/{name}/report",
        summary="Report which facets of a persona questions reach",
        tags=["personas"],
        responses=answered(FIDELITY),
    )
    def report(name: Name, caller: Caller = reader) -> Response:
        """Which facets of its corpus the questions of its folder reach, and whether doubt is heard beside
        confidence."""
        return JsonBytes(_opened(caller, name).report().to_json())


def _opened(caller: Caller, name: str) -> Persona:
    """One of those in the folder: no path."""
    if name not in [each.name for each in caller.engine.personas.listed()]:
        raise NotFoundError(f"no persona {name!r}")
    return caller.engine.personas.open(name)
