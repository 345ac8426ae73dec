"""Google's Gemini."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

from bob.domain.prompt import Finished, FinishReason, Piece, Prompt, TextPiece, Usage
from bob.llm.endpoint import PLACEHOLDER
from bob.llm.sdk_model import SdkModel

if TYPE_CHECKING:
    from google.genai import types

_API_VERSION = "v1beta"
"""Where cached content is."""

_REASONS: dict[str, FinishReason] = {
    "STOP": "complete",
    "MAX_TOKENS": "length",
    "SAFETY": "refused",
    "RECITATION": "refused",
    "BLOCKLIST": "refused",
    "PROHIBITED_CONTENT": "refused",
    "SPII": "refused",
    "ESCALATION": "refused",
}


class GeminiModel(SdkModel):
    """A `LanguageModel` over `POST {base_url}/v1beta/models/{model}:streamGenerateContent`.

    A stable prefix is cached by the service itself, without a mark.
    """

    def _failure(self) -> type[Exception]:
        from google.genai.errors import APIError

        return APIError

    def _pieces(self, prompt: Prompt) -> Generator[Piece]:
        from google.genai import Client, types

        reason: str | None = None
        usage: types.GenerateContentResponseUsageMetadata | None = None
        with self._endpoint.http_client("x-goog-api-key") as http:
            options = types.HttpOptions(
                base_url=self._endpoint.base_url, api_version=_API_VERSION, httpx_client=http
            )
            client = Client(api_key=PLACEHOLDER, vertexai=False, http_options=options)
            chunks = client.models.generate_content_stream(
                model=self._endpoint.model, contents=_contents(prompt), config=_config(prompt)
            )
            for chunk in chunks:
                usage = chunk.usage_metadata or usage
                if chunk.prompt_feedback and chunk.prompt_feedback.block_reason:
                    reason = "SAFETY"
                for candidate in chunk.candidates or ():
                    for part in (candidate.content and candidate.content.parts) or ():
                        if part.text and not part.thought:
                            yield TextPiece(part.text)
                    if candidate.finish_reason:
                        reason = candidate.finish_reason.value
        if reason is not None:
            yield Finished(_REASONS.get(reason, "other"), _usage(usage))


def _contents(prompt: Prompt) -> list[types.Content]:
    from google.genai import types

    roles = {"user": "user", "assistant": "model"}
    return [
        types.Content(role=roles[each.role], parts=[types.Part(text=each.text)]) for each in prompt.messages
    ]


def _config(prompt: Prompt) -> types.GenerateContentConfig:
    from google.genai import types

    parts = [types.Part(text=each.text) for each in prompt.system]
    return types.GenerateContentConfig(
        system_instruction=types.Content(parts=parts) if parts else None,
        max_output_tokens=prompt.max_tokens,
        temperature=prompt.temperature,
    )


def _usage(usage: types.GenerateContentResponseUsageMetadata | None) -> Usage | None:
    if usage is None:
        return None
    read = usage.cached_content_token_count or 0
    thoughts = usage.thoughts_token_count or 0
    asked = usage.prompt_token_count or 0
    return Usage(max(asked - read, 0), (usage.candidates_token_count or 0) + thoughts, 0, read)
