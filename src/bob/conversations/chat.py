"""A chat's turn: keep the message, compile the prompt, stream the reply, keep it (SPEC G1, L1).

The funnel sees the messages later, from their jobs: no reply waits for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from bob.answers.answer import Answer
from bob.answers.ask import Ask
from bob.answers.claims.verify_text import VerifyText
from bob.answers.verified import VerifiedClaim
from bob.conversations import receipt_rows, rows
from bob.conversations.compile_context import CompileContext
from bob.conversations.context import Compiled, PredictCost, Prediction
from bob.core.conversation import Chat, ChatMessage, Scope, title_of
from bob.core.errors import LanguageModelError, RequestError
from bob.core.locator import CitedPlace
from bob.core.prompt import Finished, Message, Prompt, Segment, TextPiece, Usage
from bob.core.protocols import LanguageModel
from bob.core.search import Filters
from bob.llm.prices import Cost
from bob.storage.database import Database


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
            "checked": None if self.checked is None else [claim.to_json() for claim in self.checked],
            "sources": [] if self.answer is None else [source.to_json() for source in self.answer.sources],
            "context": compiled.receipt(),
        }


ChatEvent = ContextReady | TextPiece | Replied


NOTED = "Saved. No source mentions it; if it matters, it becomes a memory."


@dataclass(slots=True)
class _Reply:
    text: str = ""
    usage: Usage | None = None
    error: str | None = None


class ChatTurn:
    """Answers messages, with a language model or, without one, in sentences of the project's sources."""

    def __init__(
        self,
        database: Database,
        context: CompileContext,
        model: LanguageModel | None,
        ask: Callable[[], Ask],
        predict: PredictCost | None,
        verify: Callable[[], VerifyText] | None,
        *,
        max_tokens: int,
        temperature: float | None,
        clock: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._context = context
        self._model = model
        self._ask = ask
        self._predict = predict
        self._verify = verify
        self._max_tokens = max_tokens
        self._temperature = temperature
        self._clock = clock

    def send_message(self, chat: Chat, text: str, *, smart: bool) -> Iterator[ChatEvent]:
        """The prompt, the reply as it is written, and always one `Replied`, when the reply is kept.

        The message is kept before anything else happens: what fails later does not lose it.

        Raises:
            RequestError: the message is empty.
        """
        check_message(text)
        scope = chat.scope
        with self._database.write() as transaction:
            history = rows.messages_of(transaction, chat.chat_id)
            before = receipt_rows.last(transaction, chat.chat_id)
            rows.add(transaction, chat.chat_id, "user", text, self._clock())
            if not history and not chat.title:
                rows.rename(transaction, chat.chat_id, title_of(text))
        ready = self._ready(scope, chat.chat_id, history, before, text, smart)
        compiled = ready.compiled
        yield ready
        reply = _Reply()
        if self._model is not None:
            yield from self._written(self._model, compiled, reply)
        if self._model is not None and reply.error is None:
            message = self._keep(chat, ready, reply.text)
            cost = None if self._predict is None else self._predict.of(reply.usage)
            checked = self._checked(scope, reply.text)
            yield Replied(message, self._model.name, usage=reply.usage, cost=cost, checked=checked)
            return
        answer = quoted(self._ask(), chat.scope, text, compiled, self._clock().date())
        notices = () if reply.error is None else (f"Quoted from the sources: {reply.error}",)
        message = self._keep(chat, ready, answer.text, [source.place for source in answer.sources])
        yield Replied(message, None, notices, answer=answer)

    def preview(self, scope: Scope, chat: Chat | None, text: str, *, smart: bool) -> ContextReady:
        """The prompt of the next message in a chat, or in a new one; nothing is sent, and nothing kept."""
        history: list[ChatMessage] = []
        before = None
        if chat is not None:
            with self._database.read() as transaction:
                history = rows.messages_of(transaction, chat.chat_id)
                before = receipt_rows.last(transaction, chat.chat_id)
        return self._ready(scope, None if chat is None else chat.chat_id, history, before, text, smart)

    def _ready(
        self,
        scope: Scope,
        chat_id: int | None,
        history: Sequence[ChatMessage],
        before: Mapping[str, Any] | None,
        text: str,
        smart: bool,
    ) -> ContextReady:
        compiled = self._context.compile_prompt(scope, text, history=history, chat_id=chat_id, smart=smart)
        if self._predict is None:
            return ContextReady(compiled, None)
        idle = (self._clock() - history[-1].sent_at).total_seconds() if history else 0.0
        last = None if before is None else before.get("predicted", {}).get("dollars")
        prediction = self._predict.predict_cost(before, compiled, idle)
        return ContextReady(compiled, prediction, None if last is None else Decimal(last))

    def _checked(self, scope: Scope, text: str) -> tuple[VerifiedClaim, ...] | None:
        """What the project's sources say to each claim of a reply. A reply may go beyond them, so it stays as
        it is; its reader sees what it rests on."""
        if self._verify is None or not scope.project:
            return None
        filters = Filters(projects=(scope.project,))
        return self._verify().claims(text, filters=filters, today=self._clock().date())

    def _written(self, model: LanguageModel, compiled: Compiled, reply: _Reply) -> Iterator[TextPiece]:
        prompt = chat_prompt(compiled, self._max_tokens, self._temperature)
        try:
            for piece in model.stream(prompt):
                if isinstance(piece, Finished):
                    reply.usage = piece.usage
                    if not reply.text.strip():
                        reply.error = f"{model.name} gave an empty reply"
                    return
                reply.text += piece.text
                yield piece
        except LanguageModelError as error:
            reply.error = str(error)
            return
        reply.error = f"{model.name} ended its reply without a finish reason"

    def _keep(
        self, chat: Chat, ready: ContextReady, text: str, cited: Sequence[CitedPlace] = ()
    ) -> ChatMessage:
        receipt = ready.compiled.receipt()
        if ready.prediction is not None:
            receipt["predicted"] = ready.prediction.to_json()
        with self._database.write() as transaction:
            message = rows.add(transaction, chat.chat_id, "assistant", text, self._clock())
            memory_ids = ready.compiled.memory_ids
            receipt_rows.save(transaction, chat.chat_id, message.message_id, receipt, memory_ids, cited)
        return message


def check_message(text: str) -> None:
    """Raises RequestError: the message is empty."""
    if not text.strip():
        raise RequestError("text", "text must not be empty")


def quoted(ask: Ask, scope: Scope, question: str, compiled: Compiled, today: date) -> Answer:
    """The answer in sentences of the project's sources, or of all where there is no project; below it what
    is remembered of other chats, which is no source. Who tells something, and asks nothing, is not told that
    no source answers it."""
    filters = Filters(projects=(scope.project,)) if scope.project else Filters()
    answer = ask.answer_question(question, filters=filters, today=today, extractive=True)
    if not answer.found:
        # Its patterns take a tenth of a second, which an answer need not wait for.
        from bob.conversations.signals import tells

        answer = replace(answer, text=NOTED) if tells(question) else answer
    remembered = [
        f"{piece.text} [memory {piece.memory_id}]"
        for segment in compiled.segments
        if segment.name == "memories"
        for piece in segment.pieces
    ]
    if not remembered:
        return answer
    lines = [answer.text, "", "Memories of other chats:", *remembered]
    return replace(answer, text="\n".join(lines))


def chat_prompt(compiled: Compiled, max_tokens: int, temperature: float | None) -> Prompt:
    """The prompt as a provider's adapter takes it: breakpoints where segments are cached."""
    return Prompt(
        tuple(Segment(segment.text, segment.cached) for segment in compiled.segments),
        tuple(Message(turn.role, turn.text) for turn in compiled.turns),
        max_tokens,
        temperature,
    )
