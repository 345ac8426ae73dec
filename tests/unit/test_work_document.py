"""What the memory reads of a work item: seed 001's format and its rules, to the letter."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bob.text.secrets import redacted
from bob.work.item_text import build_document, shown_value
from bob.work.items import Category, FieldType, WorkItem

GOLDEN = Path(__file__).parents[1] / "golden" / "work_item.txt"
NOW = datetime(2025, 1, 31, tzinfo=UTC)
TYPES = {
    "Severity": FieldType.ENUM,
    "Platform": FieldType.TEXT,
    "Reproducible": FieldType.BOOLEAN,
    "Cost": FieldType.NUMBER,
    "Due": FieldType.DATE,
    "Trace": FieldType.JSON,
}


def item(title="Roof leaks", **values):
    base = WorkItem(1, title, None, None, "OPEN", None, None, "ana", NOW, NOW, {})
    return replace(base, **values)


def test_the_example_is_written_byte_for_byte():
    example = item(
        "Customer says app is slow on mobile",
        description="Customer reported that the mobile app takes 5+ seconds to load\n"
        "the dashboard. This is affecting user retention.",
        category=Category(3, "Bug Reports"),
        status="IN_PROGRESS",
        priority="HIGH",
        assignee_id="ana",
        fields={
            "Severity": "Critical",
            "Platform": "iOS",
            "Reproducible": "true",
            "Cost": "3.5",
            "Due": "2025-01-31",
            "Trace": '{"a": 1}',
        },
    )
    assert build_document(example, TYPES).encode() == GOLDEN.read_bytes().removesuffix(b"\n")


def test_what_is_empty_is_left_out():
    assert build_document(item(), TYPES) == "Work Item: Roof leaks\n\nStatus:\nOPEN"
    empty = item(description=" \r\n\t", category=Category(1, " "), fields={"Platform": " ", "Cost": "1"})
    assert build_document(empty, TYPES) == "Work Item: Roof leaks\n\nStatus:\nOPEN"


def test_line_ends_and_control_characters_do_not_get_through():
    wild = item("Roof\r\nleaks\x00 again", description="one\r\ntwo \x1b[31m\r\r\n\n\nthree\u2028four")
    text = build_document(wild, TYPES)
    assert text == (
        "Work Item: Roof leaks again\n\nDescription:\none\ntwo [31m\n\nthree\nfour\n\nStatus:\nOPEN"
    )


def test_secrets_are_redacted_wherever_they_stand():
    secret = "sk-" + "proj-" + "a1B2c3D4e5F6g7H8i9J0k1L2"
    found = item(
        f"Key {secret} leaked",
        description=f"It was {secret}, and\nthe password:",
        category=Category(1, f"Keys {secret}"),
        fields={"Platform": secret, "Password": "hunter2!"},
    )
    text = build_document(found, TYPES | {"Password": FieldType.TEXT}, lambda piece: redacted(piece).text)
    assert secret not in text and "hunter2" not in text
    assert text.count("removed]") == 5
    assert "\n\nCategory:\n" in text, "a word that ends one part takes nothing of the next"


SHOWN = [
    (FieldType.TEXT, "iOS 17", "iOS 17"),
    (FieldType.TEXT, "two\nlines", "two lines"),
    (FieldType.TEXT, "12", None),
    (FieldType.TEXT, "1.234,50", None),
    (FieldType.TEXT, "+49 30 1234", None),
    (FieldType.TEXT, "2025-01-31", None),
    (FieldType.TEXT, "2025-01-31T10:00:00Z", None),
    (FieldType.TEXT, "2025-01-31 10:00:00.123+02:00", None),
    (FieldType.TEXT, "2025-01-31 10:00 the server fell", "2025-01-31 10:00 the server fell"),
    (FieldType.TEXT, "6f9619ff-8b86-d011-b42d-00c04fc964ff", None),
    (FieldType.TEXT, "9fceb02d0ae598e95dc970b74767f19372d61af8", None),
    (FieldType.TEXT, '{"level": "error"}', None),
    (FieldType.TEXT, "[urgent] call back", "[urgent] call back"),
    (FieldType.TEXT, "facade", "facade"),
    (FieldType.ENUM, "Critical", "Critical"),
    (FieldType.ENUM, "3", None),
    (FieldType.BOOLEAN, "true", "Yes"),
    (FieldType.BOOLEAN, "false", "No"),
    (FieldType.NUMBER, "3.5", None),
    (FieldType.DATE, "2025-01-31", None),
    (FieldType.JSON, '"words"', None),
    (FieldType.TEXT, None, None),
]


@pytest.mark.parametrize(("kind", "value", "shown"), SHOWN)
def test_what_a_custom_field_shows(kind, value, shown):
    assert shown_value(kind, value) == shown
