"""Compiles the prompt of a chat: the double loop of seed 000 with the tiers of seed 004 (SPEC H, G4).

The project's documents come first and stay byte for byte as they are from turn to turn, so that providers
keep them; what is recalled for a question comes after the breakpoint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bob.conversations import system_prompt
from bob.conversations.context import (
    Compiled,
    ContextSegment,
    Fitting,
    LeftOut,
    Piece,
    SegmentName,
    Turn,
    fitting,
)
from bob.core.conversation import ChatMessage, Memory, Scope
from bob.core.place import place_in
from bob.core.prompt import Message
from bob.core.search import Filters, Hit, Query
from bob.documents.project_text import documents_of, names_below
from bob.llm.containment import neutralized
from bob.search.service import Search
from bob.storage.database import Database
from bob.text.tokens import prompt_tokens

_HITS = 40
"""So many passages are asked for where a project does not fit whole; the budget decides how many stay."""

_ROOM = "context.inspiration_tokens"

_MARGIN_TOKENS = 1_000
"""For the words between the pieces, and for what an estimate of tokens may miss."""

RecallMemories = Callable[[Scope, int | None, str], Sequence[Memory]]
"""The memories that fit a question best, from a user's last chats but the one with this number."""


@dataclass(frozen=True, slots=True)
class ContextOptions:
    """How prompts are made; see `bob.app.settings.ContextSettings`. `window` is how many tokens the model
    reads and writes in all, None where there is no model; `reply_tokens` of them are kept for the answer."""

    assistant: str
    locale: system_prompt.Locale
    project_tokens: int
    inspiration_tokens: int
    similarity: float
    recent_messages: int
    earlier_importance: int
    window: int | None
    reply_tokens: int


