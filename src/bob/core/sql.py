"""What an assistant may ask in SQL, and what it gets: the same names and columns on every engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

VIEWS: Mapping[str, tuple[str, ...]] = {
    "work_items": (
        "id",
        "title",
        "description",
        "category_id",
        "status",
        "priority",
        "assignee_id",
        "created_by",
        "created_at",
        "updated_at",
    ),
    "categories": ("id", "name"),
    "users": ("id", "name"),
    "custom_fields": ("id", "name", "type"),
    "custom_field_values": ("work_item_id", "field_id", "field_name", "value"),
    "work_item_events": ("id", "work_item_id", "event_type", "actor", "at"),
}
"""The views and their columns. Moments are text, such as 2025-01-31T09:00:00Z."""


def views_in_words() -> str:
    """The views as a person or a model reads them.

    >>> views_in_words()[:68]
    'work_items(id, title, description, category_id, status, priority, as'
    """
    return "; ".join(f"{name}({', '.join(columns)})" for name, columns in VIEWS.items())


@dataclass(frozen=True, slots=True)
class SqlLimits:
    """What one question may take: rows and bytes (as JSON) of its result, and seconds."""

    rows: int = 200
    bytes: int = 1_000_000
    seconds: float = 3.0


@dataclass(frozen=True, slots=True)
class SqlRows:
    """What a database answered; `truncated` when there was more than the limits allow."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class SqlResult:
    """The answer to one question. Values are what JSON knows: text, numbers, true, false, null."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool
    milliseconds: int

    def to_json(self) -> dict[str, Any]:
        """As every face gives it."""
        return {
            "columns": list(self.columns),
            "rows": [list(row) for row in self.rows],
            "truncated": self.truncated,
            "milliseconds": self.milliseconds,
        }
