"""Forgets memories, in every place that has words of them, and proves it (SPEC G6).

What is forgotten: the memory, its features, the text of the messages that said it and of the replies that
repeat it. The plan is shown first; afterwards the bytes of the files are searched for the words.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bob.domain.conversation import ChatMessage, Memory
from bob.errors import NotFoundError
from bob.index.terms import query_terms, words_of
from bob.store import chats, features, memories
from bob.store.database import Database
from bob.store.idempotency import forget_answers

REPEATS_FROM = 0.7
"""A message repeats a memory when it has this share of the words that carry the memory's meaning."""

_FEWEST_WORDS = 3
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class ForgetPlan:
    """What would be forgotten: `said` are the messages that the memories were made of, `repeated` others of
    the user's chats that have the same words, `other_memories` those that were made of the same messages."""

    user_id: str
    memories: tuple[Memory, ...]
    said: tuple[ChatMessage, ...]
    repeated: tuple[ChatMessage, ...]
    other_memories: tuple[Memory, ...]

    @property
    def messages(self) -> tuple[ChatMessage, ...]:
        """All messages whose text goes."""
        return (*self.said, *self.repeated)

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "memories": [each.to_json() for each in self.memories],
            "messages_that_said_it": [each.to_json() for each in self.said],
            "messages_that_repeat_it": [each.to_json() for each in self.repeated],
            "other_memories_of_these_messages": [each.to_json() for each in self.other_memories],
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
    """What was done. `elsewhere` names documents that have the same words: they are the user's files, and not
    Bob's to change, and those words are not searched for. `compacted` says that the database had to be
    written anew."""

    memories: int
    messages: int
    probes: tuple[Probe, ...]
    elsewhere: tuple[str, ...]
    compacted: bool

    @property
    def gone(self) -> bool:
        """Whether no file of Bob's holds the words any more, but for those in the user's documents."""
        return not any(each.found for each in self.probes)

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "memories": self.memories,
            "messages": self.messages,
            "gone": self.gone,
            "also_in_documents": list(self.elsewhere),
            "compacted": self.compacted,
            "probes": [each.to_json() for each in self.probes],
        }


class Forget:
    """Forgets for one organization. `derived` gives the files that are made from the database."""

    def __init__(self, database: Database, org_id: str, derived: Callable[[], Sequence[Path]]) -> None:
        self._database = database
        self._org_id = org_id
        self._derived = derived

    def plan(self, user_id: str, memory_ids: Sequence[int]) -> ForgetPlan:
        """What forgetting these memories takes away. Raises NotFoundError: the user has no such memory."""
        with self._database.read() as connection:
            chosen = []
            for memory_id in dict.fromkeys(memory_ids):
                found = memories.at(connection, self._org_id, user_id, memory_id)
                if found is None:
                    raise NotFoundError(f"there is no memory {memory_id}; bob memories list shows them")
                chosen.append(found)
            ids = [each.memory_id for each in chosen]
            sources = set(memories.sources_of(connection, self._org_id, ids))
            everything = chats.said_by(connection, self._org_id, user_id)
            said = tuple(each for each in everything if each.message_id in sources)
            shared = {
                number
                for each in said
                for number in memories.of_message(connection, self._org_id, each.message_id)
            }
            beside = [memories.at(connection, self._org_id, user_id, n) for n in sorted(shared - set(ids))]
            others = tuple(each for each in beside if each is not None)
        facts = [_words(each.summary) for each in chosen]
        repeated = tuple(
            each for each in everything if each.message_id not in sources and _repeats(each.text, facts)
        )
        return ForgetPlan(user_id, tuple(chosen), said, repeated, others)

    def run(self, plan: ForgetPlan) -> ForgetReport:
        """Carry out a plan, and search the files for what should be gone."""
        gone = [each.memory_id for each in plan.memories]
        blanked = [each.message_id for each in plan.messages]
        with self._database.write() as connection:
            memories.remove(connection, self._org_id, gone)
            features.remove_of_messages(connection, self._org_id, blanked)
            chats.blank(connection, self._org_id, blanked)
            forget_answers(connection, self._org_id, plan.user_id)
        self._database.truncate_log()
        traces = _traces(plan)
        in_documents = {each: paths for each in traces if (paths := self._documents_with(each))}
        words = [each for each in traces if each not in in_documents]
        probes = self._probes(words)
        compacted = any(each.found for each in probes)
        if compacted:
            # Files of before may keep words that were deleted without being overwritten.
            self._database.compact()
            probes = self._probes(words)
        elsewhere = tuple(dict.fromkeys(path for paths in in_documents.values() for path in paths))
        return ForgetReport(len(gone), len(blanked), tuple(probes), elsewhere, compacted)

    def _documents_with(self, words: str) -> list[str]:
        with self._database.search() as connection:
            return [str(row[0]) for row in connection.execute(_DOCUMENTS_WITH, (self._org_id, words))]

    def _probes(self, words: Sequence[str]) -> list[Probe]:
        files = [path for path in (*self._database.files(), *self._derived()) if path.is_file()]
        return [Probe(str(path), path.stat().st_size, _found_in(path, words)) for path in files]


_DOCUMENTS_WITH = """
SELECT DISTINCT d.path FROM chunks c JOIN documents d ON d.org_id = c.org_id AND d.document_id = c.document_id
WHERE c.org_id = ? AND replace(c.text, ?, '') <> c.text ORDER BY d.path
"""


def _traces(plan: ForgetPlan) -> list[str]:
    """The words by which a forgotten text would be recognized: summaries, texts, and their sentences."""
    texts = [each.summary for each in plan.memories] + [each.text for each in plan.messages]
    pieces = [piece.strip() for text in texts for piece in (text, *text.splitlines())]
    return [each for each in dict.fromkeys(pieces) if len(words_of(each)) >= _FEWEST_WORDS]


def _found_in(path: Path, words: Sequence[str]) -> tuple[str, ...]:
    wanted = {form: each for each in words for form in _forms(each)}
    longest = max(map(len, wanted), default=0)
    found: dict[str, None] = {}
    for block in _blocks(path, longest):
        found.update((each, None) for form, each in wanted.items() if form in block)
    return tuple(found)


def _forms(text: str) -> Iterator[bytes]:
    """A text as the database may hold it: as it is, and inside JSON."""
    yield text.encode("utf-8", "replace")
    for plain in (True, False):
        yield json.dumps(text, ensure_ascii=plain)[1:-1].encode("utf-8", "replace")


def _blocks(path: Path, overlap: int) -> Iterator[bytes]:
    """The file in blocks that share `overlap` bytes, so that no text falls between two."""
    with path.open("rb") as file:
        last = b""
        while block := file.read(_BLOCK):
            yield last + block
            last = (last + block)[-overlap:] if overlap else b""


def _words(text: str) -> list[tuple[int, ...]]:
    return query_terms(words_of(text))


def _repeats(text: str, facts: Sequence[list[tuple[int, ...]]]) -> bool:
    has = {each for group in _words(text) for each in group}
    return any(
        sum(not has.isdisjoint(group) for group in fact) >= REPEATS_FROM * len(fact)
        for fact in facts
        if len(fact) >= _FEWEST_WORDS
    )
