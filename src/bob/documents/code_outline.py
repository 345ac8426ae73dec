"""Finds definitions in source code of many languages by the look of their first lines and the indentation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from bob.documents.lines import TextLines

Outlined = tuple[int, int, tuple[str, ...]]
"""First line, line after the last (from 0), names from the outermost in."""

_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\(\w+\))?|unsafe"
    r"|extern|inline|virtual|override|sealed|partial|open|data|const|declare|suspend|local|typedef)[ \t]+)*"
)
_KEYWORD = re.compile(
    _MODIFIERS
    + r"(?:class|struct|interface|enum|trait|impl|namespace|module|object|record|def|defp|defmodule|fn"
    r"|func|fun|function|sub|type|protocol|extension|union|message|service|macro_rules!|proc|resource"
    r"|(?:create|CREATE)[ \t]+(?:or[ \t]+replace[ \t]+|OR[ \t]+REPLACE[ \t]+)?\w+)"
    r"(?:<[^>{]*>)?[ \t]+(?:\([^)]*\)[ \t]*)?[\"'`]?([A-Za-z_$][\w$.:-]*)"
)
_ASSIGNED = re.compile(
    r"(?:export[ \t]+)?(?:default[ \t]+)?(?:const|let|var)[ \t]+([A-Za-z_$][\w$]*)[^=]{0,80}="
    r"[ \t]*(?:async[ \t]*)?(?:function\b|\(|[\w$]+[ \t]*=>)"
)
_CALLABLE = re.compile(r"[A-Za-z_~][\w \t*&:<>,~\[\]@?]{0,120}?([A-Za-z_~][\w:~]*)[ \t]*\(")
_SHELL = re.compile(r"([A-Za-z_][\w-]*)[ \t]*\(\)[ \t]*\{?[ \t]*$")
_TARGET = re.compile(r"([A-Za-z0-9_./%-]+)[ \t]*:(?!=)")
_COMMENT = re.compile(r"[ \t]*(?:#|//|/\*|\*|--|;;|%|@\w)")
_NOT_NAMES = frozenset(
    [
        "if",
        "for",
        "while",
        "switch",
        "return",
        "else",
        "catch",
        "do",
        "sizeof",
        "defined",
        "using",
        "new",
        "throw",
    ]
)
_BRACE_SUFFIXES = (
    ".c .h .cc .cpp .cxx .hh .hpp .hxx .m .mm .cs .java .kt .kts .scala .groovy .swift .dart .js .jsx .mjs "
    ".cjs .ts .tsx .vue .svelte .php .v .sv .zig"
)
_BRACE = frozenset(_BRACE_SUFFIXES.split())
_SHELLS = frozenset([".sh", ".bash", ".zsh", ".fish", ""])
_MAKE = frozenset([".mk", ""])
_MAX_DEPTH = 3
_MAX_LINE = 400  # a longer line is data or minified, and no definition anyone would name


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
            (at, name)
            for at in range(first, last)
            if _indent(lines.plain[at]) == indent and (name := _name(lines, at, self._suffix, indent))
        ]
        for (at, name), (following, _) in pairwise([*starts, (last, "")]):
            end = _end(lines, at, following, indent)
            inner = (*path, name)
            nested = self._nested(at, end, indent, inner)
            if not nested:
                yield at, end, inner
                continue
            yield at, nested[0][0], inner
            yield from nested
            if nested[-1][1] < end:
                yield nested[-1][1], end, inner

    def _nested(self, at: int, end: int, indent: int, path: tuple[str, ...]) -> list[Outlined]:
        is_small = self._lines.starts[end] - self._lines.starts[at] <= self._whole
        below = None if is_small else _inner_indent(self._lines, at + 1, end, indent)
        if below is None or len(path) >= _MAX_DEPTH:
            return []
        return list(self.within(at + 1, end, below, path))


def _name(lines: TextLines, at: int, suffix: str, indent: int) -> str:
    line = lines.plain[at].strip()
    if not line or len(line) > _MAX_LINE or line.startswith(("#", "//", "*", "}", "/*", "--")):
        return ""
    if match := _KEYWORD.match(line) or _ASSIGNED.match(line):
        return match[1].rstrip(":.")
    if suffix in _SHELLS and (match := _SHELL.match(line)):
        return match[1]
    if suffix in _MAKE and indent == 0 and (match := _TARGET.match(line)):
        return match[1]
    if suffix not in _BRACE or line.endswith((";", ",")) or line.split(None, 1)[0] in _NOT_NAMES:
        return ""
    match = _CALLABLE.match(line)
    if match is None or match[1] in _NOT_NAMES or "=" in line[: match.start(1)]:
        return ""
    return match[1] if _opens_body(lines, at) else ""


def _opens_body(lines: TextLines, at: int) -> bool:
    """Whether a brace opens before a statement ends, within a few lines: a definition, not a call."""
    for line in lines.plain[at : at + 8]:
        code = line[:_MAX_LINE].rstrip()
        if "{" in code:
            return True
        if code.endswith((";", "}")) or not code:
            return False
    return False


def _end(lines: TextLines, at: int, stop: int, indent: int) -> int:
    """The line after a definition: that which closes it at its own indentation, or the next one's start."""
    for line in range(at + 1, stop):
        text = lines.plain[line]
        closes = text[indent : indent + 1] in {"}", ")"} or text[indent:].startswith("end")
        if closes and _indent(text) == indent and "{" not in text and "(" not in text:
            return line + 1
    while stop > at + 1 and (lines.is_blank(stop - 1) or is_comment(lines.plain[stop - 1])):
        stop -= 1  # a comment right above the next definition is about that one
    return stop


def is_comment(line: str) -> bool:
    """Whether a line belongs to what follows it: a comment or an annotation."""
    return _COMMENT.match(line) is not None


def _inner_indent(lines: TextLines, first: int, last: int, indent: int) -> int | None:
    indents = (_indent(line) for line in lines.plain[first:last] if line.strip())
    return min((each for each in indents if each > indent), default=None)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
