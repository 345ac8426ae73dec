"""What forgetting finds, takes away and leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from bob.core.conversation import ChatMessage, Memory

Why = Literal["sentence", "distinctive word", "same words", "similar words", "similar meaning"]
"""How a row was recognized. The first three are sure; the other two may be about something else."""

SURE: tuple[Why, ...] = ("sentence", "distinctive word", "same words")


@dataclass(frozen=True, slots=True)
class Mention:
    """A row, or a line of a log, in which a fact occurs. `key` names it, such as "answers:12"; `columns` hold
    the words; the excerpt has its distinctive words masked. `left_because` says why it stays."""

    key: str
    kind: str
    why: Why
    excerpt: str
    columns: tuple[str, ...] = ()
    left_because: str = ""

    @property
    def table(self) -> str:
        """The table, or log, that has it."""
        return self.key.partition(":")[0]

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        shown: dict[str, Any] = {"key": self.key, "kind": self.kind, "why": self.why, "excerpt": self.excerpt}
        return shown | ({"left_because": self.left_because} if self.left_because else {})


@dataclass(frozen=True, slots=True)
class ForgetPlan:
    """What would be forgotten: `said` are the messages that the memories were made of, `repeated` others of
    the user's chats that repeat them, `other_memories` those that were made of the same messages.

    `mentions` are other rows that go as well, `candidates` those that only go if they are chosen, and `left`
    those that Bob does not change.
    """

    user_id: str
    memories: tuple[Memory, ...]
    said: tuple[ChatMessage, ...]
    repeated: tuple[ChatMessage, ...]
    other_memories: tuple[Memory, ...]
    mentions: tuple[Mention, ...] = ()
    candidates: tuple[Mention, ...] = ()
    left: tuple[Mention, ...] = ()

    @property
    def messages(self) -> tuple[ChatMessage, ...]:
        """All messages whose text goes."""
        return (*self.said, *self.repeated)

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "memories": [memory.to_json() for memory in self.memories],
            "messages_that_said_it": [message.to_json() for message in self.said],
            "messages_that_repeat_it": [message.to_json() for message in self.repeated],
            "other_memories_of_these_messages": [
                other_memory.to_json() for other_memory in self.other_memories
            ],
            "other_rows": [mention.to_json() for mention in self.mentions],
            "candidates": [candidate.to_json() for candidate in self.candidates],
            "left": [mention.to_json() for mention in self.left],
        }


@dataclass(frozen=True, slots=True)
class Probe:
    """A file that was searched for the forgotten words; `found` are those that are still in it."""

    path: str
    size: int
    found: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        return {"path": self.path, "bytes": self.size, "found": list(self.found)}


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """What was done. `rows` counts what went beside memories and messages, by table or log; `searched` counts
    the user's rows that were read afterwards, `probes` the files; `left` says what still has the words, and
    why. `elsewhere` names the user's own documents among that. `compacted` says that the database was written
    anew, `beyond` what Bob cannot reach."""

    memories: int
    messages: int
    rows: dict[str, int]
    searched: dict[str, int]
    probes: tuple[Probe, ...]
    left: tuple[Mention, ...]
    elsewhere: tuple[str, ...]
    compacted: bool
    beyond: tuple[str, ...] = ()

    @property
    def gone(self) -> bool:
        """Whether the words are in nothing more of what Bob keeps of the user, but for documents, work items
        and what was chosen to stay. What other users said counts for nothing and is not told."""
        return not any(probe.found for probe in self.probes)

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "memories": self.memories,
            "messages": self.messages,
            "rows": self.rows,
            "gone": self.gone,
            "searched": self.searched,
            "left": [mention.to_json() for mention in self.left],
            "also_in_documents": list(self.elsewhere),
            "compacted": self.compacted,
            "probes": [probe.to_json() for probe in self.probes],
            "beyond": list(self.beyond),
        }
