"""Reads the metadata block at the top of a text: YAML between `---`, or TOML between `+++`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import yaml

from bob.core.document import SourceDate
from bob.core.storable import encodable
from bob.core.yaml_depth import check_depth
from bob.text import lexicon
from bob.text.dates import read_date
from bob.text.fields import front_matter_end

# Everything stays a string with the base loader: no surprise types, and an anchor cannot blow up.
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_MAX_LINES = 500  # a rule further down is no end of front matter but a rule
_MAX_DOTS = 500  # in a line of TOML: a key of many parts takes quadratic time
DATED_KEYS = lexicon.by_name("dated fields")
"""Names of fields with a day, by what it is the day of."""
DATE_KEYS = tuple(key for kind in ("text", "made", "published", "changed") for key in DATED_KEYS[kind])
"""Names of fields with the day of a text, those that count most first."""
_TAG_KEYS = ("tags", "keywords", "categories")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a document says about itself; `lines` is the number of lines that it takes at the top."""

    lines: int = 0
    title: str = ""
    source_date: SourceDate | None = None
    tags: tuple[str, ...] = ()
    project: str | None = None
    language: str | None = None
    extra: dict[str, str] = field(default_factory=dict)


def read_front_matter(lines: Sequence[str]) -> FrontMatter:
    """The front matter of a text's lines (without line ends); empty when there is none or it is broken."""
    end = front_matter_end(lines[:_MAX_LINES])
    if not end:
        return FrontMatter()
    is_yaml = lines[0].startswith("---")
    content = "\n".join(lines[1 : end - 1])
    values = load_yaml(content) if is_yaml else _load_toml(content)
    if not isinstance(values, Mapping):
        # A rule, a paragraph and a rule look like front matter but hold no keys.
        return FrontMatter(lines=0 if is_yaml and content.strip() else end)
    return from_values(values, end)


def from_values(values: Mapping[object, object], lines: int = 0) -> FrontMatter:
    """The metadata in a mapping with the customary keys, of any case."""
    by_name = {text(key).lower(): value for key, value in values.items()}
    dates = (read_date(text(by_name.get(key))) for key in DATE_KEYS)
    value = next((date_ for date_ in dates if date_ is not None), None)
    undated = {key for key in DATE_KEYS if text(by_name.get(key)) and not read_date(text(by_name.get(key)))}
    taken = {"title", "project", "language", "lang", *_TAG_KEYS, *DATE_KEYS} - undated
    return FrontMatter(
        lines=lines,
        title=text(by_name.get("title")),
        source_date=SourceDate(value, "front_matter") if value is not None else None,
        tags=tuple(dict.fromkeys(tag for key in _TAG_KEYS for tag in words(by_name.get(key)))),
        project=text(by_name.get("project")) or None,
        language=text(by_name.get("language") or by_name.get("lang")).lower()[:2] or None,
        extra={key: text(item) for key, item in by_name.items() if key not in taken and text(item)},
    )


def load_yaml(content: str) -> object:
    """The value of a YAML text with every scalar a string; None when it is not valid YAML."""
    try:
        check_depth(content)
        return yaml.load(content, Loader=_LOADER)
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError):
        return None


def text(value: object) -> str:
    """A scalar as one trimmed string; "" for nothing and for mappings and lists.

    Escapes can spell half of a surrogate pair, which no database stores: it becomes a question mark.
    """
    if not (isinstance(value, str | int | float) or _is_date(value)):
        return ""
    return " ".join(encodable(str(value)).split())


def words(value: object) -> list[str]:
    """A list of scalars, or a string with commas, as strings."""
    items = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    return [tag for tag in (text(item).lstrip("#") for item in items) if tag]


def _is_date(value: object) -> bool:
    return hasattr(value, "isoformat")  # TOML has dates of its own


def _load_toml(content: str) -> object:
    if any(line.count(".") > _MAX_DOTS for line in content.split("\n")):
        return None
    try:
        return tomllib.loads(content)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
