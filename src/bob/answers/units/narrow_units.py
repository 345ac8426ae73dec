"""What of a long unit is told: the cells of a row, and the lines of code, that have to do with a question."""

from __future__ import annotations

from dataclasses import replace

from bob.answers.units.unit import MOST_CHARACTERS, Unit, unit_at
from bob.text.tables import shown_cells
from bob.text.words import stems_of

LONG_ROW, SHORT_CELL = 400, 60
"""The characters of a row of which not all is told, and of a cell whose words tell what it is about."""

_FEWEST_CELLS = 2
"""What a row is of and one cell are told however long they are."""

MOST_LINES = 8
"""Of long code so many lines are told."""


def narrowed(unit: Unit, text: str, stems: set[str]) -> Unit:
    """A unit of a text as it is told where its words are asked for, by their stems: a long row and long code
    with what has to do with them, any other as it is."""
    if unit.cells and len(unit.line) > LONG_ROW:
        return _narrowed_row(unit, stems)
    if unit.kind == "code" and unit.end - unit.start > MOST_CHARACTERS:
        return _narrowed_code(unit, text, stems)
    return unit


def _narrowed_row(row: Unit, stems: set[str]) -> Unit:
    """A row with no more than what it is of, its first cell of words, and the cells that have to do with
    a question, by the stems of its words: those under such a name, and short ones with such a word."""
    first = next((cell for cell in row.cells if any(map(str.isalpha, cell[1]))), None)
    worth: dict[int, tuple[int, int]] = {}
    for number, (column, cell) in enumerate(row.cells):
        of_column = stems_of(column)
        shared = stems & (of_column | (stems_of(cell) if len(cell) <= SHORT_CELL else set()))
        if shared or (column, cell) == first:
            worth[number] = (len(shared), -len(of_column))
    if len(worth) < 2:
        return row
    told: list[int] = []
    # Where many columns have such words, those that have the most of them and the fewest others are told.
    for number in sorted(worth, key=lambda place: (row.cells[place] == first, *worth[place]), reverse=True):
        cells = tuple(row.cells[place] for place in sorted([*told, number]))
        if len(told) < _FEWEST_CELLS or len(shown_cells(cells)) <= MOST_CHARACTERS:
            told.append(number)
    cells = tuple(row.cells[place] for place in sorted(told))
    return replace(row, line=shown_cells(cells), cells=cells)


def _narrowed_code(code: Unit, text: str, stems: set[str]) -> Unit:
    """The few lines together that have the most of the words, the first where others have as many."""
    lines: list[tuple[int, int, set[str]]] = []
    start = code.start
    for line in text[code.start : code.end].splitlines(keepends=True):
        lines.append((start, start + len(line), stems & stems_of(line)))
        start += len(line)
    best, most = code, 0
    for first, (begin, _, of_first) in enumerate(lines):
        words: set[str] = set()
        for _, end, of_line in lines[first : first + MOST_LINES] if of_first else ():
            words |= of_line
            if end - begin > MOST_CHARACTERS:
                break
            if len(words) > most:
                best, most = unit_at(text, begin, end, "code"), len(words)
    return best
