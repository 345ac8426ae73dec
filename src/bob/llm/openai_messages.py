"""Reads the messages of a request in OpenAI's form, and adds to them. Knows nothing of who sent them.

A message that has an unknown shape is left as it is: whether to take it is up to the server that answers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bob.core.prompt import Message

RawMessage = Mapping[str, Any]

SYSTEM_ROLES = ("system", "developer")


def said(messages: Sequence[RawMessage]) -> list[Message]:
    """What the user and the assistant said, in order: messages without text are left out, tools' too."""
    found = []
    for each in messages:
        role, text = each.get("role"), text_of(each)
        if text.strip() and role == "user":
            found.append(Message("user", text))
        elif text.strip() and role == "assistant":
            found.append(Message("assistant", text))
    return found


def text_of(message: RawMessage) -> str:
    """The text of a message; of content in parts, that of its text parts, one a line."""
    content = message.get("content")
    if isinstance(content, str):
        return _storable(content)
    parts = content if isinstance(content, list) else []
    texts = [each.get("text") for each in parts if isinstance(each, dict) and each.get("type") == "text"]
    return _storable("\n".join(each for each in texts if isinstance(each, str)))


def others(request: Mapping[str, Any]) -> str:
    """The text of all that neither the user nor the assistant said, for estimating its length."""
    texts = [text_of(each) for each in request["messages"] if each.get("role") not in ("user", "assistant")]
    calls = [each["tool_calls"] for each in request["messages"] if each.get("tool_calls")]
    definitions = [request[name] for name in ("tools", "functions", "response_format") if request.get(name)]
    return "\n".join([*texts, json.dumps([*calls, *definitions])])


def completed(messages: Sequence[RawMessage], system: str, added: str) -> list[RawMessage]:
    """The messages with `system` after the client's own system prompt, and `added` after what the user said
    last. Nothing before that message depends on `added`, so it stays a prefix that servers can reuse.

    Both go into messages that are there, if there are any: some models' templates refuse a second system
    message, or two messages of the user in a row. Empty texts change nothing.
    """
    found = list(messages)
    if added:
        at = max((n for n, each in enumerate(found) if each.get("role") == "user"), default=None)
        if at is not None:
            found[at] = _extended(found[at], added)
    if system:
        leading = 0
        while leading < len(found) and found[leading].get("role") in SYSTEM_ROLES:
            leading += 1
        if leading:
            found[leading - 1] = _extended(found[leading - 1], system)
        else:
            found.insert(0, {"role": "system", "content": system})
    return found


def _extended(message: RawMessage, text: str) -> RawMessage:
    content = message.get("content")
    if isinstance(content, list):
        return {**message, "content": [*content, {"type": "text", "text": text}]}
    before = content if isinstance(content, str) else ""
    return {**message, "content": f"{before}\n\n{text}" if before else text}


def _storable(text: str) -> str:
    """Without what JSON can hold and others cannot: lone surrogates (UTF-8), NUL (PostgreSQL)."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")
