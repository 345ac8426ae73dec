"""Writes one work item inside the caller's transaction: the item, its event, and the job for the memory.

The three commit together or not at all, and nobody waits for the memory (SPEC K3).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bob.core.errors import RequestError
from bob.storage import organizations
from bob.storage.database import Transaction
from bob.work import category_rows, event_rows, field_rows, index_rows, rows
from bob.work.items import Category, CustomField, EventType, WorkItem, custom
from bob.work.rules import IndexAction, index_action
from bob.work.values import LONGEST_TITLE, canonical, line_of, person_of, text_of, word_of

COLUMNS = ("title", "description", "category", "status", "priority", "assignee_id")
"""What of an item can be given beside its custom fields."""


@dataclass(frozen=True, slots=True)
class WorkRules:
    """The words that an organization uses; a new item has the first of the statuses."""

    statuses: tuple[str, ...]
    priorities: tuple[str, ...]


class Catalogue:
    """The categories and custom fields of an organization, as a transaction sees them; found by name,
    whatever its case."""

    def __init__(self, transaction: Transaction) -> None:
        self.categories = category_rows.every(transaction)
        self.fields = field_rows.every(transaction)

    def category(self, named: Any) -> Category:
        """A category by name or number. Raises RequestError."""
        for category in self.categories:
            if _same(category.name, named) or (category.category_id == named and not isinstance(named, bool)):
                return category
        raise RequestError("category", f"no category {_named(named, self.categories)}")

    def field(self, name: Any) -> CustomField:
        """A field by name. Raises RequestError."""
        for field in self.fields:
            if _same(field.name, name):
                return field
        raise RequestError(str(name), f"no custom field {_named(name, self.fields)}")


def create(
    transaction: Transaction,
    catalogue: Catalogue,
    rules: WorkRules,
    actor: str,
    given: Mapping[str, Any],
    now: datetime,
    *,
    external_id: str | None = None,
    imported: Mapping[str, str] | None = None,
    created_at: datetime | None = None,
) -> int:
    """Make an item; its number. `imported` is a hash a column of what an import said of it. Raises
    RequestError: a value is wrong, and nothing is written."""
    if given.get("title") is None:
        raise RequestError("title", "title is missing")
    columns, values = _checked(catalogue, rules, given)
    columns.setdefault("status", rules.statuses[0])
    ids = {field.name: field.field_id for field in catalogue.fields}
    moment = now.timestamp()
    # Who is told of a moment still to come would wait for it.
    made = min(created_at, now).timestamp() if created_at else moment
    organizations.ensure_users(transaction, _people(actor, columns), moment)
    work_item_id = rows.add(
        transaction,
        **_row(columns),
        created_by=actor,
        created_at=made,
        updated_at=moment,
        external_id=external_id,
        imported=None if imported is None else rows.packed_hashes(imported),
    )
    field_rows.set_values(
        transaction, work_item_id, {ids[name]: value for name, value in values.items() if value}
    )
    after = _plain(columns) | {custom(name): value for name, value in values.items()}
    changes = {name: (None, value) for name, value in after.items() if value is not None}
    event_rows.add(transaction, [work_item_id], EventType.CREATED, changes, actor, moment)
    types = {field.name: field.field_type for field in catalogue.fields}
    if index_action(EventType.CREATED, changes, columns["status"], types) is not IndexAction.NONE:
        index_rows.queue_new(transaction, work_item_id)
    return work_item_id


def update(
    transaction: Transaction,
    catalogue: Catalogue,
    rules: WorkRules,
    actor: str,
    item: WorkItem,
    given: Mapping[str, Any],
    now: datetime,
) -> bool:
    """Change what is given of an item, None for no value; whether anything differs. Raises RequestError: a
    value is wrong, and nothing is written."""
    columns, values = _checked(catalogue, rules, given)
    before = _plain({name: getattr(item, name) for name in columns}) | {
        custom(name): item.fields.get(name) for name in values
    }
    after = _plain(columns) | {custom(name): value for name, value in values.items()}
    changes = {name: (before[name], value) for name, value in after.items() if before[name] != value}
    if not changes:
        return False
    moment = now.timestamp()
    organizations.ensure_users(transaction, _people(actor, columns), moment)
    rows.change(transaction, item.work_item_id, **_row(columns), updated_at=moment)
    ids = {field.name: field.field_id for field in catalogue.fields}
    field_rows.set_values(
        transaction,
        item.work_item_id,
        {ids[name]: value for name, value in values.items() if custom(name) in changes},
    )
    event_rows.add(transaction, [item.work_item_id], EventType.UPDATED, changes, actor, moment)
    types = {field.name: field.field_type for field in catalogue.fields}
    status = columns.get("status", item.status)
    if index_action(EventType.UPDATED, changes, status, types) is not IndexAction.NONE:
        index_rows.queue(transaction, item.work_item_id)
    return True


def _checked(
    catalogue: Catalogue, rules: WorkRules, given: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, str | None]]:
    """What is given, as it is kept: columns by name (a category as one), and values by the field's name."""
    unknown = given.keys() - {*COLUMNS, "fields"}
    if unknown:
        name = min(unknown)
        raise RequestError(name, f"unknown: {name}; an item has {', '.join(COLUMNS)} and fields")
    columns: dict[str, Any] = {}
    for name in COLUMNS:
        if name in given:
            columns[name] = _column(catalogue, rules, name, given[name])
    fields = given.get("fields") or {}
    if not isinstance(fields, Mapping):
        raise RequestError("fields", "fields must be an object with the fields' names and values")
    values: dict[str, str | None] = {}
    for name, value in fields.items():
        field = catalogue.field(name)
        if field.name in values:
            raise RequestError(field.name, f"{field.name} must not be given twice")
        values[field.name] = canonical(field, value)
    return columns, values


def _column(catalogue: Catalogue, rules: WorkRules, name: str, value: Any) -> Any:
    match name:
        case "title":
            return line_of(name, value, LONGEST_TITLE)
        case "description":
            return text_of(name, value)
        case "category":
            return None if value is None or value == "" else catalogue.category(value)
        case "status":
            return word_of(name, value, rules.statuses)
        case "priority":
            return None if value is None or value == "" else word_of(name, value, rules.priorities)
        case _:
            return person_of(name, value)


def _plain(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The columns as an event has them."""
    return {name: value.name if isinstance(value, Category) else value for name, value in columns.items()}


def _row(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The columns as the table has them."""
    changed = {name: value for name, value in columns.items() if name != "category"}
    if "category" in columns:
        category = columns["category"]
        changed["category_id"] = category.category_id if category else None
    return changed


def _people(actor: str, columns: Mapping[str, Any]) -> list[str]:
    assignee = columns.get("assignee_id")
    return [actor, assignee] if assignee else [actor]


def _same(name: str, other: Any) -> bool:
    return isinstance(other, str) and name.casefold() == " ".join(other.split()).casefold()


def _named(name: Any, choices: Iterable[Category | CustomField]) -> str:
    names = [choice.name for choice in choices]
    if not names:
        return f"«{name}»; none is defined yet"
    close = difflib.get_close_matches(str(name), names, n=1)
    return f"«{name}»; did you mean «{close[0]}»?" if close else f"«{name}»; known: {', '.join(names)}"
