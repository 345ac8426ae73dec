"""What health asks of kept answers and of files that could not be read."""

from __future__ import annotations

from typing import Any

from bob.answers import feedback_rows
from bob.answers import rows as answer_rows
from bob.answers.rows import KeptAnswer
from bob.health.facts import AnswerFacts, Cited, Feedbacked
from bob.storage.database import Database, Transaction


def recent_answers(database: Database, limit: int) -> list[AnswerFacts]:
    """The last answers with what was said of them, oldest first."""
    with database.read() as transaction:
        kept = answer_rows.recent(transaction, limit)
        given = feedback_rows.of(transaction, [each.answer_id for each in kept])
    return [_facts(each, given[each.answer_id]) for each in reversed(kept)]


def _facts(kept: KeptAnswer, given: list[Any]) -> AnswerFacts:
    retrieved = kept.answer.get("audit", {}).get("retrieved", ())
    return AnswerFacts(
        kept.answer_id,
        kept.asked_at,
        kept.question,
        kept.found,
        kept.filters,
        frozenset(each["path"] for each in retrieved),
        tuple(Cited(each["path"], each["locator"], each["quote"]) for each in kept.answer["sources"]),
        {each.verdict: Feedbacked(each.given_at, each.note) for each in given},
    )


def unread_files(transaction: Transaction) -> list[tuple[str, str, str, int, int]]:
    """Path, code, reason, size and mtime (ns) of each file that could not be read, by path."""
    rows = transaction.execute(
        "SELECT path, code, reason, size, mtime_ns FROM failures WHERE org_id = :org ORDER BY path"
    )
    return [(path, code, reason, size, mtime_ns) for path, code, reason, size, mtime_ns in rows]
