"""What is indexed: projects, documents and their chunks (SPEC L5)."""

from __future__ import annotations

import json
from datetime import date
from typing import Annotated, Any, Literal

from fastapi import Path, Query, Request
from pydantic import Field
from starlette.responses import Response
from typing_extensions import TypeAliasType, TypedDict

from bob.core.document import SourceDateKind
from bob.core.errors import RequestError
from bob.core.locator import Locator as Place
from bob.core.principal import Role
from bob.documents.library_rows import Order, Position
from bob.documents.read_source import locator_of
from bob.http.authenticate import Caller, needs
from bob.http.failures import Body, JsonBytes
from bob.http.params import (
    LARGEST_ID,
    NOT_CHANGED,
    NOT_FOUND,
    Narrowing,
    read_cursor,
    tagged,
    tagged_bytes,
    write_cursor,
)
from bob.http.shapes import Day, Locator, Routes

router = Routes(tags=["library"])

SCOPE = "library"


class DocumentsQuery(Narrowing):
    """Which documents, in which order, and which part of the list."""

    order: Order = Field("path", description="`newest` and `oldest` go by the source's date.")
    cursor: str | None = Field(None, max_length=10_000, description="As `next` of the page before.")
    limit: int = Field(50, ge=1, le=500, description="How many at the most.")


DocumentId = Annotated[int, Path(description="The document's number.", examples=[3], ge=1, le=LARGEST_ID)]

First = Annotated[
    int, Query(description="The chunk that comes first; they count from 0.", ge=0, le=LARGEST_ID)
]

HowMany = Annotated[int, Query(description="How many chunks at the most.", ge=1, le=500)]

_MOST_LOCATOR_CHARACTERS = 20_000

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
        max_length=_MOST_LOCATOR_CHARACTERS,
        description="The place, as JSON: the `locator` of an answer's source or of a hit.",
        examples=['{"kind": "lines", "start_line": 3, "end_line": 3}'],
    ),
]

Quote = Annotated[
    str, Query(max_length=_MOST_LOCATOR_CHARACTERS, description="Words to find boxes for, on a PDF's page.")
]

Window = Annotated[int, Query(description="Number of lines before and after.", ge=0, le=1000)]

Page = Annotated[int, Path(description="The page, from 1.", examples=[1], ge=1, le=100_000)]

Width = Annotated[int, Query(description="In pixels.", ge=100, le=4000)]


class Project(TypedDict):
    """A project with what it has and the folders that belong to it."""

    project: str
    documents: int
    chunks: int
    newest: Day | None
    folders: list[str]


class ProjectsList(TypedDict):
    """The projects by name."""

    projects: list[Project]


class Document(TypedDict):
    """What is known of a document; `disk` is null for this machine's. `left_out`: what of it was not read."""

    document_id: int
    path: str
    project: str
    title: str
    source_type: str
    language: str | None
    source_date: Day | None
    source_date_kind: SourceDateKind | None
    tags: list[str]
    extra: dict[str, str]
    content_hash: str
    size: int
    chunks: int
    disk: str | None
    left_out: list[str]


class DocumentsPage(TypedDict):
    """A page of documents."""

    documents: list[Document]
    next: str | None


class Chunk(TypedDict):
    """A piece of a document's text; they count from 0."""

    chunk_id: int
    ordinal: int
    heading_path: list[str]
    locator: Locator
    text: str


class DocumentWithChunks(Document):
    """A document and some of its chunks; `next` is the chunk that follows."""

    content: list[Chunk]
    next: int | None


class SourceLines(TypedDict):
    """Lines of a file around a place."""

    document_id: int
    path: str
    title: str
    locator: Locator
    kind: Literal["lines"]
    first_line: int
    total_lines: int
    lines: list[str]
    changed: bool


class SourcePart(TypedDict):
    """The part of a file that a place stands in. `boxes` are those of the quote on a PDF's page, `image` is
    the address of the page's picture."""

    document_id: int
    path: str
    title: str
    locator: Locator
    kind: Literal["page", "paragraph", "sheet", "slide", "chapter", "message", "cell", "recipe", "element"]
    part: int
    parts: int
    heading_path: list[str]
    text: str
    part_locator: dict[str, Any]
    boxes: list[list[float]]
    image: str | None
    changed: bool


SourcePage = TypeAliasType("SourcePage", Annotated[SourceLines | SourcePart, Field(discriminator="kind")])


