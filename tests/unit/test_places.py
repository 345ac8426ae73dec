"""Whether a found place is the one that was meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bob.core.locator import (
    ElementLocator,
    LineLocator,
    PageLocator,
    ParagraphLocator,
    SheetLocator,
    SlideLocator,
    locator_to_json,
)
from bob.evaluation.places import same_place

LINES = LineLocator(heading="Quiet hours", start_line=8, end_line=10)
PAGE = PageLocator(part=2, start_char=10, end_char=50, page=3, total_pages=9)
SHEET = SheetLocator(
    part=0, start_char=0, end_char=9, sheet_name="Hours", row_count=40, first_row=2, last_row=6
)
WORD = ParagraphLocator(part=0, end_char=9, parent_heading="Aim", paragraph_index=4, last_paragraph_index=5)


@pytest.mark.parametrize(
    ("wanted", "found", "same"),
    [
        ({}, LINES, True),
        ({"start_line": 10, "end_line": 12}, LINES, True),
        ({"start_line": 11, "end_line": 12}, LINES, False),
        ({"start_line": 9}, LINES, True),
        ({"start_line": 7}, LINES, False),
        ({"heading": "quiet  HOURS"}, LINES, True),
        ({"heading": "Rules"}, LINES, True),
        ({"heading": "Fires"}, LINES, False),
        ({"page": 3}, LINES, False),
        ({"page": 3, "total_pages": 12}, PAGE, True),
        ({"page": 4}, PAGE, False),
        ({"kind": "page"}, LINES, False),
        ({"page": 3, "start_char": 49, "end_char": 60}, PAGE, True),
        ({"page": 3, "start_char": 50, "end_char": 60}, PAGE, False),
        ({"sheet_name": "hours", "first_row": 6, "last_row": 9}, SHEET, True),
        ({"sheet_name": "Hours", "first_row": 7, "last_row": 9}, SHEET, False),
        ({"parent_heading": "aim", "paragraph_index": 5}, WORD, True),
        ({"heading": "Aim"}, WORD, True),
        ({"slide": 2, "notes": True}, SlideLocator(part=1, slide=2, total_slides=3), False),
        ({"anchor": "a"}, ElementLocator(part=0), False),
        ({"heading": "Rules"}, ElementLocator(part=0), True),
    ],
)
def test_ranges_overlap_and_other_values_are_equal(wanted, found, same):
    assert same_place(wanted, found, ("Rules",)) is same


def test_parts_of_one_line_are_different_places():
    first = LineLocator(start_line=1, end_line=1, end_column=100)
    second = LineLocator(start_line=1, end_line=1, start_column=100, end_column=200)
    assert same_place(locator_to_json(first), first, ())
    assert not same_place(locator_to_json(first), second, ())
    assert not same_place(locator_to_json(second), first, ())
    assert same_place({"start_line": 1}, first, ()) and same_place({"start_line": 1}, second, ())


starts = st.integers(1, 20)


@given(starts, st.integers(0, 5), starts, st.integers(0, 5))
def test_line_ranges_overlap_when_they_share_a_line(start, length, other_start, other_length):
    one = LineLocator(start_line=start, end_line=start + length)
    other = LineLocator(start_line=other_start, end_line=other_start + other_length)
    shared = set(range(start, start + length + 1)) & set(range(other_start, other_start + other_length + 1))
    assert same_place(locator_to_json(one), other, ()) is bool(shared)
    assert same_place(locator_to_json(other), one, ()) is bool(shared)


@pytest.mark.parametrize("found", [LINES, PAGE, SHEET, WORD])
def test_a_locator_as_it_is_printed_means_its_own_place(found):
    assert same_place(locator_to_json(found), found, ())
