"""What happens while a chat answers: the prompt, the words as they come, the reply (SPEC L1, `bob chat`)."""

from __future__ import annotations

from dataclasses import dataclass

from bob.domain.answer import Answer
from bob.domain.context import Compiled
from bob.domain.conversation import ChatMessage
from bob.domain.prompt import TextPiece, Usage


@dataclass(frozen=True, slots=True)
class ContextReady:
    """The prompt is compiled; what the provider still holds of the last one is in `changed`: the names of
    what is new before the cache breakpoint, None when there was no prompt before."""

    compiled: Compiled
    changed: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Replied:
    """The last event of every reply: it is kept as `message`.

    `written_by` is the language model, None when the reply is in sentences of the sources; then `answer` has
    them. `usage` is what the provider counted, if it tells.
    """

    message: ChatMessage
    written_by: str | None
    notices: tuple[str, ...] = ()
    usage: Usage | None = None
    answer: Answer | None = None


ChatEvent = ContextReady | TextPiece | Replied
