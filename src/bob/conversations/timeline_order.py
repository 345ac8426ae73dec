"""Puts what was said in its order of time: who said it again, and what ended what.

The outcome is that of reading the statements one by one as they were said, in whatever order they came in.
Pure; the caller passes statements of one scope.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from bob.conversations.reconcile import Same, Supersedes, reconcile_texts, relation
from bob.conversations.timeline_values import Entry, Statement

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
