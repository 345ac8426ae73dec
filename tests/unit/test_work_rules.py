"""Which change means what for the memory: every field, every transition, and combinations."""

from itertools import combinations

import pytest

from bob.work.items import ARCHIVED, EventType, FieldType
from bob.work.rules import IndexAction, index_action

TYPES = {
    "Severity": FieldType.ENUM,
    "Platform": FieldType.TEXT,
    "Reproducible": FieldType.BOOLEAN,
    "Cost": FieldType.NUMBER,
    "Due": FieldType.DATE,
    "Trace": FieldType.JSON,
    "title": FieldType.NUMBER,
}
CHANGES = {
    "title": (("a", "b"), True),
    "description": ((None, "b"), True),
    "category": (("Bugs", None), True),
    "status": (("OPEN", "DONE"), False),
    "priority": (("LOW", "HIGH"), False),
    "assignee_id": ((None, "ana"), False),
    "field:Severity": (("Minor", "Critical"), True),
    "field:Platform": ((None, "iOS"), True),
    "field:Reproducible": (("false", "true"), True),
    "field:Cost": (("1", "2"), False),
    "field:Due": ((None, "2025-01-31"), False),
    "field:Trace": (("{}", '{"a": 1}'), False),
    "field:title": (("1", "2"), False),
}


def after(changes, kind=EventType.UPDATED, status="OPEN"):
    return index_action(kind, changes, status, TYPES)


@pytest.mark.parametrize("name", CHANGES)
def test_one_field(name):
    pair, meaningful = CHANGES[name]
    assert after({name: pair}) is (IndexAction.UPDATE if meaningful else IndexAction.NONE)
    if name != "status":
        assert after({name: pair}, status=ARCHIVED) is IndexAction.NONE


@pytest.mark.parametrize("names", list(combinations(CHANGES, 2)), ids="+".join)
def test_two_fields(names):
    changes = {name: CHANGES[name][0] for name in names}
    meaningful = any(CHANGES[name][1] for name in names)
    assert after(changes) is (IndexAction.UPDATE if meaningful else IndexAction.NONE)
    if "status" not in names:
        archived = changes | {"status": ("OPEN", ARCHIVED)}
        assert after(archived, status=ARCHIVED) is IndexAction.DELETE
        assert after(changes | {"status": (ARCHIVED, "OPEN")}) is IndexAction.ADD


def test_text_that_is_a_number_alone_is_as_a_number():
    assert after({"field:Platform": ("12", "13")}) is IndexAction.NONE
    assert after({"field:Platform": ("12", "iOS")}) is IndexAction.UPDATE
    assert after({"field:Platform": ("iOS", "12")}) is IndexAction.UPDATE


def test_creating():
    assert after({"title": (None, "a")}, EventType.CREATED) is IndexAction.ADD
    made = {"title": (None, "a"), "status": (None, ARCHIVED)}
    assert after(made, EventType.CREATED, ARCHIVED) is IndexAction.NONE


def test_renaming():
    assert after({"category": ("Bugs", "Faults")}, EventType.CATEGORY_RENAMED) is IndexAction.UPDATE
    assert after({"field": ("System", "Platform")}, EventType.FIELD_RENAMED) is IndexAction.UPDATE
    assert after({"field": ("Price", "Cost")}, EventType.FIELD_RENAMED) is IndexAction.NONE
    assert after({"category": ("Bugs", "Faults")}, EventType.CATEGORY_RENAMED, ARCHIVED) is IndexAction.NONE
