"""Search over HTTP: the passages that fit best (SPEC D)."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import FastAPI, Query
from pydantic import Field
from starlette.responses import Response

from bob.core.principal import Role
from bob.http.ask import SCOPE
from bob.http.authenticate import Authenticator, Caller
from bob.http.examples import HIT, answered
from bob.http.failures import JsonBytes, today
from bob.http.filter_params import NarrowingAtDay
from bob.search.query import parse_query

_MOST_CHARACTERS = 10_000

_ANSWER = {"query": "hedge", "hits": [HIT]}


class SearchRequest(NarrowingAtDay):
    """What to look for, and where."""

    query: str = Field(
        max_length=_MOST_CHARACTERS,
        description='Words, or the syntax of `bob search`: "exact phrase", -without, project:x, type:pdf, '
        "tag:x, lang:pt, path:notes/, after:2024, before:2025-06.",
        examples=["hedge type:markdown"],
    )
    limit: int | None = Field(
        None, ge=1, le=1000, description="Maximum number of results; default: the setting search.limit."
    )
    mode: Literal["hybrid", "words", "vectors"] = Field("hybrid", description="Signals to rank by.")


def register(app: FastAPI, auth: Authenticator) -> None:
    """Add the routes."""
    reader = auth.needs(Role.READER, SCOPE)

    @app.get("/search", summary="Search", tags=["ask"], responses=answered(_ANSWER))
    def search(given: Annotated[SearchRequest, Query()], caller: Caller = reader) -> Response:
        """Passages, best first, each with how its score came about; as `bob search --json` prints them."""
        return _found(given, caller)

    @app.post(
        "/search", summary="Search, with the query in the body", tags=["ask"], responses=answered(_ANSWER)
    )
    def search_by_body(request: SearchRequest, caller: Caller = reader) -> Response:
        """As `GET /search`, for what should stand in no address."""
        return _found(request, caller)


def _found(given: SearchRequest, caller: Caller) -> Response:
    result = caller.engine.search.search_chunks(
        parse_query(given.query, given.filters()),
        given.limit or caller.engine.settings.search.limit,
        mode=given.mode,
        today=today(),
    )
    return JsonBytes({"query": given.query, "hits": [hit.to_json() for hit in result.hits]})
