"""Tables in text: the cells of a row, which row names the columns, and a row together with these names."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

_DELIMITERS = ",;\t|"
_SNIFFED_ROWS = 20
_MOST_OF_NAME = 40
"""So many characters the name of a column has at most."""
_LONGEST_NAME = 120
"""And so many where numbers stand below the names."""

_HUMP = re.compile(r"(?<=[a-z]{2})(?=[A-Z])")
_CAMEL_CASE = re.compile(r"(?<![^\s(\[])[a-z]{2}[a-z\d]*+(?:[A-Z][a-z\d]++)++(?![^\s)\],:])")
_SNAKE_JOINT = re.compile(r"(?<=[^\W_])_+(?=[^\W_])")
_BAR = re.compile(r"(?<!\\)\|")
_CLOSED = re.compile(r"(?<!\\)\|\s*+$")
_NUMBER = re.compile(r"[^\w]{0,4}+(?:[A-Z]{1,3}\$\s?)?\d(?:[^\W\d_](?![^\W\d_])|[\W\d_])*+$")
_RULE = re.compile(r"(?=[^-=]*[-=])(?=[^|+]*[|+])[\s|:+=-]+$")
_MISREAD = re.compile(r"[\[\]<>$]")
"""In a first cell: such a line is a row only between outer bars (see `bob.answers.units.passages`)."""
MOST_HEAD_ROWS = 4
"""So many rows may stand above the rule of a table and name its columns together."""

LONGEST_FILL = 200
"""Characters of a cell that is written again in each row or column that it spans."""

MOST_OF_HEAD = 8_000
"""A longer row names no columns: the characters of a head stand beside each chunk of its table."""


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

    A bar at either end belongs to the frame, though the one at the other end may be missing. Only of a row
    that begins with " | " and has none at its end the first cell is empty.

    >>> cells_between_bars("| | 2024 | 2025 |"), cells_between_bars("Boat | Length")
    (['', '2024', '2025'], ['Boat', 'Length'])
    >>> cells_between_bars("| Boat | Length"), cells_between_bars(" | 9.2")
    (['Boat', 'Length'], ['', '9.2'])
    """
    return [row[start:end].strip().replace("\\|", "|") for start, end in _between_bars(row)]


def _between_bars(row: str) -> list[tuple[int, int]]:
    first, last = len(row) - len(row.lstrip()), len(row.rstrip())
    is_closed = last - first > 1 and _CLOSED.search(row, max(first, last - 2), last) is not None
    if row.startswith("|", first) and (is_closed or not row.startswith(" | ")):
        first += 1
    bars = [bar.start() for bar in _BAR.finditer(row, first, last - is_closed)]
    return list(zip([first, *(bar + 1 for bar in bars)], [*bars, last - is_closed], strict=True))


def cell_ranges(row: str, delimiter: str) -> list[tuple[int, int]]:
    """Where the cells of a row stand in it, between bars or another delimiter.

    >>> [";1 ;2"[start:end] for start, end in cell_ranges(";1 ;2", ";")]
    ['', '1 ', '2']
    """
    if delimiter == "|":
        return _between_bars(row)
    # Outside of quotes stand the even parts between them.
    ranges: list[tuple[int, int]] = []
    start = place = 0
    for number, part in enumerate(row.split('"')):
        if number % 2 == 0:
            for match in re.finditer(re.escape(delimiter), part):
                ranges.append((start, place + match.start()))
                start = place + match.end()
        place += len(part) + 1
    return [*ranges, (start, len(row))]


def cells_of(row: str, delimiter: str) -> list[str]:
    """The cells of one row, between bars or another delimiter."""
    if delimiter == "|":
        return cells_between_bars(row)
    return next((cells for _, _, cells in delimited_rows(row.splitlines(), delimiter)), [])


def row_of(cells: Iterable[str], delimiter: str = "|") -> str:
    """Cells as a row; the inverse of `cells_of`.

    >>> row_of(["Boat", "a|b"]), row_of(["Boat", "a;b"], ";")
    ('| Boat | a\\\\|b |', 'Boat;"a;b"')
    """
    if delimiter == "|":
        return f"| {_joined(cells)} |"
    written = io.StringIO()
    csv.writer(written, delimiter=delimiter, lineterminator="").writerow(cells)
    return written.getvalue()


def line_of(cells: Sequence[str]) -> str:
    """A row as the readers of documents write it, without the empty cells at its end. A bar before it tells
    that the first cell is empty, wherever the line is cut from its text.

    >>> line_of(["Boat", "Length", ""]), line_of(["", "9.2"]), line_of(["", ""])
    ('Boat | Length', '|  | 9.2', '')
    """
    last = max((number for number, cell in enumerate(cells, start=1) if cell), default=0)
    line = _joined(cells[:last])
    return f"| {line}" if last and not cells[0] else line


