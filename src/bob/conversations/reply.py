"""What happens while a chat answers: the prompt, the words as they come, the reply (SPEC L1, `bob chat`)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from bob.answers.values import Answer
from bob.answers.verified import VerifiedClaim
from bob.conversations.context import Compiled
from bob.conversations.predict_cost import Prediction
from bob.core.conversation import ChatMessage
from bob.core.prompt import TextPiece, Usage
from bob.llm.costs import Cost


@dataclass(frozen=True, slots=True)
class ContextReady:
    """The prompt is compiled; `prediction` is what it should find in the provider's cache, None without a
    language model. `last_dollars` is what the chat's last prompt was predicted to cost."""

    compiled: Compiled
    prediction: Prediction | None
    last_dollars: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Replied:
    """The last event of every reply: it is kept as `message`.

    `written_by` is the language model, None when the reply is in sentences of the sources; then `answer` has
    them. `checked` has the claims of a written reply with what the project's sources say to each; None where
    it was not checked. `usage` is what the provider counted, if it tells, and `cost` what that cost, if
    prices are known.
    """

    message: ChatMessage
    written_by: str | None
    notices: tuple[str, ...] = ()
    usage: Usage | None = None
    cost: Cost | None = None
    answer: Answer | None = None
    checked: tuple[VerifiedClaim, ...] | None = None

    def to_json(self, compiled: Compiled) -> dict[str, Any]:
        """The reply with the receipt of its prompt, as `bob chat --json` prints it."""
        cost = self.cost
        return {
            "chat_id": self.message.chat_id,
            "message_id": self.message.message_id,
            "reply": self.message.text,
            "written_by": self.written_by,
            "notices": list(self.notices),
            "usage": None if self.usage is None else asdict(self.usage),
            "cost": None if cost is None else {"dollars": str(cost.dollars), "saved": str(cost.saved)},
            "checked": None if self.checked is None else [each.to_json() for each in self.checked],
            "sources": [] if self.answer is None else [each.to_json() for each in self.answer.sources],
            "context": compiled.receipt(),
        }


ChatEvent = ContextReady | TextPiece | Replied
