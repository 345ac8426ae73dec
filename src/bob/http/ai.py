"""What assistants call: a search that gives ids, SQL that gives facts, and both behind one question (SPEC K5
to K7). The organization is that of who asks; nothing in a request can name another.
"""

from __future__ import annotations

from typing import Annotated, Any, NotRequired

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response
from typing_extensions import TypedDict

from bob.core.principal import Role
from bob.http.authenticate import Caller, needs
from bob.http.failures import JsonBytes
from bob.http.params import NOT_FOUND
from bob.http.shapes import Moment, Routes, Success
from bob.work.assist_values import Tool
from bob.work.rag_search import MOST_CHARACTERS, MOST_RESULTS, USUAL_RESULTS

router = Routes(tags=["ai"])

_SCOPE = "ai"

_SEARCH_SCOPE = "rag"


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class RagSearchRequest(_Body):
    """What to look for."""

    query: str = Field(
        description="The question.",
        examples=["login issues on mobile"],
        json_schema_extra={"minLength": 1, "maxLength": MOST_CHARACTERS},
    )
    limit: int = Field(
        USUAL_RESULTS,
        description="Maximum number of ids.",
        json_schema_extra={"minimum": 1, "maximum": MOST_RESULTS},
    )
    thread_id: str | None = Field(None, description="One of your threads; it does not change who is asking.")


class FeedbackRequest(_Body):
    """Whether an item that a search gave was of use."""

    query: str = Field(description="The original query.", examples=["login issues on mobile"])
    work_item_id: int = Field(description="The item's number.", examples=[123])
    helpful: bool = Field(description="Whether it was useful.")


class SqlRequest(_Body):
    """One question in SQL."""

    sql: str = Field(
        description="One SELECT over the views of your organization's work.",
        examples=["SELECT status, COUNT(*) FROM work_items GROUP BY status"],
    )


class AssistRequest(_Body):
    """A question in words."""

    message: str = Field(
        description="The question.", examples=["Have we seen payment gateway timeouts before?"]
    )
    thread_id: str | None = Field(None, description="Continue one of your threads; default: start a new one.")
    work_item_id: int | None = Field(None, description="Item that a new thread is about.")


AtLeast = Annotated[int, Query(description="Minimum number of times, 1 or more.")]


class FoundWorkItems(TypedDict):
    """Ids of work items, best first; nothing of what stands in them."""

    success: bool
    work_item_ids: list[int]


class UnansweredQuery(TypedDict):
    """A query that never found anything."""

    query: str
    times: int
    last_at: Moment


class UnansweredQueries(TypedDict):
    """Queries that never found anything, the most frequent first."""

    unanswered: list[UnansweredQuery]


class SqlRows(TypedDict):
    """The rows of a query."""

    success: bool
    columns: list[str]
    rows: list[list[Any]]
    truncated: bool
    milliseconds: int


class AssistantTool(TypedDict):
    """A tool; `parameters` is a JSON Schema."""

    name: Tool
    description: str
    parameters: dict[str, Any]


class AssistantTools(TypedDict):
    """The tools for an assistant."""

    tools: list[AssistantTool]


class AssistanceStep(TypedDict):
    """A tool that was used, with what it was given and gave."""

    tool: Tool
    input: dict[str, Any]
    output: dict[str, Any]
    error: NotRequired[str]


class Assistance(TypedDict):
    """A reply, and the steps that led to it."""

    success: bool
    thread_id: str
    reply: str
    work_item_ids: list[int]
    steps: list[AssistanceStep]
    written_by: str | None
    notice: str | None


Reader = Annotated[Caller, needs(Role.READER, _SCOPE)]
Searcher = Annotated[Caller, needs(Role.READER, _SEARCH_SCOPE)]
Member = Annotated[Caller, needs(Role.MEMBER, _SEARCH_SCOPE)]
Admin = Annotated[Caller, needs(Role.ADMIN, _SEARCH_SCOPE)]


@router.post(
    "/ai/rag-search", summary="Find similar work items", response_model=FoundWorkItems, responses=NOT_FOUND
)
def find_similar_work_items(caller: Searcher, request: RagSearchRequest) -> Response:
    """Ids of the work items that fit, best first; none when nothing does. Read the items with SQL."""
    team, user = caller.engine.team, caller.principal.user_id
    if request.thread_id is not None:
        team.assist_threads.find(user, request.thread_id)
    item_ids = team.rag_search.search_items(request.query, request.limit, user_id=user)
    return JsonBytes({"success": True, "work_item_ids": item_ids})


@router.post(
    "/ai/rag-search/feedback", summary="Rate a search result", response_model=Success, responses=NOT_FOUND
)
def rate_found_work_item(caller: Member, request: FeedbackRequest) -> Response:
    """Later searches like this one move the item up or down."""
    caller.engine.team.rag_search.feedback(
        request.query, request.work_item_id, request.helpful, user_id=caller.principal.user_id
    )
    return JsonBytes({"success": True})


@router.get(
    "/ai/rag-search/unanswered",
    summary="List queries that are never answered",
    response_model=UnansweredQueries,
)
def list_unanswered_queries(caller: Admin, at_least: AtLeast = 2) -> Response:
    """Questions that were asked so often and never found anything, the most frequent first."""
    queries = caller.engine.team.rag_search.unanswered(at_least)
    return JsonBytes({"unanswered": [query.to_json() for query in queries]})


@router.post("/ai/execute-sql", summary="Run a question in SQL", response_model=SqlRows)
def execute_sql(caller: Reader, request: SqlRequest) -> Response:
    """The rows of one SELECT over the views of your organization's work; see `GET /ai/tools`."""
    result = caller.engine.team.execute_sql.execute_query(request.sql)
    return JsonBytes({"success": True, **result.to_json()})


@router.get("/ai/tools", summary="List the tools for an assistant", response_model=AssistantTools)
def list_assistant_tools(caller: Reader) -> Response:
    """`rag_search` and `execute_sql` with their parameters as JSON Schema."""
    return JsonBytes({"tools": caller.engine.team.tools()})


@router.post("/ai/assist", summary="Ask the assistant", response_model=Assistance, responses=NOT_FOUND)
def ask_assistant(caller: Reader, request: AssistRequest) -> Response:
    """A reply with the steps that led to it: ids by meaning, then facts by SQL."""
    thread_id, assistance = caller.engine.team.assist_threads.answer_in_thread(
        caller.principal.user_id, request.message, request.thread_id, request.work_item_id
    )
    answer: dict[str, Any] = {"success": True, "thread_id": thread_id, **assistance.to_json()}
    return JsonBytes(answer)
