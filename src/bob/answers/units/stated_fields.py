"""The fields of a text that state something: those of front matter, and of files that are all fields.

People keep facts in the properties of a note ("phone: 030 555 0199") and in files of settings; of front
matter, much only tells a program how to show the page. Fields are found line by line, or, where the format
has no lines, by their marks, since each is to be quoted where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from bob.text.data_fields import DataField, json_fields, xml_fields
from bob.text.fields import FENCES, NamedField, front_matter_end, named_fields
from bob.text.markup import readable

FIELD = re.compile(r"[\s>]*[*_]{0,2}[^\W\d_][\w-]*(?: [\w-]+){0,2}[*_]{0,2}::?[*_]{0,2} \S.{0,60}(?<!\?)$")
_LONG_FIELD = re.compile(
    r"[\s>]*[*_]{0,2}[^\W\d_][\w-]*(?: [\w-]+){0,5}[*_]{0,2}::?[*_]{0,2} (?!.*[.!?] )\S.{0,300}(?<!\?)$"
)
"""Of a paragraph whose lines are fields, one with a longer name or value."""

DataFormat = Literal["json", "xml", "lines"]
"""How a file of settings or data is written; "lines" are YAML, TOML and INI."""

_OF_THE_PAGE = re.compile(
    r"title|layout|template|slug|permalink|href|text|key|u?u?id|alias(es)?|redirect\w*|canonical\w*|(grand)?parent|"
    r"\w*nav(igation)?|nav\w*|order|weight|position|\w*sidebar\w*|toc\w*|draft|hid(e|den)\w*|has\w+|show\w+|publish|"
    r"lang(uage)?|icon|cover|image\w*|thumbnail|banner|logo|css\w*|styles?|scripts?|robots|seo\w*|meta\w*|schema\w*|"
    r"eleventy\w*|tags?|keywords|categor(y|ies)|type|comments|math\w*|cspell|project|search\w*|sitemap"
)
"""Names, in lower case and without separators, of what tells a program how to show or sort a page."""

_JSON = re.compile(r"\{|\[\s*[{\"]")
_SEPARATORS = re.compile(r"[\s_-]+")
_SAYS_NOTHING = re.compile(r"\W*|(true|false|yes|no|on|off|null|none)|[.#]?/\S*", re.IGNORECASE)
"""Of front matter: switches, and paths to files of the same site."""


@dataclass(frozen=True, slots=True)
class StatedField:
    """A field at characters `start` to `end` of a text: how a person reads it, and `under`, the names of the
    fields and records that it is part of, outermost first."""

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
    if not text.startswith(FENCES):
        return
    lines = text.split("\n")
    for field in _placed(named_fields(lines[: max(front_matter_end(lines) - 1, 0)]), lines):
        if _tells_something(field):
            yield _stated(field, field.names, tuple(map(readable, field.values)), text)


def fields_of_data(
    text: str, form: DataFormat | None = None, above: Sequence[str] = ()
) -> Iterator[StatedField]:
    r"""The fields of a file of settings or data, or of a part of one that stands under the names `above`.

    >>> [(field.under, field.line) for field in fields_of_data("[web]\nport = 8080\nhosts = ['a']")]
    [('web', 'port: 8080'), ('web', 'hosts: a')]
    >>> [(field.under, field.line) for field in fields_of_data('{"trip": "Lisbon", "hotel": {"nights": 3}}')]
    [('', 'trip: Lisbon'), ('Lisbon: hotel', 'nights: 3')]
    """
    form = form or format_of("", text)
    if form == "lines":
        lines = text.split("\n")
        fields: Iterable[DataField] = _placed(named_fields(lines), lines)
    else:
        fields = json_fields(text) if form == "json" else xml_fields(text)
    for field in fields:
        names = _joined(above, field.names)
        if names and field.values:
            yield _stated(field, names, tuple(" ".join(value.split()) for value in field.values), text)


def format_of(path: str, text: str) -> DataFormat:
    """How a file of settings or data is written, by its path, or else by how the text begins."""
    name, begins = path.lower(), text.lstrip()[:80]
    if ".json" in name or (_JSON.match(begins) and not name.endswith((".yaml", ".yml"))):
        return "json"
    return "xml" if name.endswith(".xml") or re.match(r"<[?!A-Za-z]", begins) else "lines"


def _joined(above: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """The names of a part of a file behind those that it stands under, of which it may repeat the last."""
    above, names = tuple(above), tuple(names)
    sizes = range(min(len(above), len(names)), 0, -1)
    shared = next((size for size in sizes if above[-size:] == names[:size]), 0)
    return (*above, *names[shared:])


def _tells_something(field: DataField) -> bool:
    """Whether a field of front matter says something of what its text is about."""
    if not field.names or not field.values:
        return False
    names = (_SEPARATORS.sub("", name).lower() for name in field.names)
    return not any(map(_OF_THE_PAGE.fullmatch, names)) and not all(map(_SAYS_NOTHING.fullmatch, field.values))


def _placed(fields: Iterable[NamedField], lines: Sequence[str]) -> Iterator[DataField]:
    """Fields of lines with their ranges in the text."""
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    for field in fields:
        end = starts[field.last] + len(lines[field.last].rstrip())
        yield DataField(starts[field.first] + field.indent, end, field.names, field.values)


def _stated(field: DataField, names: Sequence[str], values: Sequence[str], text: str) -> StatedField:
    joint = "; " if "\n" in text[field.start : field.end] else ", "
    # What names a record that is a whole file does not stand under that name.
    is_name = len(names) == 2 and values == (names[0],)
    under = "" if is_name else ": ".join(names[:-1])
    return StatedField(field.start, field.end, f"{names[-1]}: {joint.join(values)}", under)


def are_fields(body: list[str]) -> bool:
    """Whether each line of a paragraph is a field; beside others one may have a long name or value."""
    fields = sum(bool(FIELD.match(line)) for line in body)
    return fields == len(body) or (fields > 0 and all(map(_LONG_FIELD.match, body)))
