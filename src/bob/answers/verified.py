"""A text whose claims were checked, and an answer that was checked again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bob.answers.answer import Judgement, Verdict


@dataclass(frozen=True, slots=True)
class VerifiedClaim:
    """A claim at characters `start` to `end` of the text, beginning in a line counted from 1."""

    text: str
    start: int
    end: int
    line: int
    judgement: Judgement

    def to_json(self) -> dict[str, Any]:
        """The claim with its verdict as JSON."""
        position = {"text": self.text, "range": [self.start, self.end], "line": self.line}
        return position | self.judgement.to_json()


@dataclass(frozen=True, slots=True)
class VerifiedText:
    """All claims of a text with their verdicts; `remaining` is the text without those that do not hold, and
    `marked` the whole text with a mark behind each of them."""

    claims: tuple[VerifiedClaim, ...]
    remaining: str
    marked: str

    @property
    def holds(self) -> bool:
        """Whether every claim is supported; also when there are none."""
        return all(claim.judgement.holds for claim in self.claims)

    def to_json(self) -> dict[str, Any]:
        """The verdicts as `bob verify --json` prints them."""
        return {
            "holds": self.holds,
            "counts": counts([claim.judgement for claim in self.claims]),
            "claims": [claim.to_json() for claim in self.claims],
            "marked": self.marked,
            "remaining": self.remaining,
        }


@dataclass(frozen=True, slots=True)
class RecheckedClaim:
    """A claim of a kept answer: what was said of it then, and what its sources say now.

    `quotes_stand` says whether every quote that it cited is still in its source, blanks aside; `gone` are
    the cited sources that are not in the index any more.
    """

    text: str
    before: Verdict
    judgement: Judgement
    quotes_stand: bool
    gone: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The claim as JSON."""
        return {
            "text": self.text,
            "before": self.before,
            "quotes_stand": self.quotes_stand,
            "gone": list(self.gone),
        } | self.judgement.to_json()


@dataclass(frozen=True, slots=True)
class RecheckedAnswer:
    """A kept answer, checked against its sources as they are now."""

    answer_id: int
    question: str
    claims: tuple[RecheckedClaim, ...]

    @property
    def holds(self) -> bool:
        """Whether every claim still is supported."""
        return all(claim.judgement.holds for claim in self.claims)

    def to_json(self) -> dict[str, Any]:
        """The verdicts as `bob verify --answer ID --json` prints them."""
        return {
            "answer_id": self.answer_id,
            "question": self.question,
            "holds": self.holds,
            "counts": counts([claim.judgement for claim in self.claims]),
            "claims": [claim.to_json() for claim in self.claims],
        }


def counts(judgements: Sequence[Judgement]) -> dict[str, int]:
    """How many claims got each verdict."""
    verdicts = [judgement.verdict for judgement in judgements]
    return {name: verdicts.count(name) for name in ("supported", "partly", "contradicted", "unsupported")}
