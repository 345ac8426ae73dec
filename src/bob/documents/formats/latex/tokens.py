"""The tokens of a LaTeX text: where its groups, options, environments and lines begin and end."""

from __future__ import annotations

import re
from collections import Counter
from itertools import accumulate

BREAK, GONE, HEADING, HEADING_END = "\x0e\x0f\x10\x11"
"""In what is written: a block ends, something was left out, a heading begins and ends."""

_TOKEN = re.compile(
    r"\\verb([^\sa-zA-Z*])[^\n]{0,300}?\1|\\[a-zA-Z@]+\*?|\\[\s\S]|\\|\$\$|"
    r"[{}\[\]&~$\n]|[ \t]+|[^\\{}\[\]&~$\n \t]+"
)
_NAME = re.compile(r"\\([a-zA-Z@]+)")
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*+)%.*")
_BEGIN = re.compile(r"\\begin\{([\w*]+)\}")
_END = re.compile(r"\\end\{([\w*]+)\}")
_CODE = frozenset(["verbatim", "verbatim*", "Verbatim", "lstlisting", "minted", "alltt"])
_UNREAD = _CODE | {"comment", "filecontents", "filecontents*", "tikzpicture"}
_CONTROLS = re.compile(r"[\x0e-\x13]")
_MOST_OF_OPTION = 200
_MOST_OF_MATH = 1_000
_MOST_OF_SPAN = 20
"""Tokens before what says how many columns or rows a cell takes, or how a rule is trimmed."""
_WIDEST_SPAN = 50


def without_comments(text: str) -> tuple[str, list[tuple[int, int]]]:
    """A text whose comments and unread environments are empty, with as many lines; and the first and the last
    line of each block of code."""
    lines = _CONTROLS.sub(" ", text).split("\n")
    ends = _line_ends(lines)
    code: list[tuple[int, int]] = []
    index = 0
    while index < len(lines):
        line = lines[index]
        if "%" in line:
            line = _COMMENT.sub(r"\1", line)
            lines[index] = line if line.strip() else GONE
        if index in ends:
            name, end = ends[index]
            lines[index + 1 : end] = [""] * (end - index - 1)
            if name in _CODE:
                code.append((index, end))
            index = end
            continue
        index += 1
    return "\n".join(lines), code


def _line_ends(lines: list[str]) -> dict[int, tuple[str, int]]:
    """For each line that begins an unread environment, its name and the line that ends it."""
    ends: dict[int, tuple[str, int]] = {}
    next_end: dict[str, int] = {}
    for index in reversed(range(len(lines))):
        if "\\" not in lines[index]:
            continue
        begun = _BEGIN.search(lines[index])
        if begun and begun[1] in next_end and begun[1] in _UNREAD:
            ends[index] = (begun[1], next_end[begun[1]])
        for ended in _END.finditer(lines[index]):
            if ended[1] in _UNREAD:
                next_end[ended[1]] = index
    return ends


