"""Tools that find and read: search, ask, fetch, list_projects, index_status, rag_search."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from bob.core.document import WRITTEN_BY
from bob.core.errors import UsageError
from bob.core.locator import Locator
from bob.core.place import place_in
from bob.core.search import FoundChunk
from bob.mcp.tool import (
    Arguments,
    Link,
    Name,
    Project,
    Query,
    Reply,
    Tool,
    ToolContext,
    array,
    document_uri,
    record,
)
from bob.search.query import parse_query

if TYPE_CHECKING:
    from bob.documents.read_documents import ReadDocument

FETCH_CHARACTERS = 20_000
"""A document is read in pieces of this size: some 5,000 tokens of a conversation."""

_MOST_FAILURES = 10
_CITED = record({"id": "string", "title": "string", "url": "string", "place": "string", "text": "string"})


class SearchArguments(Arguments):
    """What to search for."""

    query: Query
    limit: Annotated[int, Field(ge=1, le=20)] = 8
    project: Project = ""


def _search(context: ToolContext, arguments: SearchArguments) -> Reply:
    query = parse_query(arguments.query, context.permissions.filters(arguments.project))
    result = context.engine.search.search_chunks(query, arguments.limit, today=context.now().date())
    by_document: dict[int, list[FoundChunk]] = {}
    for hit in result.hits:
        by_document.setdefault(hit.chunk.document_id, []).append(hit.chunk)
    results = [
        _cited(chunks[0], "; ".join(_place(chunk, chunk.locator) for chunk in chunks))
        | {"text": "\n\n[…]\n\n".join(_passage(chunk) for chunk in chunks)}
        for chunks in by_document.values()
    ]
    # Without links: clients that know search and fetch take one text, and nothing beside it.
    return Reply({"results": results, "notices": list(result.notices)}, count=len(results))


SEARCH = Tool(
    "search",
    "Search the user's own files by words and meaning: the best passages. "
    'It may have "exact phrase", -word, type:pdf, tag:x, lang:pt, project:x, path:folder/, '
    "after:2024, before:2025-06, decision:active.",
    "read",
    SearchArguments,
    record({"results": array(_CITED), "notices": array("string")}),
    _search,
)


class AskArguments(Arguments):
    """What to ask."""

    question: Query
    earlier: Annotated[
        tuple[Query, ...],
        Field(max_length=20, description="questions that this one goes on from, oldest first"),
    ] = ()
    project: Project = ""


def _ask(context: ToolContext, arguments: AskArguments) -> Reply:
    filters, now = context.permissions.filters(arguments.project), context.now()
    answer = context.engine.ask.answer_question(
        arguments.question, earlier=arguments.earlier, filters=filters, today=now.date()
    )
    if not context.permissions.dry_run:
        answer = context.engine.keep_answer.save_answer(answer, filters=filters, asked_at=now)
    notes = list(answer.notices)
    if answer.date_confidence.outdated:
        notes.append(f"may be out of date: {answer.date_confidence.reason}")
    sources = [
        {"n": source.n} | _cited(source.chunk, _place(source.chunk, source.locator)) | {"text": source.quote}
        for source in answer.sources
    ]
    links = {source.chunk.document_id: _link(source.chunk, source.locator) for source in answer.sources}
    content = {"found": answer.found, "answer": answer.text, "sources": sources, "notes": notes}
    return Reply(content, tuple(links.values()), len(sources))


ASK = Tool(
    "ask",
    "Answer a question from the user's own files. Every claim carries [n], its source, quoted word for word "
    "in sources. found is false if the files do not say it.",
    "read",
    AskArguments,
    record(
        {
            "found": "boolean",
            "answer": "string",
            "sources": array(record({"n": "integer", **_CITED["properties"]})),
            "notes": array("string"),
        }
    ),
    _ask,
)


class FetchArguments(Arguments):
    """Which document, and from where on."""

    id: Annotated[Name, Field(description="of a search result")]
    start: Annotated[int, Field(ge=0, le=10**9, description="next_start of the piece before")] = 0


def _fetch(context: ToolContext, arguments: FetchArguments) -> Reply:
    read = read_document(context, arguments.id, arguments.start, FETCH_CHARACTERS)
    head = read.head
    metadata = {
        "path": head.path,
        "project": head.project,
        "type": head.source_type,
        "date": None if head.source_date is None else head.source_date.isoformat(),
        "characters": read.characters,
        "next_start": read.next_start,
    }
    content = {
        "id": str(head.document_id),
        "title": head.title,
        "text": read.text,
        "url": document_uri(head.document_id),
        "metadata": metadata,
    }
    return Reply(content)


def read_document(context: ToolContext, document_id: str, start: int, most: int) -> ReadDocument:
    """A document by its id as clients know it. Raises NotFoundError, UsageError."""
    if not (document_id.isascii() and document_id.isdigit() and len(document_id) <= 15):
        raise UsageError("id must be a number from search")
    return context.engine.knowledge.read_documents.read(
        int(document_id), context.permissions.allowed, start, most
    )


FETCH = Tool(
    "fetch",
    "Read a whole document that search found. A long one comes in pieces: continue at metadata.next_start.",
    "read",
    FetchArguments,
    record(
        {
            "id": "string",
            "title": "string",
            "text": "string",
            "url": "string",
            "metadata": {"type": "object"},
        }
    ),
    _fetch,
)


class NoArguments(Arguments):
    """None."""


def _list_projects(context: ToolContext, _: NoArguments) -> Reply:
    seen = context.engine.knowledge.read_documents.visible(context.permissions.allowed)
    projects = [{"project": project.project, "documents": project.documents} for project in seen.projects]
    return Reply({"projects": projects}, count=len(projects))


LIST_PROJECTS = Tool(
    "list_projects",
    "List the projects of the user's files.",
    "read",
    NoArguments,
    record({"projects": array(record({"project": "string", "documents": "integer"}))}),
    _list_projects,
)


def _index_status(context: ToolContext, _: NoArguments) -> Reply:
    seen = context.engine.knowledge.read_documents.visible(context.permissions.allowed)
    failures = [{"path": failure.path, "reason": failure.reason} for failure in seen.failures]
    in_part = [
        {"path": document.path, "reason": f"read in part: {'; '.join(document.left_out)}"}
        for document in seen.read_in_part
    ]
    content = {
        "documents": seen.documents,
        "passages": seen.chunks,
        "complete": seen.pending == 0,
        "unread_files": len(failures),
        "failures": [*failures[:_MOST_FAILURES], *in_part[:_MOST_FAILURES]],
    }
    return Reply(content)


INDEX_STATUS = Tool(
    "index_status",
    "Report how much is indexed, whether search by meaning covers all of it, and which files could not "
    "be read.",
    "read",
    NoArguments,
    record(
        {
            "documents": "integer",
            "passages": "integer",
            "complete": "boolean",
            "unread_files": "integer",
            "failures": array(record({"path": "string", "reason": "string"})),
        }
    ),
    _index_status,
)


class RagSearchArguments(Arguments):
    """Which work items."""

    query: Query
    limit: Annotated[int, Field(ge=1, le=50)] = 5


def _rag_search(context: ToolContext, arguments: RagSearchArguments) -> Reply:
    team, user = context.engine.team, context.engine.settings.user
    item_ids = team.rag_search.search_items(
        arguments.query, arguments.limit, user_id=user, log=not context.permissions.dry_run
    )
    items = [
        {"id": item.work_item_id, "title": item.title, "status": item.status}
        for item in team.work_items.those(item_ids)
    ]
    return Reply({"items": items}, count=len(items))


RAG_SEARCH = Tool(
    "rag_search",
    "Find the team's work items (tasks, bugs) by meaning, best first.",
    "work",
    RagSearchArguments,
    record({"items": array(record({"id": "integer", "title": "string", "status": "string"}))}),
    _rag_search,
)


def _place(chunk: FoundChunk, locator: Locator) -> str:
    return place_in(PurePath(chunk.path).name, locator)


def _passage(chunk: FoundChunk) -> str:
    """A passage's text, and before it who wrote it where that makes it no evidence."""
    return f"[{WRITTEN_BY[chunk.written_by]}] {chunk.text}" if chunk.written_by else chunk.text


def _cited(chunk: FoundChunk, place: str) -> dict[str, Any]:
    return {
        "id": str(chunk.document_id),
        "title": chunk.title,
        "url": document_uri(chunk.document_id),
        "place": place,
    }


def _link(chunk: FoundChunk, locator: Locator) -> Link:
    return Link(chunk.document_id, chunk.title, _place(chunk, locator), chunk.source_type)
