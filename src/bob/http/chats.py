"""Chats over HTTP: what was said, and saying more; a reply shows which loops it used (SPEC G, H)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import FastAPI, Path, Query
from pydantic import Field
from starlette.responses import Response, StreamingResponse

from bob.conversations.chat import ChatEvent, ContextReady, Replied
from bob.core.conversation import Chat
from bob.core.errors import RequestError
from bob.core.principal import Role
from bob.core.prompt import TextPiece
from bob.http import paging
from bob.http.authenticate import Authenticator, Caller
from bob.http.event_stream import begun, response, streamed
from bob.http.examples import NOT_FOUND, answered
from bob.http.examples_chats import CHAT, DELETE_PLAN, FOUND_MESSAGE, MESSAGE, REPLY, TAKEN
from bob.http.failures import Body, JsonBytes, now
from bob.http.library import LARGEST_ID
from bob.http.paging import Cursor
from bob.http.streams import Stream, Streams

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
HowMany = Annotated[int, Query(description="Maximum number of results.", ge=1, le=1000)]
Words = Annotated[str, Query(description="The search text.", min_length=1, max_length=10_000)]
LastOnes = Annotated[int, Query(description="Maximum number of messages.", ge=1, le=1000)]
Before = Annotated[int | None, Query(description="Only messages before this one.", ge=1, le=LARGEST_ID)]
WithMemories = Annotated[bool, Query(description="Also delete memories that come only from this chat.")]
Sure = Annotated[bool, Query(description="Delete it; otherwise the answer only shows what would be deleted.")]


def register(app: FastAPI, auth: Authenticator, streams: Streams) -> None:
    """Add the routes."""
    reader = auth.needs(Role.READER, SCOPE)
    member = auth.needs(Role.MEMBER, SCOPE)

    @app.get(
        "/chats",
        summary="List your chats",
        tags=["chats"],
        responses=answered({"chats": [CHAT], "next": None}),
    )
    def every(
        project: Project = None, limit: HowMany = 50, after: Cursor = None, caller: Caller = reader
    ) -> Response:
        """The last one first; `next` asks for the following page."""
        service, user = caller.engine.conversations.chats, caller.principal.user_id
        before = None if after is None else paging.moment_and_number(after)
        found = service.recent(user, limit + 1, project, before)
        end = found[limit - 1] if len(found) > limit else None
        following = None if end is None else paging.written(end.last_message_at.timestamp(), end.chat_id)
        return JsonBytes({"chats": [each.to_json() for each in found[:limit]], "next": following})

    @app.post(
        "/chats",
        summary="Begin a chat",
        tags=["chats"],
        status_code=201,
        responses=NOT_FOUND | answered(CHAT | {"messages": 0}, 201),
    )
    def begin(request: NewChat, caller: Caller = member) -> Response:
        """About a project, or about none."""
        conversations = caller.engine.conversations
        project = conversations.chats.project(request.project) if request.project else ""
        chat = conversations.chats.start(conversations.scope(project, caller.principal.user_id), now())
        return JsonBytes(chat.to_json(), 201, {"Location": f"/chats/{chat.chat_id}"})

    @app.post(
        "/chats/import",
        summary="Import a conversation",
        tags=["chats"],
        responses=answered(TAKEN),
    )
    def take_in(request: Transcript, caller: Caller = member) -> Response:
        """As a chat, word for word, and what is worth it is remembered. Sent again, it adds only what is
        new."""
        conversations = caller.engine.conversations
        scope = conversations.scope(request.project, caller.principal.user_id)
        taken = conversations.take_transcript.read(scope, request.name, request.text)
        return JsonBytes(
            taken.to_json() | {"remembered": conversations.remember.process_messages().to_json()}
        )

    @app.get(
        "/chats/search",
        summary="Search messages",
        tags=["chats"],
        responses=answered({"messages": [FOUND_MESSAGE], "searched": 120, "waiting": 0}),
    )
    def search(
        query: Words, project: Project = None, limit: HowMany = 10, caller: Caller = reader
    ) -> Response:
        """Messages of your chats, best first; as `bob chats search --json` prints them."""
        found = caller.engine.conversations.search_chats.search_messages(
            caller.principal.user_id, query, limit, project
        )
        return JsonBytes(found.to_json())

    @app.get(
        "/chats/{chat_id}",
        summary="Read a chat",
        tags=["chats"],
        responses=answered(CHAT | {"messages": [MESSAGE], "earlier": None}),
    )
    def read(
        chat_id: ChatId, last: LastOnes = 1000, before: Before = None, caller: Caller = reader
    ) -> Response:
        """Word for word, with what was remembered of each message and where the numbers of a reply lead. The
        last messages; `earlier` is what `before` has to be for those before them."""
        chat = _chat(caller, chat_id)
        found, earlier = caller.engine.conversations.chats.last_messages(chat, last, before)
        messages = {"messages": [each.to_json() for each in found], "earlier": earlier}
        return JsonBytes(chat.to_json() | messages)

    @app.delete(
        "/chats/{chat_id}",
        summary="Delete a chat",
        tags=["chats"],
        responses=answered({"plan": DELETE_PLAN, "done": False}),
    )
    def delete(
        chat_id: ChatId, with_memories: WithMemories = False, yes: Sure = False, caller: Caller = member
    ) -> Response:
        """For good, word for word. Without `yes` nothing is done, and the plan says what would go."""
        service = caller.engine.conversations.delete_chat
        plan = service.plan(caller.principal.user_id, chat_id, with_memories=with_memories)
        if yes:
            service.delete_chat(plan)
        return JsonBytes({"plan": plan.to_json(), "done": yes})

    @app.post("/chats/{chat_id}/messages", summary="Say something", tags=["chats"], responses=answered(REPLY))
    def say(chat_id: ChatId, request: NewMessage, caller: Caller = member) -> Response:
        """The reply, whole, as `bob chat --json` prints it; `context` is the receipt of its prompt: what of
        the project stood in it, what inspired, what was remembered, and what the cache keeps."""
        events = _events(caller, _chat(caller, chat_id), request)
        ready = next(event for event in events if isinstance(event, ContextReady))
        reply = next(event for event in events if isinstance(event, Replied))
        return JsonBytes(reply.to_json(ready.compiled))

    @app.post(
        "/chats/{chat_id}/messages/stream",
        summary="Send a message, and stream the reply",
        tags=["chats"],
        response_class=StreamingResponse,
        responses=streamed(_STREAM_EXAMPLE),
    )
    def say_stream(chat_id: ChatId, request: NewMessage, caller: Caller = member) -> Response:
        """Events: `context` (the prompt's receipt with what it should cost), `text` (words as they come), and
        last `reply` (the whole of the route without `stream`), `error` or `stopped`."""
        chat = _chat(caller, chat_id)
        _check(request)
        return response(streams, begun(streams, caller, lambda told: _say(caller, chat, request, told)))


def _chat(caller: Caller, chat_id: int) -> Chat:
    return caller.engine.conversations.chats.at(caller.principal.user_id, chat_id)


def _events(caller: Caller, chat: Chat, request: NewMessage) -> Iterator[ChatEvent]:
    _check(request)
    conversations = caller.engine.conversations
    smart = request.smart_context
    if smart is None:
        smart = conversations.smart_context_of(caller.principal.user_id).enabled
    return conversations.turn.send_message(chat, request.text, smart=smart)


def _check(request: NewMessage) -> None:
    if not request.text.strip():
        raise RequestError("text", "text must not be empty")


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
