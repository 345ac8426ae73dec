"""Examples of what a team's routes answer, for the OpenAPI document."""

from __future__ import annotations

from typing import Any

ITEM: dict[str, Any] = {
    "id": 45,
    "title": "Payment gateway timeout at checkout",
    "description": "The gateway gives up after 30 seconds.",
    "category_id": 2,
    "category": "Payment Issues",
    "status": "OPEN",
    "priority": "HIGH",
    "assignee_id": "ana",
    "created_by": "mia",
    "created_at": "2025-01-31T09:00:00+00:00",
    "updated_at": "2025-01-31T09:00:00+00:00",
    "fields": {"Platform": "iOS"},
}
SUGGESTIONS: dict[str, Any] = {"work_item_ids": [45], "category_id": 2, "category": "Payment Issues"}
EVENT: dict[str, Any] = {
    "id": 7,
    "work_item_id": 45,
    "type": "UPDATED",
    "changes": {"status": ["OPEN", "IN_PROGRESS"]},
    "actor": "ana",
    "at": "2025-01-31T09:30:00+00:00",
}
CATEGORY: dict[str, Any] = {"id": 2, "name": "Payment Issues"}
FIELD: dict[str, Any] = {"id": 1, "name": "Platform", "type": "enum", "options": ["iOS", "Android"]}
ROWS: dict[str, Any] = {
    "success": True,
    "columns": ["status", "items"],
    "rows": [["OPEN", 3], ["DONE", 12]],
    "truncated": False,
    "milliseconds": 4,
}
UNANSWERED: dict[str, Any] = {
    "query": "export to the old billing system",
    "times": 3,
    "last_at": "2025-01-31T09:00:00+00:00",
}
ASSISTANCE: dict[str, Any] = {
    "success": True,
    "thread_id": "taVrUJYP3-X9ivWoiKpfDA",
    "reply": "Yes, there is 1 similar item:\n#45 Payment gateway timeout at checkout (OPEN, HIGH)",
    "work_item_ids": [45],
    "steps": [
        {
            "tool": "rag_search",
            "input": {"query": "payment gateway timeouts", "limit": 5},
            "output": {"success": True, "work_item_ids": [45]},
        }
    ],
}

NOT_FOUND: dict[int | str, dict[str, Any]] = {404: {"description": "There is no such thing."}}
"""For routes whose body may name what is not there."""


def answered(example: Any, status: int = 200) -> dict[int | str, dict[str, Any]]:
    """The description of a route's answer."""
    return {status: {"content": {"application/json": {"example": example}}}}