class CompileContext:
    """Compiles prompts for one organization's chats."""

    def __init__(
        self,
        database: Database,
        search: Callable[[], Search],
        recall: RecallMemories,
        options: ContextOptions,
    ) -> None:
        self._database = database
        self._search = search
        self._recall = recall
        self._options = options

    def compile_prompt(
        self,
        scope: Scope,
        question: str,
        *,
        history: Sequence[ChatMessage] = (),
        chat_id: int | None = None,
        smart: bool,
    ) -> Compiled:
        """The prompt for a question in a chat whose messages so far are `history`.

        With `smart` (SPEC G5) other chats and other projects are looked at, of the same organization and
        user; without, nothing but the project and this chat stands in the prompt.
        """
        recent, earlier = self._tiers(history)
        words = [(message.role, neutralized(message.text)) for message in recent]
        words.append(("user", neutralized(question)))
        turns = [Turn(role, text, prompt_tokens(text)) for role, text in words]
        inspiration, memories = self._global(scope, question, chat_id) if smart else (Fitting((), ()), [])
        after = [
            _segment("inspiration", system_prompt.inspiration_section(inspiration.kept), inspiration.kept)
        ]
        after += memories
        if earlier:
            text = system_prompt.earlier_section(earlier, self._options.locale)
            after.append(_segment("earlier", text, earlier))
        used = _sum(after) + _sum(turns)
        first, left_out = self._first(scope, question, used)
        pinned = first.cached
        left_out = (*left_out, *inspiration.left_out)
        return Compiled(scope.project, (first, *after), tuple(turns), pinned, smart, left_out)

    def for_proxy(
        self,
        scope: Scope,
        messages: Sequence[Message],
        others: str,
        *,
        chat_id: int | None = None,
        smart: bool,
    ) -> Compiled:
        """What is added to a request whose client sends the whole conversation (ADR 17).

        Segments with `cached` belong after the client's own system prompt, all others to its last message of
        the user; where nothing would stand in one, it is left out. `others` is the text of what else the
        request holds (system prompt, tools and their results); it only takes room.
        """
        turns = tuple(Turn(message.role, message.text, prompt_tokens(message.text)) for message in messages)
        question = next((message.text for message in reversed(messages) if message.role == "user"), "")
        is_wanted = smart and question
        inspiration, after = self._global(scope, question, chat_id) if is_wanted else (Fitting((), ()), [])
        if inspiration.kept:
            text = system_prompt.inspiration_section(inspiration.kept)
            after.insert(0, _segment("inspiration", text, inspiration.kept))
        left_out = inspiration.left_out
        pinned = True
        if scope.project:
            first, more = self._first(scope, question, _sum(after) + _sum(turns) + prompt_tokens(others))
            after.insert(0, first)
            pinned, left_out = first.cached, (*more, *left_out)
        return Compiled(scope.project, tuple(after), turns, pinned, smart, left_out)

    def _global(
        self, scope: Scope, question: str, chat_id: int | None
    ) -> tuple[Fitting, list[ContextSegment]]:
        """What inspires, and the segment of memories of this project, if there are any."""
        memories = self._recall(scope, chat_id, question)
        own = [self._own(memory) for memory in memories if memory.scope.project == scope.project]
        foreign = [memory for memory in memories if memory.scope.project != scope.project]
        inspiration = self.inspiration(scope, question, foreign, self._options.inspiration_tokens)
        if not own:
            return inspiration, []
        return inspiration, [
            _segment("memories", system_prompt.memories_section(own, self._options.locale), own)
        ]

    def _first(self, scope: Scope, question: str, used: int) -> tuple[ContextSegment, tuple[LeftOut, ...]]:
        """The segment of the project, beside `used` tokens of others, and what did not go into it."""
        pinned, project = self._project(scope, question, used)
        text = system_prompt.project_section(self._options.assistant, scope.project, project.kept)
        segment = ContextSegment("project", text, prompt_tokens(text), cached=pinned, pieces=project.kept)
        return segment, project.left_out

    def _tiers(self, history: Sequence[ChatMessage]) -> tuple[Sequence[ChatMessage], list[Piece]]:
        """The last messages raw, and those before them that matter as summaries (seed 004, tiers 1 and 2)."""
        start = max(0, len(history) - self._options.recent_messages)
        while 0 < start < len(history) and history[start].role != "user":
            start -= 1  # Providers want a conversation to begin with the user.
        recent = history[start:]
        while recent and recent[0].role != "user":
            recent = recent[1:]
        pieces = [
            _piece(
                f"message {message.message_id}",
                "",
                system_prompt.memory_line(assessment.importance, assessment.summary, self._options.locale),
            )
            for message in history[:start]
            if (assessment := message.assessment) and assessment.importance > self._options.earlier_importance
        ]
        return recent, pieces

    def _own(self, memory: Memory) -> Piece:
        line = system_prompt.memory_line(memory.importance, memory.summary, self._options.locale)
        source = f"memory {memory.memory_id}"
        return Piece(source, memory.scope.project, line, prompt_tokens(line), memory.memory_id)

    def inspiration(self, scope: Scope, question: str, foreign: Sequence[Memory], tokens: int) -> Fitting:
        """Memories and passages of other projects, in the order in which they fit the question; only memories
        if there is none."""
        pieces = []
        for memory in foreign:
            text = system_prompt.foreign_memory(memory, self._options.locale)
            source = f"memory {memory.memory_id}"
            pieces.append(Piece(source, memory.scope.project, text, prompt_tokens(text), memory.memory_id))
        if not question:
            return fitting(pieces, tokens, _ROOM)
        others = Filters(other_than=(scope.project,)) if scope.project else Filters()
        hits = self._search().search_chunks(Query(question, filters=others), _HITS, evidence_only=True)
        near = [
            hit
            for hit in hits.hits
            if hit.explain.cosine is not None and hit.explain.cosine >= self._options.similarity
        ]
        pieces += self._passages(scope.org_id, near)
        return fitting(pieces, tokens, _ROOM)

    def passages(self, scope: Scope, question: str, tokens: int) -> Fitting:
        """The passages of the project that fit a question best."""
        hits = self._search().search_chunks(
            Query(question, filters=Filters(projects=(scope.project,))), _HITS, evidence_only=True
        )
        return fitting(self._passages(scope.org_id, hits.hits), tokens, "the project's budget")

    def _project(self, scope: Scope, question: str, used: int) -> tuple[bool, Fitting]:
        """The project's documents whole, or where they do not fit the passages that fit the question best."""
        if not scope.project:
            return True, Fitting((), ())
        budget = self._project_budget(used)
        pieces = self._documents(scope)
        if sum(piece.tokens for piece in pieces) <= budget:
            return True, Fitting(tuple(pieces), ())
        whole = sum(piece.tokens for piece in pieces)
        why = f"the project's {len(pieces)} documents have {whole} tokens; its best passages are used instead"
        passages = self.passages(scope, question, budget)
        note = LeftOut("project", whole, f"{why} ({budget} tokens are allowed)")
        return False, Fitting(passages.kept, (note, *passages.left_out))

    def _project_budget(self, used: int) -> int:
        options = self._options
        if options.window is None:
            return options.project_tokens
        # At least a quarter is for what changes: the project must not go from whole to passages, and lose
        # its place in the cache, because one message was long.
        room = options.window - options.reply_tokens - max(used, options.window // 4) - _MARGIN_TOKENS
        return max(0, min(options.project_tokens, room))

    def _documents(self, scope: Scope) -> list[Piece]:
        with self._database.read() as transaction:
            documents = documents_of(transaction, scope.project)
        return [
            _piece(
                document.name,
                scope.project,
                system_prompt.document(document.name, document.title, document.source_date, document.text),
            )
            for document in documents
        ]

    def _passages(self, org_id: str, hits: Sequence[Hit]) -> list[Piece]:
        projects = {hit.chunk.project for hit in hits}
        with self._database.read() as transaction:
            named = {project: names_below(transaction, project) for project in projects}
        pieces = []
        for hit in hits:
            chunk = hit.chunk
            source = place_in(named[chunk.project](chunk.path), chunk.locator)
            pieces.append(
                _piece(source, chunk.project, system_prompt.snippet(chunk.project, source, chunk.text))
            )
        return pieces


def _segment(name: SegmentName, text: str, pieces: Sequence[Piece]) -> ContextSegment:
    return ContextSegment(name, text, prompt_tokens(text), pieces=tuple(pieces))


def _sum(parts: Iterable[ContextSegment | Turn]) -> int:
    return sum(part.tokens for part in parts)


def _piece(source: str, project: str, text: str) -> Piece:
    return Piece(source, project, text, prompt_tokens(text))
