"""Which rows of a table without a marked head name its columns, and the names that they give.

Titles may stand above a head ("in millions of euros"), a head may have several rows ("Visitors" over "2022"
and "2023"), and years, days and ranges ("31 - 60") name columns too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bob.text.tables import is_number, joined_names

_SEARCHED_ROWS = 20
"""So many rows may stand above a head, and below it so many say whether it is one."""

_SHARE_OF_WIDEST = 0.6
"""Of the fullest row of words a head has at least so many cells: a title has fewer."""

_LONGEST_NAME = 120
"""The characters of a name in a table without numbers, where a head is known by little else."""

_SELDOM = 4
"""A name stands again in less than one of so many cells of its column."""

FEWEST_WORDS_OF_DATA = 2
"""So many words are a head in a file of data, where one nearly always is."""

_NAMING = re.compile(
    r"(?:1[5-9]|20|21)\d\d(?:\s?[-–/]\s?\d{2,4})?|(?:1[5-9]|20|21)\d\d-\d\d(?:-\d\d)?|"
    r"\d{1,2}[./]\d{1,2}[./](?:\d{2}|\d{4})?|\d{1,2}[./](?:1[5-9]|20|21)\d\d|"
    r"\d{1,4}\s?[-–]\s?\d{1,4}|\d{1,4}\s?\+|[<>≤≥]\s?\d{1,4}"
)
"""Years, days, months and ranges: numbers that name columns of others."""

Rows = Sequence[Sequence[str]]
Merged = tuple[int, int, int, int]
"""Cells that are shown as one: first row, first column, last row, last column, from 0."""


def head_of(
    rows: Rows, merged: Sequence[Merged] = (), *, fewest_words: int | None = 3
) -> tuple[int, int] | None:
    """The first row of the head of a table and the row after its last, None where no row names the columns.

    Where words stand over numbers they name them. Without numbers a row of at least `fewest_words` is a head,
    if none of them stands in its column again; with None, no row is.

    >>> head_of([["Bees 2023"], ["Keeper", "Honey"], ["Ann", "12.5"], ["Bo", "9"]])
    (1, 2)
    >>> head_of([["Town", "2021", "2022"], ["Bern", "1200", "1400"]])
    (0, 1)
    >>> head_of([["", "Current", "1 - 30", "31 - 60"], ["Ann", "12.5", "0", "7"], ["Bo", "9", "", ""]])
    (0, 1)
    >>> head_of([["", "Visitors", ""], ["Course", "2022", "2023"], ["Pottery", "18", "23"]])
    (0, 2)
    >>> head_of([["Owner", "Marta"], ["Berth", "A3"]])
    """
    leading = _leading(rows)
    widest = max((_filled(rows[number]) for number in leading), default=0)
    best = next((number for number in leading if _filled(rows[number]) >= _SHARE_OF_WIDEST * widest), None)
    if best is None:
        return None
    first, after = best, best + 1
    while first > 0 and _are_joined(rows[first - 1], rows[first], first - 1, merged):
        first -= 1
    while after < len(rows) and _are_joined(rows[after - 1], rows[after], after - 1, merged):
        after += 1
    names = names_of(
        rows[first:after], [(top - first, left, bottom - first, right) for top, left, bottom, right in merged]
    )
    below = [
        row for row in rows[after : after + _SEARCHED_ROWS] if _filled(row) and list(row) != list(rows[best])
    ]
    return (first, after) if _are_names(names, below, fewest_words) else None


def names_of(head: Rows, merged: Sequence[Merged] = ()) -> list[str]:
    """The names of the columns below the rows of a head. What stands over several columns belongs to each.

    >>> names_of([["Course", "Visitors", "", "Led by"], ["", "2022", "2023", ""]])
    ['Course', 'Visitors 2022', 'Visitors 2023', 'Led by']
    >>> names_of([["Week", "Monday", ""]], [(0, 1, 0, 2)])
    ['Week', 'Monday', 'Monday']
    """
    rows = [list(row) for row in head]
    for number, row in enumerate(rows):
        lower = rows[number + 1] if number + 1 < len(rows) else []
        wide = [(left, right) for top, left, _, right in merged if top == number and left < right]
        row.extend([""] * (len(lower) - len(row)))
        for left, right in wide:
            row[left : right + 1] = [row[left]] * (min(right + 1, len(row)) - left) if left < len(row) else []
        if not wide and lower:
            _spread(row, lower)
    return joined_names(rows)


def belongs_to_head(cells: Sequence[str], columns: Sequence[str]) -> bool:
    """Whether a row is one of those that gave columns their names.

    >>> columns = ["Course", "Visitors 2022", "Visitors 2023"]
    >>> belongs_to_head(["", "2022", "2023"], columns), belongs_to_head(["Pottery", "2022", ""], columns)
    (True, False)
    """
    filled = [(number, cell) for number, cell in enumerate(cells) if cell]
    return len(filled) > 1 and all(
        number < len(columns) and _may_name(cell) and f" {cell} " in f" {columns[number]} "
        for number, cell in filled
    )


def _spread(upper: list[str], lower: Sequence[str]) -> None:
    """Puts what stands over several columns over each: over all that stand side by side below it, or those
    from it to the next. At the left stands what the rows are of: beside that only numbers have more above."""
    leftmost = next((column for column, names in enumerate(zip(upper, lower, strict=False)) if any(names)), 0)
    start = 0
    while start < len(lower):
        stop = start
        while stop < len(lower) and lower[stop]:
            stop += 1
        named = [column for column in range(start, stop) if upper[column]]
        if len(named) == 1 and start > leftmost:
            upper[start:stop] = [upper[named[0]]] * (stop - start)
        else:
            for column in range(start + 1, stop):
                if start > leftmost or is_number(lower[column]):
                    upper[column] = upper[column] or upper[column - 1]
        start = stop + 1


def _leading(rows: Rows) -> list[int]:
    """The rows of words with which a table begins; narrow ones, such as titles, are passed over."""
    sample = rows[: 2 * _SEARCHED_ROWS]
    usual = sorted(map(_filled, sample))[len(sample) // 2] if sample else 0
    leading: list[int] = []
    for number, row in enumerate(rows[:_SEARCHED_ROWS]):
        filled = [cell for cell in row if cell]
        if len(filled) < 2 or len(filled) * 2 < usual:
            continue
        if all(map(is_number, filled)) or any(
            is_number(cell) and not _NAMING.fullmatch(cell) for cell in filled
        ):
            break
        leading.append(number)
    return leading


def _are_joined(upper: Sequence[str], lower: Sequence[str], number: int, merged: Sequence[Merged]) -> bool:
    """Whether two rows, one below the other, are of the same head."""
    if any(top <= number < bottom for top, _, bottom, _ in merged):
        return True
    first = next((column for column, cell in enumerate(upper) if cell), None)
    if first is None or not all(map(_may_name, (*upper, *lower))):
        return False
    below = [column for column, cell in enumerate(lower) if cell]
    gaps = [column for column in below if column >= len(upper) or not upper[column]]
    if any(top == number and left < right for top, left, _, right in merged):
        # A title over the whole table is of no column.
        return len(below) > 1 and (_filled(upper) > 1 or first > min(below))
    if _filled(upper) < 2:
        return first > 0 and len(below) > first and below[0] < first
    # Nothing stands below the first name, and names below none: "Course | Visitors | " over " | 2022 | 2023".
    return bool(below) and below[0] > first and bool(gaps)


def _are_names(names: Sequence[str], below: Rows, fewest_words: int | None) -> bool:
    """Whether the cells of a head name what stands below each."""
    filled = [(column, name) for column, name in enumerate(names) if name]
    over_numbers = repeated = False
    for column, name in filled:
        cells = [row[column] for row in below if column < len(row) and row[column]]
        if cells.count(name) > len(cells) // _SELDOM:
            return False
        repeated = repeated or name in cells
        numbers = [cell for cell in cells if is_number(cell)]
        if is_number(name):
            # A year or a day names other numbers than those.
            numbers = [cell for cell in numbers if not _NAMING.fullmatch(cell)]
        over_numbers = over_numbers or len(numbers) * 2 > len(cells)
    if over_numbers or fewest_words is None:
        return over_numbers
    words = not repeated and all(not is_number(name) and len(name) <= _LONGEST_NAME for _, name in filled)
    return words and len(filled) >= fewest_words and any(len(row) > 1 for row in below)


def _may_name(cell: str) -> bool:
    return not is_number(cell) or _NAMING.fullmatch(cell) is not None


def _filled(row: Sequence[str]) -> int:
    return sum(map(bool, row))
