"""What can be done with work items, categories and custom fields (SPEC K1); each call names who does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

from bob.core.errors import NotFoundError, RequestError
from bob.storage import organizations
from bob.storage.database import Database, Transaction
from bob.work import category_rows, event_rows, field_rows, index_rows, rows
from bob.work.items import (
    ARCHIVED,
    Category,
    CustomField,
    EventType,
    FieldType,
    WorkEvent,
    WorkFilter,
    WorkItem,
    is_number,
)
from bob.work.rules import IndexAction, index_action
from bob.work.values import LONGEST_NAME, line_of, person_of, word_of
from bob.work.write_item import Catalogue, WorkRules, create, update

_MOST_AT_ONCE = 1000
_Named = TypeVar("_Named", Category, CustomField)


@dataclass(frozen=True, slots=True)
class WorkPage:
    """Some items in order; `next_after` asks for those that follow, None: there are none."""

    items: tuple[WorkItem, ...]
    next_after: int | None


class WorkItems:
    """The work of one organization."""

    def __init__(self, database: Database, rules: WorkRules) -> None:
        self._database = database
        self._rules = rules

    def create(self, actor: str, values: Mapping[str, Any], now: datetime) -> WorkItem:
        """Make an item. `values` has its title, and perhaps description, category (name or number), status,
        priority, assignee_id, and fields: values by the custom field's name. Raises RequestError."""
        with self._database.write() as transaction:
            catalogue = Catalogue(transaction)
            made = create(transaction, catalogue, self._rules, actor, values, now)
            return self._at(transaction, made)

    def update(self, actor: str, work_item_id: int, values: Mapping[str, Any], now: datetime) -> WorkItem:
        """Change what is given of an item, None for no value. Raises NotFoundError, RequestError."""
        with self._database.write() as transaction:
            item = self._at(transaction, work_item_id)
            catalogue = Catalogue(transaction)
            update(transaction, catalogue, self._rules, actor, item, values, now)
            return self._at(transaction, work_item_id)

    def archive(self, actor: str, work_item_id: int, now: datetime) -> WorkItem:
        """Archive an item: the memory forgets it. Raises NotFoundError."""
        return self.update(actor, work_item_id, {"status": ARCHIVED}, now)

    def get(self, work_item_id: int) -> WorkItem:
        """An item. Raises NotFoundError."""
        with self._database.read() as transaction:
            return self._at(transaction, work_item_id)

    def those(self, work_item_ids: Sequence[int]) -> list[WorkItem]:
        """Items in the order in which they are named; what does not exist is left out."""
        with self._database.read() as transaction:
            items = rows.those(transaction, list(dict.fromkeys(work_item_ids)))
        return [items[item_id] for item_id in dict.fromkeys(work_item_ids) if item_id in items]

    def page(self, conditions: WorkFilter, after: int = 0, limit: int = 50) -> WorkPage:
        """Items that fit, in order of their numbers, from the one after `after`. Raises RequestError."""
        _check_page(after, limit)
        with self._database.read() as transaction:
            items = rows.page(transaction, self._filter(transaction, conditions), after, limit + 1)
        more = len(items) > limit
        return WorkPage(tuple(items[:limit]), items[limit - 1].work_item_id if more else None)

    def events(self, work_item_id: int | None = None, after: int = 0, limit: int = 50) -> list[WorkEvent]:
        """What happened to an item, or to all items, in order. Raises NotFoundError, RequestError."""
        _check_page(after, limit)
        with self._database.read() as transaction:
            if work_item_id is not None:
                self._at(transaction, work_item_id)
            return event_rows.page(transaction, work_item_id, after, limit)

    def categories(self) -> list[Category]:
        """All categories, the oldest first."""
        with self._database.read() as transaction:
            return category_rows.every(transaction)

    def add_category(self, name: str, now: datetime) -> Category:
        """Make a category. Raises RequestError: the name is taken or none."""
        with self._database.write() as transaction:
            free = _free("category", name, Catalogue(transaction).categories)
            return category_rows.add(transaction, free, now.timestamp())

    def rename_category(self, actor: str, named: str | int, name: str, now: datetime) -> Category:
        """Give a category another name; the memory learns it for every item of it. Raises NotFoundError,
        RequestError."""
        with self._database.write() as transaction:
            catalogue = Catalogue(transaction)
            category = _there(catalogue.category, named)
            others = [each for each in catalogue.categories if each != category]
            renamed = replace(category, name=_free("category", name, others))
            if renamed == category:
                return category
            category_rows.rename(transaction, category.category_id, renamed.name)
            touched = rows.of_category(transaction, category.category_id)
            changes = {"category": (category.name, renamed.name)}
            self._log(transaction, touched, EventType.CATEGORY_RENAMED, changes, actor, now)
            index_rows.queue_unarchived(transaction, touched)
            return renamed

    def fields(self) -> list[CustomField]:
        """All custom fields, in the order in which they were defined."""
        with self._database.read() as transaction:
            return field_rows.every(transaction)

    def define_field(self, name: str, field_type: str, options: Sequence[str] = ()) -> CustomField:
        """Add a field to all items; `options` are the values of an enum. Raises RequestError."""
        kind = _field_type(field_type)
        chosen = tuple(dict.fromkeys(line_of("options", option, LONGEST_NAME) for option in options))
        if len({name.casefold() for name in chosen}) < len(chosen):
            raise RequestError("options", "two options differ only in case")
        if (kind is FieldType.ENUM) != bool(chosen):
            raise RequestError("options", "an enum requires options, other types must not have any")
        with self._database.write() as transaction:
            free = _free("field", name, Catalogue(transaction).fields)
            return field_rows.define(transaction, free, kind, chosen)

    def rename_field(self, actor: str, named: str, name: str, now: datetime) -> CustomField:
        """Give a field another name; the memory learns it for every item that has it. Raises
        NotFoundError, RequestError."""
        with self._database.write() as transaction:
            catalogue = Catalogue(transaction)
            field = _there(catalogue.field, named)
            others = [each for each in catalogue.fields if each != field]
            renamed = replace(field, name=_free("field", name, others))
            if renamed == field:
                return field
            field_rows.rename(transaction, field.field_id, renamed.name)
            touched = field_rows.items_with(transaction, field.field_id)
            changes = {"field": (field.name, renamed.name)}
            self._log(transaction, touched, EventType.FIELD_RENAMED, changes, actor, now)
            # Asked once for all items, as of one that is not archived; those that are stay out of the queue.
            types = {renamed.name: field.field_type}
            status = self._rules.statuses[0]
            if index_action(EventType.FIELD_RENAMED, changes, status, types) is not IndexAction.NONE:
                index_rows.queue_unarchived(transaction, touched)
            return renamed

    def _at(self, transaction: Transaction, work_item_id: int) -> WorkItem:
        is_id = is_number(work_item_id)
        item = rows.by_id(transaction, work_item_id) if is_id else None
        if item is None:
            raise NotFoundError(f"no work item {work_item_id}")
        return item

    def _filter(self, transaction: Transaction, conditions: WorkFilter) -> WorkFilter:
        """The filter with its words as they are kept."""
        named = conditions.category
        category = Catalogue(transaction).category(named).name if named else None
        status, priority = conditions.status, conditions.priority
        return replace(
            conditions,
            category=category,
            status=word_of("status", status, self._rules.statuses) if status else None,
            priority=word_of("priority", priority, self._rules.priorities) if priority else None,
            assignee_id=person_of("assignee", conditions.assignee_id),
        )

    def _log(
        self,
        transaction: Transaction,
        touched: Sequence[int],
        event_type: EventType,
        changes: Mapping[str, tuple[Any, Any]],
        actor: str,
        now: datetime,
    ) -> None:
        organizations.ensure_users(transaction, [actor], now.timestamp())
        event_rows.add(transaction, touched, event_type, changes, actor, now.timestamp())


def _field_type(named: str) -> FieldType:
    try:
        return FieldType(named.strip().lower())
    except ValueError as error:
        raise RequestError("type", f"type: «{named}» must be one of {', '.join(FieldType)}") from error


def _check_page(after: int, limit: int) -> None:
    if after and not is_number(after):
        raise RequestError("after", "after must be the number from a page")
    if not 1 <= limit <= _MOST_AT_ONCE:
        raise RequestError("limit", f"limit must be from 1 to {_MOST_AT_ONCE}")


def _there(find: Callable[[Any], _Named], named: Any) -> _Named:
    """What is to be changed itself; elsewhere a name that is not known is a wrong value."""
    try:
        return find(named)
    except RequestError as error:
        raise NotFoundError(str(error)) from error


def _free(what: str, name: str, others: Sequence[Category | CustomField]) -> str:
    """The name in one line, if nothing else has it."""
    line = line_of("name", name, LONGEST_NAME)
    if any(other.name.casefold() == line.casefold() for other in others):
        raise RequestError("name", f"{what} «{line}» already exists")
    return line
