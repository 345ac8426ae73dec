"""Tells whether two places are the same: a found one, and one that a person named by some of its keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, get_args, get_type_hints

from bob.core.locator import Locator, locator_to_json

_RANGES = (("start_line", "end_line"), ("first_row", "last_row"), ("paragraph_index", "last_paragraph_index"))
"""Pairs of keys that bound a range, both ends included."""

_COLUMNS = ("start_column", "end_column")
_CHARACTERS = ("start_char", "end_char")
_HEADINGS = ("heading", "parent_heading")
_OF_THE_FILE = ("total_pages", "total_slides", "total_messages", "row_count")
"""Keys that say something of the whole file, and nothing of the place."""

_END = 1 << 62


def _place_keys() -> dict[str, type]:
    types: dict[str, type] = {"kind": str}
    for kind in get_args(Locator):
        hints = get_type_hints(kind)
        for field in fields(kind):
            hint = hints[field.name]
            types[field.name] = hint if isinstance(hint, type) else get_args(hint)[0]
    return types


PLACE_KEYS: Mapping[str, type] = _place_keys()
"""Every key of a locator's JSON with the type of its value."""


def same_place(expected: Mapping[str, Any], locator: Locator, headings: Sequence[str]) -> bool:
    """Whether what was found overlaps with what was wanted.

    Args:
        wanted: some keys of a locator's JSON; without any, every place is the same. Ranges must overlap,
            other values be equal, case aside.
        found: the locator of what was found.
        headings: the headings above it; a wanted heading may be any of them, so that a section includes the
            sections in it.
    """
    own = locator_to_json(locator)
    if not all(_overlap(expected, own, first, last) for first, last in _RANGES):
        return False
    if _CHARACTERS[0] in expected and not _characters_overlap(expected, own):
        return False
    above = {_even(heading) for heading in (*headings, *(own.get(name, "") for name in _HEADINGS))}
    if any(_even(expected[name]) not in above for name in _HEADINGS if name in expected):
        return False
    ranged = {*(name for pair in _RANGES for name in pair), *_COLUMNS, *_CHARACTERS}
    plain = expected.keys() - ranged - {*_HEADINGS, *_OF_THE_FILE}
    return all(name in own and _even(expected[name]) == _even(own[name]) for name in plain)


def bad_ranges(expected: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the ranges of a place: an end without a start, or before it."""
    for first, last in (*_RANGES, _CHARACTERS):
        if last in expected and first not in expected:
            yield f"{last}: needs {first} too"
        elif last in expected and expected[last] < expected[first]:
            yield f"{last}: lies before {first}"
    if _CHARACTERS[0] in expected and _CHARACTERS[1] not in expected:
        yield f"{_CHARACTERS[0]}: needs {_CHARACTERS[1]} too"


def _overlap(expected: Mapping[str, Any], own: Mapping[str, Any], first: str, last: str) -> bool:
    if first not in expected:
        return True
    if first not in own:
        return False
    if first == "start_line":
        # Two parts of one very long line are different places.
        start, end = _line_range(expected)
        own_start, own_end = _line_range(own)
        return start < own_end and own_start < end
    return bool(expected[first] <= own[last] and own[first] <= expected.get(last, expected[first]))


def _line_range(locator: Mapping[str, Any]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Start and end (excluded), each as line and column."""
    start, end = locator["start_line"], locator.get("end_line", locator["start_line"])
    return (start, locator.get("start_column", 0)), (end, locator.get("end_column", _END))


def _characters_overlap(expected: Mapping[str, Any], own: Mapping[str, Any]) -> bool:
    start, end = _CHARACTERS
    return start in own and bool(expected[start] < own[end] and own[start] < expected[end])


def _even(value: Any) -> Any:
    return " ".join(value.split()).casefold() if isinstance(value, str) else value
