"""Keeps memories in the order in which things were said, whatever the order in which they are judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bob.conversations import memory_rows, statement_rows
from bob.conversations.compare_statements import Same, Supersedes, reconcile_texts, relation
from bob.conversations.statement_rows import Entry, Statement
from bob.core.conversation import Scope
from bob.search.message_features import FeatureBuilder, MessageFeatures
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
        conflicts = reconcile_texts(
            statement.summary, vectors[row], texts, vectors[[row for _, row in current]]
        )
        if isinstance(conflicts, Same):
            current[conflicts.memory_id][0].statements.append(statement)
            continue
        entry = Entry([statement])
        if isinstance(conflicts, Supersedes):
            for position in conflicts.memory_ids:
                current[position][0].ended_by = entry
            current = [row for index, row in enumerate(current) if index not in conflicts.memory_ids]
        entries.append(entry)
        current.append((entry, row))
    return entries


def related(
    statements: Sequence[Statement], vectors: npt.NDArray[np.float32], seeds: Iterable[int]
) -> list[int]:
    """The rows of statements that can have a say in what becomes of the seeds: what says the same as one of
    them or speaks against it, and so on. All statements of a memory go together."""
    reached = set(seeds)
    waiting = list(reached)
    while waiting:
        row = waiting.pop()
        cosines = vectors @ vectors[row]
        for other in range(len(statements)):
            if other not in reached and _touch(statements[row], statements[other], float(cosines[other])):
                reached.add(other)
                waiting.append(other)
    return sorted(reached)


def _touch(one: Statement, other: Statement, cosine: float) -> bool:
    if one.memory_id is not None and one.memory_id == other.memory_id:
        return True
    earlier, later = sorted((one, other), key=lambda statement: statement.order)
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
        made = self._builder.build([statement.summary for statement in missing])
        with database.write() as transaction:
            for memory, one in zip(missing, made, strict=True):
                memory_rows.keep_features(transaction, model, memory.memory_id, one.pack())

    def missing(self, transaction: Transaction, scope: Scope, late: Statement, made: Made) -> list[str]:
        """Words whose features `insert` can use beside those of `made`: building them takes a model, which is
        not run in a write transaction."""
        statements = [*statement_rows.of_scope(transaction, scope), late]
        vectors = self._vectors(transaction, statements, made)
        stored = {statement.memory_id: statement.summary for statement in reversed(statements)}
        near = [statements[row] for row in related(statements, vectors, [len(statements) - 1])]
        words = [statement.summary for statement in near if stored[statement.memory_id] != statement.summary]
        return [summary for summary in dict.fromkeys(words) if summary not in made]

    def insert(self, transaction: Transaction, scope: Scope, late: Statement, made: Made) -> Inserted:
        """Keep a statement that was said before others, where it belongs."""
        statements = [*statement_rows.of_scope(transaction, scope), late]
        vectors = self._vectors(transaction, statements, made)
        rows = related(statements, vectors, [len(statements) - 1])
        entries, numbers = self._settled(transaction, scope, statements, vectors, rows, made)
        position = next(index for index, entry in enumerate(entries) if late in entry.statements)
        mine = entries[position]
        ended = sum(entry.ended_by is mine for entry in entries)
        return Inserted(numbers[position], len(mine.statements) > 1, ended)

    def remove(self, transaction: Transaction, scope: Scope, memory_ids: Sequence[int]) -> None:
        """Put what is related to these memories in order as if they had never been told; they themselves are
        only left without a successor, for the caller to delete."""
        statements = statement_rows.of_scope(transaction, scope)
        vectors = self._vectors(transaction, statements, {})
        gone = [row for row, statement in enumerate(statements) if statement.memory_id in memory_ids]
        rows = [row for row in related(statements, vectors, gone) if row not in gone]
        self._settled(transaction, scope, statements, vectors, rows, {})

    def _settled(
        self,
        transaction: Transaction,
        scope: Scope,
        statements: Sequence[Statement],
        vectors: npt.NDArray[np.float32],
        rows: Sequence[int],
        made: Made,
    ) -> tuple[list[Entry], dict[int, int]]:
        chosen = [statements[row] for row in rows]
        entries = arrange(chosen, vectors[list(rows)])
        homes = sorted({statement.memory_id for statement in chosen if statement.memory_id is not None})
        model = self._builder.model_id
        before = memory_rows.features_of(transaction, model, homes)
        firsts = {
            statement.memory_id: statement.summary
            for statement in reversed(chosen)
            if statement.memory_id in before
        }
        packed = {summary: before[number] for number, summary in firsts.items() if number is not None}
        packed |= {summary: features.pack() for summary, features in made.items()}
        numbers = statement_rows.settle(transaction, scope, entries, homes)
        has = memory_rows.features_of(transaction, model, list(numbers.values()))
        for position, entry in enumerate(entries):
            if numbers[position] not in has and entry.first.summary in packed:
                content = packed[entry.first.summary]
                memory_rows.keep_features(transaction, model, numbers[position], content)
        return entries, numbers

    def _vectors(
        self, transaction: Transaction, statements: Sequence[Statement], made: Made
    ) -> npt.NDArray[np.float32]:
        """One row a statement: of its own words, or else of its memory's; of zeros where neither is known."""
        ids = sorted({statement.memory_id for statement in statements if statement.memory_id is not None})
        stored = memory_rows.features_of(transaction, self._builder.model_id, ids)
        by_memory = {
            memory_id: MessageFeatures.unpack(content).vector for memory_id, content in stored.items()
        }
        rows = []
        for statement in statements:
            own = made.get(statement.summary)
            rows.append(own.vector if own is not None else by_memory.get(statement.memory_id or 0))
        dimension = next((len(row) for row in rows if row is not None), 1)
        vectors = np.zeros((len(statements), dimension), np.float32)
        for index, row in enumerate(rows):
            if row is not None:
                vectors[index] = row
        return vectors
