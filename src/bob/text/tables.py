"""Tables in text: the cells of a row, which row names the columns, and a row together with these names."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence

_DELIMITERS = ",;\t|"
_SNIFFED_ROWS = 20
_MOST_OF_NAME = 40
"""So many characters the name of a column has at most."""

_INSIDE_NAME = re.compile(r"_|(?<=[a-z])(?=[A-Z])")
_BAR = re.compile(r"(?<!\\)\|")


def sniff_delimiter(lines: Sequence[str]) -> str:
    """The delimiter that cuts the first rows into the most columns, and the same number each."""
    sample = [line for line in lines[: _SNIFFED_ROWS * 2] if line.strip()][:_SNIFFED_ROWS]
    best, best_score = ",", 0.0
    for delimiter in _DELIMITERS:
        widths = [len(cells) for _, _, cells in delimited_rows(sample, delimiter)]
        most_common = max(set(widths), key=lambda width: (widths.count(width), width), default=1)
        score = (most_common > 1) * widths.count(most_common) / max(len(widths), 1) * (1 + most_common / 1000)
        if score > best_score:
            best, best_score = delimiter, score
    return best


def delimited_rows(lines: Sequence[str], delimiter: str) -> list[tuple[int, int, list[str]]]:
    """First line, line after the last, and cells of each row; a quoted cell may hold line ends."""
    reader = csv.reader((line + "\n" for line in lines), delimiter=delimiter)
    groups: list[tuple[int, int, list[str]]] = []
    begin = 0
    try:
        for cells in reader:
            groups.append((begin, reader.line_num, cells))
            begin = reader.line_num
    except csv.Error:  # a cell above the module's limit, often because of a quote that never ends
        groups.extend(_lines_as_rows(lines, begin, delimiter))
    return groups


def _lines_as_rows(lines: Sequence[str], begin: int, delimiter: str) -> Iterator[tuple[int, int, list[str]]]:
    for index in range(begin, len(lines)):
        yield index, index + 1, lines[index].split(delimiter)


def cells_between_bars(row: str) -> list[str]:
    """The cells of a row of Markdown, or of one whose cells only have bars between them.

    >>> cells_between_bars("| | 2024 | 2025 |"), cells_between_bars("Boat | Length")
    (['', '2024', '2025'], ['Boat', 'Length'])
    """
    row = row.strip()
    if len(row) > 1 and row.startswith("|") and row.endswith("|"):
        row = row[1:-1]
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(row)]


def names_columns(cells: Sequence[str]) -> bool:
    """Whether a first row reads like names: no numbers, none twice."""
    named = [cell.strip() for cell in cells if cell.strip()]
    has_numbers = any(cell.replace(".", "").replace(",", "").lstrip("+-").isdigit() for cell in named)
    return len(named) > 1 and not has_numbers and len(set(named)) == len(named)


def is_head(first: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether the first row of a table that marks none names the columns of those below.

    What stands in a column again is no name of it ("INFO | server | started"). Two columns may as well be
    names and values all the way down ("Owner | Marta"): there the second has to be a number everywhere but in
    the first row.

    >>> is_head(["Boat", "Length", "Owner"], [["Heron", "9.2", "Piet"]])
    True
    >>> is_head(["Boat", "Length"], [["Heron", "9.2 m"], ["Swift", "5.1 m"]])
    True
    >>> is_head(["Owner", "Marta"], [["Berth", "A3"], ["Length", "7.5"]])
    False
    >>> is_head(["INFO", "server", "started"], [["INFO", "server", "stopped"]])
    False
    """
    if not names_columns(first) or any(_has_digit(cell) or len(cell) > _MOST_OF_NAME for cell in first):
        return False
    wide = [row for row in below if len(row) == len(first)]
    if any(own and own == cell for row in wide for own, cell in zip(first, row, strict=True)):
        return False
    if len(first) > 2:
        return bool(wide)
    return len(wide) > 1 and all(row[1][:1].isdigit() and not _has_digit(row[0]) for row in wide)


def groups_of(rows: Sequence[Sequence[str]]) -> list[str]:
    """For each row the one above it that has a first cell alone and names the rows below it, "" without such;
    an empty row ends a group.

    >>> groups_of([["Expenses", ""], ["Travel", "5"], ["", ""], ["Net", "7"]])
    ['', 'Expenses', '', '']
    """
    groups: list[str] = []
    group = ""
    for row in rows:
        is_group = len(row) > 1 and bool(row[0]) and not any(row[1:])
        groups.append("" if is_group or not any(row) else group)
        group = row[0] if is_group else group if any(row) else ""
    return groups


def named_cells(columns: Sequence[str], cells: Sequence[str], group: str = "") -> tuple[tuple[str, str], ...]:
    """The cells of a row, each with the name of its column as words, behind the group that the row is in.

    >>> named_cells(["Boat", "length_in_m", "BerthNumber"], ["Heron", "9.2", "", "leaks"])
    (('Boat', 'Heron'), ('length in m', '9.2'), ('Berth Number', ''), ('', 'leaks'))
    """
    names = [_INSIDE_NAME.sub(" ", column).strip() for column in columns] + [""] * (len(cells) - len(columns))
    return ((("", group),) if group else ()) + tuple(zip(names, cells, strict=False))


def shown_cells(cells: Sequence[tuple[str, str]]) -> str:
    """A row as a line that says alone what it says, without empty cells.

    >>> shown_cells([("Boat", "Heron"), ("Length", "9.2"), ("Berth", ""), ("", "leaks")])
    'Boat: Heron; Length: 9.2; leaks'
    """
    return "; ".join(f"{column}: {cell}" if column else cell for column, cell in cells if cell)


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))
