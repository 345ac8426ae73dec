"""Google's Gemini."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from typing import TYPE_CHECKING

from bob.core.prompt import Finished, FinishReason, Piece, Prompt, TextPiece, Usage
from bob.llm.endpoint import Endpoint
from bob.llm.gemini_cache import KEY_HEADER, CachedContents, CachedStart, client_over
from bob.llm.limits import believable
from bob.llm.sdk_model import SdkModel

if TYPE_CHECKING:
    from google.genai import types

_NOT_WITH_CACHE = frozenset({400, 403, 404})
"""What the service says of cached content that has expired, was deleted, or belongs to another key."""

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

    With `cached`, the system prompt up to its last cached segment is kept by the service under a name. A
    request with that name may have no system instruction of its own, so the segments after it are then put
    before the text of the last message, as parts of it. Without, and for all else, the service caches equal
    beginnings by itself, without a mark.
    """

    def __init__(
        self, endpoint: Endpoint, sleep: Callable[[float], None], cached: CachedContents | None = None
    ) -> None:
        super().__init__(endpoint, sleep)
        self._cached = cached

    def _failure(self) -> type[Exception]:
        from google.genai.errors import APIError

        return APIError

    def _pieces(self, prompt: Prompt) -> Generator[Piece]:
        from google.genai.errors import APIError

        start = self._cached.start(prompt) if self._cached else None
        if self._cached and start:
            handed_on = False
            try:
                with closing(self._answer(prompt, start)) as answer:
                    for piece in answer:
                        handed_on = True
                        yield piece
                return
            except APIError as error:
                if handed_on or error.code not in _NOT_WITH_CACHE:
                    raise
            self._cached.forget(start)
        yield from self._answer(prompt, None)

    def _answer(self, prompt: Prompt, start: CachedStart | None) -> Generator[Piece]:
        reason: str | None = None
        usage: types.GenerateContentResponseUsageMetadata | None = None
        with self._endpoint.http_client(KEY_HEADER, max_tokens=prompt.max_tokens) as http:
            chunks = client_over(self._endpoint, http).models.generate_content_stream(
                model=self._endpoint.model, contents=_contents(prompt, start), config=_config(prompt, start)
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
            created = start is not None and start.created
            yield Finished(_REASONS.get(reason, "other"), _usage(usage, created))


def _contents(prompt: Prompt, start: CachedStart | None) -> list[types.Content]:
    from google.genai import types

    roles = {"user": "user", "assistant": "model"}
    contents = [
        types.Content(
            role=roles[message.role],
            parts=[
                types.Part(text=text) for text in (*(part.text for part in message.preface), message.text)
            ],
        )
        for message in prompt.messages
    ]
    if start is not None:
        rest = [types.Part(text=each.text) for each in prompt.system[start.segments :]]
        contents[-1].parts = [*rest, *(contents[-1].parts or ())]
    return contents


def _config(prompt: Prompt, start: CachedStart | None) -> types.GenerateContentConfig:
    from google.genai import types

    parts = [types.Part(text=each.text) for each in prompt.system] if start is None else []
    schema = None if prompt.json_schema is None else dict(prompt.json_schema)
    return types.GenerateContentConfig(
        system_instruction=types.Content(parts=parts) if parts else None,
        cached_content=None if start is None else start.name,
        max_output_tokens=prompt.max_tokens,
        temperature=prompt.temperature,
        response_mime_type=None if schema is None else "application/json",
        response_json_schema=schema,
    )


def _usage(usage: types.GenerateContentResponseUsageMetadata | None, created: bool) -> Usage | None:
    """Content that was `created` for the request was written as well as read: it counts as written."""
    if usage is None:
        return None
    counts = believable(
        usage.prompt_token_count,
        usage.candidates_token_count,
        usage.thoughts_token_count,
        usage.cached_content_token_count,
    )
    if counts is None:
        return None
    asked, answered, thoughts, cached = counts
    written, read = (cached, 0) if created else (0, cached)
    return Usage(max(asked - cached, 0), answered + thoughts, written, read)
