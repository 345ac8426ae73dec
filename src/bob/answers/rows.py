"""Answers that were given, each whole and with an id (SPEC M3)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from bob.answers.values import Answer
from bob.core.filters import Filters
from bob.storage.database import Transaction


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """An answer as it was given: `answer` is what `bob ask --json` printed, `filters` what it was limited
    to."""

    answer_id: int
    asked_at: datetime
    question: str
    found: bool
    filters: Mapping[str, Any]
    answer: Mapping[str, Any]


def save(transaction: Transaction, answer: Answer, filters: Filters, asked_at: datetime) -> Answer:
    """Keep an answer; it comes back with its id."""
    (answer_id,) = transaction.take_ids("answer", 1)
    kept_answer = replace(answer, answer_id=answer_id)
    transaction.insert(
        "answers",
        {
            "answer_id": answer_id,
            "asked_at": asked_at.timestamp(),
            "question": kept_answer.question,
            "filters": json.dumps(filters.to_json()),
            "found": kept_answer.found,
            "answer": json.dumps(kept_answer.to_json()),
        },
    )
    return kept_answer


def by_id(transaction: Transaction, answer_id: int) -> KeptAnswer | None:
    """The answer with this id, None when there is none."""
    row = transaction.execute(
        f"{_SELECT} WHERE org_id = :org AND answer_id = :answer_id", {"answer_id": answer_id}
    ).fetchone()
    return None if row is None else _kept(row)


def recent(transaction: Transaction, limit: int, before: int | None = None) -> list[KeptAnswer]:
    """The last answers, newest first; `before` leaves out those from this id on."""
    rows = transaction.execute(
        f"{_SELECT} WHERE org_id = :org AND answer_id < :before ORDER BY answer_id DESC LIMIT :limit",
        {"before": _LARGEST if before is None else before, "limit": limit},
    )
    return [_kept(row) for row in rows]


_LARGEST = 2**62
_SELECT = "SELECT answer_id, asked_at, question, found, filters, answer FROM answers"


def _kept(row: tuple[Any, ...]) -> KeptAnswer:
    answer_id, asked_at, question, is_found, filters, answer = row
    moment = datetime.fromtimestamp(asked_at, UTC)
    return KeptAnswer(answer_id, moment, question, bool(is_found), json.loads(filters), json.loads(answer))
