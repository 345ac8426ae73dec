"""Finds the blocks between two titles of a reStructuredText by the look of their lines."""

from __future__ import annotations

import re

from bob.core.document import BlockKind
from bob.documents.lines import LineBlock, TextLines

_MARKUP = re.compile(r"[ \t]*\.\.[ \t]+(?:\|[^|]+\|[ \t]+)?([\w.:+-]+?)::(?:[ \t]|$)")
_LABEL = re.compile(r"\.\. (?:_[^:]*:|index::.*)\s*$")
_COMMENT = re.compile(r"[ \t]*\.\.(?:[ \t]|$)")
_BULLET = re.compile(r"[ \t]*(?:[-*+•‣⁃]|(?:\d+|[A-Za-z#]|[ivxlIVXL]+)[.)]|\(\w{1,4}\))[ \t]")
_GRID_BORDER = re.compile(r"[ \t]*\+[-=]+\+")
_SIMPLE_BORDER = re.compile(r"[ \t]*=+(?:[ \t]+=+)+[ \t]*$")

_CODE_NAMES = (
    "code-block code sourcecode literalinclude parsed-literal productionlist math testcode doctest testsetup "
    "testoutput ipython graphviz kernel-render"
)
# What names the text around it but is nothing to read alone.
_NAMING_NAMES = (
    "index module currentmodule py:module py:currentmodule contents toctree highlight sectionauthor "
    "moduleauthor default-domain"
)
_CODE = frozenset(_CODE_NAMES.split())
_NAMING = frozenset(_NAMING_NAMES.split())
_TABLES = frozenset(["table", "csv-table", "list-table", "flat-table"])
# A directive up to this size stays whole; a longer one (a class with all its methods) is read inside.
_WHOLE_DIRECTIVE = 1500  # characters, about 400 tokens


def is_label(line: str) -> bool:
    """Whether a line is a target or an index entry, which belong to the title below them."""
    return line.startswith("..") and _LABEL.match(line) is not None


def block_lines(lines: TextLines, first: int, last: int) -> list[LineBlock]:
    """The blocks of lines `first` to `last` (from 0, end excluded), ascending."""
    found: list[LineBlock] = []
    simple_ends = _simple_table_ends(lines, first, last)
    at = first
    literal_indent: int | None = None  # of a paragraph that ended in "::"
    while at < last:
        if lines.is_blank(at):
            at += 1
            continue
        line = lines.plain[at]
        end, kind = _block_at(lines, line, at, last, simple_ends)
        if literal_indent is not None and _indent(line) > literal_indent:
            end, kind = _body_end(lines, at, last, literal_indent), "code"
        found.append((at, end, kind))
        announces = kind in {"paragraph", "list"} and lines.plain[end - 1].rstrip().endswith("::")
        literal_indent = _indent(line) if announces else None
        at = end
    return found


def _block_at(
    lines: TextLines, line: str, at: int, last: int, simple_ends: dict[int, int]
) -> tuple[int, BlockKind]:
    """Where the block that begins at a line ends, and its kind."""
    if _COMMENT.match(line):
        return _markup(lines, line, at, last)
    if at in simple_ends:
        return simple_ends[at], "table"
    end = _paragraph_end(lines, at, last)
    if _GRID_BORDER.match(line):
        return end, "table"
    if line.lstrip().startswith(">>>"):
        return end, "code"
    return end, "list" if _BULLET.match(line) else "paragraph"


def _markup(lines: TextLines, line: str, at: int, last: int) -> tuple[int, BlockKind]:
    """The end and kind of a directive, target or comment."""
    match = _MARKUP.match(line)
    name = match[1] if match is not None else ""
    end = _body_end(lines, at + 1, last, _indent(line), limit=None if name in _CODE else _WHOLE_DIRECTIVE)
    if name in _CODE:
        return end, "code"
    if name in _NAMING or is_label(line):
        return end, "heading"
    if lines.starts[end] - lines.starts[at] > _WHOLE_DIRECTIVE:
        # The first paragraph holds the directive's argument and options; the rest is read line by line.
        return _paragraph_end(lines, at, last), "paragraph"
    return end, "table" if name in _TABLES else "paragraph"


def _body_end(lines: TextLines, at: int, last: int, indent: int, limit: int | None = None) -> int:
    """The line after the lines that are indented deeper, blank ones at the end left out.

    Stops early once more than `limit` characters are passed.
    """
    end = begin = at
    while at < last:
        if lines.is_blank(at):
            at += 1
            continue
        if _indent(lines.plain[at]) <= indent:
            break
        at += 1
        end = at
        if limit is not None and lines.starts[end] - lines.starts[begin] > limit:
            break
    return end


def _paragraph_end(lines: TextLines, at: int, last: int) -> int:
    end = at + 1
    while end < last and not lines.is_blank(end):
        end += 1
    return end


def _simple_table_ends(lines: TextLines, first: int, last: int) -> dict[int, int]:
    """The first line of each simple table, and the line after its last border.

    Rows may have blank lines between them, so a table ends at a border with a blank line below.
    """
    borders = [
        at for at in range(first, last) if "= " in lines.plain[at] and _SIMPLE_BORDER.match(lines.plain[at])
    ]
    found: dict[int, int] = {}
    begin: int | None = None
    for at in borders:
        if begin is None:
            begin = at
        elif at + 1 >= last or lines.is_blank(at + 1):
            found[begin] = at + 1
            begin = None
    return found


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
