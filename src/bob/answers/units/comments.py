"""Finds the comments and docstrings of code, and what they say without their marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

_HASH = ".py .pyi .pyx .rb .pl .pm .r .jl .ex .exs .sh .bash .zsh .fish .ps1 .tf .nix .cmake .mk .graphql"
_DASHES = ".sql .lua .hs"
_SEMICOLONS = ".clj .cljs .lisp .el .asm"
_HASH_NAMES = (
    *("makefile", "gnumakefile", "kbuild", "dockerfile", "containerfile", "justfile", "rakefile", "gemfile"),
    *("vagrantfile", "cmakelists.txt"),
)
_DOCSTRINGS = ".py .pyi .pyx .jl .ex .exs"

_LONGEST = 400
_BLOCK_CLOSES = re.compile(r"[^\"'`]*\*/\s*")
_OF_CODE = re.compile(
    r"\s*+(?:@\w|#|(?:async |def|class|import|from|if|for|while|return|with|try)\b)|[\w.]+ ?="
)
_UNDERLINE = re.compile(r"\s*-{3,}\s*")
_NOTHING_SAID = re.compile(r"[\W_]*")
_BLOCK_OPENS = re.compile(r"\s*+/\*+!?")
_STAR = re.compile(r"\s*+\*(?=\s|$)")
_DOCSTRING = re.compile(r"\s*+(?:@\w+ )?[rRuUbBfF]{0,2}(?P<mark>\"\"\"|''')")


@dataclass(frozen=True, slots=True)
class CommentStyle:
    """How a language writes comments: what opens one to the end of its line, and whether there are those
    between `/*` and `*/`, and docstrings."""

    line: re.Pattern[str]
    has_blocks: bool = False
    has_docstrings: bool = False


_HASH_STYLE = re.compile(r"\s*+(?:#+(?!!))")
_OF_SETTINGS = CommentStyle(re.compile(r"\s*+(?:#+|;+|//+)"))
_SLASHES = re.compile(r"\s*+//+!?")


@dataclass(frozen=True, slots=True)
class CommentLine:
    """What line `number` of a text says in a comment: its columns `begin` to `end`, without marks."""

    number: int
    begin: int
    end: int
    text: str

    def in_place(self, line: str) -> str:
        """What is said at its place in the line that it stands in, with blanks around it."""
        return f"{' ' * self.begin}{line[self.begin : self.end]}{' ' * (len(line) - self.end)}"


@dataclass(frozen=True, slots=True)
class Comment:
    """The comment in lines `first` to `last` of a text, and what those lines say that say something."""

    first: int
    last: int
    lines: tuple[CommentLine, ...]
    is_docstring: bool = False


def style_of(path: str, *, is_settings: bool = False) -> CommentStyle:
    """How a file writes comments, by its name."""
    if is_settings:
        return _OF_SETTINGS
    name = PurePath(path.lower().removesuffix(".gz"))
    if name.suffix in _HASH.split() or name.name in _HASH_NAMES:
        has_blocks = name.suffix in (".tf", ".nix")
        return CommentStyle(_HASH_STYLE, has_blocks, name.suffix in _DOCSTRINGS.split())
    if name.suffix in _DASHES.split():
        return CommentStyle(re.compile(r"\s*+--+(?!>)"), name.suffix == ".sql")
    if name.suffix in _SEMICOLONS.split():
        return CommentStyle(re.compile(r"\s*+;+"))
    if name.suffix in (".php", ".v", ".sv"):
        return CommentStyle(re.compile(r"\s*+(?://+|#(?!\[))"), has_blocks=True)
    return CommentStyle(_SLASHES, has_blocks=True)


def comments_in(lines: Sequence[str], style: CommentStyle) -> Iterator[Comment]:
    """The comments that take lines of their own, in order. One whose beginning or end is cut off goes to the
    beginning or end of the text."""
    index = 0
    if style.has_blocks and (last := _cut_off_block(lines)) >= 0:
        yield _comment(lines, 0, last, _in_block)
        index = last + 1
    elif style.has_docstrings and (last := _cut_off_docstring(lines)) >= 0:
        yield _comment(lines, 0, last, _in_docstring, is_docstring=True)
        index = last + 1
    while index < len(lines):
        comment = _comment_at(lines, index, style)
        if comment is not None:
            yield comment
            index = comment.last
        index += 1


def comment_text(text: str, style: CommentStyle) -> str:
    """A text with blanks for all that is no comment."""
    lines = text.split("\n")
    shown = [" " * len(line) for line in lines]
    for comment in comments_in(lines, style):
        for line in comment.lines:
            shown[line.number] = line.in_place(lines[line.number])
    return "\n".join(shown)


def _comment_at(lines: Sequence[str], index: int, style: CommentStyle) -> Comment | None:
    line = lines[index]
    if style.has_blocks and _BLOCK_OPENS.match(line):
        last = _closing(lines, index, "*/")
        is_alone = "*/" not in lines[last] or not lines[last].rpartition("*/")[2].strip()
        return _comment(lines, index, last, _in_block) if is_alone else None
    if style.has_docstrings and (opened := _DOCSTRING.match(line)):
        mark = opened["mark"]
        last = index if mark in line[opened.end() :] else _closing(lines, index + 1, mark)
        return _comment(lines, index, last, _in_docstring, is_docstring=True)
    last = index
    while last < len(lines) and style.line.match(lines[last]):
        last += 1
    if last == index:
        return None

    def columns_of(line: str, _: bool) -> tuple[int, int]:
        mark = style.line.match(line)
        return mark.end() if mark else 0, len(line)

    return _comment(lines, index, last - 1, columns_of)


def _comment(
    lines: Sequence[str],
    first: int,
    last: int,
    columns_of: Callable[[str, bool], tuple[int, int]],
    *,
    is_docstring: bool = False,
) -> Comment:
    """The comment in these lines; `columns_of` tells where a line says something, the first or another."""
    said_lines = []
    for number in range(first, last + 1):
        begin, end = columns_of(lines[number], number == first)
        text = lines[number][begin:end]
        if not _NOTHING_SAID.fullmatch(text) or (is_docstring and _UNDERLINE.fullmatch(text)):
            begin += len(text) - len(text.lstrip())
            said_lines.append(CommentLine(number, begin, begin + len(text.strip()), text.strip()))
    return Comment(first, last, tuple(said_lines), is_docstring)


def _in_block(line: str, is_first: bool) -> tuple[int, int]:
    opens = (_BLOCK_OPENS.match(line) if is_first else None) or _STAR.match(line)
    begin = opens.end() if opens else 0
    closes = line.rfind("*/", begin)
    return begin, len(line[:closes].rstrip("* \t")) if closes >= 0 else len(line)


def _in_docstring(line: str, is_first: bool) -> tuple[int, int]:
    opens = _DOCSTRING.match(line) if is_first else None
    begin = opens.end() if opens else 0
    closes = max(line.find(mark, begin) for mark in ('"""', "'''"))
    return begin, closes if closes >= 0 else len(line)


def _closing(lines: Sequence[str], index: int, mark: str) -> int:
    """The first line from this one on that has a mark, or the last of all."""
    return next((number for number in range(index, len(lines)) if mark in lines[number]), len(lines) - 1)


def _cut_off_block(lines: Sequence[str]) -> int:
    """The line that closes a comment which begins before the text, -1 where there is none."""
    for number, line in enumerate(lines):
        if _BLOCK_OPENS.match(line):
            return -1
        if _BLOCK_CLOSES.fullmatch(line[:_LONGEST]):
            return number
    return -1


def _cut_off_docstring(lines: Sequence[str]) -> int:
    """The line that closes a docstring which begins before the text, -1 where there is none: code stands
    above one that begins in it."""
    for number, line in enumerate(lines):
        if _OF_CODE.match(line):
            return -1
        mark = next((mark for mark in ('"""', "'''") if mark in line), "")
        if mark:
            is_odd = sum(line.count(mark) for line in lines) % 2 == 1
            return number if is_odd and line.rstrip().endswith(mark) else -1
    return -1
