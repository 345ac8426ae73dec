"""Tells a coding agent what is known of its project, in as many tokens as it asks for: at its start, and
again when its own conversation was shortened.

The same database and question give the same text. Each line is of the user and the project alone; other
projects stand in seed 000's section for them, and only when Smart Context is on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bob.conversations import memory_rows
from bob.conversations.compile_context import CompileContext
from bob.conversations.context import Fitting, Piece, fitting
from bob.conversations.recall_memories import RecallMemories
from bob.conversations.system_prompt import inspiration_section
from bob.core.conversation import Memory, Scope
from bob.documents.project_text import outline_of
from bob.llm.containment import HOSTILE, one_line
from bob.storage.database import Database
from bob.text.tokens import prompt_tokens

_ASKED_SHARE, _DOCUMENTS_SHARE, _OTHERS_SHARE = 0.4, 0.25, 0.2
"""The most that an answer to the question, the list of documents and other projects take of the room; the
memories have what is left."""

_MOST_ASKED = 8
"""So many memories are given for a question."""

_HEAD = f"""\
# What Bob remembers of {{project}}

Where a memory and a file differ, the file counts. `bob memories show N` tells where a memory comes from, and
`bob remember "..."{{option}}` keeps what should be known next time.

What follows was kept of files and conversations, and {HOSTILE}."""

_MORE = "({count:,} more lines did not fit: `bob memories list{option}`, `bob search`.)"


@dataclass(frozen=True, slots=True)
class Brief:
    """Markdown for an agent. `memory_ids` are the memories in it, `left_out` how many lines did not fit."""

    project: str
    text: str
    tokens: int
    memory_ids: tuple[int, ...]
    left_out: int

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "project": self.project,
            "text": self.text,
            "tokens": self.tokens,
            "memory_ids": list(self.memory_ids),
            "left_out": self.left_out,
        }


@dataclass(slots=True)
class _Page:
    """Sections of a text that may still have `room` tokens."""

    room: int
    parts: dict[str, str]
    memory_ids: list[int]
    left_out: int = 0

    def add(self, name: str, heading: str, fitting_pieces: Fitting) -> None:
        """Add a section of lines, if there are any."""
        if fitting_pieces.kept:
            self.put(
                name, "\n".join((heading, "", *(piece.text for piece in fitting_pieces.kept))), fitting_pieces
            )
        self.left_out += len(fitting_pieces.left_out)

    def put(self, name: str, text: str, fitting_pieces: Fitting) -> None:
        """Add a section that is written."""
        self.parts[name] = text
        self.room -= _cost(text)
        self.memory_ids += [piece.memory_id for piece in fitting_pieces.kept if piece.memory_id is not None]


class AgentContext:
    """Writes briefs for one organization's users."""

    def __init__(
        self, database: Database, context: CompileContext, recall: RecallMemories, similarity: float
    ) -> None:
        """For a question, memories at least as near as `similarity` come first."""
        self._database = database
        self._context = context
        self._recall = recall
        self._similarity = similarity

    def write_briefing(self, scope: Scope, question: str, tokens: int, *, smart: bool) -> Brief:
        """A brief of at most so many `tokens`, at least 200, on the project of the scope and what is about
        to be done, if that is told."""
        project = one_line(scope.project)
        option = f" --project {project}" if project else ""
        head = _HEAD.format(project=f"the project {project}" if project else "you", option=option)
        page = _Page(tokens - _cost(head) - _cost(_MORE.format(count=9_999_999, option=option)), {}, [])
        room = page.room
        with self._database.read() as transaction:
            every = memory_rows.of_user(transaction, scope.user_id)
        own = [memory for memory in every if memory.scope.project == scope.project]
        near = self._near(scope, question)
        if question:
            self._answer(page, scope, question, near, int(room * _ASKED_SHARE))
        if smart:
            self._others(page, scope, question, every, int(room * _OTHERS_SHARE))
        self._documents(page, scope, int(room * _DOCUMENTS_SHARE))
        near_ids = {memory.memory_id for memory in near}
        rest = sorted((memory for memory in own if memory.memory_id not in near_ids), key=_weight)
        decisions = [memory for memory in rest if memory.message_type == "decision"]
        others = [memory for memory in rest if memory.message_type != "decision"]
        # Half for each, and what the first do not need goes to the second.
        page.add("decisions", "## Decisions", _fitted(decisions, page.room // 2 if others else page.room))
        page.add("memories", "## Memories", _fitted(others, page.room))
        if not page.parts:
            page.parts["nothing"] = "Nothing is known yet."
        order = ("decisions", "memories", "documents", "asked", "recalled", "others", "nothing")
        parts = [head, *(page.parts[part] for part in order if part in page.parts)]
        if page.left_out:
            parts.append(_MORE.format(count=page.left_out, option=option))
        text = "\n\n".join(parts)
        return Brief(scope.project, text, prompt_tokens(text), tuple(page.memory_ids), page.left_out)

    def _near(self, scope: Scope, question: str) -> list[Memory]:
        """The memories of the project that fit the question."""
        if not question:
            return []
        recalled = self._recall.search(scope, question, _MOST_ASKED, everywhere=False)
        return [match.memory for match in recalled if match.nearness >= self._similarity]

    def _answer(self, page: _Page, scope: Scope, question: str, near: Sequence[Memory], tokens: int) -> None:
        line = one_line(question)
        heading = f"## Memories about: {line}"
        page.add("recalled", heading, _fitted(near, tokens // 2 - _cost(heading)))
        if scope.project:
            heading = f"## Passages about: {line}"
            fitting_passages = self._context.passages(scope, question, tokens // 2 - _cost(heading))
            page.add(
                "asked", heading, Fitting(_spaced(fitting_passages.kept, tokens // 2 - _cost(heading)), ())
            )

    def _others(self, page: _Page, scope: Scope, question: str, every: Sequence[Memory], tokens: int) -> None:
        foreign = [memory for memory in every if memory.scope.project != scope.project and memory.pinned]
        if question:
            recalled = self._recall.for_prompt(scope, None, question)
            foreign = [memory for memory in recalled if memory.scope.project != scope.project]
        inspired = self._context.inspiration(scope, question, foreign, tokens)
        spaced = _spaced(inspired.kept, tokens - _cost(inspiration_section(())))
        if spaced:
            page.put("others", inspiration_section(spaced), Fitting(spaced, ()))

    def _documents(self, page: _Page, scope: Scope, tokens: int) -> None:
        if not scope.project:
            return
        with self._database.read() as transaction:
            outline = outline_of(transaction, scope.project)
        lines = []
        for name, title, size in outline:
            titled = f": {one_line(title)}" if title else ""
            lines.append(_line(f"- {one_line(name)}{titled} ({size:,} tokens)", scope.project))
        heading = f"## Documents ({len(outline):,})"
        page.add("documents", heading, fitting(lines, tokens - _cost(heading), "the list"))


def _weight(memory: Memory) -> tuple[bool, int, float, int]:
    """Pinned first, then the more important, then the newer."""
    return not memory.pinned, -memory.importance, -memory.valid_from.timestamp(), -memory.memory_id


def _fitted(chosen: Sequence[Memory], tokens: int) -> Fitting:
    heading = _cost("## Memories")
    return fitting([_memory(memory) for memory in chosen], tokens - heading, "the brief")


def _memory(memory: Memory) -> Piece:
    mark = ", pinned" if memory.pinned else ""
    when = memory.valid_from.date().isoformat()
    text = f"- {when} (memory {memory.memory_id}{mark}) {one_line(memory.summary)}"
    return _line(text, memory.scope.project, memory.memory_id)


def _line(text: str, project: str, memory_id: int | None = None) -> Piece:
    return Piece(text, project, text, _cost(text), memory_id)


def _spaced(pieces: Sequence[Piece], tokens: int) -> tuple[Piece, ...]:
    """Those that fit with the line break after each."""
    spaced = [
        Piece(piece.source, piece.project, piece.text, _cost(piece.text), piece.memory_id) for piece in pieces
    ]
    return fitting(spaced, tokens, "the brief").kept


def _cost(text: str) -> int:
    """Tokens of a text with the blank line after it."""
    return prompt_tokens(f"{text}\n\n")
