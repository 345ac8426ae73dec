"""What a language model is asked, and what comes back: a text in pieces, as it is written (SPEC I)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Role = Literal["user", "assistant"]

FinishReason = Literal["complete", "length", "refused", "other"]
"""Why a model stopped: it was done, it reached `max_tokens`, it (or a filter) declined, or anything else."""

MOST_BREAKPOINTS = 4
"""Anthropic and OpenAI take no more in one request."""

LONGEST_CACHE_KEY = 64
"""Characters; OpenAI refuses a longer one."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of the system prompt. With `cached`, what comes up to its end is worth keeping by the provider:
    a cache breakpoint lies after it."""

    text: str
    cached: bool = False

    def __post_init__(self) -> None:
        if not self.text:
            raise ValueError("a segment must have a text")


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation. With `cached`, a cache breakpoint lies after it, as after a segment.

    `preface` stands before the text, in the same message: what a question is about, in the role of the user.
    Some models' templates refuse two messages of the user in a row.
    """

    role: Role
    text: str
    cached: bool = False
    preface: tuple[Segment, ...] = ()

    def __post_init__(self) -> None:
        if not self.text:
            raise ValueError("a message must have a text")

    @property
    def whole(self) -> str:
        """The message as one text."""
        return "\n\n".join((*(each.text for each in self.preface), self.text))


@dataclass(frozen=True, slots=True)
class Prompt:
    """A whole request, ordered from the most stable part to the least, so that providers can cache a prefix.

    `max_tokens` bounds the answer. `temperature` is left to the model when it is None: several models refuse
    a request that has one, and Anthropic's API has none.

    With `json_schema` the answer is JSON by this schema, which must be one that providers take: every object
    lists all its properties as required and has `additionalProperties: false`. `cache_key` names requests
    that begin alike (a chat, a project), so that OpenAI sends them to the same machine; others are not told.
    """

    system: tuple[Segment, ...]
    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float | None = None
    json_schema: Mapping[str, object] | None = None
    cache_key: str | None = None

    def __post_init__(self) -> None:
        if not self.messages or self.messages[-1].role != "user":
            raise ValueError("a prompt must end with a user message")
        if self.breakpoints > MOST_BREAKPOINTS:
            raise ValueError(f"a prompt can have at most {MOST_BREAKPOINTS} cached segments and messages")
        if self.max_tokens < 1:
            raise ValueError("max_tokens must be at least 1")
        key = self.cache_key
        if key is not None and not (
            0 < len(key) <= LONGEST_CACHE_KEY and key.isascii() and key.isprintable()
        ):
            raise ValueError(f"a cache key must have 1 to {LONGEST_CACHE_KEY} printable ASCII characters")

    @property
    def breakpoints(self) -> int:
        """How many there are, after segments and messages."""
        segments = (*self.system, *(part for message in self.messages for part in message.preface))
        return sum(segment.cached for segment in segments) + sum(message.cached for message in self.messages)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request. The prompt's are in three parts that do not overlap: written to the provider's
    cache, read from it, and all others (`input_tokens`)."""

    input_tokens: int
    output_tokens: int
    cache_write_tokens: int = 0
    cache_read_tokens: int = 0


@dataclass(frozen=True, slots=True)
class TextPiece:
    """The next words of an answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The last piece of every answer. `usage` is None when the server does not tell."""

    reason: FinishReason
    usage: Usage | None


Piece = TextPiece | Finished


@dataclass(frozen=True, slots=True)
class Completion:
    """A whole answer of a model."""

    text: str
    reason: FinishReason
    usage: Usage | None
