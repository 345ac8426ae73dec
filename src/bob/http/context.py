"""The prompt of a chat before it is sent, and the switch that lets it look at other chats and projects."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from starlette.responses import Response
from typing_extensions import TypedDict

from bob.core.conversation import MessageRole
from bob.core.errors import RequestError
from bob.core.principal import Role
from bob.http.authenticate import Caller, needs
from bob.http.chats import SCOPE
from bob.http.failures import Body, JsonBytes
from bob.http.params import LARGEST_ID, NOT_FOUND
from bob.http.shapes import PredictedReceipt, Routes

router = Routes(tags=["context"])


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


class PromptTurn(TypedDict):
    """A message of a prompt."""

    role: MessageRole
    content: str


class Prompt(TypedDict):
    """The prompt that a message would be sent with, and its receipt."""

    system: str
    messages: list[PromptTurn]
    receipt: PredictedReceipt


class Briefing(TypedDict):
    """Markdown for an agent that begins to work."""

    project: str
    text: str
    tokens: int
    memory_ids: list[int]
    left_out: int


class SmartContext(TypedDict):
    """Whether chats look at your other chats and projects."""

    enable_smart_rag: bool


Reader = Annotated[Caller, needs(Role.READER, SCOPE)]
Member = Annotated[Caller, needs(Role.MEMBER, SCOPE)]


@router.post("/context", summary="Compile a prompt", response_model=Prompt, responses=NOT_FOUND)
def preview_prompt(caller: Reader, request: ContextRequest) -> Response:
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
    smart = _is_smart(caller, request.smart_context)
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


@router.post("/context/brief", summary="Get a briefing for a coding agent", response_model=Briefing)
def brief_agent(caller: Reader, request: BriefRequest) -> Response:
    """Markdown for an agent that begins to work: decisions, memories, documents, and what fits the
    question."""
    conversations = caller.engine.conversations
    names = {name.lower(): name for name in conversations.chats.projects()}
    project = names.get(request.project.lower(), request.project)
    scope = conversations.scope(project, caller.principal.user_id)
    smart = _is_smart(caller, request.smart_context)
    made = conversations.brief_agent.write_briefing(scope, request.question, request.tokens, smart=smart)
    return JsonBytes(made.to_json())


@router.get("/smart-context", summary="Get Smart Context", response_model=SmartContext)
def read_smart_context(caller: Reader) -> Response:
    """Your switch. Memories are collected either way."""
    return JsonBytes({"enable_smart_rag": _is_smart(caller, None)})


@router.put("/smart-context", summary="Switch Smart Context on or off", response_model=SmartContext)
def switch_smart_context(caller: Member, request: Switch) -> Response:
    """Your switch as it is now."""
    chosen = caller.engine.conversations.smart_context_of(caller.principal.user_id)
    chosen.switch(request.enable_smart_rag)
    return JsonBytes({"enable_smart_rag": chosen.enabled})


def _is_smart(caller: Caller, choice: bool | None) -> bool:
    if choice is not None:
        return choice
    return caller.engine.conversations.smart_context_of(caller.principal.user_id).enabled
