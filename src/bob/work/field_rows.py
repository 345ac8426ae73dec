"""The fields that an organization added to its work items, and their values as text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from bob.storage.database import Transaction
from bob.work.items import CustomField, FieldType


def define(transaction: Transaction, name: str, field_type: FieldType, options: Sequence[str]) -> CustomField:
    """Keep a new field. Its name must be a new one."""
    (field_id,) = transaction.take_ids("custom_field", 1)
    transaction.insert(
        "custom_fields",
        {
            "field_id": field_id,
            "name": name,
            "field_type": str(field_type),
            "options": json.dumps(list(options)),
        },
    )
    return CustomField(field_id, name, field_type, tuple(options))


def rename(transaction: Transaction, field_id: int, name: str) -> None:
    """Give a field another name, which must be a new one."""
    transaction.update("custom_fields", {"field_id": field_id}, {"name": name})


def every(transaction: Transaction) -> list[CustomField]:
    """All fields, in the order in which they were defined."""
    rows = transaction.execute(
        "SELECT field_id, name, field_type, options FROM custom_fields WHERE org_id = :org ORDER BY field_id"
    )
    return [
        CustomField(int(number), str(name), FieldType(kind), tuple(json.loads(options)))
        for number, name, kind, options in rows
    ]


def set_values(transaction: Transaction, work_item_id: int, values: Mapping[int, str | None]) -> None:
    """Keep an item's values by the fields' numbers, in place of what they were; None: no value."""
    if not values:
        return
    transaction.execute(
        "DELETE FROM custom_field_values"
        " WHERE org_id = :org AND work_item_id = :work_item_id AND field_id IN :fields",
        {"work_item_id": work_item_id, "fields": values},
    )
    transaction.insert(
        "custom_field_values",
        *(
            {"work_item_id": work_item_id, "field_id": field_id, "value": value}
            for field_id, value in values.items()
            if value is not None
        ),
    )


def values_of(transaction: Transaction, work_item_ids: Sequence[int]) -> dict[int, dict[str, str]]:
    """The values of items by number and the field's name, fields in the order of their definition."""
    by_item: dict[int, dict[str, str]] = {work_item_id: {} for work_item_id in work_item_ids}
    rows = transaction.execute(
        "SELECT v.work_item_id, f.name, v.value FROM custom_field_values v"
        " JOIN custom_fields f ON f.org_id = :org AND f.field_id = v.field_id"
        " WHERE v.org_id = :org AND v.work_item_id IN :ids ORDER BY v.work_item_id, v.field_id",
        {"ids": work_item_ids},
    )
    for work_item_id, name, value in rows:
        by_item[int(work_item_id)][str(name)] = str(value)
    return by_item


def items_with(transaction: Transaction, field_id: int) -> list[int]:
    """The items that have a value in a field, in order."""
    rows = transaction.execute(
        "SELECT work_item_id FROM custom_field_values WHERE org_id = :org AND field_id = :field_id"
        " ORDER BY work_item_id",
        {"field_id": field_id},
    )
    return [int(number) for (number,) in rows]
