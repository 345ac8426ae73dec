"""What a person says of an answer (SPEC M3)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any


class FeedbackVerdict(StrEnum):
    """How an answer served: it helped, or one of the ways in which it did not."""

    HELPFUL = "helpful"
    WRONG_SOURCE = "wrong-source"
    OUTDATED = "outdated"
    TOO_LONG = "too-long"
    DIDNT_ANSWER = "didnt-answer"


@dataclass(frozen=True, slots=True)
class Feedback:
    """One verdict on one answer, with a note in the person's words."""

    answer_id: int
    verdict: FeedbackVerdict
    note: str | None
    given_at: datetime

    def to_json(self) -> dict[str, Any]:
        """The feedback as JSON."""
        return {
            "answer_id": self.answer_id,
            "verdict": self.verdict.value,
            "note": self.note,
            "given_at": self.given_at.astimezone(UTC).isoformat(timespec="seconds"),
        }
