"""What people said of answers: one row a verdict and answer (SPEC M3)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from bob.answers.answer import Feedback, FeedbackVerdict
from bob.storage.database import Transaction


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
