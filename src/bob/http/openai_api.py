"""The API of OpenAI: `/v1/models`, `/v1/chat/completions` and `/v1/embeddings`, for Bob as the model."""

from __future__ import annotations

import base64
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Annotated, Any, Literal, NotRequired
from urllib.parse import quote, unquote_to_bytes

from fastapi import Header
from pydantic import BaseModel, ConfigDict, Field, with_config
from starlette.responses import Response, StreamingResponse
from typing_extensions import TypedDict

from bob.app import Engine
from bob.core.errors import BobError, NotFoundError, RequestError
from bob.core.principal import Role
from bob.core.prompt import Finished, FinishReason, Piece, TextPiece, Usage
from bob.http.authenticate import Caller, needs
from bob.http.failures import JsonBytes, error_of, json_bytes
from bob.http.shapes import Routes

router = Routes()

BOB = "bob"

"""The model's name without a project; with one it is `bob/PROJECT`."""

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

_MOST_INPUTS = 2048

"""As many as OpenAI takes in one request."""


class EmbeddingRequest(BaseModel):
    """What to embed; fields that are not listed here have no effect."""

    model_config = ConfigDict(extra="allow")

    model: str = Field(description="`bob`, or the embedding model's name as `/v1/models` lists it.")
    input: str | list[Any] = Field(description="A text, or a list of up to 2,048 texts.")
    encoding_format: Literal["float", "base64"] | None = None
    dimensions: Annotated[int | None, Field(description="Must be the model's own dimension.")] = None


class Model(TypedDict):
    """A model."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str


class ModelsList(TypedDict):
    """The models."""

    object: Literal["list"]
    data: list[Model]


class Embedding(TypedDict):
    """The vector of one text; as base64 it holds 32-bit floats, the lowest byte first."""

    object: Literal["embedding"]
    index: int
    embedding: list[float] | str


class EmbeddingUsage(TypedDict):
    """Tokens of a request for embeddings."""

    prompt_tokens: int
    total_tokens: int


class EmbeddingsList(TypedDict):
    """One vector a text, in order."""

    object: Literal["list"]
    data: list[Embedding]
    model: str
    usage: EmbeddingUsage


@with_config(ConfigDict(extra="allow"))
class ChatCompletion(TypedDict):
    """A completion as OpenAI describes it. An upstream may add fields, and its choices and usage are handed
    on as they are."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[dict[str, Any]]
    usage: NotRequired[dict[str, Any] | None]


Reader = Annotated[Caller, needs(Role.READER, "v1")]
Member = Annotated[Caller, needs(Role.MEMBER, "v1")]


@router.get("/v1/models", summary="List the models", response_model=ModelsList)
def list_models(caller: Reader) -> Response:
    """`bob`, `bob/PROJECT` for each project that has documents, and the embedding model."""
    return JsonBytes(
        {"object": "list", "data": [_model(model_name) for model_name in model_names(caller.engine)]}
    )


@router.get("/v1/models/{name:path}", summary="Read a model", response_model=Model)
def read_model(caller: Reader, name: str) -> Response:
    """The model, or 404 with the names that there are."""
    if name == caller.engine.embedder.model_id:
        return JsonBytes(_model(name))
    project = project_of(caller.engine, name, None)
    return JsonBytes(_model(f"{BOB}/{project}" if project else BOB))


@router.post("/v1/chat/completions", summary="Answer a conversation", response_model=ChatCompletion)
def complete_chat(
    caller: Member, request: ChatRequest, project: Project = None, chat: ChatName = None, smart: Smart = None
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
    include_usage = bool((request.stream_options or {}).get("include_usage"))
    lines = _event_lines(_chunks(heading, events, include_usage))
    return StreamingResponse(lines, headers=headers, media_type="text/event-stream")


@router.post("/v1/embeddings", summary="Make embeddings of texts", response_model=EmbeddingsList)
def embed_texts(caller: Reader, request: EmbeddingRequest) -> Response:
    """One vector of length 1 a text, in order; base64 holds 32-bit floats, the lowest byte first."""
    model = caller.engine.embedder.model_id
    if request.model not in (BOB, model):
        raise NotFoundError(f"{request.model!r} makes no embeddings; use one of {BOB}, {model}")
    dimension = caller.engine.embedder.dimension
    if request.dimensions not in (None, dimension):
        raise RequestError("dimensions", f"dimensions must be {dimension} for {model}")
    embedded = caller.engine.embed_texts.embed_texts(_texts(request.input))
    data = [
        {"object": "embedding", "index": n, "embedding": _encoded(row, request.encoding_format)}
        for n, row in enumerate(embedded.vectors)
    ]
    usage = {"prompt_tokens": embedded.tokens, "total_tokens": embedded.tokens}
    return JsonBytes({"object": "list", "data": data, "model": model, "usage": usage})


def model_names(engine: Engine) -> list[str]:
    """All that `/v1/models` lists."""
    projects = engine.conversations.chats.projects()
    return [BOB, *(f"{BOB}/{project}" for project in projects), engine.embedder.model_id]


def project_of(engine: Engine, model: str, header: str | None) -> str:
    """The project that a request is about, "" for none, from its model's name and `X-Bob-Project`.

    Raises:
        NotFoundError: there is no such model or project.
        RequestError: the two name different projects.
    """
    name, _, named = model.partition("/")
    if name != BOB or (not named and model != BOB):
        raise NotFoundError(f"unknown model {model!r}; use one of {', '.join(model_names(engine))}")
    chats = engine.conversations.chats
    project = chats.project(named) if named else ""
    named = chats.project(header) if header else project
    if project and named != project:
        raise RequestError("model", f"X-Bob-Project is {named!r}, but the model is about {project!r}")
    return named


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": BOB}


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


def _event_lines(chunks_of_reply: Iterator[dict[str, Any]]) -> Iterator[bytes]:
    """Chunks as server-sent events; an error in the middle is the last one."""
    try:
        for chunk in chunks_of_reply:
            yield b"data: " + json_bytes(chunk) + b"\n\n"
    except BobError as error:
        yield b"data: " + json_bytes({"error": error_of(error)}) + b"\n\n"
        return
    yield b"data: [DONE]\n\n"


def _texts(sent: str | list[Any]) -> list[str]:
    texts = [sent] if isinstance(sent, str) else sent
    if not all(isinstance(text, str) for text in texts):
        raise RequestError("input", "input must be text, not token numbers")
    if not texts or not all(texts):
        raise RequestError("input", "input must have at least one text, and no empty text")
    if len(texts) > _MOST_INPUTS:
        raise RequestError("input", f"input has {len(texts)} texts; the limit is {_MOST_INPUTS}")
    return texts


def _encoded(row: Any, encoding: str | None) -> str | list[float]:
    if encoding == "base64":
        return base64.b64encode(row.astype("<f4").tobytes()).decode("ascii")
    values: list[float] = row.tolist()
    return values
