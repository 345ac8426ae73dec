"""Takes feedback on answers, and lists answers with what was said of them (SPEC M3)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bob.answers import feedback_rows, rows
from bob.answers.rows import KeptAnswer
from bob.answers.values import Feedback, FeedbackVerdict
from bob.core.errors import NotFoundError
from bob.storage.database import Database


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """A kept answer with the feedback on it."""

    kept: KeptAnswer
    feedback: list[Feedback]

    def to_json(self) -> dict[str, Any]:
        """The answer in short, as `bob feedback --json` lists it."""
        return {
            "answer_id": self.kept.answer_id,
            "asked_at": self.kept.asked_at.isoformat(timespec="seconds"),
            "question": self.kept.question,
            "filters": dict(self.kept.filters),
            "found": self.kept.found,
            "feedback": [each.to_json() for each in self.feedback],
        }


class GiveFeedback:
    """Feedback on one organization's answers."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save_feedback(
        self, answer_id: int, verdict: FeedbackVerdict, note: str | None, given_at: datetime
    ) -> Feedback:
        """Note a verdict on an answer.

        Raises:
            NotFoundError: there is no such answer.
        """
        self.answer(answer_id)
        given = Feedback(answer_id, verdict, note, given_at)
        with self._database.write() as transaction:
            feedback_rows.give(transaction, given)
        return given

    def answer(self, answer_id: int) -> JudgedAnswer:
        """One answer with its feedback.

        Raises:
            NotFoundError: there is no such answer.
        """
        with self._database.read() as transaction:
            kept = rows.at(transaction, answer_id)
        if kept is None:
            raise NotFoundError(f"no answer {answer_id}; list the answers with bob feedback")
        return self._judged([kept])[0]

    def recent(self, limit: int, before: int | None = None) -> list[JudgedAnswer]:
        """The last answers with their feedback, newest first; only older ones than `before`, if it is
        given."""
        with self._database.read() as transaction:
            kept = rows.recent(transaction, limit, before)
        return self._judged(kept)

    def _judged(self, kept: list[KeptAnswer]) -> list[JudgedAnswer]:
        with self._database.read() as transaction:
            given = feedback_rows.of(transaction, [each.answer_id for each in kept])
        return [JudgedAnswer(each, given[each.answer_id]) for each in kept]
