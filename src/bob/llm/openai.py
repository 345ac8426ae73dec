"""OpenAI's chat completions, and every server that speaks them: Ollama, llama.cpp, vLLM, LM Studio."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any

from bob.core.prompt import Finished, FinishReason, Piece, Prompt, Segment, TextPiece, Usage
from bob.llm.endpoint import PLACEHOLDER
from bob.llm.sdk_model import SdkModel
from bob.llm.usages import believable

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
                    reason = choice.finish_reason or reason
        if reason is not None:
            yield Finished(_REASONS.get(reason, "other"), _usage(usage))

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
    for each in prompt.messages:
        parts = (*each.preface, Segment(each.text, each.cached))
        marked = marks and any(part.cached for part in parts)
        content = _parts(parts) if marked else each.whole
        if each.role == "user":
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
