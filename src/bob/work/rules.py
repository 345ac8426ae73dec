"""Decides what a change of a work item means for the memory (SPEC K3)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from bob.work.item_text import SHOWN_TYPES, shown_value
from bob.work.items import ARCHIVED, EventType, FieldType, custom

_MEANINGFUL = frozenset({"title", "description", "category"})
"""What is indexed again when it changes; status, priority and assignee are not: SQL tells them."""


class IndexAction(StrEnum):
    """What the memory has to do."""

    NONE = "none"
    ADD = "add"
    UPDATE = "update"
    DELETE = "delete"


def index_action(
    event_type: EventType,
    changes: Mapping[str, tuple[Any, Any]],
    status: str,
    types: Mapping[str, FieldType],
) -> IndexAction:
    """What follows from an event.

    Args:
        changes: before and after of what changed, by name, as the event has them.
        status: the item's status after the event.
        types: the type of each custom field, by its name after the event.
    """
    if status == ARCHIVED:
        left = event_type is not EventType.CREATED and "status" in changes
        return IndexAction.DELETE if left else IndexAction.NONE
    if event_type is EventType.CREATED:
        return IndexAction.ADD
    if changes.get("status", ("", ""))[0] == ARCHIVED:
        return IndexAction.ADD
    if event_type is EventType.CATEGORY_RENAMED or not _MEANINGFUL.isdisjoint(changes):
        return IndexAction.UPDATE
    if event_type is EventType.FIELD_RENAMED:
        _, renamed = changes["field"]
        return IndexAction.UPDATE if types[renamed] in SHOWN_TYPES else IndexAction.NONE
    fields = {custom(name): field_type for name, field_type in types.items()}
    for name, (before, after) in changes.items():
        if name not in fields:
            continue
        shown = shown_value(fields[name], before), shown_value(fields[name], after)
        if shown[0] != shown[1]:
            return IndexAction.UPDATE
    return IndexAction.NONE
