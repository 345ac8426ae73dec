"""Finds the tables of a spreadsheet: where each begins, and the names of its columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from bob.text.table_heads import Merged, belongs_to_head, head_of, names_of
from bob.text.tables import LONGEST_FILL, MOST_OF_HEAD, is_number

_LOOKED_AT = 50
"""Of the rows from one on, so many say whether it is the head of a table."""

_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\b[^>]*?\bref=\"([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})\"")
_MOST_MERGED = 20_000
"""So many merged ranges are looked at: heads have some dozens."""

_LONGEST_MERGE = 1_000
"""So many rows below its first a merged cell is written in."""

_FEWEST_NAMES = 2
"""Of each of two tables that stand side by side."""

_MOST_OF_NAMES = MOST_OF_HEAD * 3 // 4
"""The characters of names that are a head together with what stands between them."""

_LONGEST_TITLE, _MOST_TITLES = 120, 4
"""Characters of a title above a table, and how many there are at most: more is a text."""

Row = tuple[int, list[str]]
"""The row's number, from 1, and its cells' text."""


@dataclass(frozen=True, slots=True)
class SheetTable:
    """Rows of a sheet, with the names of their columns; none where no row names them. `titles` are the texts
    of rows that stand above a head with nothing beside them."""

    rows: list[Row]
    columns: list[str]
    titles: tuple[str, ...] = ()

    def side_by_side(self) -> Iterator[SheetTable]:
        """The tables that stand beside one another with an empty column between: each has names of its own,
        words in its first column, and one of them ends before the other. This one, where there are none."""
        width = max((len(texts) for _, texts in self.rows), default=0)
        borders = (column for column in range(1, width - 1) if self._are_apart(column))
        border = next(borders, None)
        if border is None:
            yield self
            return
        yield self._columns_of(0, border)
        yield from self._columns_of(border + 1, width).side_by_side()

    def _columns_of(self, first: int, after: int) -> SheetTable:
        """The table of some of the columns, which stay where they are."""
        rows = [(number, [""] * first + texts[first:after]) for number, texts in self.rows]
        columns = [""] * first + self.columns[first:after]
        return SheetTable([row for row in rows if any(row[1])], columns, self.titles)

    def _are_apart(self, border: int) -> bool:
        if any(texts[border:] and texts[border] for _, texts in self.rows):
            return False
        left, right = self.columns[:border], self.columns[border + 1 :]
        if min(sum(map(bool, names)) for names in (left, right)) < _FEWEST_NAMES:
            return False
        start = border + 1 + next(number for number, name in enumerate(right) if name)
        below = [texts for _, texts in self.rows if not belongs_to_head(texts, self.columns)]
        below = [texts for texts in below if not _is_title(texts)]
        sides = [(any(texts[:border]), any(texts[border:])) for texts in below]
        both = sum(1 for _ in takewhile(all, sides))
        # Behind the rows that both have, only one of them goes on.
        ends = both > 1 and len(set(sides[both:])) == 1
        return ends and not any(texts[start:] and is_number(texts[start]) for texts in below)


def merged_ranges(sheet: bytes) -> list[Merged]:
    """The cells that a sheet's XML merges; rows and columns count from 0."""
    ranges: list[Merged] = []
    for match in _MERGED.finditer(sheet, max(sheet.rfind(b"sheetData>"), 0)):
        left, top, right, bottom = match.groups()
        ranges.append((int(top) - 1, _column(left), int(bottom) - 1, _column(right)))
        if len(ranges) == _MOST_MERGED:
            break
    return ranges


def fill_merged(rows: Sequence[Row], merged: Sequence[Merged]) -> None:
    """Write what stands in several rows in each of them that has text."""
    texts_of = {number - 1: texts for number, texts in rows}
    for top, left, bottom, _ in merged:
        first = texts_of.get(top, [])
        text = first[left] if left < len(first) else ""
        if not text or len(text) > LONGEST_FILL:
            continue
        for number in range(top + 1, min(bottom, top + _LONGEST_MERGE) + 1):
            texts = texts_of.get(number)
            if texts is not None:
                texts.extend([""] * (left + 1 - len(texts)))
                texts[left] = texts[left] or text


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number - 1


