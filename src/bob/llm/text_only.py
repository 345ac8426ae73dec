"""Turns a request in OpenAI's form into a prompt of text, for models that are asked in another form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bob.core.errors import RequestError
from bob.core.prompt import Message, Prompt, Segment
from bob.llm.openai import SYSTEM_ROLES, RawMessage, said, text_of

_UNLESS: Mapping[str, tuple[object, ...]] = {
    "tools": (None, []),
    "functions": (None, []),
    "response_format": (None, {"type": "text"}),
    "n": (None, 1),
    "logprobs": (None, False),
    "stop": (None, [], ""),
    "modalities": (None, [], ["text"]),
    "audio": (None,),
    "web_search_options": (None,),
}
"""Fields that change what comes back, with the values that ask for nothing. All others are hints."""


def check_text_only(request: Mapping[str, Any], upstream: str) -> None:
    """Raises RequestError: the request asks for more than text."""
    for field, nothing in _UNLESS.items():
        if request.get(field) not in nothing:
            raise RequestError(field, _refusal(field, upstream))
    messages: Sequence[RawMessage] = request["messages"]
    for at, each in enumerate(messages):
        where = f"messages[{at}]"
        if each.get("role") not in ("user", "assistant", *SYSTEM_ROLES):
            raise RequestError(f"{where}.role", _refusal(f"the role {each.get('role')!r}", upstream))
        if each.get("tool_calls") or each.get("function_call"):
            raise RequestError(f"{where}.tool_calls", _refusal("tool_calls", upstream))
        content = each.get("content")
        for part in content if isinstance(content, list) else []:
            kind = part.get("type") if isinstance(part, dict) else None
            if kind != "text":
                raise RequestError(f"{where}.content", _refusal(f"content of type {kind!r}", upstream))
    if not messages or messages[-1].get("role") != "user" or not text_of(messages[-1]).strip():
        raise RequestError("messages", f"{upstream} requires a user message with text at the end")


def text_prompt(
    request: Mapping[str, Any], messages: Sequence[RawMessage], max_tokens: int, temperature: float | None
) -> Prompt:
    """The prompt of `messages`, with the client's own limit and temperature where it sends them.

    The system prompt is one segment, which providers that want marks are told to cache: clients send the
    same one with every request.
    """
    system = "\n\n".join(
        text for message in messages if message.get("role") in SYSTEM_ROLES and (text := text_of(message))
    )
    turns: list[Message] = []
    for each in said(messages):
        if turns and turns[-1].role == each.role:
            turns[-1] = Message(each.role, f"{turns[-1].text}\n\n{each.text}")
        else:
            turns.append(each)
    limit = request.get("max_completion_tokens") or request.get("max_tokens")
    if limit is not None and not (isinstance(limit, int) and limit > 0):
        raise RequestError("max_tokens", "max_tokens must be a whole number, at least 1")
    segments = (Segment(system, cached=True),) if system else ()
    wanted = request.get("temperature")
    return Prompt(segments, tuple(turns), limit or max_tokens, temperature if wanted is None else wanted)


def _refusal(what: str, upstream: str) -> str:
    return f"{what} requires llm.provider: openai; this is {upstream}"