def lines_of(rows: Sequence[Sequence[str]]) -> list[str]:
    """The rows of a table as lines with bars between the cells, and at both ends of all of them where one
    would not be read as a row without.

    >>> lines_of([["Boat", "Berth"], ["Heron", "A3"]]), lines_of([["Boat", "Berth"], ["Heron", ""]])
    (['Boat | Berth', 'Heron | A3'], ['| Boat | Berth |', '| Heron |  |'])
    """
    in_bars = any(len(row) > 1 and (not row[0] or not row[-1] or _MISREAD.search(row[0])) for row in rows)
    return [row_of(row) if in_bars else _joined(row) for row in rows]


def _joined(cells: Iterable[str]) -> str:
    """Cells with bars between them, on one line."""
    return " | ".join(_BAR.sub(r"\\|", " ".join(cell.split())) for cell in cells)


def is_rule(line: str) -> bool:
    """Whether a line separates rows of a table: it has nothing but dashes and bars.

    >>> is_rule("|---|:--:|"), is_rule("---+---"), is_rule("---"), is_rule("| a | - |")
    (True, True, False, False)
    """
    return _RULE.match(line) is not None


def rule_below(width: int) -> str:
    """The line that marks the rows above it as the head of a table of so many columns.

    >>> rule_below(2)
    '|---|---|'
    """
    return "|" + "---|" * max(width, 1)


def marked_head(lines: Sequence[str]) -> int:
    """How many lines at the beginning of a table stand above the rule that marks its head, 0 without such.

    That is the first rule below the first row, and rows follow it; any further one separates groups of rows.

    >>> marked_head(["|---|---|", "| a | b |", "|---|---|", "| 1 | 2 |", "|---|---|"])
    2
    >>> marked_head(["| 1 | 2 |", "| 3 | 4 |", "|---|---|", "| 4 | 6 |"])
    0
    """
    rows: list[list[str]] = []
    for number, line in enumerate(lines[: MOST_HEAD_ROWS + 2]):
        if not is_rule(line):
            rows.append(cells_between_bars(line))
        elif rows:
            has_rows = any(not is_rule(below) for below in lines[number + 1 :])
            return number if has_rows and (len(rows) == 1 or not any(map(is_number, rows[0]))) else 0
    return 0


def joined_names(head: Sequence[Sequence[str]]) -> list[str]:
    """The name of each column, of the rows of a head from the outermost down.

    >>> joined_names([["Course", "Visitors", "Visitors"], ["", "2022", "2023"]])
    ['Course', 'Visitors 2022', 'Visitors 2023']
    """
    columns = zip_longest(*head, fillvalue="")
    return [" ".join(dict.fromkeys(name for name in column if name)) for column in columns]


def names_columns(cells: Sequence[str]) -> bool:
    """Whether a row reads like names: no numbers, none twice."""
    named = [cell.strip() for cell in cells if cell.strip()]
    return len(named) > 1 and not any(map(is_number, named)) and len(set(named)) == len(named)


def is_number(cell: str) -> bool:
    """Whether a cell has a number, a date or an amount rather than words.

    >>> [is_number(cell) for cell in ("1.234,5", "-3 %", "$50", "R$ 50", "2024-05-01")]
    [True, True, True, True, True]
    >>> [is_number(cell) for cell in ("1. half", "Q1", "n/a", "")]
    [False, False, False, False]
    """
    return _NUMBER.match(cell) is not None


