"""Source code: a section a definition, under the names of the definitions around it."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from bob.core.document import ParsedDocument, Section
from bob.core.protocols import SourceFile
from bob.documents.formats.lines import LineBlock, TextLines, found_sections
from bob.documents.formats.parsers import CODE_SUFFIXES
from bob.text.code_definitions import section_name
from bob.text.markup import indentation

Outlined = tuple[int, int, tuple[str, ...]]
"""First line, line after the last (from 0), names from the outermost in."""

_COMMENT = re.compile(r"[ \t]*(?:#|//|/\*|\*|--|;;|%|@\w)")
_MAX_DEPTH = 3


def outlined(lines: TextLines, suffix: str, whole: int) -> Iterator[Outlined]:
    """The definitions of a file, ascending; one of more than `whole` characters is opened up."""
    return _Outline(lines, suffix, whole).within(0, len(lines), 0, ())


class _Outline:
    def __init__(self, lines: TextLines, suffix: str, whole: int) -> None:
        self._lines = lines
        self._suffix = suffix
        self._whole = whole

    def within(self, first: int, last: int, indent: int, path: tuple[str, ...]) -> Iterator[Outlined]:
        """The definitions that begin at an indentation, each cut where those inside it begin."""
        lines = self._lines
        starts = [
            (index, name)
            for index in range(first, last)
            if indentation(lines.plain[index]) == indent
            and (name := section_name(lines.plain, index, self._suffix))
        ]
        for (start, name), (following, _) in pairwise([*starts, (last, "")]):
            end = _end(lines, start, following, indent)
            inner = (*path, name)
            nested = self._nested(start, end, indent, inner)
            if not nested:
                yield start, end, inner
                continue
            yield start, nested[0][0], inner
            yield from nested
            if nested[-1][1] < end:
                yield nested[-1][1], end, inner

    def _nested(self, index: int, end: int, indent: int, path: tuple[str, ...]) -> list[Outlined]:
        is_small = self._lines.starts[end] - self._lines.starts[index] <= self._whole
        below = None if is_small else _inner_indent(self._lines, index + 1, end, indent)
        if below is None or len(path) >= _MAX_DEPTH:
            return []
        return list(self.within(index + 1, end, below, path))


def _end(lines: TextLines, index: int, stop: int, indent: int) -> int:
    """The line after a definition: that which closes it at its own indentation, or the next one's start."""
    for line in range(index + 1, stop):
        text = lines.plain[line]
        closes = text[indent : indent + 1] in {"}", ")"} or text[indent:].startswith("end")
        if closes and indentation(text) == indent and "{" not in text and "(" not in text:
            return line + 1
    while stop > index + 1 and (lines.is_blank(stop - 1) or is_comment(lines.plain[stop - 1])):
        stop -= 1  # a comment right above the next definition is about that one
    return stop


def is_comment(line: str) -> bool:
    """Whether a line belongs to what follows it: a comment or an annotation."""
    return _COMMENT.match(line) is not None


def _inner_indent(lines: TextLines, first: int, last: int, indent: int) -> int | None:
    indents = (indentation(line) for line in lines.plain[first:last] if line.strip())
    return min((width for width in indents if width > indent), default=None)


_PYTHON = frozenset({".py", ".pyi"})
_MAX_AST = 2_000_000  # characters; the tree takes some hundred times the memory of the text
# A class or function up to this size is one section; a larger class is one a method.
_WHOLE_DEFINITION = 1600  # characters, about 400 tokens

Scope = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Definition:
    """Lines (from 0, end excluded) of a named definition, and what it is in."""

    first: int
    last: int
    path: tuple[str, ...]


class CodeParser:
    """Takes the common programming languages; Python by its syntax tree, others by the look of lines."""

    name = "code"
    suffixes = frozenset(CODE_SUFFIXES)

    def parse(self, source: SourceFile) -> ParsedDocument:
        """Sections by definition with line locators; what is between them has the path around it.

        Raises:
            UnreadableError: as `SourceFile.read_text` does, and "no-text".
        """
        lines = TextLines(source.read_text())
        suffixes = [suffix.lower() for suffix in source.path.suffixes if suffix.lower() != ".gz"]
        suffix = suffixes[-1] if suffixes else ""
        definitions = _python_definitions(lines) if suffix in _PYTHON else None
        if definitions is None:
            definitions = [
                Definition(*definition) for definition in outlined(lines, suffix, _WHOLE_DEFINITION)
            ]
        sections = found_sections(_sections(lines, definitions))
        return ParsedDocument(title="", source_type="code", sections=sections)


def _sections(lines: TextLines, definitions: list[Definition]) -> Iterator[Section | None]:
    """A section for each definition and for the lines between; definitions ascend and do not overlap."""
    firsts = [
        # A comment inside the definition before is only taken from it when that one holds this one.
        _with_comments(
            lines, definition.first, before.first + 1 if _holds(before, definition) else before.last
        )
        for before, definition in pairwise([Definition(-1, 0, ("",)), *definitions])
    ]
    reached = 0
    outer: tuple[str, ...] = ()
    for definition, first, limit in zip(definitions, firsts, [*firsts, len(lines)][1:], strict=True):
        last = min(definition.last, limit)
        yield _section(lines, reached, first, _common(outer, definition.path))
        yield _section(lines, first, last, definition.path)
        reached, outer = last, definition.path
    yield _section(lines, reached, len(lines), ())


def _holds(outer: Definition, inner: Definition) -> bool:
    return inner.path[: len(outer.path)] == outer.path and outer.last == inner.first


def _section(lines: TextLines, first: int, last: int, path: tuple[str, ...]) -> Section | None:
    blocks: list[LineBlock] = [(first, last, "code")]
    if lines.starts[last] - lines.starts[first] > _WHOLE_DEFINITION:
        blocks = lines.paragraphs(first, last, "code")
    return lines.section(first, last, path, blocks)


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    shared = 0
    while shared < min(len(one), len(other) - 1) and one[shared] == other[shared]:
        shared += 1
    return one[:shared]


def _with_comments(lines: TextLines, first: int, floor: int) -> int:
    while first > floor and is_comment(lines.plain[first - 1]):
        first -= 1
    return first


def _python_definitions(lines: TextLines) -> list[Definition] | None:
    """The definitions of a Python file; None when it is not valid Python."""
    if lines.starts[-1] > _MAX_AST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the escapes in other people's strings
            tree = ast.parse("\n".join(lines.plain))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return list(_definitions_in(lines, tree.body, ()))


def _definitions_in(lines: TextLines, body: list[ast.stmt], path: tuple[str, ...]) -> Iterator[Definition]:
    for node in body:
        if not isinstance(node, Scope):
            continue
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
        last = node.end_lineno or node.lineno
        inner = (*path, node.name)
        length = lines.starts[last] - lines.starts[first]
        nested = list(_definitions_in(lines, node.body, inner)) if isinstance(node, ast.ClassDef) else []
        if length <= _WHOLE_DEFINITION or not nested:
            yield Definition(first, last, inner)
            continue
        if first < nested[0].first:
            yield Definition(first, nested[0].first, inner)
        yield from nested
        if nested[-1].last < last:
            yield Definition(nested[-1].last, last, inner)
