"""What a check found against a claim (SPEC E2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["missing", "contradicted"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What speaks against a claim: the range of it, why, and the place in the evidence that contradicts it.

    `kind` is that of the fact: number, unit, date, name, quotation, attribution, negation, comparison,
    quantifier, exchange (of two words). `evidence_range` counts in the text at `evidence_index`; both are
    None when no place is to blame. `absent` is a number, year, version or code that no evidence states at
    all, in any notation; `elsewhere` is a number or date that it states, but not of what the claim is about,
    as far as words tell.
    """

    kind: str
    claim_range: tuple[int, int]
    outcome: Outcome
    reason: str
    evidence_index: int | None = None
    evidence_range: tuple[int, int] | None = None
    absent: bool = False
    elsewhere: bool = False

    def overlaps(self, other: Finding) -> bool:
        """Whether the two are about some of the same characters of the claim."""
        (start, end), (other_start, other_end) = self.claim_range, other.claim_range
        return start < other_end and other_start < end
