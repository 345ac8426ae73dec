"""The commands and environments that a LaTeX text defines for itself."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bob.documents.formats.latex.commands import CODE, HIDDEN, LISTS, MATH, SIGNS, TABLES
from bob.documents.formats.latex.tokens import Tokens

DEFINING = frozenset(
    ["newcommand", "renewcommand", "providecommand", "def", "newenvironment", "renewenvironment"]
)
"""Commands that define one."""

_PLACED_APART = "|".join(sorted(CODE | HIDDEN | LISTS | MATH | set(TABLES)))
_PROGRAMMED = re.compile(
    rf"\\(?:if|else|fi|def|let|newcommand|expandafter|csname|begin\{{(?:{_PLACED_APART})|item|label)|&"
)
"""What makes of a command's definition more than words around its arguments."""

_COMMAND = re.compile(r"\\([a-zA-Z]+)")
_WORDED = re.compile(r"text\w+|emph|xspace")
"""Commands of a definition without arguments that is words, as they are set."""

PLACE = re.compile(r"#([1-9])")
MOST_OF_OWN = 1_000
"""Characters of what a command of the text's own stands for."""


@dataclass(slots=True)
class OwnCommand:
    """A command of the text's own: the number of its arguments, and the tokens that it stands for, `#1` where
    the first argument belongs. `text` is what they read as, None while that is not known."""

    arguments: int
    first: int
    last: int
    text: str | None = None


def read_definition(tokens: Tokens, index: int) -> tuple[str, OwnCommand | None, int]:
    """The name that a token defines, what it stands for, and the token after it; an environment is called
    "begin " with its name. None where more than words and arguments makes it."""
    kind = tokens.command(index)
    first, first_end, after = tokens.argument(index + 1)
    name = tokens.raw(first, first_end).strip()
    if first == first_end and tokens.command(index + 1):
        name, after = tokens[index + 1], index + 2
    options = tokens.option(after)
    count = tokens.raw(*options[:2]).strip()
    has_default = tokens.option(options[2])[2] > options[2]
    after = tokens.after_options(after)
    while kind == "def" and after < len(tokens) and PLACE.match(tokens[after]):
        count = tokens[after][-1]
        after += 1
    begin, end, after = tokens.argument(after)
    value = tokens.raw(begin, end)
    is_read = not has_default and len(value) <= MOST_OF_OWN
    if kind.endswith("environment"):
        _, _, after = tokens.argument(after)
        name = f"begin {name}"
        is_read = is_read and bool(count)
    if count:
        is_read = is_read and count.isdecimal() and not _PROGRAMMED.search(value)
    else:
        is_read = is_read and bool(value) and _is_worded(value)
    return name.removeprefix("\\"), OwnCommand(int(count or 0), begin, end) if is_read else None, after


def _is_worded(value: str) -> bool:
    commands = _COMMAND.findall(value)
    return "#" not in value and all(command in SIGNS or _WORDED.fullmatch(command) for command in commands)
