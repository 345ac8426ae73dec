"""What people said of answers: one row a verdict and answer (SPEC M3)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy import Connection, delete, insert, select

from bob.answers.values import Feedback, FeedbackVerdict
from bob.storage.schema import feedback


def give(connection: Connection, org_id: str, given: Feedback) -> None:
    """Note a verdict. It takes the place of the same verdict given before, and of what contradicts it: an
    answer that helped has no complaints."""
    helpful = feedback.c.verdict == FeedbackVerdict.HELPFUL.value
    same = feedback.c.verdict == given.verdict.value
    replaced = same | (~helpful if given.verdict is FeedbackVerdict.HELPFUL else helpful)
    connection.execute(
        delete(feedback).where(feedback.c.org_id == org_id, feedback.c.answer_id == given.answer_id, replaced)
    )
    connection.execute(
        insert(feedback).values(
            org_id=org_id,
            answer_id=given.answer_id,
            verdict=given.verdict.value,
            note=given.note,
            given_at=given.given_at.timestamp(),
        )
    )


def of(connection: Connection, org_id: str, answer_ids: Sequence[int]) -> dict[int, list[Feedback]]:
    """The feedback on each of these answers, in the order in which it was given; empty lists where there is
    none."""
    found: dict[int, list[Feedback]] = {answer_id: [] for answer_id in answer_ids}
    rows = connection.execute(
        select(feedback.c.answer_id, feedback.c.verdict, feedback.c.note, feedback.c.given_at)
        .where(feedback.c.org_id == org_id, feedback.c.answer_id.in_(list(answer_ids)))
        .order_by(feedback.c.given_at, feedback.c.verdict)
    )
    for answer_id, verdict, note, given_at in rows:
        given = Feedback(answer_id, FeedbackVerdict(verdict), note, datetime.fromtimestamp(given_at, UTC))
        found[answer_id].append(given)
    return found
