"""What checking a claim against its evidence gives (SPEC E2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bob.answers.values import Verdict
from bob.core.hit import FoundChunk
from bob.core.locator import Locator, locator_to_json


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a chunk: characters `start` to `end` (excluded) of its text."""

    chunk: FoundChunk
    start: int
    end: int

    @property
    def quote(self) -> str:
        """The text at the place, byte-equal to the source at its locator."""
        return self.chunk.text[self.start : self.end]

    @property
    def locator(self) -> Locator:
        """Where the place is in its source."""
        return self.chunk.locator.narrowed(self.chunk.text, self.start, self.end)

    def to_json(self) -> dict[str, Any]:
        """The place as JSON."""
        return {
            "chunk_id": self.chunk.chunk_id,
            "path": self.chunk.path,
            "locator": locator_to_json(self.locator),
            "quote": self.quote,
            "quote_range": [self.start, self.end],
        }


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict on one claim.

    `score` is the probability that the evidence bears the claim out. `support` is the sentence that says it
    best, None when there is no evidence at all. `reason` says in words why the claim is not (wholly)
    supported, None when it is; `against` is the place that contradicts it, where there is one. `signals` are
    the values by which the score came about, for the audit; `decided` says that a finding (a wrong number,
    date, name, denial) settled the verdict whatever the score was.
    """

    verdict: Verdict
    score: float
    support: Span | None = None
    reason: str | None = None
    against: Span | None = None
    signals: dict[str, float] | None = None
    decided: bool = False

    @property
    def holds(self) -> bool:
        """Whether the claim may stand in an answer."""
        return self.verdict == "supported"

    def to_json(self) -> dict[str, Any]:
        """The judgement as JSON."""
        return {
            "verdict": self.verdict,
            "score": round(self.score, 4),
            "reason": self.reason,
            "support": None if self.support is None else self.support.to_json(),
            "against": None if self.against is None else self.against.to_json(),
        } | ({} if self.signals is None else {"signals": {k: round(v, 4) for k, v in self.signals.items()}})
