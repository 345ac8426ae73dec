"""Writes the parts of reStructuredText that Markdown has other marks for: tables, fields, terms, references.

All else stays as it is, and every line stays at its number.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from bob.documents.formats import markdown_lines
from bob.documents.formats.text_tables import write_tables
from bob.text.markup import indentation
from bob.text.tables import delimited_rows

_FIELD = re.compile(r"([ \t]*):([A-Za-z](?:[^:`\n]|:(?=\w)){0,80}):(?:[ \t]+(\S.*))?$")
_DIRECTIVE = re.compile(r"([ \t]*)\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?([\w.:+-]+?)::(?:[ \t]+(.*))?$")
_SUBSTITUTION = re.compile(r"[ \t]*\.\.[ \t]+\|([^|\n]+)\|[ \t]+replace::[ \t]*(\S.*)$")
_NOTE = re.compile(r"([ \t]*)\.\.[ \t]+\[(?:#?[\w.-]*|\*)\][ \t]+(\S.*)$")
_ROW = re.compile(r"[ \t]*\*[ \t]+-(?:[ \t]+(.*))?$")
_ITEM = re.compile(r"([ \t]*)(#|\d{1,3})([.)][ \t]+\S.*)")
_CELL = re.compile(r"[ \t]*-(?:[ \t]+(.*))?$")
_REFERENCE = re.compile(r"(?:[ \t]{1,9}|\\ )?\[(?:#?[\w.-]{0,40}|\*)\]_(?!\w)")
_ROLE = re.compile(
    r":(?:term|ref|doc|abbr|emphasis|strong|title|title-reference):`[~!]?([^`<\n]+?)(?:\s*<[^`>\n]*>)?`"
)
_NAMED_LINK = re.compile(r"(?<![`:\w])`([^`<\n]+?)(?:\s*<[^`>\n]*>)?`__?(?!\w)")
_TARGET = re.compile(r"[ \t]*\.\.[ \t]+_([A-Za-z][\w.-]{0,60}):")
_WORD_LINK = re.compile(r"(?<![\w`:/-])([A-Za-z][\w.-]{0,60}?)_(?![\w`])")
_SUBSTITUTED = re.compile(r"\|([^|\s](?:[^|\n]{0,80}[^|\s])?)\|_{0,2}")
_NOT_A_TERM = re.compile(r"[-*+•:|>.=~^\"'`#<]|\(?\w{1,3}[.)][ \t]|.*(?:::|[.:,;])$")
_NAMED_KINDS = ("param", "parameter", "arg", "argument", "key", "keyword", "kwarg", "var", "ivar", "cvar")
_WORDS = {"returns": "Returns", "return": "Returns", "rtype": "Return type", "raises": "Raises",
    "raise": "Raises", "except": "Raises", "exception": "Raises", "yields": "Yields"}  # fmt: skip
_OF_THE_PROGRAM = re.compile(
    r"orphan|tocdepth|nocomments|nosearch|no-?index|hidden|maxdepth|widths?|header-rows|stub-columns|align|class|"
    r"linenos|emphasize-lines|caption|name|file|url|delim|depth|local|language|meta|tags|title"
)
"""Fields that tell a program something, and a reader nothing."""

_LONGEST_TERM = 80


def write_restructured(lines: list[str], is_code: Callable[[int], bool]) -> list[tuple[int, int]]:
    """Change lines in place; the first line and the one after the last of each table. `is_code` says of a
    line that it is to stay as it is."""
    matches = (_SUBSTITUTION.match(line) for line in lines if "replace::" in line)
    substitutions = {match[1]: match[2] for match in matches if match is not None}
    tables: list[tuple[int, int]] = []
    index = begin = 0
    while index <= len(lines):
        if index < len(lines) and not is_code(index):
            index += 1
            continue
        tables += write_tables(lines, begin, index)
        index += 1
        begin = index
    taken = {line for first, last in tables for line in range(first, last)}
    _number_items(lines, is_code)
    index = 0
    while index < len(lines):
        if index in taken or is_code(index) or not lines[index].strip():
            index += 1
            continue
        directive = _DIRECTIVE.match(lines[index])
        if directive and directive[2] in ("list-table", "csv-table", "flat-table"):
            first, index = index, _directive_end(lines, index)
            _table(lines, first, index, directive)
            tables.append((first, index))
        elif directive:
            index += 1
            while (
                index < len(lines) and _FIELD.match(lines[index]) and _is_deeper(lines[index], directive[1])
            ):
                index += 1
        else:
            index = _line(lines, index)
    targets = {match[1].lower() for line in lines if (match := _TARGET.match(line))}
    for index, line in enumerate(lines):
        if is_code(index):
            continue
        linked = _without_links(line, targets)
        if "]_" in linked or "\\ " in linked or ("|" in linked and substitutions):
            linked = _without_references(linked, substitutions, is_row=index in taken)
        lines[index] = linked
    return sorted(tables)


def _number_items(lines: list[str], is_code: Callable[[int], bool]) -> None:
    """Write the numbers of items that are left to the program to count, `#.`, in place."""
    numbers: dict[int, int] = {}
    for index, line in enumerate(lines):
        if not line.strip() or is_code(index):
            continue
        column = indentation(line)
        item = _ITEM.match(line)
        numbers = {left: number for left, number in numbers.items() if left < column + bool(item)}
        if item:
            numbers[column] = numbers.get(column, 0) + 1 if item[2] == "#" else int(item[2])
            lines[index] = f"{item[1]}{numbers[column]}{item[3]}"


def _line(lines: list[str], index: int) -> int:
    """Write the field, the footnote or the term that a line holds; the line after it."""
    line = lines[index]
    if field := _FIELD.match(line):
        return _field(lines, index, field)
    if note := _NOTE.match(line):
        lines[index] = f"{note[1]}{note[2]}"
        end = index + 1
        while end < len(lines) and lines[end].strip() and _is_deeper(lines[end], note[1]):
            lines[end] = note[1] + lines[end].strip()
            end += 1
        return end
    indent = line[: indentation(line)]
    below = lines[index + 1] if index + 1 < len(lines) else ""
    is_first = index == 0 or not lines[index - 1].strip() or lines[index - 1].startswith(indent + " ")
    if is_first and below.strip() and _is_deeper(below, indent) and _is_term(line.strip()):
        lines[index] = f"{indent}- {line.strip()}:"
    return index + 1


def _is_term(text: str) -> bool:
    return len(text) <= _LONGEST_TERM and _NOT_A_TERM.match(text) is None


def _field(lines: list[str], index: int, field: re.Match[str]) -> int:
    """Write a field with the lines that go on with it; the line after them."""
    indent, name, value = field[1], field[2], field[3] or ""
    end = index + 1
    while end < len(lines) and lines[end].strip() and _is_deeper(lines[end], indent):
        end += 1
    if _OF_THE_PROGRAM.fullmatch(name.lower()) or (not value and end == index + 1):
        lines[index] = ""
        return end
    label = _field_name(name)
    follows_item = index > 0 and lines[index - 1].strip() and not lines[index - 1].endswith("  ")
    if end == index + 1 and not follows_item:
        lines[index] = indent + markdown_lines.field(label, value, as_it_is=True)
    else:
        lines[index] = f"{indent}- {label}: {value}".rstrip()
    return end


def _field_name(name: str) -> str:
    kind, _, rest = name.partition(" ")
    if rest and kind.lower() in _NAMED_KINDS:
        return rest.split()[-1].strip("*")
    if kind == "type" and rest:
        return f"Type of {rest}"
    label = _WORDS.get(kind.lower())
    return f"{label} {rest}".strip() if label else name


def _directive_end(lines: list[str], index: int) -> int:
    """The line after the body of a directive."""
    indent = lines[index][: len(lines[index]) - len(lines[index].lstrip())]
    end = after = index + 1
    while after < len(lines) and (not lines[after].strip() or _is_deeper(lines[after], indent)):
        after += 1
        end = after if lines[after - 1].strip() else end
    return end


def _table(lines: list[str], first: int, end: int, directive: re.Match[str]) -> None:
    """Write the rows of a table that a directive lists."""
    body = first + 1
    options: dict[str, str] = {}
    while body < end and (option := _FIELD.match(lines[body])):
        options[option[2]] = option[3] or ""
        body += 1
    caption = (directive[3] or "").strip()
    if directive[2] == "csv-table":
        rows = [
            (body + number, [cell.strip() for cell in cells])
            for number, _, cells in _comma_rows(lines[body:end])
            if any(cell.strip() for cell in cells)
        ]
        head = next(iter(_comma_rows([options.get("header", "")])), (0, 0, []))[2]
        rows = [(first + 1, [cell.strip() for cell in head]), *rows] if any(head) else rows
    else:
        head = []
        rows = _listed_rows(lines, body, end)
    stated = options.get("header-rows", "")
    head_rows = int(any(head)) + (int(stated) if stated.isdecimal() else 0)
    markdown_lines.place_rows(lines, first + 1, end, rows, head_rows if head_rows < len(rows) else 0)
    lines[first] = f"{directive[1]}{caption}" if caption else ""


def _comma_rows(lines: list[str]) -> list[tuple[int, int, list[str]]]:
    return delimited_rows([re.sub(r",[ \t]+\"", ',"', line.strip()) for line in lines], ",")


def _listed_rows(lines: list[str], first: int, end: int) -> list[tuple[int, list[str]]]:
    rows: list[tuple[int, list[str]]] = []
    for index in range(first, end):
        if row := _ROW.match(lines[index]):
            rows.append((index, [row[1] or ""]))
        elif rows and (cell := _CELL.match(lines[index])):
            rows[-1][1].append(cell[1] or "")
        elif rows and lines[index].strip():
            rows[-1][1][-1] = f"{rows[-1][1][-1]} {lines[index].strip()}".strip()
    return rows


def _is_deeper(line: str, indent: str) -> bool:
    return indentation(line) > len(indent)


def _without_links(line: str, targets: set[str]) -> str:
    """A line with the texts of its links alone; a word is one where the text says what it leads to."""
    if "`" in line:
        line = _NAMED_LINK.sub(r"\1", _ROLE.sub(r"\1", line))
    if targets and "_" in line:
        line = _WORD_LINK.sub(lambda link: link[1] if link[1].lower() in targets else link[0], line)
    return line


def _without_references(line: str, substitutions: dict[str, str], *, is_row: bool) -> str:
    """A line without the marks of footnotes, and with what stands for something."""
    line = _REFERENCE.sub("", line) if "]_" in line else line
    line = line.replace("\\ ", "") if not line.endswith("\\ ") else line
    if is_row or not substitutions:
        return line
    return _SUBSTITUTED.sub(lambda match: substitutions.get(match[1], match[0]), line)
