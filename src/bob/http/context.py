"""The prompt of a chat before it is sent, and the switch that lets it look at other chats and projects."""

from __future__ import annotations

from fastapi import FastAPI
from pydantic import Field
from starlette.responses import Response

from bob.core.errors import RequestError
from bob.core.principal import Role
from bob.http.authenticate import Authenticator, Caller
from bob.http.chats import SCOPE
from bob.http.examples import NOT_FOUND, answered
from bob.http.examples_chats import BRIEF, PREVIEW
from bob.http.failures import Body, JsonBytes
from bob.http.library import LARGEST_ID


class ContextRequest(Body):
    """The next message, and where it would be said."""

    question: str = Field(min_length=1, max_length=200_000, examples=["When is the hedge cut?"])
    project: str | None = Field(
        None, max_length=200, description="Project of the prompt.", examples=["garden"]
    )
    chat_id: int | None = Field(None, ge=1, le=LARGEST_ID, description="Number of the chat to continue.")
    smart_context: bool | None = Field(None, description="Default: `GET /smart-context`.")


class BriefRequest(Body):
    """Which project an agent begins to work on."""

    project: str = Field("", max_length=200, examples=["garden"])
    question: str = Field("", max_length=10_000, description="The agent's task, if known.")
    tokens: int = Field(2_000, ge=200, le=100_000, description="Maximum length in tokens.")
    smart_context: bool | None = Field(None, description="Default: `GET /smart-context`.")


class Switch(Body):
    """Whether chats look at your other chats and projects."""

    enable_smart_rag: bool = Field(examples=[True])


def register(app: FastAPI, auth: Authenticator) -> None:
    """Add the routes."""
    reader = auth.needs(Role.READER, SCOPE)
    member = auth.needs(Role.MEMBER, SCOPE)

    @app.post(
        "/context", summary="Compile a prompt", tags=["context"], responses=NOT_FOUND | answered(PREVIEW)
    )
    def preview(request: ContextRequest, caller: Caller = reader) -> Response:
        """The prompt that the message would be sent with, with its receipt: tokens, cache breakpoints, what
        is left out and what it should cost. Nothing is sent and nothing is kept."""
        conversations, user = caller.engine.conversations, caller.principal.user_id
        scope, chat = conversations.scope("", user), None
        if request.project:
            scope = conversations.scope(conversations.chats.project(request.project), user)
        if request.chat_id is not None:
            chat = conversations.chats.at(user, request.chat_id)
            if request.project and chat.scope.project != scope.project:
                raise RequestError("project", f"the chat is about {chat.scope.project or 'no project'}")
            scope = chat.scope
        smart = _looks(caller, request.smart_context)
        ready = conversations.turn.preview(scope, chat, request.question, smart=smart)
        compiled = ready.compiled
        predicted = None if ready.prediction is None else ready.prediction.to_json()
        return JsonBytes(
            {
                "system": compiled.system,
                "messages": [{"role": turn.role, "content": turn.text} for turn in compiled.turns],
                "receipt": compiled.receipt() | {"predicted": predicted},
            }
        )

    @app.post(
        "/context/brief",
        summary="Get a briefing for a coding agent",
        tags=["context"],
        responses=answered(BRIEF),
    )
    def brief(request: BriefRequest, caller: Caller = reader) -> Response:
        """Markdown for an agent that begins to work: decisions, memories, documents, and what fits the
        question."""
        conversations = caller.engine.conversations
        known = {each.lower(): each for each in conversations.chats.projects()}
        project = known.get(request.project.lower(), request.project)
        scope = conversations.scope(project, caller.principal.user_id)
        smart = _looks(caller, request.smart_context)
        made = conversations.brief_agent.write_briefing(scope, request.question, request.tokens, smart=smart)
        return JsonBytes(made.to_json())

    @app.get(
        "/smart-context",
        summary="Get Smart Context",
        tags=["context"],
        responses=answered({"enable_smart_rag": False}),
    )
    def smart_context(caller: Caller = reader) -> Response:
        """Your switch. Memories are collected either way."""
        return JsonBytes({"enable_smart_rag": _looks(caller, None)})

    @app.put(
        "/smart-context",
        summary="Switch Smart Context on or off",
        tags=["context"],
        responses=answered({"enable_smart_rag": True}),
    )
    def switch(request: Switch, caller: Caller = member) -> Response:
        """Your switch as it is now."""
        chosen = caller.engine.conversations.smart_context_of(caller.principal.user_id)
        chosen.switch(request.enable_smart_rag)
        return JsonBytes({"enable_smart_rag": chosen.enabled})


def _looks(caller: Caller, wanted: bool | None) -> bool:
    if wanted is not None:
        return wanted
    return caller.engine.conversations.smart_context_of(caller.principal.user_id).enabled
