"""Chooses the few units that answer a question, and puts them in an order that reads well."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bob.answer.units import MOST_CHARACTERS, Unit
from bob.domain.hit import FoundChunk

COSINE_WEIGHT, COVERAGE_WEIGHT, RANK_WEIGHT = 0.6, 0.3, 0.1
"""How meaning, words and the rank of the chunk weigh in a unit's score."""

KEEP_WITHIN = 0.8
"""A further unit must score at least this share of the best one."""

SAME_FROM = 0.6
"""Two units with this share of words in common (Jaccard) say the same; the better one is enough."""

_BACKWARD = re.compile(
    r"(?:It|This|That|These|Those|They|He|She|Such|Its|Their|Then|However|Therefore|Thus|Hence|Also|Otherwise|"
    r"Instead|Ele|Ela|Isso|Este|Esta|Portanto|Porém|Er|Sie|Dies|Diese[rs]?|Il|Elle|Ce|Cela)\b"
)
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A unit of a found chunk with its signals; `order` is the chunk's place among the hits, from 0."""

    chunk: FoundChunk
    unit: Unit
    order: int
    cosine: float
    coverage: float

    @property
    def quote(self) -> str:
        """The unit's text."""
        return self.chunk.text[self.unit.start : self.unit.end]

    @property
    def score(self) -> float:
        """How well the unit answers, between 0 and 1."""
        return (
            COSINE_WEIGHT * max(self.cosine, 0.0)
            + COVERAGE_WEIGHT * self.coverage
            + RANK_WEIGHT / (1 + self.order)
        )


def chosen(candidates: Sequence[Candidate], limit: int) -> list[Candidate]:
    """At most `limit` candidates: the best, and others nearly as good that add something.

    A unit that refers back ("It is …") brings the one before it. The result is ordered by the place of the
    chunks among the hits and then as in the text.
    """
    ranked = sorted(candidates, key=lambda each: (-each.score, each.order, each.unit.start))
    short = [each for each in ranked if len(each.quote) <= MOST_CHARACTERS] or ranked[:1]
    kept: list[Candidate] = []
    for each in short:
        if len(kept) >= limit or (kept and each.score < KEEP_WITHIN * short[0].score):
            break
        if any(_says_the_same(each, other) for other in kept):
            continue
        before = _needed_before(each, candidates)
        if before is not None and before not in kept and len(kept) + 2 <= limit:
            kept.append(before)
        kept.append(each)
    return sorted(kept, key=lambda each: (each.order, each.unit.start))


def _needed_before(unit: Candidate, candidates: Sequence[Candidate]) -> Candidate | None:
    if not unit.unit.follows or not _BACKWARD.match(unit.quote):
        return None
    earlier = [
        each
        for each in candidates
        if each.chunk.chunk_id == unit.chunk.chunk_id and each.unit.end <= unit.unit.start
    ]
    return max(earlier, key=lambda each: each.unit.end, default=None)


def _says_the_same(one: Candidate, other: Candidate) -> bool:
    ours, theirs = (frozenset(_WORD.findall(each.quote.lower())) for each in (one, other))
    return len(ours & theirs) >= SAME_FROM * len(ours | theirs)
