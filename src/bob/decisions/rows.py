"""Reads decisions with their documents and corrections, and the links between them.

Every search asks whether its hits are of decisions, so this is SQL on the driver itself (ADR 14).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from typing import Any

from bob.core.decision import Correction, Decision, DecisionLink, FoundDecision, Rejected, StatedLink
from bob.core.locator import locator_from_json
from bob.storage.database import DriverConnection

_IDS_AT_ONCE = 500
"""Values in one IN list: older builds of SQLite allow 999."""

_SELECT = """
SELECT e.decision_id, e.document_id, d.path, e.project, e.status, e.date, e.date_kind, e.key, e.kind,
       e.number, e.title, e.statement, e.context, e.stated_status, e.stated_date, e.confidence, e.locator,
       e.rejected, e.stated_links, c.changes
FROM decisions e
JOIN documents d ON d.org_id = e.org_id AND d.document_id = e.document_id
LEFT JOIN decision_corrections c ON c.org_id = e.org_id AND c.project = e.project AND c.key = e.key
WHERE e.org_id = ? AND {condition} ORDER BY e.decision_id
"""
_LINKS = """
SELECT later_id, earlier_id, kind, origin FROM decision_links
WHERE org_id = ? AND {condition} ORDER BY later_id, earlier_id, kind
"""
_CORRECTIONS = """
SELECT project, key, changes, given_at FROM decision_corrections WHERE org_id = ? ORDER BY given_at, key
"""


def every(connection: DriverConnection, org_id: str, project: str | None = None) -> list[Decision]:
    """All decisions, or those of one project, in the order of their ids."""
    if project is None:
        return _read(connection, org_id, "1 = 1", ())
    return _read(connection, org_id, "e.project = ?", (project,))


def of_documents(connection: DriverConnection, org_id: str, document_ids: Iterable[int]) -> list[Decision]:
    """The decisions that stand in these documents."""
    return _among(connection, org_id, "e.document_id", document_ids)


def at(connection: DriverConnection, org_id: str, decision_ids: Iterable[int]) -> dict[int, Decision]:
    """The decisions of these ids that there are."""
    return {each.decision_id: each for each in _among(connection, org_id, "e.decision_id", decision_ids)}


def with_rejected(connection: DriverConnection, org_id: str) -> list[Decision]:
    """The decisions that turned alternatives down."""
    return _read(connection, org_id, "CAST(e.rejected AS TEXT) <> '[]'", ())


def links_of(connection: DriverConnection, org_id: str, decision_ids: Iterable[int]) -> list[DecisionLink]:
    """The links that have one of these decisions at either end."""
    ids = sorted(set(decision_ids))
    found = _links(connection, org_id, "later_id", ids) + _links(connection, org_id, "earlier_id", ids)
    return sorted(set(found), key=lambda each: (each.later, each.earlier, each.kind))


def links_to(connection: DriverConnection, org_id: str, decision_ids: Iterable[int]) -> list[DecisionLink]:
    """The links to these decisions from later ones."""
    return _links(connection, org_id, "earlier_id", sorted(set(decision_ids)))


def _links(connection: DriverConnection, org_id: str, column: str, ids: Sequence[int]) -> list[DecisionLink]:
    return [
        DecisionLink(*row)
        for condition, part in _one_of(column, ids)
        for row in connection.execute(_LINKS.format(condition=condition), (org_id, *part))
    ]


def corrections(connection: DriverConnection, org_id: str) -> list[Correction]:
    """All that users have said, the oldest first."""
    return [
        correction_from(project, key, json.loads(changes), given_at)
        for project, key, changes, given_at in connection.execute(_CORRECTIONS, (org_id,))
    ]


def correction_from(project: str, key: str, changes: dict[str, Any], given_at: float) -> Correction:
    """A correction from its row; `given_at` is in seconds since 1970."""
    rest = dict(changes)
    dated = rest.pop("date", None)
    moment = datetime.fromtimestamp(given_at, UTC)
    return Correction(
        project, key, given_at=moment, date=None if dated is None else date.fromisoformat(dated), **rest
    )


def _among(connection: DriverConnection, org_id: str, column: str, wanted: Iterable[int]) -> list[Decision]:
    return [
        each
        for condition, part in _one_of(column, sorted(set(wanted)))
        for each in _read(connection, org_id, condition, part)
    ]


def _one_of(column: str, ids: Sequence[int]) -> Iterator[tuple[str, Sequence[int]]]:
    """Conditions with the ids for their marks; none for no ids."""
    for start in range(0, len(ids), _IDS_AT_ONCE):
        part = ids[start : start + _IDS_AT_ONCE]
        yield f"{column} IN ({','.join('?' * len(part))})", part


def _read(connection: DriverConnection, org_id: str, condition: str, values: Sequence[Any]) -> list[Decision]:
    rows = connection.execute(_SELECT.format(condition=condition), (org_id, *values))
    return [_decision(row) for row in rows]


def _decision(row: tuple[Any, ...]) -> Decision:
    decision_id, document_id, path, project, status, dated, date_kind, *stated, changes = row
    said = json.loads(changes) if changes else {}
    found = _found(stated, said.get("title"))
    return Decision(
        decision_id,
        document_id,
        path,
        project,
        found,
        status,
        _day(dated),
        date_kind,
        own_status=said.get("status") or found.status,
        fixed="status" in said,
        corrected=bool(said),
    )


def _found(stated: Sequence[Any], title: str | None) -> FoundDecision:
    key, kind, number, own_title, statement, context, status, dated, confidence, *parts = stated
    locator, rejected, links = (json.loads(each) for each in parts)
    return FoundDecision(
        key,
        kind,
        number,
        title or own_title,
        statement,
        context,
        status,
        _day(dated),
        confidence,
        locator_from_json(locator),
        tuple(
            Rejected(each["text"], each["reason"], locator_from_json(each["locator"])) for each in rejected
        ),
        tuple(StatedLink(each["kind"], each["target"], each["backward"]) for each in links),
    )


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
