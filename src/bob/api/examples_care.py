"""Examples of what the routes of decisions, health, notes and lint answer, for the OpenAPI document."""

from __future__ import annotations

from typing import Any

DECISION: dict[str, Any] = {
    "id": 3,
    "name": "ADR 7",
    "key": "adr-7",
    "project": "shop",
    "status": "active",
    "stated_status": "active",
    "corrected": False,
    "title": "Orders live in PostgreSQL",
    "date": "2021-03-04",
    "date_kind": "front_matter",
    "kind": "record",
    "number": "7",
    "statement": "We will keep the orders in a PostgreSQL database.",
    "context": "The orders of a day no longer fit.",
    "rejected": [{"text": "CockroachDB", "reason": "nobody here has run it", "locator": {}}],
    "confidence": 0.95,
    "document_id": 12,
    "path": "/home/you/shop/adr/0007-orders.md",
    "locator": {"kind": "lines", "heading": "Decision", "start_line": 15, "end_line": 17},
}
_UNRESOLVED: dict[str, Any] = {"id": 3, "target": "ADR 99", "reason": "no decision is called so"}
DECISIONS: dict[str, Any] = {
    "decisions": [DECISION | {"superseded_by": [], "supersedes": [1]}],
    "unresolved_links": [_UNRESOLVED],
    "lost_corrections": [],
    "next": None,
}
SHOWN_DECISION: dict[str, Any] = DECISION | {
    "links": [
        {
            "later": 3,
            "earlier": 1,
            "kind": "supersedes",
            "origin": "text",
            "name": "ADR 2",
            "status": "superseded",
        }
    ],
    "unresolved_links": [_UNRESOLVED],
}
_EARLIER: dict[str, Any] = {
    "id": 1,
    "name": "ADR 2",
    "title": "Orders in MySQL",
    "status": "superseded",
    "date": "2019-05-02",
    "link": "supersedes",
    "origin": "text",
    "earlier": [],
}
DECISION_HISTORY: dict[str, Any] = DECISION | {"later": [], "earlier": [_EARLIER]}
DECISION_CHANGE: dict[str, Any] = {
    "done": True,
    "changed": [{"before": DECISION, "after": DECISION | {"status": "rejected", "corrected": True}}],
}