class OpenedSource(TypedDict):
    """The command that opens a file, and whether it was run."""

    command: list[str]
    done: bool


Reader = Annotated[Caller, needs(Role.READER, SCOPE)]
AtHome = Annotated[Caller, needs(Role.MEMBER, SCOPE, at_home=True)]


@router.get("/projects", summary="List projects", response_model=ProjectsList)
def list_projects(caller: Reader) -> Response:
    """By name, each with what it has and the folders that belong to it."""
    return JsonBytes({"projects": caller.engine.sources.library.projects()})


@router.get("/documents", summary="List documents", response_model=DocumentsPage, responses=NOT_CHANGED)
def list_documents(caller: Reader, request: Request, query: Annotated[DocumentsQuery, Query()]) -> Response:
    """A page of documents; `next` asks for the following page, null when there is none."""
    after = None if query.cursor is None else _position(query.cursor, query.order)
    if after is not None and after.value == "" and query.order == "path":
        after = Position(caller.engine.sources.library.document(after.document_id).path, after.document_id)
    page = caller.engine.sources.library.page(query.filters(), query.order, after, query.limit)
    end = page.following
    # A path says where the server keeps its files: who is not to know asks by the document alone.
    hidden = query.order == "path" and not caller.sees_folders
    following = (
        None if end is None else write_cursor(query.order, "" if hidden else end.value, end.document_id)
    )
    listed = [document.to_json() for document in page.documents]
    return tagged(request, {"documents": listed, "next": following})


@router.get(
    "/documents/{document_id}",
    summary="Read a document's record and chunks",
    response_model=DocumentWithChunks,
    responses=NOT_CHANGED,
)
def read_document(
    caller: Reader, request: Request, document_id: DocumentId, first: First = 0, limit: HowMany = 50
) -> Response:
    """What is known of it, and `content`: chunks from `first` on. `next` is the first that follows."""
    record = caller.engine.sources.library.document(document_id)
    chunks = caller.engine.sources.library.chunks(document_id, first, limit)
    following = chunks[-1].ordinal + 1 if chunks and chunks[-1].ordinal + 1 < record.chunk_count else None
    listed = [chunk.to_json() for chunk in chunks]
    return tagged(request, record.to_json() | {"content": listed, "next": following})


@router.get(
    "/documents/{document_id}/source", summary="Read the source around a place", response_model=SourcePage
)
def read_source(
    caller: Reader,
    document_id: DocumentId,
    chunk_id: ChunkId = None,
    locator: LocatorText = None,
    quote: Quote = "",
    window: Window = 20,
) -> Response:
    """The file as it is now: lines around the place (`kind` is `lines`), or the text of the whole part
    that it stands in (`page`, `sheet`, `slide`, ...). Of a PDF also the address of the page's picture,
    and the boxes of `quote` on it, as shares of width and height. `changed` says that it is not what was
    indexed."""
    locator_in_file = _place(caller, document_id, chunk_id, locator)
    return JsonBytes(caller.engine.sources.read_source.around(document_id, locator_in_file, quote, window))


@router.get(
    "/documents/{document_id}/pages/{page}",
    summary="Read a page of a PDF as a picture",
    response_class=Response,
    responses=NOT_CHANGED | {200: {"content": {"image/png": {"schema": _BINARY}}}},
)
def draw_page(
    caller: Reader, request: Request, document_id: DocumentId, page: Page, width: Width = 1000
) -> Response:
    """A PNG. Only PDFs have pages to draw."""
    image = caller.engine.sources.read_source.page(document_id, page, width)
    return tagged_bytes(request, image, "image/png")


@router.post(
    "/open", summary="Open a source in your editor", response_model=OpenedSource, responses=NOT_FOUND
)
def open_source(caller: AtHome, request: OpenRequest) -> Response:
    """Runs the setting `open.command` with the document's file, on this machine and for its user alone.
    Only a file that is indexed, and still there, is opened."""
    locator = None if request.locator is None else _checked(request.locator)
    done = caller.engine.sources.open_source.open_source(
        request.document_id, locator, dry_run=request.dry_run
    )
    return JsonBytes(done.to_json())


def _position(text: str, order: Order) -> Position:
    match read_cursor(text, "cursor"):
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


def _place(caller: Caller, document_id: int, chunk_id: int | None, text: str | None) -> Place | None:
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


def _checked(values: dict[str, Any]) -> Place:
    try:
        return locator_of(values)
    except (ValueError, TypeError) as error:
        raise RequestError("locator", f"locator: {error}") from error
