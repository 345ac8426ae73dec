"""Anthropic's messages."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING

from bob.core.prompt import Finished, FinishReason, Piece, Prompt, TextPiece, Usage
from bob.llm.endpoint import PLACEHOLDER
from bob.llm.limits import believable
from bob.llm.sdk_model import SdkModel

if TYPE_CHECKING:
    from anthropic.types import MessageDeltaUsage, MessageParam, OutputConfigParam, TextBlockParam
    from anthropic.types import Usage as StartUsage

_REASONS: dict[str, FinishReason] = {
    "end_turn": "complete",
    "stop_sequence": "complete",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
}


class AnthropicModel(SdkModel):
    """A `LanguageModel` over `POST {base_url}/v1/messages`.

    A cached segment or message gets a `cache_control` mark, which the API keeps for five minutes after its
    last use. A temperature is not sent: the API has had none since its version 2026-10-21.
    """

    def _failure(self) -> type[Exception]:
        from anthropic import AnthropicError

        return AnthropicError

    def _pieces(self, prompt: Prompt) -> Generator[Piece]:
        from anthropic import Anthropic, omit

        started: StartUsage | None = None
        ended: MessageDeltaUsage | None = None
        reason: str | None = None
        with self._endpoint.http_client("Authorization", "Bearer ", max_tokens=prompt.max_tokens) as http:
            client = Anthropic(
                api_key=PLACEHOLDER,
                base_url=self._endpoint.base_url,
                http_client=http,
                max_retries=0,
                open_telemetry=False,
            )
            events = client.messages.create(
                model=self._endpoint.model,
                max_tokens=prompt.max_tokens,
                system=[_block(each.text, each.cached) for each in prompt.system] or omit,
                messages=_messages(prompt),
                output_config=_output(prompt.json_schema) if prompt.json_schema is not None else omit,
                stream=True,
            )
            for event in events:
                if event.type == "message_start":
                    started = event.message.usage
                elif event.type == "content_block_delta" and event.delta.type == "text_delta":
                    if event.delta.text:
                        yield TextPiece(event.delta.text)
                elif event.type == "message_delta":
                    reason, ended = event.delta.stop_reason, event.usage
                elif event.type == "message_stop":
                    yield Finished(_REASONS.get(reason or "", "other"), _usage(started, ended))
                    return


def _block(text: str, cached: bool) -> TextBlockParam:
    if cached:
        return {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}
    return {"type": "text", "text": text}


def _messages(prompt: Prompt) -> list[MessageParam]:
    messages: list[MessageParam] = []
    for message in prompt.messages:
        blocks = [_block(part.text, part.cached) for part in message.preface]
        if blocks or message.cached:
            content: str | list[TextBlockParam] = [*blocks, _block(message.text, message.cached)]
        else:
            content = message.text
        if message.role == "user":
            messages.append({"role": "user", "content": content})
        else:
            messages.append({"role": "assistant", "content": content})
    return messages


def _output(schema: Mapping[str, object]) -> OutputConfigParam:
    return {"format": {"type": "json_schema", "schema": dict(schema)}}


def _usage(started: StartUsage | None, ended: MessageDeltaUsage | None) -> Usage | None:
    """The last counts are cumulative, but a server may leave out those that it gave at the start."""
    if started is None:
        return None
    counts = believable(
        started.input_tokens,
        ended.output_tokens if ended else started.output_tokens,
        started.cache_creation_input_tokens,
        started.cache_read_input_tokens,
    )
    return None if counts is None else Usage(*counts)
