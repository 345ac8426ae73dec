"""Work items and what belongs to them: the truth about a team's work (SPEC K1)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

ARCHIVED = "ARCHIVED"
"""The status that takes an item out of the memory (seed 001)."""

STATUSES = ("OPEN", "IN_PROGRESS", "BLOCKED", "DONE", ARCHIVED)
"""The states of an item unless the settings have others; a new item has the first."""

PRIORITIES = ("LOW", "MEDIUM", "HIGH", "URGENT")
"""How urgent an item may be unless the settings have others."""

ORG_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
"""What an organization may be called."""


class FieldType(StrEnum):
    """What a custom field holds."""

    TEXT = "text"
    ENUM = "enum"
    NUMBER = "number"
    BOOLEAN = "boolean"
    DATE = "date"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class CustomField:
    """A field that an organization added to its items; `options` are the values of an enum."""

    field_id: int
    name: str
    field_type: FieldType
    options: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As every face gives it."""
        return {
            "id": self.field_id,
            "name": self.name,
            "type": str(self.field_type),
            "options": list(self.options),
        }


@dataclass(frozen=True, slots=True)
class Category:
    """A category of items, by its number and name."""

    category_id: int
    name: str

    def to_json(self) -> dict[str, Any]:
        """As every face gives it."""
        return {"id": self.category_id, "name": self.name}


@dataclass(frozen=True, slots=True)
class WorkItem:
    """An item as it is now. `fields` are its custom fields by name, in the order in which the organization
    defined them, each value as canonical text."""

    work_item_id: int
    title: str
    description: str | None
    category: Category | None
    status: str
    priority: str | None
    assignee_id: str | None
    created_by: str
    created_at: datetime
    updated_at: datetime
    fields: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        """As every face gives it."""
        return {
            "id": self.work_item_id,
            "title": self.title,
            "description": self.description,
            "category_id": self.category.category_id if self.category else None,
            "category": self.category.name if self.category else None,
            "status": self.status,
            "priority": self.priority,
            "assignee_id": self.assignee_id,
            "created_by": self.created_by,
            "created_at": self.created_at.isoformat(),
            "updated_at": self.updated_at.isoformat(),
            "fields": dict(self.fields),
        }


class EventType(StrEnum):
    """What happened to an item. A renaming happened to its category or to one of its fields."""

    CREATED = "CREATED"
    UPDATED = "UPDATED"
    CATEGORY_RENAMED = "CATEGORY_RENAMED"
    FIELD_RENAMED = "FIELD_RENAMED"


@dataclass(frozen=True, slots=True)
class WorkEvent:
    """A line of the log: who changed what of an item, and when. `changes` has before and after by name, a
    custom field as `field:Name`."""

    event_id: int
    work_item_id: int
    event_type: EventType
    changes: Mapping[str, tuple[Any, Any]]
    actor: str
    at: datetime

    def to_json(self) -> dict[str, Any]:
        """As every face gives it."""
        return {
            "id": self.event_id,
            "work_item_id": self.work_item_id,
            "type": str(self.event_type),
            "changes": {name: list(pair) for name, pair in self.changes.items()},
            "actor": self.actor,
            "at": self.at.isoformat(),
        }


@dataclass(frozen=True, slots=True)
class WorkFilter:
    """Which items are asked for; what is None does not matter."""

    status: str | None = None
    category: str | None = None
    assignee_id: str | None = None
    priority: str | None = None
    archived: bool = True
    """Whether archived items are among them."""


def is_number(value: int) -> bool:
    """Whether an item may have this number: databases keep none that is larger.

    >>> is_number(45), is_number(0), is_number(2**63)
    (True, False, False)
    """
    return 0 < value < 2**63


def custom(name: str) -> str:
    """How an event calls a custom field, which may have the name of a column.

    >>> custom("Severity")
    'field:Severity'
    """
    return f"field:{name}"


def resource_id(work_item_id: int) -> str:
    """How the memory calls an item.

    >>> resource_id(8)
    'workItem:8'
    """
    return f"workItem:{work_item_id}"


def collection_name(org_id: str) -> str:
    """How the memory calls an organization's collection.

    >>> collection_name("acme")
    'org:acme'
    """
    return f"org:{org_id}"
