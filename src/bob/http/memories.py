"""Memories told, given out and taken in over HTTP (SPEC G6)."""

from __future__ import annotations

from typing import Annotated, NotRequired

from fastapi import Path, Query
from pydantic import Field
from starlette.responses import Response
from typing_extensions import TypedDict

from bob.conversations.forgetting import Why
from bob.core.errors import RequestError
from bob.core.principal import Role
from bob.http.authenticate import Caller, needs
from bob.http.chats import SCOPE, Words
from bob.http.failures import Body, JsonBytes, json_bytes, now
from bob.http.params import LARGEST_ID, NOT_FOUND, Cursor, HowMany, cursor_moment, write_cursor
from bob.http.shapes import ChatMessage, Memory, Routes

router = Routes(tags=["memories"])

_JSON_LINES = "application/x-ndjson"

_EXPORTED = '{"memory_id":3,"project":"garden","summary":"The hedge is cut in August.","importance":60}\n'


class TellRequest(Body):
    """What to remember."""

    text: str = Field(
        min_length=1,
        max_length=100_000,
        description="The text.",
        examples=["The press is rented out at 5 euros a day."],
    )
    project: str = Field("", max_length=200, description="Project of the memory.", examples=["garden"])
    importance: int | None = Field(None, ge=1, le=100, description="Default: rated automatically.")
    lines: bool = Field(False, description="Make a memory of each non-empty line.")


class ImportMemoriesRequest(Body):
    """Memories of another Bob."""

    text: str = Field(
        max_length=10_000_000,
        description='JSON lines as `GET /memories/export` gives them; only "summary" is needed.',
        examples=['{"summary": "The press costs 6 euros a day."}'],
    )
    project: str = Field("", max_length=200, description="Project for lines without one.")


class MemoryChange(Body):
    """What to change; what is left out stays as it is."""

    summary: str | None = Field(
        None, min_length=1, max_length=2_000, examples=["The press costs 6 euros a day."]
    )
    importance: int | None = Field(None, ge=1, le=100)
    pinned: bool | None = Field(None, description="Pinned memories are in every prompt with memories.")


class ForgetRequest(Body):
    """Which memories to forget."""

    memory_ids: list[Annotated[int, Field(ge=1, le=LARGEST_ID)]] = Field(
        min_length=1, max_length=1000, examples=[[3, 5]]
    )
    yes: bool = Field(
        False, description="Delete them; otherwise the answer only shows what would be deleted."
    )
    include: list[Annotated[str, Field(max_length=600)]] = Field(
        default=[],
        max_length=1000,
        description='Keys of candidates to delete as well, or "all".',
        examples=[["messages:12"]],
    )
    exclude: list[Annotated[str, Field(max_length=600)]] = Field(
        default=[], max_length=1000, description="Keys of rows to keep.", examples=[["answers:4"]]
    )


MemoryId = Annotated[int, Path(description="The memory's number.", examples=[3], ge=1, le=LARGEST_ID)]

Project = Annotated[str | None, Query(description="Only memories of this project.", max_length=200)]

Newest = Annotated[bool, Query(description="Newest first.")]

Every = Annotated[bool, Query(alias="all", description="Also superseded memories.")]


class Funnel(TypedDict):
    """How many messages each layer stopped, became memories, or wait; `judge_tokens` is what judging cost."""

    waiting: int
    heuristics: int
    recalled: int
    judge: int
    kept: int
    judge_tokens: int


class MemoriesPage(TypedDict):
    """A page of memories."""

    memories: list[Memory]
    next: str | None
    funnel: Funnel


class FoundMemory(Memory):
    """A memory that fits."""

    nearness: float
    score: float


class FoundMemories(TypedDict):
    """Memories, best first."""

    memories: list[FoundMemory]


class MemoryWithMessages(Memory):
    """A memory, and the messages that said it."""

    messages: list[ChatMessage]


class Mention(TypedDict):
    """A row that has the words of a memory."""

    key: str
    kind: str
    why: Why
    excerpt: str
    left_because: NotRequired[str]


class ForgetPlan(TypedDict):
    """What would be forgotten."""

    memories: list[Memory]
    messages_that_said_it: list[ChatMessage]
    messages_that_repeat_it: list[ChatMessage]
    other_memories_of_these_messages: list[Memory]
    other_rows: list[Mention]
    candidates: list[Mention]
    left: list[Mention]


class FileProbe(TypedDict):
    """A file that was searched for the words, and which of them were in it."""

    path: str
    bytes: int
    found: list[str]


class ForgetReport(TypedDict):
    """What was forgotten, and where it was searched for afterwards."""

    memories: int
    messages: int
    rows: dict[str, int]
    gone: bool
    searched: dict[str, int]
    left: list[Mention]
    also_in_documents: list[str]
    compacted: bool
    probes: list[FileProbe]
    beyond: list[str]


class Forgetting(TypedDict):
    """What would be forgotten, or what was: the other is null."""

    plan: ForgetPlan | None
    done: ForgetReport | None


class NewMemories(TypedDict):
    """The memories as they are kept."""

    memories: list[Memory]


class ImportedMemories(TypedDict):
    """How many memories were new; `errors` name the lines that are none."""

    added: int
    known: int
    errors: list[str]


