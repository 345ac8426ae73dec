"""A reply in the form of OpenAI's chat completions, whole or in chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from bob.core.prompt import Finished, FinishReason, Piece, TextPiece, Usage

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
