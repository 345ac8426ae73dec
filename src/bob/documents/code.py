"""Source code: a section a definition, under the names of the definitions around it."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from bob.core.document import ParsedDocument, Section
from bob.core.protocols import SourceFile
from bob.documents.code_outline import is_comment, outlined
from bob.documents.lines import LineBlock, TextLines, found_sections
from bob.documents.parsers import CODE_SUFFIXES

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
        suffixes = [each.lower() for each in source.path.suffixes if each.lower() != ".gz"]
        suffix = suffixes[-1] if suffixes else ""
        definitions = _python_definitions(lines) if suffix in _PYTHON else None
        if definitions is None:
            definitions = [Definition(*each) for each in outlined(lines, suffix, _WHOLE_DEFINITION)]
        sections = found_sections(_sections(lines, definitions))
        return ParsedDocument(title="", source_type="code", sections=sections)


def _sections(lines: TextLines, definitions: list[Definition]) -> Iterator[Section | None]:
    """A section for each definition and for the lines between; definitions ascend and do not overlap."""
    firsts = [
        # A comment inside the definition before is only taken from it when that one holds this one.
        _with_comments(lines, each.first, before.first + 1 if _holds(before, each) else before.last)
        for before, each in pairwise([Definition(-1, 0, ("",)), *definitions])
    ]
    reached = 0
    outer: tuple[str, ...] = ()
    for each, first, limit in zip(definitions, firsts, [*firsts, len(lines)][1:], strict=True):
        last = min(each.last, limit)
        yield _section(lines, reached, first, _common(outer, each.path))
        yield _section(lines, first, last, each.path)
        reached, outer = last, each.path
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
        first = min([node.lineno, *(each.lineno for each in node.decorator_list)]) - 1
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
