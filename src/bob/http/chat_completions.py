"""`/v1/chat/completions`: a language model that knows the project, for any client of OpenAI's API."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Annotated, Any, Literal
from urllib.parse import quote, unquote_to_bytes

from fastapi import FastAPI, Header
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response, StreamingResponse

from bob.core.errors import BobError, RequestError
from bob.core.principal import Role
from bob.core.prompt import Finished, FinishReason, Piece, TextPiece, Usage
from bob.http.authenticate import Authenticator, Caller
from bob.http.failures import JsonBytes, error_of, json_bytes
from bob.http.models import project_of

_REASONS: dict[FinishReason, str] = {
    "complete": "stop",
    "length": "length",
    "refused": "content_filter",
    "other": "stop",
}


@dataclass(frozen=True, slots=True)
class Heading:
    """What every chunk of a reply repeats; `created` is in seconds of the epoch."""

    reply_id: str
    created: int
    model: str

    def to_json(self, kind: str) -> dict[str, Any]:
        """The heading of a completion or of a chunk."""
        return {"id": self.reply_id, "object": kind, "created": self.created, "model": self.model}


def chunks(heading: Heading, pieces: Iterable[Piece], include_usage: bool) -> Iterator[dict[str, Any]]:
    """The reply as it is written: the role, the texts, why it ended, and the usage if it is wanted."""
    start = heading.to_json("chat.completion.chunk")
    delta: dict[str, str] = {"role": "assistant", "content": ""}
    for piece in pieces:
        if isinstance(piece, TextPiece):
            yield start | {"choices": [_choice(delta | {"content": piece.text})]}
            delta = {}
        elif isinstance(piece, Finished):
            yield start | {"choices": [_choice(delta, _REASONS[piece.reason])]}
            if include_usage:
                yield start | {"choices": [], "usage": usage_json(piece.usage)}


def completion(heading: Heading, pieces: Iterable[Piece]) -> dict[str, Any]:
    """The whole reply."""
    texts, finished = [], Finished("other", None)
    for piece in pieces:
        if isinstance(piece, TextPiece):
            texts.append(piece.text)
        else:
            finished = piece
    message = {"role": "assistant", "content": "".join(texts), "refusal": None}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _REASONS[finished.reason]}
    usage = usage_json(finished.usage)
    return heading.to_json("chat.completion") | {"choices": [choice], "usage": usage}


def usage_json(usage: Usage | None) -> dict[str, Any] | None:
    """Tokens as OpenAI counts them: the prompt's all together, those read from a cache among them."""
    if usage is None:
        return None
    prompt = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    return {
        "prompt_tokens": prompt,
        "completion_tokens": usage.output_tokens,
        "total_tokens": prompt + usage.output_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read_tokens},
    }


def _choice(delta: dict[str, str], reason: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}


_LONGEST_NAME = 200


class ChatRequest(BaseModel):
    """A request as OpenAI describes it. Fields that are not listed here go to the upstream as they are."""

    model_config = ConfigDict(extra="allow")

    model: str = Field(description="`bob`, or `bob/PROJECT` to talk about a project.")
    messages: list[dict[str, Any]] = Field(min_length=1, description="The whole conversation so far.")
    stream: bool | None = None
    stream_options: dict[str, Any] | None = None


Project = Annotated[
    str | None,
    Header(alias="X-Bob-Project", description="Name of the project, percent-encoded if it is not ASCII."),
]
ChatName = Annotated[
    str | None,
    Header(
        alias="X-Bob-Chat",
        description="Name of the chat that keeps the messages; default: the chat that began with the "
        "same message.",
    ),
]
Smart = Annotated[
    Literal["on", "off"] | None,
    Header(
        alias="X-Bob-Smart-Context",
        description="Override Smart Context for this request: `on` or `off`.",
    ),
]


def register(app: FastAPI, auth: Authenticator) -> None:
    """Add the route."""
    member = auth.needs(Role.MEMBER, "v1")

    @app.post("/v1/chat/completions", summary="Answer a conversation")
    def chat_completions(
        request: ChatRequest,
        project: Project = None,
        chat: ChatName = None,
        smart: Smart = None,
        caller: Caller = member,
    ) -> Response:
        """The upstream's reply to the conversation with the project's documents before it.

        New messages and the reply are kept in a chat, whose name is in the header `X-Bob-Chat`.
        """
        conversations, user = caller.engine.conversations, caller.principal.user_id
        about = project_of(caller.engine, request.model, _decoded("X-Bob-Project", project))
        proxied = conversations.proxy.forward_request(
            conversations.scope(about, user),
            _decoded("X-Bob-Chat", chat),
            request.model_dump(exclude_unset=True),
            smart=conversations.smart_context_of(user).enabled if smart is None else smart == "on",
        )
        # The first event is waited for here: until it comes, an error still has its own status.
        events = chain([next(proxied.events)], proxied.events)
        heading = Heading(f"chatcmpl-{uuid.uuid4().hex}", int(time.time()), request.model)
        headers = {"X-Bob-Chat": quote(proxied.chat.name or "")}
        if not request.stream:
            return JsonBytes(_whole(heading, events), headers=headers)
        wanted = bool((request.stream_options or {}).get("include_usage"))
        lines = _sent(_chunks(heading, events, wanted))
        return StreamingResponse(lines, headers=headers, media_type="text/event-stream")


def _decoded(name: str, value: str | None) -> str | None:
    """A header's value: UTF-8, percent-encoded where a client cannot send it as it is."""
    try:
        text = unquote_to_bytes((value or "").strip().encode("latin-1")).decode("utf-8")
    except UnicodeError:
        raise RequestError(name, f"{name} must be percent-encoded UTF-8") from None
    if len(text) > _LONGEST_NAME or not text.isprintable():
        raise RequestError(name, f"{name} must have 1 to {_LONGEST_NAME} characters")
    return text or None


def _whole(heading: Heading, events: Iterator[dict[str, Any] | Piece]) -> dict[str, Any]:
    first = next(events)
    if isinstance(first, dict):
        return _relayed(first, heading.model)
    return completion(heading, chain([first], _pieces(events)))


def _chunks(
    heading: Heading, events: Iterator[dict[str, Any] | Piece], include_usage: bool
) -> Iterator[dict[str, Any]]:
    first = next(events)
    if not isinstance(first, dict):
        yield from chunks(heading, chain([first], _pieces(events)), include_usage)
        return
    for event in chain([first], events):
        assert isinstance(event, dict)
        yield _relayed(event, heading.model)


def _pieces(events: Iterator[dict[str, Any] | Piece]) -> Iterator[Piece]:
    return (event for event in events if not isinstance(event, dict))


def _relayed(answer: Mapping[str, Any], model: str) -> dict[str, Any]:
    """What the upstream sent, under the name that the client asked for."""
    named = {**answer, "model": model}
    usage = named.get("usage")
    if isinstance(usage, dict) and not usage.get("prompt_tokens_details"):
        named["usage"] = {**usage, "prompt_tokens_details": {"cached_tokens": 0}}
    return named


def _sent(found: Iterator[dict[str, Any]]) -> Iterator[bytes]:
    """Chunks as server-sent events; an error in the middle is the last one."""
    try:
        for each in found:
            yield b"data: " + json_bytes(each) + b"\n\n"
    except BobError as error:
        yield b"data: " + json_bytes({"error": error_of(error)}) + b"\n\n"
        return
    yield b"data: [DONE]\n\n"
