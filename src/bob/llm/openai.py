"""OpenAI's chat completions, and every server that speaks them: Ollama, llama.cpp, vLLM, LM Studio."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from bob.domain.prompt import Finished, FinishReason, Piece, Prompt, TextPiece, Usage
from bob.llm.endpoint import PLACEHOLDER
from bob.llm.sdk_model import SdkModel

if TYPE_CHECKING:
    from openai.types import CompletionUsage
    from openai.types.chat import ChatCompletionMessageParam

_REASONS: dict[str, FinishReason] = {"stop": "complete", "length": "length", "content_filter": "refused"}


class OpenAIModel(SdkModel):
    """A `LanguageModel` over `POST {base_url}/chat/completions`.

    The system prompt and older messages come first and stay as they are, so that servers reuse what they have
    computed for a prefix; there is nothing to mark.
    """

    def _failure(self) -> type[Exception]:
        from openai import OpenAIError

        return OpenAIError

    def _pieces(self, prompt: Prompt) -> Generator[Piece]:
        from openai import OpenAI

        reason: str | None = None
        usage: CompletionUsage | None = None
        with self._endpoint.http_client("Authorization", "Bearer ") as http:
            client = OpenAI(
                api_key=PLACEHOLDER, base_url=self._endpoint.base_url, http_client=http, max_retries=0
            )
            chunks = client.chat.completions.create(
                model=self._endpoint.model,
                messages=_messages(prompt),
                stream=True,
                stream_options={"include_usage": True},
                **self._limits(prompt),
            )
            for chunk in chunks:
                usage = chunk.usage or usage
                for choice in chunk.choices:
                    if choice.delta.content:
                        yield TextPiece(choice.delta.content)
                    reason = choice.finish_reason or reason
        if reason is not None:
            yield Finished(_REASONS.get(reason, "other"), _usage(usage))

    def _limits(self, prompt: Prompt) -> dict[str, Any]:
        # OpenAI's newer models refuse max_tokens; Ollama and other servers know nothing else.
        own = self._endpoint.provider.owns(self._endpoint.base_url)
        limits: dict[str, Any] = {"max_completion_tokens" if own else "max_tokens": prompt.max_tokens}
        return limits if prompt.temperature is None else limits | {"temperature": prompt.temperature}


def _messages(prompt: Prompt) -> list[ChatCompletionMessageParam]:
    messages: list[ChatCompletionMessageParam] = []
    if prompt.system:
        messages.append({"role": "system", "content": "\n\n".join(each.text for each in prompt.system)})
    for each in prompt.messages:
        if each.role == "user":
            messages.append({"role": "user", "content": each.text})
        else:
            messages.append({"role": "assistant", "content": each.text})
    return messages


def _usage(usage: CompletionUsage | None) -> Usage | None:
    if usage is None:
        return None
    details = usage.prompt_tokens_details
    read = (details and details.cached_tokens) or 0
    written = (details and details.cache_write_tokens) or 0
    return Usage(max(usage.prompt_tokens - read - written, 0), usage.completion_tokens, written, read)
