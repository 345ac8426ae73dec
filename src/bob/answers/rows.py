"""Answers that were given, each whole and with an id (SPEC M3).

An answer is kept right after a search, so these are statements on the driver itself (ADR 14).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from bob.answers.values import Answer
from bob.core.filters import Filters
from bob.storage.database import DriverConnection


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


def save(
    connection: DriverConnection, org_id: str, answer: Answer, filters: Filters, asked_at: datetime
) -> Answer:
    """Keep an answer; it comes back with its id."""
    connection.execute(_COUNT, (org_id,))
    (answer_id,) = connection.execute(_LAST, (org_id,)).fetchone()
    kept = replace(answer, answer_id=answer_id)
    values = (kept.question, json.dumps(filters.to_json()), kept.found, json.dumps(kept.to_json()))
    connection.execute(_INSERT, (org_id, answer_id, asked_at.timestamp(), *values))
    return kept


def at(connection: DriverConnection, org_id: str, answer_id: int) -> KeptAnswer | None:
    """The answer with this id, None when there is none."""
    row = connection.execute(f"{_SELECT} WHERE org_id = ? AND answer_id = ?", (org_id, answer_id)).fetchone()
    return None if row is None else _kept(row)


def recent(
    connection: DriverConnection, org_id: str, limit: int, before: int | None = None
) -> list[KeptAnswer]:
    """The last answers, newest first; `before` leaves out those from this id on."""
    newest = f"{_SELECT} WHERE org_id = ? AND answer_id < ? ORDER BY answer_id DESC LIMIT ?"
    end = _LARGEST if before is None else before
    return [_kept(row) for row in connection.execute(newest, (org_id, end, limit))]


_LARGEST = 2**62

_COUNT = """
INSERT INTO counters (org_id, name, value) VALUES (?, 'answer', 1)
ON CONFLICT (org_id, name) DO UPDATE SET value = counters.value + 1
"""
_LAST = "SELECT value FROM counters WHERE org_id = ? AND name = 'answer'"
_INSERT = """
INSERT INTO answers (org_id, answer_id, asked_at, question, filters, found, answer)
VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_SELECT = "SELECT answer_id, asked_at, question, found, filters, answer FROM answers"


def _kept(row: tuple[Any, ...]) -> KeptAnswer:
    answer_id, asked_at, question, found, filters, answer = row
    moment = datetime.fromtimestamp(asked_at, UTC)
    return KeptAnswer(answer_id, moment, question, bool(found), json.loads(filters), json.loads(answer))
