"""What a language model is asked, and what comes back: a text in pieces, as it is written (SPEC I)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Role = Literal["user", "assistant"]

FinishReason = Literal["complete", "length", "refused", "other"]
"""Why a model stopped: it was done, it reached `max_tokens`, it (or a filter) declined, or anything else."""

MOST_BREAKPOINTS = 4
"""Anthropic refuses a request with more."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of the system prompt. With `cached`, what comes up to its end is worth keeping by the provider:
    a cache breakpoint lies after it."""

    text: str
    cached: bool = False

    def __post_init__(self) -> None:
        if not self.text:
            raise ValueError("a segment needs a text")


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    text: str

    def __post_init__(self) -> None:
        if not self.text:
            raise ValueError("a message needs a text")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A whole request, ordered from the most stable part to the least, so that providers can cache a prefix.

    `max_tokens` bounds the answer. `temperature` is left to the model when it is None: several models refuse
    a request that has one, and Anthropic's API has none.
    """

    system: tuple[Segment, ...]
    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float | None = None

    def __post_init__(self) -> None:
        if not self.messages or self.messages[-1].role != "user":
            raise ValueError("a prompt ends with a message of the user")
        if sum(segment.cached for segment in self.system) > MOST_BREAKPOINTS:
            raise ValueError(f"a prompt has at most {MOST_BREAKPOINTS} cached segments")
        if self.max_tokens < 1:
            raise ValueError("an answer needs at least one token")


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
