"""The fields of a text that state something: those of front matter, and of files that are all fields.

People keep facts in the properties of a note ("phone: 030 555 0199") and in files of settings; of front
matter, much only tells a program how to show the page. Fields are found line by line, since each is to be
quoted where it stands: `bob.documents.front_matter` reads the metadata.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from bob.text.markup import readable

_FENCES = ("---", "+++")

_FIELD = re.compile(
    r"(?P<before>\s*(?:- +)?)(?P<name>[^\W\d_][\w .-]{0,40}?)(?::(?=\s|$)| ?=(?= ?\S))(?P<value>.*)"
)
_TABLE = re.compile(r"\[+(?P<name>[^\[\]]+)\]+")
_ITEM = re.compile(r"\s*- +(?P<value>.+)")
_BLOCK = re.compile(r"[>|][-+]?\d?")
_SEPARATORS = re.compile(r"[\s_-]+")

_JSON = re.compile(r'\s*(?:[{}\],"]|\[\s*[\[{"])')
"""How a part of a JSON file begins: a table of TOML has no quote behind its bracket."""
_JSON_TOKEN = re.compile(
    r'(?P<string>"(?:[^"\\\n]|\\.)*")(?P<names>\s*:)?|(?P<mark>[{}\[\]])|[^\s{}\[\],:"]+'
)

_OF_THE_PAGE = re.compile(
    r"title|layout|template|slug|permalink|href|text|key|u?u?id|alias(es)?|redirect\w*|canonical\w*|(grand)?parent|"
    r"\w*nav(igation)?|nav\w*|order|weight|position|\w*sidebar\w*|toc\w*|draft|hid(e|den)\w*|has\w+|show\w+|publish|"
    r"lang(uage)?|icon|cover|image\w*|thumbnail|banner|logo|css\w*|styles?|scripts?|robots|seo\w*|meta\w*|schema\w*|"
    r"eleventy\w*|tags?|keywords|categor(y|ies)|type|comments|math\w*|cspell|project|search\w*|sitemap"
)
"""Names, in lower case and without separators, of what tells a program how to show or sort a page."""

_SAYS_NOTHING = re.compile(r"\W*|(true|false|yes|no|on|off|null|none)|[.#]?/\S*", re.IGNORECASE)
"""Of front matter: switches, and paths to files of the same site."""


@dataclass(frozen=True, slots=True)
class StatedField:
    """A field at characters `start` to `end` of a text: how a person reads it, and `under`, the names of the
    fields that it is part of, outermost first."""

    start: int
    end: int
    line: str
    under: str


def front_matter_end(text: str) -> int:
    """The line after a block of front matter at the beginning of a text; 0 when there is none."""
    if not text.startswith(_FENCES):
        return 0
    lines = text.split("\n")
    fence = lines[0].rstrip()
    closing = (index for index in range(1, len(lines)) if lines[index].rstrip() == fence)
    return next(closing, -1) + 1 if fence in _FENCES else 0


def fields_of_front_matter(text: str) -> Iterator[StatedField]:
    r"""The fields of a text's front matter that tell something of what the text is about.

    >>> note = "---\nlayout: note\nphone: 030 555\nseats:\n  outside: 40\nguests:\n- Ana\n- Ben\n---\nA café."
    >>> [(field.under, field.line) for field in fields_of_front_matter(note)]
    [('', 'phone: 030 555'), ('seats', 'outside: 40'), ('', 'guests: Ana; Ben')]
    """
    lines = text.split("\n")[: max(front_matter_end(text) - 1, 0)]
    for names, value, field in _fields_in(lines):
        of_the_page = any(_OF_THE_PAGE.fullmatch(name.replace(" ", "").lower()) for name in names)
        if not of_the_page and not _SAYS_NOTHING.fullmatch(value):
            yield field


def fields_of_data(text: str) -> Iterator[StatedField]:
    r"""The fields of a file of settings or data, or of a part of one: YAML, TOML, INI or JSON.

    >>> [(field.under, field.line) for field in fields_of_data("[web]\nport = 8080\nhosts = ['a']")]
    [('web', 'port: 8080'), ('web', 'hosts: a')]
    >>> [(field.under, field.line) for field in fields_of_data('{"trip": "Lisbon", "hotel": {"nights": 3}}')]
    [('', 'trip: Lisbon'), ('hotel', 'nights: 3')]
    """
    if _JSON.match(text):
        yield from _fields_of_json(text)
    else:
        yield from (field for _, value, field in _fields_in(text.split("\n")) if value)


def _fields_in(lines: Sequence[str]) -> Iterator[tuple[list[str], str, StatedField]]:
    """Each field with its names, outermost first, and its value."""
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
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
        above.append((indent, _SEPARATORS.sub(" ", field["name"])))
        value = _unquoted(field["value"])
        if not value or _BLOCK.fullmatch(value):
            below = list(_below(lines, index, indent, is_text=bool(value)))
            index += len(below)
            value = (" " if value else "; ").join(filter(None, below))
        value = readable(value)
        names = [name for _, name in above]
        last = index - 1
        end = starts[last] + len(lines[last].rstrip())
        under = ": ".join(names[:-1])
        yield names, value, StatedField(starts[first] + indent, end, f"{names[-1]}: {value}", under)


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


def _unquoted(value: str) -> str:
    """A value as it is read: without its quotes, or the brackets of a list and the quotes of its items."""
    value = value.strip()
    items = value[1:-1].split(",") if value[:1] == "[" and value[-1:] == "]" else [value]
    return ", ".join(item.strip().strip("'\"") for item in items)


def _fields_of_json(text: str) -> Iterator[StatedField]:
    """The fields of a JSON text, or of a part of one, that have no fields of their own."""
    above: list[str] = []
    name: re.Match[str] | None = None
    for token in _JSON_TOKEN.finditer(text):
        if token["names"]:
            name = token
        elif token["mark"] in ("{", "["):
            above.append(_name_of(name) if name else "")
            name = None
        elif token["mark"]:
            above, name = above[:-1], None
        elif name is not None:
            line = f"{_name_of(name)}: {_plain(token[0])}"
            yield StatedField(name.start(), token.end(), line, ": ".join(filter(None, above)))
            name = None


def _name_of(token: re.Match[str]) -> str:
    return _SEPARATORS.sub(" ", _plain(token["string"]))


def _plain(written: str) -> str:
    """A string or another value of JSON without its quotes."""
    return re.sub(r"\\(.)", r"\1", written[1:-1]) if written.startswith('"') else written