def tables_of(rows: Sequence[Row], merged: Sequence[Merged] = ()) -> Iterator[SheetTable]:
    """The tables of a sheet in order. A new one begins where, below an empty row or a title, a row of words
    names the numbers below it."""
    start, search = 0, 0
    columns: list[str] = []
    titles: tuple[str, ...] = ()
    by_row = _by_first_row(merged)
    head = _head(rows, 0, by_row, fewest_words=3)
    # What stands above the first head that is found at all may be a form, such as that of an invoice.
    is_form = head is None
    head = head or _next_head(rows, 0, by_row)
    while head is not None:
        first, after, names = head
        begin = _with_titles(rows, first, search)
        if (search or is_form) and begin > start:
            # A head directly above another names nothing: it is a title of several cells.
            has_rows = begin > search
            yield SheetTable(list(rows[start:begin]), columns if has_rows else [], titles)
            start = begin
        columns, search = names, after
        titles = _titles([texts for _, texts in rows[start:first]])
        head = _next_head(rows, search, by_row)
    if rows:
        yield SheetTable(list(rows[start:]), columns, titles)


Head = tuple[int, int, list[str]]
"""First row of a head, the row after its last, and the names of the columns."""


def _head(
    rows: Sequence[Row], begin: int, merged: dict[int, list[Merged]], fewest_words: int | None
) -> Head | None:
    """The head of the table whose rows begin at one."""
    part = rows[begin : begin + _LOOKED_AT]
    # Rows without text are none here, so the numbers of merged cells are those of the rows that are.
    place_of = {number - 1: place for place, (number, _) in enumerate(part)}
    ranges = [
        (
            place_of[top],
            left,
            max(place_of.get(row, 0) for row in range(top, min(bottom, top + _LOOKED_AT) + 1)),
            right,
        )
        for number, _ in part
        for top, left, bottom, right in merged.get(number - 1, ())
    ]
    texts = [texts for _, texts in part]
    head = head_of(texts, ranges, fewest_words=fewest_words)
    if head is None:
        return None
    first, after = head
    shifted = [(top - first, left, bottom - first, right) for top, left, bottom, right in ranges]
    # A merged name may stand over columns behind the last in which the head has text, and over empty ones.
    width = max((column + 1 for row in texts[first:] for column, text in enumerate(row) if text), default=0)
    used = [any(row[column:] and row[column] for row in texts[first:]) for column in range(width)]
    wide = [row[:width] + [""] * (width - len(row)) for row in texts[first:after]]
    # The last row of a long head explains the names above it.
    every = (names_of(wide[:last], shifted) for last in range(len(wide), 0, -1))
    spread = ([name if used[column] else "" for column, name in enumerate(names)] for names in every)
    names = next((names for names in spread if sum(map(len, names)) < _MOST_OF_NAMES), [])
    while names and not names[-1]:
        names.pop()
    return begin + first, begin + after, names


def _next_head(rows: Sequence[Row], search: int, merged: dict[int, list[Merged]]) -> Head | None:
    for place in range(max(search, 1), len(rows)):
        may_begin = _is_below_gap(rows, place) or _is_title(rows[place - 1][1])
        if may_begin and not _is_title(rows[place][1]):
            head = _head(rows, place, merged, fewest_words=None)
            if head is not None and head[0] == place:
                return head
    return None


def _with_titles(rows: Sequence[Row], first: int, search: int) -> int:
    """The row from which on rows of one cell stand directly above a head."""
    while first > search and _is_title(rows[first - 1][1]):
        first -= 1
        if first and _is_below_gap(rows, first):
            break
    return first


def _is_below_gap(rows: Sequence[Row], place: int) -> bool:
    """Whether an empty row stands above this one."""
    return rows[place][0] > rows[place - 1][0] + 1


def _is_title(texts: Sequence[str]) -> bool:
    return sum(map(bool, texts)) < 2


def _titles(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The texts of rows of one cell, as far as they are short and few."""
    texts = [next(filter(None, row)) for row in rows if _is_title(row) and any(row)]
    short = tuple(
        dict.fromkeys(text for text in texts if len(text) <= _LONGEST_TITLE and not is_number(text))
    )
    return short if len(short) <= _MOST_TITLES else ()


def _by_first_row(merged: Sequence[Merged]) -> dict[int, list[Merged]]:
    by_row: dict[int, list[Merged]] = {}
    for ranges in merged:
        by_row.setdefault(ranges[0], []).append(ranges)
    return by_row
