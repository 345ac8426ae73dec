"""The fields of a text that state something: those of front matter, and of files that are all fields.

People keep facts in the properties of a note ("phone: 030 555 0199") and in files of settings; of front
matter, much only tells a program how to show the page. Fields are found line by line, since each is to be
quoted where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from bob.text.fields import NamedField, front_matter_end, named_fields, spaced_name
from bob.text.markup import readable

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


def fields_of_front_matter(text: str) -> Iterator[StatedField]:
    r"""The fields of a text's front matter that tell something of what the text is about.

    >>> note = "---\nlayout: note\nphone: 030 555\nseats:\n  outside: 40\nguests:\n- Ana\n- Ben\n---\nA café."
    >>> [(field.under, field.line) for field in fields_of_front_matter(note)]
    [('', 'phone: 030 555'), ('seats', 'outside: 40'), ('', 'guests: Ana; Ben')]
    """
    lines = text.split("\n")
    fields = named_fields(lines[: max(front_matter_end(lines) - 1, 0)])
    yield from _stated(filter(_tells_something, fields), lines)


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
        lines = text.split("\n")
        yield from _stated((field for field in named_fields(lines) if field.values), lines)


def _tells_something(field: NamedField) -> bool:
    """Whether a field of front matter says something of what its text is about."""
    of_the_page = any(_OF_THE_PAGE.fullmatch(name.replace(" ", "").lower()) for name in field.names)
    return not of_the_page and not all(map(_SAYS_NOTHING.fullmatch, field.values))


def _stated(fields: Iterable[NamedField], lines: Sequence[str]) -> Iterator[StatedField]:
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    for field in fields:
        value = readable((", " if field.first == field.last else "; ").join(field.values))
        end = starts[field.last] + len(lines[field.last].rstrip())
        line, under = f"{field.names[-1]}: {value}", ": ".join(field.names[:-1])
        yield StatedField(starts[field.first] + field.indent, end, line, under)


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
    return spaced_name(_plain(token["string"]))


def _plain(written: str) -> str:
    """A string or another value of JSON without its quotes."""
    return re.sub(r"\\(.)", r"\1", written[1:-1]) if written.startswith('"') else written
