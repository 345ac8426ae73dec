"""The fields that an organization added to its work items, and their values as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, delete, insert, select, update

from bob.storage.counters import next_ids
from bob.storage.schema_team import custom_field_values, custom_fields
from bob.work.items import CustomField, FieldType

_IDS_AT_ONCE = 500


def define(
    connection: Connection, org_id: str, name: str, field_type: FieldType, options: Sequence[str]
) -> CustomField:
    """Keep a new field. Its name must be a new one."""
    (field_id,) = next_ids(connection, org_id, "custom_field", 1)
    connection.execute(
        insert(custom_fields).values(
            org_id=org_id,
            field_id=field_id,
            name=name,
            field_type=str(field_type),
            options=list(options),
        )
    )
    return CustomField(field_id, name, field_type, tuple(options))


def rename(connection: Connection, org_id: str, field_id: int, name: str) -> None:
    """Give a field another name, which must be a new one."""
    connection.execute(
        update(custom_fields)
        .where(custom_fields.c.org_id == org_id, custom_fields.c.field_id == field_id)
        .values(name=name)
    )


def every(connection: Connection, org_id: str) -> list[CustomField]:
    """All fields, in the order in which they were defined."""
    columns = (
        custom_fields.c.field_id,
        custom_fields.c.name,
        custom_fields.c.field_type,
        custom_fields.c.options,
    )
    rows = connection.execute(
        select(*columns).where(custom_fields.c.org_id == org_id).order_by(custom_fields.c.field_id)
    )
    return [
        CustomField(int(number), str(name), FieldType(kind), tuple(options))
        for number, name, kind, options in rows
    ]


def set_values(
    connection: Connection, org_id: str, work_item_id: int, values: Mapping[int, str | None]
) -> None:
    """Keep an item's values by the fields' numbers, in place of what they were; None: no value."""
    if not values:
        return
    connection.execute(
        delete(custom_field_values).where(
            custom_field_values.c.org_id == org_id,
            custom_field_values.c.work_item_id == work_item_id,
            custom_field_values.c.field_id.in_(list(values)),
        )
    )
    kept = [
        {"org_id": org_id, "work_item_id": work_item_id, "field_id": field_id, "value": value}
        for field_id, value in values.items()
        if value is not None
    ]
    if kept:
        connection.execute(insert(custom_field_values), kept)


def values_of(connection: Connection, org_id: str, work_item_ids: Sequence[int]) -> dict[int, dict[str, str]]:
    """The values of items by number and the field's name, fields in the order of their definition."""
    found: dict[int, dict[str, str]] = {each: {} for each in work_item_ids}
    joined = custom_field_values.join(
        custom_fields,
        (custom_fields.c.org_id == custom_field_values.c.org_id)
        & (custom_fields.c.field_id == custom_field_values.c.field_id),
    )
    for start in range(0, len(work_item_ids), _IDS_AT_ONCE):
        part = list(work_item_ids[start : start + _IDS_AT_ONCE])
        rows = connection.execute(
            select(custom_field_values.c.work_item_id, custom_fields.c.name, custom_field_values.c.value)
            .select_from(joined)
            .where(custom_field_values.c.org_id == org_id, custom_field_values.c.work_item_id.in_(part))
            .order_by(custom_field_values.c.work_item_id, custom_field_values.c.field_id)
        )
        for work_item_id, name, value in rows:
            found[int(work_item_id)][str(name)] = str(value)
    return found


def items_with(connection: Connection, org_id: str, field_id: int) -> list[int]:
    """The items that have a value in a field, in order."""
    rows = connection.execute(
        select(custom_field_values.c.work_item_id)
        .where(custom_field_values.c.org_id == org_id, custom_field_values.c.field_id == field_id)
        .order_by(custom_field_values.c.work_item_id)
    )
    return [int(row[0]) for row in rows]
