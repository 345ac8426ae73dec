"""Verify over HTTP: do the sources say what a text says? (SPEC E2)"""

from __future__ import annotations

from fastapi import FastAPI
from pydantic import Field
from starlette.responses import Response

from bob.core.principal import Role
from bob.http.ask import SCOPE, AnswerId
from bob.http.authenticate import Authenticator, Caller
from bob.http.examples import answered
from bob.http.examples_care import RECHECKED, VERIFIED
from bob.http.failures import JsonBytes, today
from bob.http.filter_params import Narrowing

_MOST_CHARACTERS = 100_000
"""Each of its claims is searched for; a longer text is sent in parts."""


class VerifyRequest(Narrowing):
    """A text, and which sources count."""

    text: str = Field(
        max_length=_MOST_CHARACTERS,
        description="Text or Markdown.",
        examples=["The hedge is cut in the last week of August."],
    )


def register(app: FastAPI, auth: Authenticator) -> None:
    """Add the routes."""
    reader = auth.needs(Role.READER, SCOPE)
    # As for reading the answers of all users.
    admin = auth.needs(Role.ADMIN, SCOPE)

    @app.post(
        "/verify", summary="Check a text against your sources", tags=["ask"], responses=answered(VERIFIED)
    )
    def verify(request: VerifyRequest, caller: Caller = reader) -> Response:
        """Every claim with its verdict, as `bob verify --json` prints it. `marked` is the text with a mark
        behind what does not hold, `remaining` the text without it."""
        found = caller.engine.verify_text.verify_text(request.text, filters=request.filters(), today=today())
        return JsonBytes(found.to_json())

    @app.post(
        "/answers/{answer_id}/verify",
        summary="Check an answer again",
        tags=["ask"],
        responses=answered(RECHECKED),
    )
    def recheck(answer_id: AnswerId, caller: Caller = admin) -> Response:
        """Do its sources still say what it says? Those that changed are read anew first."""
        return JsonBytes(caller.engine.verify_answer.verify_answer(answer_id, today=today()).to_json())
