"""What people said of answers: one row a verdict and answer (SPEC M3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bob.storage.database import Transaction


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


def give(transaction: Transaction, feedback: Feedback) -> None:
    """Note a verdict. It takes the place of the same verdict given before, and of what contradicts it: an
    answer that helped has no complaints."""
    helpful = FeedbackVerdict.HELPFUL
    unlike = "<>" if feedback.verdict is helpful else "="
    transaction.execute(
        "DELETE FROM feedback WHERE org_id = :org AND answer_id = :answer_id"
        f" AND (verdict = :verdict OR verdict {unlike} :helpful)",
        {"answer_id": feedback.answer_id, "verdict": feedback.verdict.value, "helpful": helpful.value},
    )
    transaction.insert(
        "feedback",
        {
            "answer_id": feedback.answer_id,
            "verdict": feedback.verdict.value,
            "note": feedback.note,
            "given_at": feedback.given_at.timestamp(),
        },
    )


def of(transaction: Transaction, answer_ids: Sequence[int]) -> dict[int, list[Feedback]]:
    """The feedback on each of these answers, in the order in which it was given; empty lists where there is
    none."""
    by_answer: dict[int, list[Feedback]] = {answer_id: [] for answer_id in answer_ids}
    rows = transaction.execute(
        "SELECT answer_id, verdict, note, given_at FROM feedback"
        " WHERE org_id = :org AND answer_id IN :answer_ids ORDER BY given_at, verdict",
        {"answer_ids": answer_ids},
    )
    for answer_id, verdict, note, given_at in rows:
        feedback = Feedback(answer_id, FeedbackVerdict(verdict), note, datetime.fromtimestamp(given_at, UTC))
        by_answer[answer_id].append(feedback)
    return by_answer
