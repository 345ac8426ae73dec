"""Reads decisions with their documents and corrections, and the links between them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from typing import Any

from bob.core.decision import Correction, Decision, DecisionLink, FoundDecision, Rejected, StatedLink
from bob.core.locator import locator_from_json
from bob.storage.database import Transaction

_SELECT = """
SELECT e.decision_id, e.document_id, d.path, e.project, e.status, e.date, e.date_kind, e.key, e.kind,
       e.number, e.title, e.statement, e.context, e.stated_status, e.stated_date, e.confidence, e.locator,
       e.rejected, e.stated_links, c.changes
FROM decisions e
JOIN documents d ON d.org_id = e.org_id AND d.document_id = e.document_id
LEFT JOIN decision_corrections c ON c.org_id = e.org_id AND c.project = e.project AND c.key = e.key
WHERE e.org_id = :org AND {condition} ORDER BY e.decision_id
"""
_LINKS = """
SELECT later_id, earlier_id, kind, origin FROM decision_links
WHERE org_id = :org AND {condition} ORDER BY later_id, earlier_id, kind
"""
_CORRECTIONS = """
SELECT project, key, changes, given_at FROM decision_corrections WHERE org_id = :org ORDER BY given_at, key
"""


def every(transaction: Transaction, project: str | None = None) -> list[Decision]:
    """All decisions, or those of one project, in the order of their ids."""
    if project is None:
        return _read(transaction, "1 = 1")
    return _read(transaction, "e.project = :project", project=project)


def of_documents(transaction: Transaction, document_ids: Iterable[int]) -> list[Decision]:
    """The decisions that stand in these documents."""
    return _among(transaction, "e.document_id", document_ids)


def by_id(transaction: Transaction, decision_ids: Iterable[int]) -> dict[int, Decision]:
    """The decisions of these ids that there are."""
    return {decision.decision_id: decision for decision in _among(transaction, "e.decision_id", decision_ids)}


def with_rejected(transaction: Transaction) -> list[Decision]:
    """The decisions that turned alternatives down."""
    return _read(transaction, "CAST(e.rejected AS TEXT) <> '[]'")


def links_of(transaction: Transaction, decision_ids: Iterable[int]) -> list[DecisionLink]:
    """The links that have one of these decisions at either end."""
    ids = sorted(set(decision_ids))
    links = _links(transaction, "later_id", ids) + _links(transaction, "earlier_id", ids)
    return sorted(set(links), key=lambda link: (link.later, link.earlier, link.kind))


def links_to(transaction: Transaction, decision_ids: Iterable[int]) -> list[DecisionLink]:
    """The links to these decisions from later ones."""
    return _links(transaction, "earlier_id", sorted(set(decision_ids)))


def _links(transaction: Transaction, column: str, ids: Sequence[int]) -> list[DecisionLink]:
    if not ids:
        return []
    rows = transaction.execute(_LINKS.format(condition=f"{column} IN :ids"), {"ids": ids})
    return [DecisionLink(*row) for row in rows]


def corrections(transaction: Transaction) -> list[Correction]:
    """All that users have said, the oldest first."""
    return [
        correction_from(project, key, json.loads(changes), given_at)
        for project, key, changes, given_at in transaction.execute(_CORRECTIONS)
    ]


def correction_from(project: str, key: str, changes: dict[str, Any], given_at: float) -> Correction:
    """A correction from its row; `given_at` is in seconds since 1970."""
    rest = dict(changes)
    dated = rest.pop("date", None)
    moment = datetime.fromtimestamp(given_at, UTC)
    return Correction(
        project, key, given_at=moment, date=None if dated is None else date.fromisoformat(dated), **rest
    )


def _among(transaction: Transaction, column: str, values: Iterable[int]) -> list[Decision]:
    ids = sorted(set(values))
    return _read(transaction, f"{column} IN :ids", ids=ids) if ids else []


def _read(transaction: Transaction, condition: str, **values: Any) -> list[Decision]:
    return [_decision(row) for row in transaction.execute(_SELECT.format(condition=condition), values)]


def _decision(row: tuple[Any, ...]) -> Decision:
    decision_id, document_id, path, project, status, dated, date_kind, *stated, changes = row
    correction = json.loads(changes) if changes else {}
    decision = _found(stated, correction.get("title"))
    return Decision(
        decision_id,
        document_id,
        path,
        project,
        decision,
        status,
        day_of(dated),
        date_kind,
        own_status=correction.get("status") or decision.status,
        fixed="status" in correction,
        corrected=bool(correction),
    )


def _found(stated: Sequence[Any], title: str | None) -> FoundDecision:
    key, kind, number, own_title, statement, context, status, dated, confidence, *parts = stated
    locator, rejected, links = (json.loads(part) for part in parts)
    return FoundDecision(
        key,
        kind,
        number,
        title or own_title,
        statement,
        context,
        status,
        day_of(dated),
        confidence,
        locator_from_json(locator),
        tuple(
            Rejected(alternative["text"], alternative["reason"], locator_from_json(alternative["locator"]))
            for alternative in rejected
        ),
        tuple(StatedLink(link["kind"], link["target"], link["backward"]) for link in links),
    )


def day_of(text: str | None) -> date | None:
    """A day as the database has it."""
    return date.fromisoformat(text) if text else None