def is_head(first: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether the first row of a table that marks none names the columns of those below.

    What stands in a column again is no name of it ("INFO | server | started"), nor is a long text, unless it
    is of a row of words over columns of numbers. Two columns may as well be
    names and values all the way down ("Owner | Marta"): there the second has to be a number everywhere but in
    the first row.

    >>> is_head(["Boat", "Length", "Owner"], [["Heron", "9.2", "Piet"]])
    True
    >>> is_head(["Boat", "Length"], [["Heron", "9.2 m"], ["Swift", "5.1 m"]])
    True
    >>> is_head(["Boat", "Length of the hull without all that is on it", "Draught"], [["Tern", "9 m", "1 m"]])
    True
    >>> is_head(["Owner", "Marta"], [["Berth", "A3"], ["Length", "7.5"]])
    False
    >>> is_head(["INFO", "server", "started"], [["INFO", "server", "stopped"]])
    False
    """
    if not names_columns(first) or any(map(_has_digit, first)):
        return False
    wide = [row for row in below if len(row) == len(first)]
    if max(map(len, first)) > (_LONGEST_NAME if _are_numbers(wide) else _MOST_OF_NAME):
        return False
    if any(own and own == cell for row in wide for own, cell in zip(first, row, strict=True)):
        return False
    if len(first) > 2:
        return bool(wide)
    return len(wide) > 1 and all(row[1][:1].isdigit() and not _has_digit(row[0]) for row in wide)


def are_words_over_numbers(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row has words wherever all others have numbers, in every column but the first.

    >>> are_words_over_numbers([["Choose:", "One", "Family"], ["Guest", "$35", "$50"], ["Kin", "$9", "$10"]])
    True
    >>> are_words_over_numbers([["Owner", "Marta"], ["Berth", "A3"], ["Length", "7.5"]])
    False
    """
    if len(rows) < 3 or len(rows[0]) < 2 or is_number(rows[0][0]):
        return False
    named = all(name and not is_number(name) and len(name) <= _MOST_OF_NAME for name in rows[0][1:])
    cells = [[row[column] for row in rows[1:] if row[column:]] for column in range(1, len(rows[0]))]
    return named and all(any(column) and all(map(is_number, filter(None, column))) for column in cells)


def _are_numbers(rows: Sequence[Sequence[str]]) -> bool:
    """Whether all cells of rows but the first of each begin with a number, as far as they have words."""
    cells = [cell for row in rows for cell in row[1:] if cell]
    return bool(cells) and all(cell[0].isdigit() for cell in cells)


def groups_of(rows: Sequence[Sequence[str]]) -> list[str]:
    """For each row the one above it that has a first cell alone and names the rows below it, "" without such;
    an empty row ends a group. Where the row below a name has no first cell, only such rows are of the group.

    >>> groups_of([["Expenses", ""], ["Travel", "5"], ["", ""], ["Net", "7"]])
    ['', 'Expenses', '', '']
    >>> groups_of([["Supplies", "", ""], ["", "Paint", "6"], ["Total", "", "6"]])
    ['', 'Supplies', '']
    """
    groups: list[str] = []
    group = ""
    is_first = has_gap = False
    for row in rows:
        is_group = len(row) > 1 and bool(row[0]) and not any(row[1:])
        has_gap = (has_gap and not is_first) or (is_first and not row[0])
        if not any(row) or (has_gap and row[0]):
            group = ""
        groups.append("" if is_group else group)
        group = row[0] if is_group else group
        is_first = is_group
    return groups


def named_cells(
    columns: Sequence[str], cells: Sequence[str], group: str = "", *, is_data: bool = False
) -> tuple[tuple[str, str], ...]:
    """The cells of a row, each with the name of its column as words, behind the group that the row is in.

    Names that a program gave are cut into their words. People write "iPhone", "McDonald" and "GitHub" too:
    only in a file of data a name that begins with a capital is cut.

    >>> named_cells(["Boat", "length_in_m", "berthNumber"], ["Heron", "9.2", "", "leaks"])
    (('Boat', 'Heron'), ('length in m', '9.2'), ('berth Number', ''), ('', 'leaks'))
    >>> named_cells(["GitHub", "iPhone"], ["1", "2"]), named_cells(["BerthNumber"], ["3"], is_data=True)
    ((('GitHub', '1'), ('iPhone', '2')), (('Berth Number', '3'),))
    """
    names = [name_in_words(column, is_data=is_data) for column in columns]
    names += [""] * (len(cells) - len(columns))
    return ((("", group),) if group else ()) + tuple(zip(names, cells, strict=False))


def name_in_words(column: str, *, is_data: bool = False) -> str:
    """The name of a column with blanks between its words; see `named_cells`."""
    words = _SNAKE_JOINT.sub(" ", column).strip()
    if is_data and " " not in column.strip():
        return _HUMP.sub(" ", words)
    return _CAMEL_CASE.sub(lambda name: _HUMP.sub(" ", name[0]), words)


_MARKS = dict.fromkeys((":x:", ":heavy_multiplication_x:", "❌", "✗", "✘", "✖"), "no") | dict.fromkeys(
    (":white_check_mark:", ":heavy_check_mark:", ":ballot_box_with_check:", "✅", "✓", "✔", "☑"), "yes"
)
"""What marks that are all of a cell say."""


def shown_cells(cells: Sequence[tuple[str, str]]) -> str:
    """A row as a line that says alone what it says, without empty cells; a mark alone in words.

    >>> shown_cells([("Boat", "Heron"), ("Length", "9.2"), ("Berth", ""), ("", "leaks")])
    'Boat: Heron; Length: 9.2; leaks'
    >>> shown_cells([("Boat", "Heron"), ("Insured", ":x:")])
    'Boat: Heron; Insured: no'
    """
    read = ((column, _MARKS.get(cell.strip("\ufe0f"), cell)) for column, cell in cells if cell)
    return "; ".join(f"{column}: {cell}" if column else cell for column, cell in read)


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))
