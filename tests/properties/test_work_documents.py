"""Documents of work items that nobody thought of: still one form, and the same one for the same item."""

import re
import unicodedata
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from bob.text.secrets import redacted
from bob.work.item_text import build_document
from bob.work.items import Category, FieldType, WorkItem
from bob.work.values import clean_line, clean_text

WORDS = st.text(max_size=60)
NAMES = ["Severity", "Platform", "Reproducible", "Cost", "Due", "Trace"]
TYPES = dict(
    zip(
        NAMES,
        [FieldType.ENUM, FieldType.TEXT, FieldType.BOOLEAN, FieldType.NUMBER, FieldType.DATE, FieldType.JSON],
        strict=True,
    )
)


@st.composite
def items(draw):
    moment = datetime.fromtimestamp(draw(st.integers(1, 2_000_000_000)), UTC)
    values = {
        "Severity": WORDS,
        "Platform": WORDS,
        "Reproducible": st.sampled_from(["true", "false"]),
        "Cost": st.integers(0, 9).map(lambda digit: f"4711{digit}"),
        "Due": st.dates().map(str),
        "Trace": st.just('{"level": "error"}'),
    }
    chosen = draw(st.lists(st.sampled_from(NAMES), unique=True))
    return WorkItem(
        draw(st.integers(1, 10**9)),
        draw(WORDS),
        draw(st.none() | WORDS),
        draw(st.none() | WORDS.map(lambda name: Category(7, name))),
        "IN_PROGRESS",
        draw(st.sampled_from([None, "LOW"])),
        "somebody-4711",
        "somebody-4711",
        moment,
        moment,
        {name: draw(values[name]) for name in chosen},
    )


@given(items())
def test_the_document_has_its_parts_in_order_and_nothing_else(item):
    text = build_document(item, TYPES)
    assert text == build_document(item, TYPES)
    first, _, rest = text.partition("\n\n")
    assert first == f"Work Item: {clean_line(item.title)}"
    expected = [
        ("Description:", bool(clean_text(item.description or ""))),
        ("Category:", bool(item.category and clean_line(item.category.name))),
        ("Status:", True),
        ("Priority:", bool(item.priority)),
    ]
    for heading, there in expected:
        if there:
            at = rest.index(f"{heading}\n")
            rest = rest[at:]
    assert rest.startswith(("Status:\nIN_PROGRESS", "Priority:\nLOW"))
    # Line ends and tabs are text: lists and pasted tables have them.
    assert not any(unicodedata.category(each) in ("Cc", "Cs") for each in text if each not in "\n\t")
    assert "\n\n\n" not in text and text == text.strip("\n")


@given(items())
def test_numbers_dates_and_json_of_fields_never_show(item):
    _, _, listed = build_document(item, TYPES).rpartition("\n\nCustom Fields:\n")
    assert not re.search(r"^- (?:Cost|Due|Trace): ", listed, re.MULTILINE)


@given(WORDS)
def test_cleaning_twice_is_cleaning_once(text):
    assert clean_text(clean_text(text)) == clean_text(text)
    assert clean_line(clean_line(text)) == clean_line(text)
    assert "\n" not in clean_line(text)


@given(items())
def test_redacting_keeps_the_form(item):
    plain = build_document(item, TYPES)
    hidden = build_document(item, TYPES, lambda piece: redacted(piece).text)
    headings = ("Description:", "Category:", "Status:", "Priority:", "Custom Fields:")
    assert [each for each in headings if f"\n\n{each}\n" in plain] == [
        each for each in headings if f"\n\n{each}\n" in hidden
    ]
