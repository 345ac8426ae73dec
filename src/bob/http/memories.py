"""What is remembered of chats, over HTTP: to read, put right and forget (SPEC G6)."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Path, Query
from pydantic import Field
from starlette.responses import Response

from bob.core.errors import RequestError
from bob.core.principal import Role
from bob.http import paging
from bob.http.authenticate import Authenticator, Caller
from bob.http.chats import SCOPE, Words
from bob.http.examples import NOT_FOUND, answered
from bob.http.examples_chats import FORGET_PLAN, FORGET_REPORT, FOUND_MEMORY, FUNNEL, MEMORY, MESSAGE
from bob.http.failures import Body, JsonBytes
from bob.http.library import LARGEST_ID
from bob.http.paging import Cursor


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
HowMany = Annotated[int, Query(description="Maximum number of results.", ge=1, le=1000)]


def register(app: FastAPI, auth: Authenticator) -> None:
    """Add the routes."""
    reader = auth.needs(Role.READER, SCOPE)
    member = auth.needs(Role.MEMBER, SCOPE)
    # The answer repeats the words that are to be gone.
    forgetter = auth.needs(Role.MEMBER, SCOPE, not_kept="forgotten")

    @app.get(
        "/memories",
        summary="List memories",
        tags=["memories"],
        responses=answered({"memories": [MEMORY], "next": None, "funnel": FUNNEL}),
    )
    def every(
        project: Project = None,
        all_: Every = False,
        newest: Newest = False,
        limit: HowMany = 200,
        after: Cursor = None,
        caller: Caller = reader,
    ) -> Response:
        """Yours, the oldest or the newest first; `next` asks for the following page. `funnel` counts what
        became of your messages."""
        service, user = caller.engine.conversations.memories, caller.principal.user_id
        place = None if after is None else paging.moment_and_number(after)
        found, end = service.page(user, project, place, limit, current=not all_, newest=newest)
        following = None if end is None else paging.written(end[0].timestamp(), end[1])
        listed = [each.to_json() for each in found]
        return JsonBytes({"memories": listed, "next": following, "funnel": service.funnel(user)})

    @app.get(
        "/memories/search",
        summary="Find memories",
        tags=["memories"],
        responses=answered({"memories": [FOUND_MEMORY]}),
    )
    def search(
        query: Words, project: Project = None, limit: HowMany = 10, caller: Caller = reader
    ) -> Response:
        """Yours, best first, by what they say."""
        conversations = caller.engine.conversations
        scope = conversations.scope(project or "", caller.principal.user_id)
        found = conversations.recall_memories.search(scope, query, limit, everywhere=project is None)
        listed = [
            each.memory.to_json() | {"nearness": round(each.nearness, 4), "score": round(each.score, 4)}
            for each in found
        ]
        return JsonBytes({"memories": listed})

    @app.get(
        "/memories/{memory_id}",
        summary="Read a memory",
        tags=["memories"],
        responses=answered(MEMORY | {"messages": [MESSAGE]}),
    )
    def read(memory_id: MemoryId, caller: Caller = reader) -> Response:
        """With the messages that said it."""
        service = caller.engine.conversations.memories
        memory = service.at(caller.principal.user_id, memory_id)
        said = [source.to_json() for source in service.sources(memory)]
        return JsonBytes(memory.to_json() | {"messages": said})

    @app.patch(
        "/memories/{memory_id}",
        summary="Edit or pin a memory",
        tags=["memories"],
        responses=answered(MEMORY),
    )
    def change(memory_id: MemoryId, request: MemoryChange, caller: Caller = member) -> Response:
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

    @app.post(
        "/memories/forget",
        summary="Forget memories",
        tags=["memories"],
        responses=NOT_FOUND | answered({"plan": FORGET_PLAN, "done": FORGET_REPORT}),
    )
    def forget(request: ForgetRequest, caller: Caller = forgetter) -> Response:
        """For good, with the words of the messages that said them and the rows that have their words. Without
        `yes` nothing is done (`done` is null); with it, rows and files were searched for them afterwards, and
        the plan is left out (null): what was forgotten is said no more."""
        service = caller.engine.conversations.forget
        plan = service.plan(caller.principal.user_id, request.memory_ids)
        if not request.yes:
            return JsonBytes({"plan": plan.to_json(), "done": None})
        done = service.forget_memories(plan, include=request.include, exclude=request.exclude)
        return JsonBytes({"plan": None, "done": done.to_json()})
