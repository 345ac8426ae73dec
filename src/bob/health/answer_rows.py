"""What health asks of kept answers and of files that could not be read."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, select

from bob.answers import feedback_rows
from bob.answers import rows as answer_rows
from bob.answers.rows import KeptAnswer
from bob.health.facts import AnswerFacts, Cited, Feedbacked
from bob.storage.database import Database
from bob.storage.schema import failures


def recent_answers(database: Database, org_id: str, limit: int) -> list[AnswerFacts]:
    """The last answers with what was said of them, oldest first."""
    with database.search() as connection:
        kept = answer_rows.recent(connection, org_id, limit)
    given: dict[int, Any] = {}
    with database.read() as reading:
        for at in range(0, len(kept), 500):
            given |= feedback_rows.of(reading, org_id, [each.answer_id for each in kept[at : at + 500]])
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


def unread_files(connection: Connection, org_id: str) -> list[tuple[str, str, str, int, int]]:
    """Path, code, reason, size and mtime (ns) of each file that could not be read, by path."""
    found = select(
        failures.c.path, failures.c.code, failures.c.reason, failures.c.size, failures.c.mtime_ns
    ).where(failures.c.org_id == org_id)
    return [tuple(row) for row in connection.execute(found.order_by(failures.c.path)).all()]
