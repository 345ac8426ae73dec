"""What health asks of kept answers and of files that could not be read."""

from __future__ import annotations

from typing import Any

from bob.answers import feedback_rows
from bob.answers.answer import KeptAnswer, last_answers
from bob.health.facts import AnswerFacts, Cited, Feedbacked
from bob.storage.database import Database, Transaction


def recent_answers(database: Database, limit: int) -> list[AnswerFacts]:
    """The last answers with what was said of them, oldest first."""
    with database.read() as transaction:
        answers = last_answers(transaction, limit)
        feedback = feedback_rows.of(transaction, [answer.answer_id for answer in answers])
    return [_facts(answer, feedback[answer.answer_id]) for answer in reversed(answers)]


def _facts(answer: KeptAnswer, feedback: list[Any]) -> AnswerFacts:
    retrieved = answer.answer.get("audit", {}).get("retrieved", ())
    return AnswerFacts(
        answer.answer_id,
        answer.asked_at,
        answer.question,
        answer.found,
        answer.filters,
        frozenset(item["path"] for item in retrieved),
        tuple(
            Cited(source["path"], source["locator"], source["quote"]) for source in answer.answer["sources"]
        ),
        {item.verdict: Feedbacked(item.given_at, item.note) for item in feedback},
    )


def unread_files(transaction: Transaction) -> list[tuple[str, str, str, int, int]]:
    """Path, code, reason, size and mtime (ns) of each file that could not be read, by path."""
    rows = transaction.execute(
        "SELECT path, code, reason, size, mtime_ns FROM failures WHERE org_id = :org ORDER BY path"
    )
    return [(path, code, reason, size, mtime_ns) for path, code, reason, size, mtime_ns in rows]
