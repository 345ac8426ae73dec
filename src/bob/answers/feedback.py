"""Takes feedback on answers, and lists answers with what was said of them (SPEC M3)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bob.answers import feedback_rows
from bob.answers.answer import KeptAnswer, answer_by_id, last_answers
from bob.answers.feedback_rows import Feedback, FeedbackVerdict
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
            "feedback": [item.to_json() for item in self.feedback],
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
        feedback = Feedback(answer_id, verdict, note, given_at)
        with self._database.write() as transaction:
            feedback_rows.give(transaction, feedback)
        return feedback

    def questions_so_far(self) -> tuple[str, ...]:
        """The question of the last answer, after those that it went on from itself.

        Raises:
            NotFoundError: no answer is kept.
        """
        with self._database.read() as transaction:
            last = next(iter(last_answers(transaction, 1)), None)
        if last is None:
            raise NotFoundError("no answer is kept that a question could go on from; ask one first")
        return (*last.answer.get("earlier", ()), last.question)

    def answer(self, answer_id: int) -> JudgedAnswer:
        """One answer with its feedback.

        Raises:
            NotFoundError: there is no such answer.
        """
        with self._database.read() as transaction:
            answer = answer_by_id(transaction, answer_id)
        if answer is None:
            raise NotFoundError(f"no answer {answer_id}; list the answers with bob feedback")
        return self._judged([answer])[0]

    def recent(self, limit: int, before: int | None = None) -> list[JudgedAnswer]:
        """The last answers with their feedback, newest first; only older ones than `before`, if it is
        given."""
        with self._database.read() as transaction:
            answers = last_answers(transaction, limit, before)
        return self._judged(answers)

    def _judged(self, answers: list[KeptAnswer]) -> list[JudgedAnswer]:
        with self._database.read() as transaction:
            feedback = feedback_rows.of(transaction, [answer.answer_id for answer in answers])
        return [JudgedAnswer(answer, feedback[answer.answer_id]) for answer in answers]
