"""Cuts code into what an answer may quote: what its comments say, and its lines that declare something.

Comments and docstrings are read as prose without their marks, what they say of a parameter or a default as a
field of what they stand at. A signature, a constant or a column is quoted alone, other code in one piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import PurePath

from bob.answers.units.comments import Comment, comments_in, style_of
from bob.answers.units.documented import described
from bob.answers.units.unit import MOST_CHARACTERS, Unit
from bob.text.code_definitions import (
    LONGEST_LINE,
    declared_name,
    is_assignment,
    is_declaration,
    is_definition,
)
from bob.text.markup import indentation

_MOST_LINES = 12
"""So many lines a signature may go on over."""

_MOST_OF_VALUE = 40
"""Lines of a list or table that is assigned."""
_OPENED = ("{", "[", "(")

_ANNOTATION = re.compile(r"\s*+(?:@\w|#\[|\[\w+[\](])")
_SAYS_SOMETHING = re.compile(r"[^\W_]{2,}")


@dataclass(frozen=True, slots=True)
class CodeText:
    """A part of a file of code. `prose` is what its comments say, each character at its place and blanks for
    all else; `fields` are what they say of parameters and the like, `code` the lines that are no comments,
    `values` the lists and tables that these lines assign, whole.
    """

    prose: str
    fields: list[Unit]
    code: list[Unit]
    values: list[Unit]
    owners: list[tuple[int, int, str]]

    def units(self, prose: Sequence[Unit]) -> list[Unit]:
        """All units in order, given those of the prose, which are told under the name of what they are
        about."""
        of_prose = [replace(unit, under=self._owner(unit.start)) for unit in prose]
        return sorted((*of_prose, *self.code), key=lambda unit: (unit.start, unit.end))

    def _owner(self, position: int) -> str:
        return next((name for start, end, name in self.owners if start <= position < end), "")


def read_code(text: str, path: str, heading: str = "") -> CodeText:
    """What a part of a file of code says; `heading` names what the whole part is, "" for a file.

    >>> code = read_code("MAX = 5  # tries\\n\\n# How often it is tried.\\nRETRIES = 3\\n", "a.py")
    >>> [unit.line for unit in code.code], code.prose.strip()
    (['MAX = 5 # tries', 'RETRIES = 3'], 'How often it is tried.')
    """
    style = style_of(path)
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    comments = list(comments_in(lines, style))
    in_comment = {line for comment in comments for line in range(comment.first, comment.last + 1)}
    code = _Code(text, lines, starts, in_comment, _suffix(path))
    shown = [" " * len(line) for line in lines]
    fields: list[Unit] = []
    owners: list[tuple[int, int, str]] = []
    for comment in comments:
        name = code.name_at(comment)
        of_fields = name or heading
        prose, describes = described(comment)
        for line in prose:
            shown[line.number] = line.in_place(lines[line.number])
        for field in describes:
            start, stop = starts[field.first] + field.begin, starts[field.last] + field.end
            under = ": ".join(filter(None, (of_fields, field.section)))
            fields.append(Unit(start, stop, "field", field.line, under=under))
        if name and name != heading:
            owners.append((starts[comment.first], starts[comment.last + 1], name))
    return CodeText("\n".join(shown), fields, list(code.units()), list(code.values()), owners)


def _suffix(path: str) -> str:
    return PurePath(path.lower().removesuffix(".gz")).suffix


class _Code:
    """The lines of a text that are no comments."""

    def __init__(
        self, text: str, lines: Sequence[str], starts: Sequence[int], in_comment: set[int], suffix: str
    ) -> None:
        self._text, self._lines, self._starts = text, lines, starts
        self._in_comment, self._suffix = in_comment, suffix
        indents = [
            indentation(line) for index, line in enumerate(lines) if line.strip() and index not in in_comment
        ]
        self._least = min(indents, default=0)

    def name_at(self, comment: Comment) -> str:
        """What a comment is about: what is declared right below it, or right above a docstring."""
        index = self._above(comment.first) if comment.is_docstring else self._below(comment.last + 1)
        return "" if index is None else declared_name(self._lines[index])

    def _below(self, index: int) -> int | None:
        while index < len(self._lines) and _ANNOTATION.match(self._lines[index]):
            index += 1
        is_code = index < len(self._lines) and index not in self._in_comment
        return index if is_code and is_declaration(self._lines[index], self._suffix, self._least) else None

    def _above(self, index: int) -> int | None:
        """The definition whose first lines end above a docstring."""
        for above in range(index - 1, max(index - 1 - 4 * _MOST_LINES, -1), -1):
            line = self._lines[above].strip()
            if above not in self._in_comment and is_definition(line):
                return above
            if not line and above < index - 1:
                break
        return None

    def units(self) -> Iterator[Unit]:
        """The code, line by line where lines declare something and in pieces elsewhere."""
        index, begin = 0, -1
        while index < len(self._lines):
            is_code = index not in self._in_comment and bool(self._lines[index].strip())
            declares = is_code and is_declaration(self._lines[index], self._suffix, self._least)
            if begin >= 0 and (
                not is_code or declares or self._starts[index + 1] - self._starts[begin] > MOST_CHARACTERS
            ):
                yield from self._unit(begin, index - 1)
                begin = -1
            if declares:
                last = self._end_of(index)
                yield from self._unit(index, last)
                index = last
            elif is_code and begin < 0:
                begin = index
            index += 1
        if begin >= 0:
            yield from self._unit(begin, len(self._lines) - 1)

    def _end_of(self, index: int) -> int:
        """The last line of a signature whose brackets are closed below."""
        depth = 0
        for last in range(index, min(index + _MOST_LINES, len(self._lines))):
            line = self._lines[last][:LONGEST_LINE]
            if last in self._in_comment or (last > index and not line.strip()):
                break
            depth += line.count("(") - line.count(")")
            if depth <= 0 or self._suffix == ".sql":
                return last
        return index

    def values(self) -> Iterator[Unit]:
        """What is assigned over several lines: a list, or names with their values."""
        for first, line in enumerate(self._lines):
            opens = line.rstrip().endswith(_OPENED) and first not in self._in_comment
            if not opens or not is_assignment(line.strip()):
                continue
            depth = 0
            for last in range(first, min(first + _MOST_OF_VALUE, len(self._lines))):
                shown = self._lines[last][:LONGEST_LINE]
                depth += sum(map(shown.count, "([{")) - sum(map(shown.count, ")]}"))
                if depth <= 0 or self._starts[last + 1] - self._starts[first] > MOST_CHARACTERS:
                    break
            if depth <= 0 and last > first:
                yield from self._unit(first, last)

    def _unit(self, first: int, last: int) -> Iterator[Unit]:
        start = self._starts[first] + (indentation(self._lines[first]) if first == last else 0)
        end = self._starts[last] + len(self._lines[last].rstrip())
        written = self._text[start:end]
        if _SAYS_SOMETHING.search(written):
            yield Unit(start, end, "code", " ".join(written.split()))
