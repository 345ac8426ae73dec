"""A chat's turn: keep the message, compile the prompt, stream the reply, keep it (SPEC G1, L1).

The funnel sees the messages later, from their jobs: no reply waits for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bob.domain.answer import Answer
from bob.domain.context import Compiled
from bob.domain.conversation import Chat, ChatMessage
from bob.domain.filters import Filters
from bob.domain.prompt import Finished, Message, Prompt, Segment, TextPiece, Usage
from bob.domain.reply import ChatEvent, ContextReady, Replied
from bob.errors import LanguageModelError
from bob.protocols import LanguageModel
from bob.services.ask import Ask
from bob.services.compile_context import CompileContext
from bob.store import chats, receipts
from bob.store.database import Database

_TITLE_CHARACTERS = 60


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
        *,
        max_tokens: int,
        temperature: float | None,
        clock: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._context = context
        self._model = model
        self._ask = ask
        self._max_tokens = max_tokens
        self._temperature = temperature
        self._clock = clock

    def run(self, chat: Chat, text: str, *, smart: bool) -> Iterator[ChatEvent]:
        """The prompt, the reply as it is written, and always one `Replied`, when the reply is kept.

        The message is kept before anything else happens: what fails later does not lose it.
        """
        scope = chat.scope
        with self._database.write() as connection:
            history = chats.messages_of(connection, scope.org_id, chat.chat_id)
            before = receipts.last(connection, scope.org_id, chat.chat_id)
            chats.add(connection, scope.org_id, chat.chat_id, "user", text, self._clock())
            if not history and not chat.title:
                chats.rename(connection, scope.org_id, chat.chat_id, _title(text))
        compiled = self._context.run(scope, text, history=history, chat_id=chat.chat_id, smart=smart)
        yield ContextReady(compiled, None if before is None else _changed(before, compiled))
        reply = _Reply()
        if self._model is not None:
            yield from self._written(self._model, compiled, reply)
        if self._model is not None and reply.error is None:
            message = self._keep(chat, compiled, reply.text)
            yield Replied(message, self._model.name, usage=reply.usage)
            return
        answer = self._quoted(chat, text)
        notices = () if reply.error is None else (f"Quoted from the sources: {reply.error}",)
        message = self._keep(chat, compiled, answer.text)
        yield Replied(message, None, notices, answer=answer)

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
        reply.error = f"{model.name} ended its reply without saying that it is whole"

    def _quoted(self, chat: Chat, text: str) -> Answer:
        scope = chat.scope
        filters = Filters(projects=(scope.project,)) if scope.project else Filters()
        return self._ask().run(text, filters=filters, today=self._clock().date(), extractive=True)

    def _keep(self, chat: Chat, compiled: Compiled, text: str) -> ChatMessage:
        org_id = chat.scope.org_id
        with self._database.write() as connection:
            message = chats.add(connection, org_id, chat.chat_id, "assistant", text, self._clock())
            receipt = compiled.receipt()
            receipts.save(connection, org_id, chat.chat_id, message.message_id, receipt, compiled.memory_ids)
        return message


def chat_prompt(compiled: Compiled, max_tokens: int, temperature: float | None) -> Prompt:
    """The prompt as a provider's adapter takes it: breakpoints where segments are cached."""
    return Prompt(
        tuple(Segment(each.text, each.cached) for each in compiled.segments),
        tuple(Message(each.role, each.text) for each in compiled.turns),
        max_tokens,
        temperature,
    )


def _changed(before: Mapping[str, Any], compiled: Compiled) -> tuple[str, ...]:
    """What stands otherwise before the breakpoint than in the last prompt: files by name, or what went."""
    old, new = before["segments"][0], compiled.receipt()["segments"][0]
    if old["sha256"] == new["sha256"]:
        return ()
    was = {each["source"]: each["sha256"] for each in old["sources"]}
    now = {each["source"]: each["sha256"] for each in new["sources"]}
    differ = [f"{name} is new" for name in now if name not in was]
    differ += [f"{name} is gone" for name in was if name not in now]
    differ += [f"{name} changed" for name in now if name in was and was[name] != now[name]]
    return tuple(differ) or ("the project's name or the assistant's changed",)


def _title(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TITLE_CHARACTERS else f"{line[: _TITLE_CHARACTERS - 1].rstrip()}…"
