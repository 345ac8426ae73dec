"""OpenAI's chat completions, and every server that speaks them: Ollama, llama.cpp, vLLM, LM Studio."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bob.core.prompt import Finished, FinishReason, Message, Piece, Prompt, Segment, TextPiece, Usage
from bob.core.storable import storable
from bob.llm.endpoint import PLACEHOLDER
from bob.llm.limits import believable
from bob.llm.sdk_model import SdkModel

if TYPE_CHECKING:
    from openai.types import CompletionUsage
    from openai.types.chat import ChatCompletionContentPartTextParam, ChatCompletionMessageParam

_REASONS: dict[str, FinishReason] = {"stop": "complete", "length": "length", "content_filter": "refused"}


class OpenAIModel(SdkModel):
    """A `LanguageModel` over `POST {base_url}/chat/completions`.

    The system prompt and older messages come first and stay as they are, so that servers reuse what they have
    computed for a prefix. OpenAI's own servers are also told the cache key, and, for models that take them,
    where the breakpoints lie: those find a prefix again only where one was, and charge for the write.
    """

    def _failure(self) -> type[Exception]:
        from openai import OpenAIError

        return OpenAIError

    def _pieces(self, prompt: Prompt) -> Generator[Piece]:
        from openai import OpenAI

        reason: str | None = None
        is_refused = False
        usage: CompletionUsage | None = None
        with self._endpoint.http_client("Authorization", "Bearer ", max_tokens=prompt.max_tokens) as http:
            client = OpenAI(
                api_key=PLACEHOLDER, base_url=self._endpoint.base_url, http_client=http, max_retries=0
            )
            chunks = client.chat.completions.create(
                model=self._endpoint.model,
                messages=_messages(prompt, self._marks),
                stream=True,
                stream_options={"include_usage": True},
                **self._options(prompt),
            )
            for chunk in chunks:
                usage = chunk.usage or usage
                for choice in chunk.choices:
                    if choice.delta.content:
                        yield TextPiece(choice.delta.content)
                    is_refused = is_refused or bool(choice.delta.refusal)
                    reason = choice.finish_reason or reason
        if reason is not None:
            # A model that declines says so in a field of its own, and stops as if it had answered.
            yield Finished("refused" if is_refused else _REASONS.get(reason, "other"), _usage(usage))

    def _options(self, prompt: Prompt) -> dict[str, Any]:
        # OpenAI's newer models refuse max_tokens; Ollama and other servers know nothing else.
        options: dict[str, Any] = {
            "max_completion_tokens" if self._endpoint.own else "max_tokens": prompt.max_tokens
        }
        if prompt.temperature is not None:
            options["temperature"] = prompt.temperature
        if prompt.json_schema is not None:
            schema = {"name": "answer", "schema": dict(prompt.json_schema), "strict": True}
            options["response_format"] = {"type": "json_schema", "json_schema": schema}
        if prompt.cache_key is not None and self._endpoint.own:
            options["prompt_cache_key"] = prompt.cache_key
        if self._marks:
            # Else a breakpoint would lie after the last question: all of it would be written, and charged.
            options["prompt_cache_options"] = {"mode": "explicit"}
        return options

    @property
    def _marks(self) -> bool:
        return self._endpoint.rules.breakpoints == "marked"


def _messages(prompt: Prompt, marks: bool) -> list[ChatCompletionMessageParam]:
    messages: list[ChatCompletionMessageParam] = []
    if prompt.system and marks:
        messages.append({"role": "system", "content": _parts(prompt.system)})
    elif prompt.system:
        messages.append({"role": "system", "content": "\n\n".join(each.text for each in prompt.system)})
    for message in prompt.messages:
        parts = (*message.preface, Segment(message.text, message.cached))
        marked = marks and any(part.cached for part in parts)
        content = _parts(parts) if marked else message.whole
        if message.role == "user":
            messages.append({"role": "user", "content": content})
        else:
            messages.append({"role": "assistant", "content": content})
    return messages


def _parts(segments: Sequence[Segment]) -> list[ChatCompletionContentPartTextParam]:
    # A separator belongs to what follows it: what is added later must not change what stands before.
    texts = [f"\n\n{each.text}" if at else each.text for at, each in enumerate(segments)]
    return [_part(text, each.cached) for text, each in zip(texts, segments, strict=True)]


def _part(text: str, cached: bool) -> ChatCompletionContentPartTextParam:
    if cached:
        return {"type": "text", "text": text, "prompt_cache_breakpoint": {"mode": "explicit"}}
    return {"type": "text", "text": text}


def _usage(usage: CompletionUsage | None) -> Usage | None:
    if usage is None:
        return None
    details = usage.prompt_tokens_details
    read = details and details.cached_tokens
    written = details and details.cache_write_tokens
    counts = believable(usage.prompt_tokens, usage.completion_tokens, written, read)
    if counts is None:
        return None
    asked, answered, cache_write, cache_read = counts
    return Usage(max(asked - cache_read - cache_write, 0), answered, cache_write, cache_read)


RawMessage = Mapping[str, Any]

SYSTEM_ROLES = ("system", "developer")


def said(messages: Sequence[RawMessage]) -> list[Message]:
    """What the user and the assistant said, in order: messages without text are left out, tools' too."""
    found = []
    for message in messages:
        role, text = message.get("role"), text_of(message)
        if text.strip() and role == "user":
            found.append(Message("user", text))
        elif text.strip() and role == "assistant":
            found.append(Message("assistant", text))
    return found


def text_of(message: RawMessage) -> str:
    """The text of a message; of content in parts, that of its text parts, one a line."""
    content = message.get("content")
    if isinstance(content, str):
        return storable(content)
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text"]
    return storable("\n".join(text for text in texts if isinstance(text, str)))


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
