"""What is indexed: projects, documents and their chunks (SPEC L5)."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from fastapi import FastAPI, Path, Query, Request
from pydantic import Field
from starlette.responses import Response

from bob.core.errors import RequestError
from bob.core.principal import Role
from bob.documents.library_rows import Order, Position
from bob.http import paging
from bob.http.authenticate import Authenticator, Caller
from bob.http.examples import CHUNK, DOCUMENT, PROJECT, answered
from bob.http.failures import JsonBytes
from bob.http.filter_params import Narrowing
from bob.http.paging import NOT_CHANGED, tagged

SCOPE = "library"
LARGEST_ID = 2**53


class DocumentsPage(Narrowing):
    """Which documents, in which order, and which part of the list."""

    order: Order = Field("path", description="`newest` and `oldest` go by the source's date.")
    cursor: str | None = Field(None, max_length=10_000, description="As `next` of the page before.")
    limit: int = Field(50, ge=1, le=500, description="How many at the most.")


DocumentId = Annotated[int, Path(description="The document's number.", examples=[3], ge=1, le=LARGEST_ID)]
First = Annotated[
    int, Query(description="The chunk that comes first; they count from 0.", ge=0, le=LARGEST_ID)
]
HowMany = Annotated[int, Query(description="How many chunks at the most.", ge=1, le=500)]


def register(app: FastAPI, auth: Authenticator) -> None:
    """Add the routes."""
    reader = auth.needs(Role.READER, SCOPE)

    @app.get(
        "/projects", summary="List projects", tags=["library"], responses=answered({"projects": [PROJECT]})
    )
    def projects(caller: Caller = reader) -> Response:
        """By name, each with what it has and the folders that belong to it."""
        return JsonBytes({"projects": caller.engine.sources.library.projects()})

    @app.get(
        "/documents",
        summary="List documents",
        tags=["library"],
        responses=NOT_CHANGED | answered({"documents": [DOCUMENT], "next": None}),
    )
    def documents(
        request: Request, given: Annotated[DocumentsPage, Query()], caller: Caller = reader
    ) -> Response:
        """A page of documents; `next` asks for the following page, null when there is none."""
        after = None if given.cursor is None else _position(given.cursor, given.order)
        if after is not None and after.value == "" and given.order == "path":
            after = Position(
                caller.engine.sources.library.document(after.document_id).path, after.document_id
            )
        page = caller.engine.sources.library.page(given.filters(), given.order, after, given.limit)
        end = page.following
        # A path says where the server keeps its files: who is not to know asks by the document alone.
        hidden = given.order == "path" and not caller.sees_folders
        following = (
            None if end is None else paging.written(given.order, "" if hidden else end.value, end.document_id)
        )
        listed = [document.to_json() for document in page.documents]
        return tagged(request, {"documents": listed, "next": following})

    @app.get(
        "/documents/{document_id}",
        summary="Read a document's record and chunks",
        tags=["library"],
        responses=NOT_CHANGED | answered(DOCUMENT | {"content": [CHUNK], "next": None}),
    )
    def document(
        request: Request,
        document_id: DocumentId,
        first: First = 0,
        limit: HowMany = 50,
        caller: Caller = reader,
    ) -> Response:
        """What is known of it, and `content`: chunks from `first` on. `next` is the first that follows."""
        found = caller.engine.sources.library.document(document_id)
        chunks = caller.engine.sources.library.chunks(document_id, first, limit)
        following = chunks[-1].ordinal + 1 if chunks and chunks[-1].ordinal + 1 < found.chunk_count else None
        listed = [chunk.to_json() for chunk in chunks]
        return tagged(request, found.to_json() | {"content": listed, "next": following})


def _position(text: str, order: Order) -> Position:
    match paging.read(text, "cursor"):
        case [given, str() | None as value, int() as document_id] if (
            given == order and document_id <= LARGEST_ID
        ):
            dated = order in ("newest", "oldest")
            if (value is None and dated) or (value is not None and (not dated or _is_day(value))):
                return Position(value, document_id)
    raise RequestError("cursor", "cursor has to be what the page before gave as next, with the same order")


def _is_day(value: str) -> bool:
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True