class Tokens:
    """The tokens of a text in order."""

    def __init__(self, text: str) -> None:
        self._tokens = [match[0] for match in _TOKEN.finditer(text)]
        self._lines = [0, *accumulate(token.count("\n") for token in self._tokens)]
        self._closing: dict[int, int] = {}
        self._ends: dict[int, int] = {}
        self.document = (0, len(self._tokens))
        """The first token of the document, and the one after its last."""
        self._match()

    def __len__(self) -> int:
        return len(self._tokens)

    def __getitem__(self, index: int) -> str:
        return self._tokens[index]

    def command(self, index: int) -> str:
        """The name of the command at a token, "" where there is none."""
        match = _NAME.match(self._tokens[index]) if index < len(self._tokens) else None
        return (
            ("verb" if match[1].startswith("verb") and match[1] != "verbatim" else match[1]) if match else ""
        )

    def raw(self, first: int, last: int) -> str:
        """Tokens as they are written."""
        return "".join(self._tokens[first:last])

    def line_of(self, index: int) -> int:
        """The line at which a token begins, from 0."""
        return self._lines[index]

    def lines_in(self, first: int, last: int) -> int:
        """How many line ends stand between two tokens."""
        return self._lines[last] - self._lines[first]

    def close(self, index: int) -> int | None:
        """The brace that closes the one at a token."""
        return self._closing.get(index)

    def argument(self, index: int) -> tuple[int, int, int]:
        """The first token of the argument that stands at a token, the one after its last, and the one after
        its brace; three times the same where there is none."""
        start = index
        ends = 0
        while start < len(self._tokens) and self._tokens[start].isspace() and ends < 2:
            ends += self._tokens[start] == "\n"
            start += 1
        if start < len(self._tokens) and self._tokens[start] == "{" and start in self._closing and ends < 2:
            return start + 1, self._closing[start], self._closing[start] + 1
        return index, index, index

    def after_blanks(self, index: int) -> int:
        """The token after the white space that stands at a token."""
        while index < len(self._tokens) and self._tokens[index].isspace():
            index += 1
        return index

    def after_spaces(self, index: int) -> int:
        """The token after the spaces that stand at a token on its line."""
        while index < len(self._tokens) and self._tokens[index].isspace() and self._tokens[index] != "\n":
            index += 1
        return index

    def option(self, index: int) -> tuple[int, int, int]:
        """As `argument`, between square brackets."""
        if index >= len(self._tokens) or self._tokens[index] != "[":
            return index, index, index
        end = index + 1
        while end < min(len(self._tokens), index + _MOST_OF_OPTION):
            if self._tokens[end] == "]":
                return index + 1, end, end + 1
            end = self._closing.get(end, end) + 1
        return index, index, index

    def after_options(self, index: int) -> int:
        """The token after the options that stand at a token."""
        while (after := self.option(index)[2]) > index:
            index = after
        return index

    def math_end(self, index: int) -> int | None:
        """The token after the mathematics that begin at a token; None where nothing ends them in the same
        paragraph."""
        closing = {"\\[": "\\]"}.get(self._tokens[index], self._tokens[index])
        for end in range(index + 1, min(len(self._tokens), index + _MOST_OF_MATH)):
            if self._tokens[end] == closing:
                return end + 1
            if self._tokens[end] == "\n" and self._is_blank_from(end + 1):
                return None
        return None

    def environment(self, index: int) -> tuple[int, int] | None:
        """The command that ends the environment that begins at a token, and the token after it."""
        end = self._ends.get(index)
        return None if end is None else (end, self.argument(end + 1)[2])

    def span(self, first: int, last: int, name: str) -> int:
        """How many columns or rows of a table the cell between two tokens takes, by `\\multicolumn` or
        `\\multirow`."""
        for index in range(first, min(last, first + _MOST_OF_SPAN)):
            if self.command(index) == name:
                start, end, _ = self.argument(self.after_options(index + 1))
                number = self.raw(start, end).strip()
                return min(int(number), _WIDEST_SPAN) if number.isdecimal() else 1
        return 1

    def after_arguments(self, index: int, count: int) -> int:
        """The token after so many arguments that stand at a token, and the options around them; how a rule is
        trimmed stands in round brackets."""
        index = self.after_options(index)
        if count and index < len(self._tokens) and self._tokens[index].startswith("("):
            ends = range(index, min(len(self._tokens), index + _MOST_OF_SPAN))
            closing = next((end for end in ends if self._tokens[end].endswith(")")), None)
            after = index if closing is None else closing + 1
            index = after if self.argument(after)[2] > after else index
        for _ in range(count):
            index = self.after_options(self.argument(index)[2])
        return index

    def _is_blank_from(self, index: int) -> bool:
        while index < len(self._tokens) and self._tokens[index].isspace() and self._tokens[index] != "\n":
            index += 1
        return index >= len(self._tokens) or self._tokens[index] == "\n"

    def _match(self) -> None:
        """Find what closes each brace and ends each environment."""
        braces: list[int] = []
        for index, token in enumerate(self._tokens):
            if token == "{":
                braces.append(index)
            elif token == "}" and braces:
                self._closing[braces.pop()] = index
        begun: list[tuple[str, int]] = []
        open_names: Counter[str] = Counter()
        begin, end = self.document
        for index, token in enumerate(self._tokens):
            if token not in ("\\begin", "\\end"):
                continue
            first, last, after = self.argument(index + 1)
            name = self.raw(first, last).strip()
            if token == "\\begin":
                begun.append((name, index))
                open_names[name] += 1
                begin = after if name == "document" and not begin else begin
                continue
            end = index if name == "document" and begin and end == len(self._tokens) else end
            while open_names[name]:
                top, start = begun.pop()
                open_names[top] -= 1
                if top == name:
                    self._ends[start] = index
                    break
        self.document = (begin, end)
