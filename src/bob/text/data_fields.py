"""The named fields of JSON and of XML with their ranges, also where a text is only a part of a file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape

from bob.text.fields import Above, Record, names_within, spaced_name

_TOKEN = re.compile(
    r'(?P<string>"(?:[^"\\\n]|\\.)*+")(?P<names>\s*+:)?|(?P<mark>[{}\[\]])|(?P<comment>//[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/)?)|'
    r"[^\s{}\[\],:\"/]+"
)
_TAG = re.compile(
    r"<(?P<end>/?)(?P<name>[A-Za-z_][\w.:-]*+)(?P<rest>[^<>]*+)>|<!--(?:[^-]|-(?!->))*+(?:-->)?|<[!?][^<>]*+>"
)

_DEEPEST = 32
"""So many names and records are told above a field; what stands deeper stands under the last of them."""

_MOST_CHARACTERS = 500
"""The items of a longer list are fields of their own, each under the list's name."""


@dataclass(frozen=True, slots=True)
class DataField:
    """A value at characters `start` to `end` of a text, together with its name. `names`: its own behind those
    of the fields and records that it is part of, none for the item of a list without a name."""

    start: int
    end: int
    names: tuple[str, ...]
    values: tuple[str, ...]


_Read = tuple[int, int, Above, tuple[str, ...]]


@dataclass(slots=True)
class _Open:
    """An object or an array that is not closed; `above` are what it is in and, if it has any, its own name.
    `items` are the values of an array."""

    above: Above
    start: int
    is_array: bool
    items: list[tuple[int, int, str]] = field(default_factory=list)
    holds_more: bool = False


def json_fields(text: str) -> Iterator[DataField]:
    r"""The fields of a JSON text, or of a part of one, that have no fields of their own. An object in an
    array, or with no name, is a record: its fields stand under its name.

    >>> text = '[{"boat": "Swift", "seats": 4, "crew": ["Ana", "Ben"]}]'
    >>> [(field.names, field.values) for field in json_fields(text)]
    [(('boat',), ('Swift',)), (('Swift', 'seats'), ('4',)), (('Swift', 'crew'), ('Ana', 'Ben'))]
    """
    files: list[Record] = []
    read = list(_read_json(text, files))
    if len(files) == 1:
        files[0].is_file = True
    return _named(read)


def _named(read: Sequence[_Read]) -> Iterator[DataField]:
    """The fields with the names of records, which are known when all fields are."""
    for start, end, above, values in sorted(read, key=lambda field: field[:2]):
        yield DataField(start, end, names_within(above, values), values)


def _read_json(text: str, files: list[Record]) -> Iterator[_Read]:
    """What a text has, before its records have names; `files` gets those that are in nothing else."""
    opened = [_Open((), 0, is_array=True)]
    name: re.Match[str] | None = None
    for token in _TOKEN.finditer(text):
        inner = opened[-1]
        if token["comment"]:
            continue
        if token["names"]:
            name = token
        elif token["mark"] in ("{", "["):
            inner.holds_more = True
            opened.append(_opened(inner, name, token))
            if len(opened) == 2 and opened[-1].above and isinstance(opened[-1].above[-1], Record):
                files.append(opened[-1].above[-1])
            name = None
        elif token["mark"]:
            name = None
            # Below the first of all is what stands before a part of a text.
            yield from _items_of(inner, token.end())
            if len(opened) > 1:
                opened.pop()
            else:
                inner.items = []
        elif name is not None:
            yield _field_of(inner, name, token)
            name = None
        elif inner.is_array:
            inner.items.append((token.start(), token.end(), _plain(token[0])))
    for left in opened:
        yield from _items_of(left, left.items[-1][1] if left.items else left.start)


def _opened(inner: _Open, name: re.Match[str] | None, token: re.Match[str]) -> _Open:
    is_array = token[0] == "["
    if len(inner.above) >= _DEEPEST:
        return _Open(inner.above, token.start(), is_array)
    if name is None:
        return _Open(inner.above if is_array else (*inner.above, Record()), token.start(), is_array)
    owner = inner.above[-1] if inner.above else None
    if isinstance(owner, Record):
        owner.fields.append((_plain(name["string"]), ""))
    return _Open((*inner.above, _name_of(name)), name.start(), is_array)


def _field_of(inner: _Open, name: re.Match[str], token: re.Match[str]) -> _Read:
    value = _plain(token[0])
    owner = inner.above[-1] if inner.above else None
    if isinstance(owner, Record):
        owner.fields.append((_plain(name["string"]), value))
    return name.start(), token.end(), (*inner.above, _name_of(name)), (value,)


def _items_of(array: _Open, end: int) -> Iterator[_Read]:
    """The values of an array: together, or one by one where they are many or others stand between them."""
    if not array.items:
        return
    start = array.start if array.above and not array.holds_more else array.items[0][0]
    if not array.holds_more and end - start <= _MOST_CHARACTERS:
        yield start, end, array.above, tuple(value for _, _, value in array.items)
    else:
        yield from ((first, last, array.above, (value,)) for first, last, value in array.items)


def _name_of(token: re.Match[str]) -> str:
    return spaced_name(_plain(token["string"]))


def _plain(written: str) -> str:
    """A string or another value of JSON without its quotes."""
    if not written.startswith('"'):
        return written
    try:
        return str(json.loads(written, strict=False))
    except ValueError:
        return written[1:-1]


def xml_fields(text: str) -> Iterator[DataField]:
    """The elements of an XML text, or of a part of one, that hold nothing but text, and attributes.

    >>> [(field.names, field.values) for field in xml_fields('<trip to="Porto"><days>3</days></trip>')]
    [(('trip', 'to'), ('Porto',)), (('trip', 'days'), ('3',))]
    """
    return _named(list(_read_xml(text)))


_ATTRIBUTE = re.compile(r"([\w.-]+)\s*+=\s*+(?:\"([^\"]*)\"|'([^']*)')")


def _read_xml(text: str) -> Iterator[_Read]:
    opened: list[str] = []
    begun = None
    for tag in _TAG.finditer(text):
        if tag["name"] is None:
            continue
        if tag["end"]:
            value = " ".join(unescape(text[begun.end() : tag.start()]).split()) if begun else ""
            if begun and opened and value and "<" not in text[begun.end() : tag.start()]:
                yield begun.start(), tag.end(), tuple(opened[-_DEEPEST:]), (value,)
            if opened and opened[-1] == tag["name"]:
                opened.pop()
            begun = None
            continue
        opened.append(tag["name"])
        begun = tag
        for attribute in _ATTRIBUTE.finditer(tag["rest"]):
            name, value = attribute[1], unescape(attribute[2] or attribute[3] or "")
            if value and not name.startswith(("xmlns", "xsi")) and "://" not in value:
                offset = tag.start("rest")
                yield (
                    offset + attribute.start(),
                    offset + attribute.end(),
                    (*opened[-_DEEPEST:], name),
                    (value,),
                )
        if tag["rest"].endswith("/"):
            opened.pop()
            begun = None
