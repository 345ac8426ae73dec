"""Chats over HTTP: what was said, and saying more; a reply shows which loops it used (SPEC G, H)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import Field
from starlette.responses import Response, StreamingResponse
from typing_extensions import TypedDict

from bob.conversations.chat import ChatEvent, ContextReady, Replied, check_message
from bob.core.conversation import Chat, MessageRole
from bob.core.principal import Role
from bob.core.prompt import TextPiece
from bob.http.authenticate import Caller, needs
from bob.http.failures import Body, JsonBytes, now
from bob.http.params import LARGEST_ID, NOT_FOUND, Cursor, HowMany, cursor_moment, write_cursor
from bob.http.shapes import (
    ChatMessage,
    Memory,
    Moment,
    Nothing,
    PredictedReceipt,
    Problem,
    Receipt,
    Routes,
    Source,
    TextDelta,
    VerifiedClaim,
)
from bob.http.streams import Background, Stream, start_stream, stream_response, streamed

router = Routes(tags=["chats"])

SCOPE = "chats"

_MOST_CHARACTERS = 200_000

_STREAM_EXAMPLE = (
    'id: 1\nevent: context\ndata: {"project": "garden", "pinned": true, "smart_context": false}\n\n'
    'id: 2\nevent: text\ndata: {"text": "In August."}\n\n'
    'id: 3\nevent: reply\ndata: {"chat_id": 3, "message_id": 8, "reply": "In August."}\n\n'
)


class NewChat(Body):
    """What a chat is about."""

    project: str | None = Field(
        None, max_length=200, description="Project to chat about.", examples=["garden"]
    )


class NewMessage(Body):
    """What to say."""

    text: str = Field(min_length=1, max_length=_MOST_CHARACTERS, examples=["When is the hedge cut?"])
    smart_context: bool | None = Field(
        None, description="Use other chats and projects; default: `GET /smart-context`."
    )


class Transcript(Body):
    """A conversation."""

    text: str = Field(
        max_length=10_000_000,
        description='JSON lines with `role` and `content`, or text with "User:" and "Assistant:".',
        examples=["User: When is the hedge cut?\nAssistant: In August.\n"],
    )
    name: str = Field(min_length=1, max_length=200, description="Name of the chat.", examples=["monday"])
    project: str = Field("", max_length=200, description="Project of the chat.", examples=["garden"])


ChatId = Annotated[int, Path(description="The chat's number.", examples=[3], ge=1, le=LARGEST_ID)]

Project = Annotated[str | None, Query(description="Only chats about this project.", max_length=200)]

Words = Annotated[str, Query(description="The search text.", min_length=1, max_length=10_000)]

LastOnes = Annotated[int, Query(description="Maximum number of messages.", ge=1, le=1000)]

Before = Annotated[int | None, Query(description="Only messages before this one.", ge=1, le=LARGEST_ID)]

WithMemories = Annotated[bool, Query(description="Also delete memories that come only from this chat.")]

Sure = Annotated[bool, Query(description="Delete it; otherwise the answer only shows what would be deleted.")]


class ChatSummary(TypedDict):
    """A chat; `messages` counts them."""

    chat_id: int
    project: str
    name: str | None
    title: str
    messages: int
    started_at: Moment
    last_message_at: Moment


class ChatsPage(TypedDict):
    """Chats, the last one first."""

    chats: list[ChatSummary]
    next: str | None


class ChatWithMessages(TypedDict):
    """A chat word for word; `earlier` asks for the messages before these."""

    chat_id: int
    project: str
    name: str | None
    title: str
    messages: list[ChatMessage]
    started_at: Moment
    last_message_at: Moment
    earlier: int | None


class FoundMessage(TypedDict):
    """A message that fits."""

    chat_id: int
    project: str
    title: str
    message_id: int
    role: MessageRole
    sent_at: Moment
    excerpt: str
    text: str
    score: float
    nearness: float


class FoundMessages(TypedDict):
    """Messages, best first; `waiting` counts those that cannot be found yet."""

    messages: list[FoundMessage]
    searched: int
    waiting: int


class RememberReport(TypedDict):
    """What became of new messages."""

    messages: int
    added: int
    said_again: int
    superseded: int
    error: str | None


class ImportedChat(TypedDict):
    """A conversation that was taken over, and what is remembered of it."""

    chat_id: int
    name: str | None
    added: int
    known: int
    unreadable: int
    remembered: RememberReport


class DeletePlan(TypedDict):
    """What goes with a chat."""

    chat: ChatSummary
    memories_made_of_it: list[Memory]
    with_memories: bool


class DeletedChat(TypedDict):
    """What goes with a chat, and whether it is gone."""

    plan: DeletePlan
    done: bool


class TokenUsage(TypedDict):
    """Tokens of one request to a language model; the three parts of the prompt do not overlap."""

    input_tokens: int
    output_tokens: int
    cache_write_tokens: int
    cache_read_tokens: int


class Cost(TypedDict):
    """What a reply cost, and what the cache saved, as decimals."""

    dollars: str
    saved: str


class Reply(TypedDict):
    """The reply to a message; `context` is the receipt of its prompt."""

    chat_id: int
    message_id: int
    reply: str
    written_by: str | None
    notices: list[str]
    usage: TokenUsage | None
    cost: Cost | None
    checked: list[VerifiedClaim] | None
    sources: list[Source]
    context: Receipt


class ReplyEvents(TypedDict):
    """What a reply's stream tells, by the event's name."""

    context: PredictedReceipt
    text: TextDelta
    reply: Reply
    error: Problem
    stopped: Nothing


Reader = Annotated[Caller, needs(Role.READER, SCOPE)]
Member = Annotated[Caller, needs(Role.MEMBER, SCOPE)]


@router.get("/chats", summary="List your chats", response_model=ChatsPage)
def list_chats(
    caller: Reader, project: Project = None, limit: HowMany = 50, after: Cursor = None
) -> Response:
    """The last one first; `next` asks for the following page."""
    service, user = caller.engine.conversations.chats, caller.principal.user_id
    before = None if after is None else cursor_moment(after)
    chats = service.recent(user, limit + 1, project, before)
    end = chats[limit - 1] if len(chats) > limit else None
    following = None if end is None else write_cursor(end.last_message_at.timestamp(), end.chat_id)
    return JsonBytes({"chats": [chat.to_json() for chat in chats[:limit]], "next": following})


@router.post(
    "/chats", summary="Begin a chat", response_model=ChatSummary, status_code=201, responses=NOT_FOUND
)
def begin_chat(caller: Member, request: NewChat) -> Response:
    """About a project, or about none."""
    conversations = caller.engine.conversations
    project = conversations.chats.project(request.project) if request.project else ""
    chat = conversations.chats.start(conversations.scope(project, caller.principal.user_id), now())
    return JsonBytes(chat.to_json(), 201, {"Location": f"/chats/{chat.chat_id}"})


@router.post("/chats/import", summary="Import a conversation", response_model=ImportedChat)
def import_chat(caller: Member, request: Transcript) -> Response:
    """As a chat, word for word, and what is worth it is remembered. Sent again, it adds only what is
    new."""
    conversations = caller.engine.conversations
    scope = conversations.scope(request.project, caller.principal.user_id)
    taken = conversations.take_transcript.read(scope, request.name, request.text)
    return JsonBytes(taken.to_json() | {"remembered": conversations.remember.process_messages().to_json()})


@router.get("/chats/search", summary="Search messages", response_model=FoundMessages)
def search_messages(caller: Reader, query: Words, project: Project = None, limit: HowMany = 10) -> Response:
    """Messages of your chats, best first; as `bob chats search --json` prints them."""
    messages = caller.engine.conversations.search_chats.search_messages(
        caller.principal.user_id, query, limit, project
    )
    return JsonBytes(messages.to_json())


@router.get("/chats/{chat_id}", summary="Read a chat", response_model=ChatWithMessages)
def read_chat(caller: Reader, chat_id: ChatId, last: LastOnes = 1000, before: Before = None) -> Response:
    """Word for word, with what was remembered of each message and where the numbers of a reply lead. The
    last messages; `earlier` is what `before` has to be for those before them."""
    chat = _chat(caller, chat_id)
    shown, earlier = caller.engine.conversations.chats.last_messages(chat, last, before)
    messages = {"messages": [message.to_json() for message in shown], "earlier": earlier}
    return JsonBytes(chat.to_json() | messages)


@router.delete("/chats/{chat_id}", summary="Delete a chat", response_model=DeletedChat)
def delete_chat(
    caller: Member, chat_id: ChatId, with_memories: WithMemories = False, yes: Sure = False
) -> Response:
    """For good, word for word. Without `yes` nothing is done, and the plan says what would go."""
    service = caller.engine.conversations.delete_chat
    plan = service.plan(caller.principal.user_id, chat_id, with_memories=with_memories)
    if yes:
        service.delete_chat(plan)
    return JsonBytes({"plan": plan.to_json(), "done": yes})


@router.post("/chats/{chat_id}/messages", summary="Say something", response_model=Reply)
def send_message(caller: Member, chat_id: ChatId, request: NewMessage) -> Response:
    """The reply, whole, as `bob chat --json` prints it; `context` is the receipt of its prompt: what of
    the project stood in it, what inspired, what was remembered, and what the cache keeps."""
    events = _events(caller, _chat(caller, chat_id), request)
    ready = next(event for event in events if isinstance(event, ContextReady))
    reply = next(event for event in events if isinstance(event, Replied))
    return JsonBytes(reply.to_json(ready.compiled))


@router.post(
    "/chats/{chat_id}/messages/stream",
    summary="Send a message, and stream the reply",
    response_class=StreamingResponse,
    responses=streamed("ReplyEvent", _STREAM_EXAMPLE),
)
def stream_reply(caller: Member, chat_id: ChatId, request: NewMessage, streams: Background) -> Response:
    """Events: `context` (the prompt's receipt with what it should cost), `text` (words as they come), and
    last `reply` (the whole of the route without `stream`), `error` or `stopped`."""
    chat = _chat(caller, chat_id)
    check_message(request.text)
    return stream_response(
        streams, start_stream(streams, caller, lambda stream: _say(caller, chat, request, stream))
    )


def _chat(caller: Caller, chat_id: int) -> Chat:
    return caller.engine.conversations.chats.at(caller.principal.user_id, chat_id)


def _events(caller: Caller, chat: Chat, request: NewMessage) -> Iterator[ChatEvent]:
    conversations = caller.engine.conversations
    smart = request.smart_context
    if smart is None:
        smart = conversations.smart_context_of(caller.principal.user_id).enabled
    return conversations.turn.send_message(chat, request.text, smart=smart)


def _say(caller: Caller, chat: Chat, request: NewMessage, stream: Stream) -> None:
    ready: ContextReady | None = None
    for event in _events(caller, chat, request):
        if stream.stopped:
            return
        if isinstance(event, ContextReady):
            ready = event
            stream.tell("context", _context(event))
        elif isinstance(event, TextPiece):
            stream.tell("text", {"text": event.text})
        elif isinstance(event, Replied):
            assert ready is not None
            stream.tell("reply", event.to_json(ready.compiled))


def _context(ready: ContextReady) -> dict[str, Any]:
    predicted = None if ready.prediction is None else ready.prediction.to_json()
    return ready.compiled.receipt() | {"predicted": predicted}
