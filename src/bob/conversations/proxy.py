"""A turn of a chat whose client sends all of it: keep what is new, add the context, ask, keep the reply.

What is added is not kept: it is no word of the user's, and is never remembered as one (ADR 17).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bob.answers.answer import Answer
from bob.answers.ask import Ask
from bob.conversations import receipt_rows, rows
from bob.conversations.chat import quoted
from bob.conversations.compile_context import CompileContext
from bob.conversations.context import Compiled, digest
from bob.conversations.system_prompt import added_section
from bob.conversations.transcript import resent
from bob.core.conversation import Chat, Scope, title_of
from bob.core.errors import LanguageModelError
from bob.core.locator import CitedPlace
from bob.core.place import place_in
from bob.core.prompt import Finished, Message, Piece, Prompt, TextPiece, Usage
from bob.core.protocols import LanguageModel
from bob.documents.project_text import names_below
from bob.llm.forward import Forward
from bob.llm.openai import completed, others, said, text_of
from bob.llm.text_only import check_text_only, text_prompt
from bob.storage.database import Database

_NO_MODEL = "Bob without a language model"

Relayed = dict[str, Any]
"""What an OpenAI-compatible server sent: a completion, or one chunk of it."""


@dataclass(frozen=True, slots=True)
class Proxied:
    """A reply on its way, in the chat that it is kept in. Each event is what the server sent, or a piece of
    text; nothing is asked before the first event is wanted."""

    chat: Chat
    events: Iterator[Relayed | Piece]


@dataclass(frozen=True, slots=True)
class _Turn:
    chat: Chat
    compiled: Compiled
    question: str


class ProxyTurn:
    """Answers requests in OpenAI's form: `forward` hands them on whole, `model` is asked in text, and without
    either the project's sources are quoted."""

    def __init__(
        self,
        database: Database,
        context: CompileContext,
        forward: Forward | None,
        model: LanguageModel | None,
        ask: Callable[[], Ask],
        *,
        max_tokens: int,
        temperature: float | None,
        clock: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._context = context
        self._forward = forward
        self._model = model
        self._ask = ask
        self._max_tokens = max_tokens
        self._temperature = temperature
        self._clock = clock

    def forward_request(
        self, scope: Scope, name: str | None, request: Mapping[str, Any], *, smart: bool
    ) -> Proxied:
        """The reply to a request with `messages`. Its new messages are kept before anything else happens, in
        the chat of that name, or without a name in the one that began with the same words.

        Raises RequestError: the upstream takes text only and the request asks for more. The events raise
        LanguageModelError and MissingExtraError.
        """
        messages: Sequence[Mapping[str, Any]] = request["messages"]
        if self._forward is None:
            check_text_only(request, self._model.name if self._model else _NO_MODEL)
        words = said(messages)
        chat = self._heard(scope, name or _name_of(messages, words), words)
        compiled = self._context.for_proxy(scope, words, others(request), chat_id=chat.chat_id, smart=smart)
        question = next((word.text for word in reversed(words) if word.role == "user"), "")
        return Proxied(chat, self._events(_Turn(chat, compiled, question), request))

    def _heard(self, scope: Scope, name: str, words: Sequence[Message]) -> Chat:
        """The chat, with those messages that it did not have yet."""
        with self._database.write() as transaction:
            chat = rows.named(transaction, scope, name)
            if chat is None:
                title = title_of(words[0].text) if words else ""
                chat = rows.start(transaction, scope, name, title, self._clock())
            messages = rows.messages_of(transaction, chat.chat_id)
            for word in words[resent(messages, words, just_said=1) :]:
                rows.add(transaction, chat.chat_id, word.role, word.text, self._clock())
        return chat

    def _events(self, turn: _Turn, request: Mapping[str, Any]) -> Iterator[Relayed | Piece]:
        system = "\n\n".join(segment.text for segment in turn.compiled.segments if segment.cached)
        rest = [segment.text for segment in turn.compiled.segments if not segment.cached]
        messages = completed(request["messages"], system, added_section(rest) if rest else "")
        if self._forward is not None:
            return self._relayed(turn, self._forward.forward_request({**request, "messages": messages}))
        if self._model is not None:
            prompt = text_prompt(request, messages, self._max_tokens, self._temperature)
            return self._written(turn, self._model, prompt)
        return self._quoted(turn)

    def _relayed(self, turn: _Turn, answers: Iterator[Relayed]) -> Iterator[Relayed]:
        text = ""
        for answer in answers:
            first: dict[str, Any] = next(
                (one for one in answer.get("choices") or () if not one.get("index")), {}
            )
            text += text_of(first.get("delta") or first.get("message") or {})
            if first.get("finish_reason"):
                # Before the client sees the end: its next request finds the reply in its place.
                self._keep(turn, text)
                text = ""
            yield answer

    def _written(self, turn: _Turn, model: LanguageModel, prompt: Prompt) -> Iterator[Piece]:
        text = ""
        for piece in model.stream(prompt):
            if isinstance(piece, Finished):
                self._keep(turn, text)
                yield piece
                return
            text += piece.text
            yield piece
        raise LanguageModelError(f"{model.name} ended its reply without a finish reason")

    def _quoted(self, turn: _Turn) -> Iterator[Piece]:
        today = self._clock().date()
        answer = quoted(self._ask(), turn.chat.scope, turn.question, turn.compiled, today)
        text = "\n".join([answer.text, *self._sources(turn.chat.scope.org_id, answer)])
        self._keep(turn, text, [source.place for source in answer.sources])
        yield TextPiece(text)
        yield Finished("complete", Usage(0, 0))

    def _sources(self, org_id: str, answer: Answer) -> Iterator[str]:
        projects = {source.chunk.project for source in answer.sources}
        with self._database.read() as transaction:
            named = {project: names_below(transaction, project) for project in projects}
        if answer.sources:
            yield "\nSources:\n"
        for source in answer.sources:
            name = named[source.chunk.project](source.chunk.path)
            yield f"[{source.n}] {place_in(name, source.locator)}"

    def _keep(self, turn: _Turn, text: str, cited: Sequence[CitedPlace] = ()) -> None:
        """Keep the reply with the receipt of its prompt; a reply of tool calls alone has no words to keep."""
        if not text.strip():
            return
        chat_id = turn.chat.chat_id
        with self._database.write() as transaction:
            message = rows.add(transaction, chat_id, "assistant", text, self._clock())
            receipt, memory_ids = turn.compiled.receipt(), turn.compiled.memory_ids
            receipt_rows.save(transaction, chat_id, message.message_id, receipt, memory_ids, cited)


def _name_of(messages: Sequence[Mapping[str, Any]], words: Sequence[Message]) -> str:
    """A name for a conversation that stays the same as it grows: from the user's first words."""
    first = next((word.text for word in words if word.role == "user"), None)
    if first is None:
        first = text_of(messages[0]) if messages else ""
    return f"openai-{digest(first)[:16]}"
