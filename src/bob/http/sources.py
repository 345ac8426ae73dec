"""The place that a citation points at, in the file itself (SPEC L5), and in the user's editor (SPEC L6)."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import FastAPI, Path, Query, Request
from pydantic import Field
from starlette.responses import Response

from bob.core.errors import RequestError
from bob.core.locator import Locator
from bob.core.principal import Role
from bob.documents.read_source import locator_of
from bob.http.authenticate import Authenticator, Caller
from bob.http.examples import NOT_FOUND, OPENED, SOURCE_PAGE, answered
from bob.http.failures import Body, JsonBytes
from bob.http.library import LARGEST_ID, SCOPE, DocumentId
from bob.http.paging import NOT_CHANGED, tagged_bytes

_MOST_CHARACTERS = 20_000
_BINARY = {"type": "string", "format": "binary"}


class OpenRequest(Body):
    """Which place to open."""

    document_id: int = Field(ge=1, le=LARGEST_ID, examples=[3])
    locator: dict[str, Any] | None = Field(
        None,
        description="The `locator` of an answer's source or of a hit; default: the beginning.",
        examples=[{"kind": "lines", "start_line": 3, "end_line": 3}],
    )
    dry_run: bool = Field(False, description="Only show what would be run.")


ChunkId = Annotated[int | None, Query(description="Open the place of this chunk.", ge=1, le=LARGEST_ID)]
LocatorText = Annotated[
    str | None,
    Query(
        max_length=_MOST_CHARACTERS,
        description="The place, as JSON: the `locator` of an answer's source or of a hit.",
        examples=['{"kind": "lines", "start_line": 3, "end_line": 3}'],
    ),
]
Quote = Annotated[
    str, Query(max_length=_MOST_CHARACTERS, description="Words to find boxes for, on a PDF's page.")
]
Window = Annotated[int, Query(description="Number of lines before and after.", ge=0, le=1000)]
Page = Annotated[int, Path(description="The page, from 1.", examples=[1], ge=1, le=100_000)]
Width = Annotated[int, Query(description="In pixels.", ge=100, le=4000)]


def register(app: FastAPI, auth: Authenticator) -> None:
    """Add the routes."""
    reader = auth.needs(Role.READER, SCOPE)
    at_home = auth.needs(Role.MEMBER, SCOPE, at_home=True)

    @app.get(
        "/documents/{document_id}/source",
        summary="Read the source around a place",
        tags=["library"],
        responses=answered(SOURCE_PAGE),
    )
    def source(
        document_id: DocumentId,
        chunk_id: ChunkId = None,
        locator: LocatorText = None,
        quote: Quote = "",
        window: Window = 20,
        caller: Caller = reader,
    ) -> Response:
        """The file as it is now: lines around the place (`kind` is `lines`), or the text of the whole part
        that it stands in (`page`, `sheet`, `slide`, ...). Of a PDF also the address of the page's picture,
        and the boxes of `quote` on it, as shares of width and height. `changed` says that it is not what was
        indexed."""
        place = _place(caller, document_id, chunk_id, locator)
        return JsonBytes(caller.engine.sources.read_source.around(document_id, place, quote, window))

    @app.get(
        "/documents/{document_id}/pages/{page}",
        summary="Read a page of a PDF as a picture",
        tags=["library"],
        response_class=Response,
        responses=NOT_CHANGED | {200: {"content": {"image/png": {"schema": _BINARY}}}},
    )
    def page_image(
        request: Request, document_id: DocumentId, page: Page, width: Width = 1000, caller: Caller = reader
    ) -> Response:
        """A PNG. Only PDFs have pages to draw."""
        image = caller.engine.sources.read_source.page(document_id, page, width)
        return tagged_bytes(request, image, "image/png")

    @app.post(
        "/open",
        summary="Open a source in your editor",
        tags=["library"],
        responses=NOT_FOUND | answered(OPENED),
    )
    def open_source(request: OpenRequest, caller: Caller = at_home) -> Response:
        """Runs the setting `open.command` with the document's file, on this machine and for its user alone.
        Only a file that is indexed, and still there, is opened."""
        place = None if request.locator is None else _checked(request.locator)
        done = caller.engine.sources.open_source.open_source(
            request.document_id, place, dry_run=request.dry_run
        )
        return JsonBytes(done.to_json())


def _place(caller: Caller, document_id: int, chunk_id: int | None, text: str | None) -> Locator | None:
    if chunk_id is not None:
        return caller.engine.sources.library.chunk(document_id, chunk_id).locator
    if text is None:
        return None
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RequestError("locator", "locator is not valid JSON") from error
    if not isinstance(values, dict):
        raise RequestError("locator", "locator must be a JSON object")
    return _checked(values)


def _checked(values: dict[str, Any]) -> Locator:
    try:
        return locator_of(values)
    except (ValueError, TypeError) as error:
        raise RequestError("locator", f"locator: {error}") from error
