"""The named fields of a text, line by line, as YAML, TOML and INI write them: those of front matter, of
settings and of data.

Each is told with its lines, so that it can be quoted where it stands; `bob.documents.front_matter` reads the
values themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_FENCES = {"---": ("---", "..."), "+++": ("+++",)}
"""What opens front matter, and what closes it."""

_FIELD = re.compile(
    r"(?P<before>\s*(?:- +)?)(?P<name>[^\W\d_][\w .-]{0,40}?)(?::(?=\s|$)| ?=(?= ?\S))(?P<value>.*)"
)
_TABLE = re.compile(r"\[+(?P<name>[^\[\]]+)\]+")
_ITEM = re.compile(r"\s*- +(?P<value>.+)")
_BLOCK = re.compile(r"[>|][-+]?\d?")
_SEPARATORS = re.compile(r"[\s_-]+")
_COMMENT = re.compile(r"(?<!\s)\s+#\s.*")


@dataclass(frozen=True, slots=True)
class NamedField:
    """The field in lines `first` to `last` (counted from 0); its name begins at character `indent` of the
    first. `names`: its own behind those of the fields that it is part of; `values`: one, the items of a list,
    or none."""

    first: int
    last: int
    indent: int
    names: tuple[str, ...]
    values: tuple[str, ...]


def front_matter_end(lines: Sequence[str]) -> int:
    """How many lines a block of front matter takes at the beginning of a text; 0 without one."""
    closing = _FENCES.get(lines[0].rstrip() if lines else "", ())
    ends = (index for index in range(1, len(lines)) if lines[index].rstrip() in closing)
    return next(ends, -1) + 1


def named_fields(lines: Sequence[str]) -> Iterator[NamedField]:
    """The fields that a text's lines have.

    >>> lines = ["seats:", "  outside: 40", "hosts = ['a', 'b']"]
    >>> [(field.names, field.values) for field in named_fields(lines)]
    [(('seats',), ()), (('seats', 'outside'), ('40',)), (('hosts',), ('a', 'b'))]
    """
    above: list[tuple[int, str]] = []
    index = 0
    while index < len(lines):
        line = lines[index].rstrip()
        first, index = index, index + 1
        if table := _TABLE.fullmatch(line):
            above = [(-1, table["name"])]
            continue
        field = _FIELD.fullmatch(line)
        if field is None:
            continue
        indent = len(field["before"])
        above = [(depth, name) for depth, name in above if depth < indent]
        above.append((indent, spaced_name(field["name"])))
        values = _values(field["value"])
        if not values or _BLOCK.fullmatch(values[0]):
            below = list(_below(lines, index, indent, is_text=bool(values)))
            index += len(below)
            values = tuple(filter(None, below)) if not values else (" ".join(filter(None, below)),)
        yield NamedField(first, index - 1, indent, tuple(name for _, name in above), values)


def spaced_name(name: str) -> str:
    """A name with spaces between its words: "cook_time" is "cook time"."""
    return _SEPARATORS.sub(" ", name)


def _below(lines: Sequence[str], begin: int, indent: int, *, is_text: bool) -> Iterator[str]:
    """What each line below a field, from `begin` on, says that goes on with it: the lines of its text, or
    its items."""
    for number in range(begin, len(lines)):
        line = lines[number].rstrip()
        item = None if is_text else _ITEM.fullmatch(line)
        if is_text and (not line or len(line) - len(line.lstrip()) > indent):
            yield line.strip()
        elif item is not None and not _FIELD.fullmatch(line):
            yield _unquoted(item["value"])
        else:
            return


def _values(written: str) -> tuple[str, ...]:
    """What stands behind a name: one value, the items of a list in brackets, or nothing."""
    value = _COMMENT.sub("", written).strip()
    is_list = (
        value.startswith("[") and value.endswith("]") and not value.startswith("[[") and "](" not in value
    )
    items = value[1:-1].split(",") if is_list else [value]
    return tuple(filter(None, map(_unquoted, items)))


def _unquoted(value: str) -> str:
    value = value.strip()
    is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if is_quoted else value