Reader = Annotated[Caller, needs(Role.READER, SCOPE)]
Member = Annotated[Caller, needs(Role.MEMBER, SCOPE)]
# The answer repeats the words that are to be gone.
Forgetter = Annotated[Caller, needs(Role.MEMBER, SCOPE, not_kept="forgotten")]


@router.post("/memories", summary="Remember something", response_model=NewMemories, status_code=201)
def tell_memories(caller: Member, request: TellRequest) -> Response:
    """The memories as they are kept. What they contradict no longer holds; secrets are left out."""
    conversations = caller.engine.conversations
    scope, service = (
        conversations.scope(request.project, caller.principal.user_id),
        conversations.remember,
    )
    if request.lines:
        memories = service.tell_lines(scope, request.text, request.importance)
    else:
        memory = service.tell(scope, request.text, request.importance)
        memories = [] if memory is None else [memory]
    if not memories:
        raise RequestError("text", "the text has only what looks like a secret")
    return JsonBytes({"memories": [kept_memory.to_json() for kept_memory in memories]}, 201)


@router.get(
    "/memories/export",
    summary="Export memories",
    response_class=Response,
    responses={200: {"content": {_JSON_LINES: {"schema": {"type": "string"}, "example": _EXPORTED}}}},
)
def export_memories(caller: Reader) -> Response:
    """All of yours as JSON lines, those that no longer hold included."""
    memories = caller.engine.conversations.memories.export(caller.principal.user_id)
    return Response(b"".join(json_bytes(memory) + b"\n" for memory in memories), media_type=_JSON_LINES)


@router.post("/memories/import", summary="Import memories", response_model=ImportedMemories)
def import_memories(caller: Member, request: ImportMemoriesRequest) -> Response:
    """What is known already is not doubled; `errors` name the lines that are no memories."""
    conversations, user = caller.engine.conversations, caller.principal.user_id
    scope = conversations.scope(request.project, user)
    return JsonBytes(conversations.memories.import_lines(scope, request.text, "text", now()).to_json())


@router.get("/memories", summary="List memories", response_model=MemoriesPage)
def list_memories(
    caller: Reader,
    project: Project = None,
    all_: Every = False,
    newest: Newest = False,
    limit: HowMany = 200,
    after: Cursor = None,
) -> Response:
    """Yours, the oldest or the newest first; `next` asks for the following page. `funnel` counts what
    became of your messages."""
    service, user = caller.engine.conversations.memories, caller.principal.user_id
    position = None if after is None else cursor_moment(after)
    memories, end = service.page(user, project, position, limit, current=not all_, newest=newest)
    following = None if end is None else write_cursor(end[0].timestamp(), end[1])
    listed = [memory.to_json() for memory in memories]
    return JsonBytes({"memories": listed, "next": following, "funnel": service.funnel(user)})


@router.get("/memories/search", summary="Find memories", response_model=FoundMemories)
def search_memories(caller: Reader, query: Words, project: Project = None, limit: HowMany = 10) -> Response:
    """Yours, best first, by what they say."""
    conversations = caller.engine.conversations
    scope = conversations.scope(project or "", caller.principal.user_id)
    hits = conversations.recall_memories.search(scope, query, limit, everywhere=project is None)
    listed = [
        hit.memory.to_json() | {"nearness": round(hit.nearness, 4), "score": round(hit.score, 4)}
        for hit in hits
    ]
    return JsonBytes({"memories": listed})


@router.get("/memories/{memory_id}", summary="Read a memory", response_model=MemoryWithMessages)
def read_memory(caller: Reader, memory_id: MemoryId) -> Response:
    """With the messages that said it."""
    service = caller.engine.conversations.memories
    memory = service.at(caller.principal.user_id, memory_id)
    messages = [source.to_json() for source in service.sources(memory)]
    return JsonBytes(memory.to_json() | {"messages": messages})


@router.patch("/memories/{memory_id}", summary="Edit or pin a memory", response_model=Memory)
def change_memory(caller: Member, memory_id: MemoryId, request: MemoryChange) -> Response:
    """The memory as it is afterwards."""
    service, user = caller.engine.conversations.memories, caller.principal.user_id
    memory = service.at(user, memory_id)
    if request.summary is not None and not request.summary.strip():
        raise RequestError("summary", "summary must not be empty")
    if request.summary is not None or request.importance is not None:
        memory = service.edit(user, memory_id, request.summary, request.importance)
    if request.pinned is not None:
        memory = service.pin(user, memory_id, request.pinned)
    return JsonBytes(memory.to_json())


@router.post("/memories/forget", summary="Forget memories", response_model=Forgetting, responses=NOT_FOUND)
def forget_memories(caller: Forgetter, request: ForgetRequest) -> Response:
    """For good, with the words of the messages that said them and the rows that have their words. Without
    `yes` nothing is done (`done` is null); with it, rows and files were searched for them afterwards, and
    the plan is left out (null): what was forgotten is said no more."""
    service = caller.engine.conversations.forget
    plan = service.plan(caller.principal.user_id, request.memory_ids)
    if not request.yes:
        return JsonBytes({"plan": plan.to_json(), "done": None})
    done = service.forget_memories(plan, include=request.include, exclude=request.exclude)
    return JsonBytes({"plan": None, "done": done.to_json()})
