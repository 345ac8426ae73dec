"""Keeps memories in the order in which things were said, whatever the order in which they are judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bob.conversations import feature_rows, memory_rows, statement_rows
from bob.conversations.recall_memories import FeatureBuilder
from bob.conversations.reconcile import Same, Supersedes, reconcile_texts, relation
from bob.conversations.timeline_values import Entry, Statement
from bob.core.conversation import Scope
from bob.search.message_features import MessageFeatures
from bob.storage.database import Database, Transaction

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def arrange(statements: Sequence[Statement], vectors: npt.NDArray[np.float32]) -> list[Entry]:
    """The memories that statements make, in the order of time; `vectors` has a row a statement."""
    entries: list[Entry] = []
    current: list[tuple[Entry, int]] = []
    for row in sorted(range(len(statements)), key=lambda row: statements[row].order):
        statement = statements[row]
        texts = [entry.first.summary for entry, _ in current]
        found = reconcile_texts(statement.summary, vectors[row], texts, vectors[[at for _, at in current]])
        if isinstance(found, Same):
            current[found.memory_id][0].statements.append(statement)
            continue
        entry = Entry([statement])
        if isinstance(found, Supersedes):
            for position in found.memory_ids:
                current[position][0].ended_by = entry
            current = [each for at, each in enumerate(current) if at not in found.memory_ids]
        entries.append(entry)
        current.append((entry, row))
    return entries


def related(
    statements: Sequence[Statement], vectors: npt.NDArray[np.float32], seeds: Iterable[int]
) -> list[int]:
    """The rows of statements that can have a say in what becomes of the seeds: what says the same as one of
    them or speaks against it, and so on. All statements of a memory go together."""
    found = set(seeds)
    waiting = list(found)
    while waiting:
        row = waiting.pop()
        cosines = vectors @ vectors[row]
        for other in range(len(statements)):
            if other not in found and _touch(statements[row], statements[other], float(cosines[other])):
                found.add(other)
                waiting.append(other)
    return sorted(found)


def _touch(one: Statement, other: Statement, cosine: float) -> bool:
    if one.memory_id is not None and one.memory_id == other.memory_id:
        return True
    earlier, later = sorted((one, other), key=lambda each: each.order)
    return relation(later.summary, earlier.summary, cosine) != "apart"


Made = Mapping[str, MessageFeatures]
"""Features by the words that they were made of."""


@dataclass(frozen=True, slots=True)
class Inserted:
    """What became of a statement: the memory that has it, whether that was `said_again`, and how many others
    it `ended`."""

    memory_id: int
    said_again: bool
    ended: int


class Timeline:
    """Puts the memories of one organization's scopes in order again when something was said between others,
    or is forgotten. What has nothing to do with it stays as it is."""

    def __init__(self, org_id: str, builder: FeatureBuilder) -> None:
        self._org_id = org_id
        self._builder = builder

    @property
    def model_id(self) -> str:
        """The model that makes the features by which statements are compared."""
        return self._builder.model_id

    def fill(self, database: Database, scope: Scope, *, current: bool = True) -> None:
        """Make the features of memories that have none, as after an edit or an import; also of those that no
        longer hold unless `current`."""
        model = self._builder.model_id
        with database.read() as transaction:
            missing = memory_rows.without_features(transaction, scope, model, current=current)
        if not missing:
            return
        made = self._builder.build([each.summary for each in missing])
        with database.write() as transaction:
            for memory, one in zip(missing, made, strict=True):
                feature_rows.keep_for_memory(transaction, model, memory.memory_id, one.pack())

    def missing(self, transaction: Transaction, scope: Scope, late: Statement, made: Made) -> list[str]:
        """Words whose features `insert` can use beside those of `made`: building them takes a model, which is
        not run in a write transaction."""
        known = [*statement_rows.of_scope(transaction, scope), late]
        vectors = self._vectors(transaction, known, made)
        stored = {each.memory_id: each.summary for each in reversed(known)}
        near = [known[row] for row in related(known, vectors, [len(known) - 1])]
        words = [each.summary for each in near if stored[each.memory_id] != each.summary]
        return [fromkey for fromkey in dict.fromkeys(words) if fromkey not in made]

    def insert(self, transaction: Transaction, scope: Scope, late: Statement, made: Made) -> Inserted:
        """Keep a statement that was said before others, where it belongs."""
        known = [*statement_rows.of_scope(transaction, scope), late]
        vectors = self._vectors(transaction, known, made)
        rows = related(known, vectors, [len(known) - 1])
        entries, numbers = self._settled(transaction, scope, known, vectors, rows, made)
        place = next(at for at, entry in enumerate(entries) if late in entry.statements)
        mine = entries[place]
        ended = sum(entry.ended_by is mine for entry in entries)
        return Inserted(numbers[place], len(mine.statements) > 1, ended)

    def remove(self, transaction: Transaction, scope: Scope, memory_ids: Sequence[int]) -> None:
        """Put what is related to these memories in order as if they had never been told; they themselves are
        only left without a successor, for the caller to delete."""
        known = statement_rows.of_scope(transaction, scope)
        vectors = self._vectors(transaction, known, {})
        gone = [row for row, each in enumerate(known) if each.memory_id in memory_ids]
        rows = [row for row in related(known, vectors, gone) if row not in gone]
        self._settled(transaction, scope, known, vectors, rows, {})

    def _settled(
        self,
        transaction: Transaction,
        scope: Scope,
        known: Sequence[Statement],
        vectors: npt.NDArray[np.float32],
        rows: Sequence[int],
        made: Made,
    ) -> tuple[list[Entry], dict[int, int]]:
        chosen = [known[row] for row in rows]
        entries = arrange(chosen, vectors[list(rows)])
        homes = sorted({each.memory_id for each in chosen if each.memory_id is not None})
        model = self._builder.model_id
        before = feature_rows.of_memories(transaction, model, homes)
        firsts = {each.memory_id: each.summary for each in reversed(chosen) if each.memory_id in before}
        packed = {summary: before[number] for number, summary in firsts.items() if number is not None}
        packed |= {summary: each.pack() for summary, each in made.items()}
        numbers = statement_rows.settle(transaction, scope, entries, homes)
        has = feature_rows.of_memories(transaction, model, list(numbers.values()))
        for place, entry in enumerate(entries):
            if numbers[place] not in has and entry.first.summary in packed:
                content = packed[entry.first.summary]
                feature_rows.keep_for_memory(transaction, model, numbers[place], content)
        return entries, numbers

    def _vectors(
        self, transaction: Transaction, known: Sequence[Statement], made: Made
    ) -> npt.NDArray[np.float32]:
        """One row a statement: of its own words, or else of its memory's; of zeros where neither is known."""
        ids = sorted({each.memory_id for each in known if each.memory_id is not None})
        stored = feature_rows.of_memories(transaction, self._builder.model_id, ids)
        by_memory = {each: MessageFeatures.unpack(content).vector for each, content in stored.items()}
        rows = []
        for each in known:
            own = made.get(each.summary)
            rows.append(own.vector if own is not None else by_memory.get(each.memory_id or 0))
        dimension = next((len(row) for row in rows if row is not None), 1)
        found = np.zeros((len(known), dimension), np.float32)
        for at, row in enumerate(rows):
            if row is not None:
                found[at] = row
        return found
