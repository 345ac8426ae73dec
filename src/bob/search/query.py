"""Queries: what a person types, and the documents that the database has for it (SPEC D2).

Whatever is typed means something: odd input is taken as words.

words that matter        ranked by
"exact phrase"           must occur
-word  -"a phrase"       must not occur
project:x type:pdf tag:x lang:pt path:notes/    only such documents; a value with spaces in quotes
after:2024 before:2025-06-30                    by source date: from its first day; up to its eve
decision:active                                 with a decision that is active, proposed, superseded,
                                                deprecated or rejected; any: with a decision
-project:x  -type:pdf                           no such documents; so for every key
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from bob.core.search import NO_FILTERS, Filters, Place, Query
from bob.core.storable import storable
from bob.storage.database import Transaction
from bob.storage.paths import below
from bob.text.dates import first_day

_TOKEN = re.compile(
    r"""(?P<minus>-(?=["“”„«»\w]))?(?:(?P<key>project|type|tag|lang|path|after|before|decision):)?"""
    r"""(?:"(?P<quoted>[^"]*)"|[“”„«»](?P<printed>[^“”„«»"]*)[“”„«»]|(?P<bare>\S+))""",
    re.IGNORECASE,
)
_FIELDS = {
    "project": "projects",
    "type": "source_types",
    "tag": "tags",
    "lang": "languages",
    "path": "path_prefixes",
}


_STATUSES = {
    status: status for status in ("active", "proposed", "superseded", "deprecated", "rejected", "any")
}
_STATUSES["accepted"] = "active"


def parse_query(typed: str, filters: Filters = NO_FILTERS) -> Query:
    """What a person typed, on top of filters that hold anyway. Never raises."""
    words: list[str] = []
    phrases: list[str] = []
    excluded: list[str] = []
    but_not: list[Filters] = []
    for token in _TOKEN.finditer(storable(typed)):
        key = (token["key"] or "").lower()
        quoted = token["quoted"] if token["quoted"] is not None else token["printed"]
        value = token["bare"] if quoted is None else quoted
        if key and value.strip():
            narrowed = _narrowed(NO_FILTERS if token["minus"] else filters, key, value.strip())
            if narrowed is not None and token["minus"]:
                but_not.append(narrowed)
                continue
            if narrowed is not None:
                filters = narrowed
                continue
        if key:
            # A key without a usable value is taken as it was typed.
            words.append(token[0].lstrip("-"))
        elif token["minus"]:
            excluded.append(value)
        elif quoted is not None:
            if value.strip():
                phrases.append(value.strip())
                words.append(value.strip())
        else:
            words.append(value)
    left_out = tuple(word for word in excluded if word.strip())
    return Query(" ".join(words), tuple(phrases), left_out, filters, tuple(but_not))


def _narrowed(filters: Filters, key: str, value: str) -> Filters | None:
    if key in _FIELDS:
        changed: dict[str, Any] = {_FIELDS[key]: (*getattr(filters, _FIELDS[key]), value)}
        return replace(filters, **changed)
    if key == "decision":
        status = _STATUSES.get(value.lower())
        return None if status is None else replace(filters, decisions=(*filters.decisions, status))
    day = first_day(value)
    if day is None:
        return None
    return replace(filters, after=day) if key == "after" else replace(filters, before=day)


_REPLACED = "SELECT document_id FROM past_documents WHERE org_id = :org"
HOLDS_NOW = f"d.document_id NOT IN ({_REPLACED})"
"""Of documents named `d`: no newer version has replaced them."""

_HELD_THEN = f"d.document_id NOT IN ({_REPLACED} AND valid_until <= :as_of)"
"""No newer version had replaced them by that day."""

_HELD = """
 (source_date IS NULL OR source_date <= {} OR source_date_kind = 'mtime' AND EXISTS (
     SELECT 1 FROM decisions e WHERE e.org_id = d.org_id AND e.document_id = d.document_id
     AND e.date <= {} AND e.date_kind IN ('text', 'user')))
 """
"""What was there on a day. Of a copied file only the copying is dated; a record that states its own date was
there from then on."""

_HEADINGS = f"""
SELECT d.path, d.title, d.source_type, d.language, c.heading_path
FROM documents d JOIN chunks c ON c.org_id = d.org_id AND c.document_id = d.document_id
WHERE d.org_id = :org AND {HOLDS_NOW} ORDER BY d.path, c.ordinal
"""


_PLACES = """
SELECT d.path, d.title, c.heading_path, d.source_date, d.source_date_kind
FROM documents d JOIN chunks c ON c.org_id = d.org_id AND c.document_id = d.document_id
WHERE d.org_id = :org AND d.document_id IN :ids ORDER BY d.path, c.ordinal
"""


def chunk_headings(transaction: Transaction) -> Iterator[tuple[str, str, str, str | None, tuple[str, ...]]]:
    """Of every chunk that holds now, in the order of paths and places: path, title, type and language of its
    document, and the headings above it."""
    for *document, heading_path in transaction.execute(_HEADINGS):
        path, title, source_type, language = document
        yield path, title, source_type, language, tuple(json.loads(heading_path))


def places_matching(transaction: Transaction, filters: Filters) -> list[Place]:
    """Where the chunks of the documents that pass all conditions but that of `decisions` stand, each place
    once, in the order of paths and texts."""
    rows = transaction.execute(_PLACES, {"ids": documents_matching(transaction, filters)})
    places = (
        Place(path, title, tuple(json.loads(headings)), date.fromisoformat(dated) if dated else None, kind)
        for path, title, headings, dated, kind in rows
    )
    return list(dict.fromkeys(places))


def documents_matching(transaction: Transaction, filters: Filters) -> list[int]:
    """The ids of the documents that pass all conditions but that of `decisions`."""
    return [document_id for document_id, _ in _matching(transaction, filters)]


def languages_matching(transaction: Transaction, filters: Filters) -> tuple[str, ...]:
    """The languages, in their order, of the documents that pass all conditions but that of `decisions`."""
    return tuple(sorted({language for _, language in _matching(transaction, filters) if language}))


def _matching(transaction: Transaction, filters: Filters) -> list[tuple[int, str | None]]:
    """The documents that pass, each with its language."""
    conditions = ["org_id = :org", HOLDS_NOW if filters.as_of is None else _HELD_THEN]
    values: dict[str, Any] = {"as_of": filters.as_of and filters.as_of.isoformat()}
    tag_groups: list[set[str]] = []
    level: Filters | None = filters
    while level is not None:
        for condition, own in _conditions(level):
            # Each value has a name of its own: filters within others have the same conditions.
            names = [f"value_{len(values) + index}" for index in range(len(own))]
            conditions.append(condition.format(*(f":{name}" for name in names)))
            values |= zip(names, map(_storable, own), strict=True)
        tag_groups += [{tag.lower() for tag in level.tags}] if level.tags else []
        level = level.within
    statement = f"SELECT document_id, language, tags FROM documents d WHERE {' AND '.join(conditions)}"
    return [
        (document_id, language)
        for document_id, language, tags in transaction.execute(statement, values)
        if not tag_groups or _has_one_of_each(tags, tag_groups)
    ]


def values_known(transaction: Transaction, filters: Filters) -> dict[str, set[str]]:
    """What the documents that pass these conditions have, by the name of the filter that asks for it."""
    passing = set(documents_matching(transaction, filters))
    known: dict[str, set[str]] = {name: set() for name in ("projects", "source_types", "languages", "tags")}
    for document_id, project, source_type, language, tags in transaction.execute(
        "SELECT document_id, project, source_type, language, tags FROM documents WHERE org_id = :org"
    ):
        if document_id in passing:
            known["projects"].add(project)
            known["source_types"].add(source_type)
            known["languages"] |= {language} if language else set()
            known["tags"] |= {str(tag) for tag in json.loads(tags)}
    return known


def _has_one_of_each(tags: str, tag_groups: Sequence[set[str]]) -> bool:
    own = {str(tag).lower() for tag in json.loads(tags)}
    return all(own & group for group in tag_groups)


def _storable(value: str | list[str]) -> str | list[str]:
    return storable(value) if isinstance(value, str) else list(map(storable, value))


def _conditions(filters: Filters) -> Iterable[tuple[str, Sequence[str | list[str]]]]:
    """Conditions with the values for their braces."""
    if filters.projects:
        yield "lower(project) IN {}", [[project.lower() for project in filters.projects]]
    if filters.other_than:
        yield "lower(project) NOT IN {}", [[project.lower() for project in filters.other_than]]
    if filters.languages:
        yield "language IN {}", [[language.lower() for language in filters.languages]]
    if filters.source_types:
        # "type:docx" is what people type for what is called "word".
        types = [source_type.lower() for source_type in filters.source_types]
        ends = "substr(lower(path), length(path) - length({}) + 1) = {}"
        yield (
            " OR ".join(["source_type IN {}", *[ends] * len(types)]).join("()"),
            [types, *(f".{extension}" for extension in types for _ in range(2))],
        )
    if filters.path_prefixes:
        prefixes = [_below(prefix) for prefix in filters.path_prefixes]
        yield (
            " OR ".join(condition for condition, _ in prefixes).join("()"),
            [value for _, own in prefixes for value in own],
        )
    if filters.after is not None:
        yield "source_date >= {}", [filters.after.isoformat()]
    if filters.before is not None:
        yield "source_date < {}", [filters.before.isoformat()]
    if filters.as_of is not None:
        yield _HELD, [filters.as_of.isoformat()] * 2


def _below(prefix: str) -> tuple[str, list[str]]:
    """A path from the root is a folder or file; any other is found below any folder."""
    if prefix.startswith("/"):
        folder = prefix.rstrip("/") or "/"
        return "(path = {} OR (path >= {} AND path < {}))", [folder, *below(folder)]
    inside = "/" + prefix.strip("/")
    return "(replace(path, {}, '') <> path OR substr(path, length(path) - length({}) + 1) = {})", [
        inside + "/",
        inside,
        inside,
    ]


_NOUNS = {
    "projects": "project",
    "source_types": "type",
    "tags": "tag",
    "languages": "language",
    "path_prefixes": "path",
}
"""What the values of a filter are called."""

_MOST_LISTED = 12


def unknown_values(transaction: Transaction, filters: Filters) -> tuple[str, ...]:
    """A notice for each value that no document has, with those that there are instead."""
    allowed = filters.within or NO_FILTERS
    unknown = [
        (name, value)
        for name in _NOUNS
        for value in getattr(filters, name)
        if not documents_matching(transaction, _asking(name, value, allowed))
    ]
    known = values_known(transaction, allowed) if unknown else {}
    return tuple(
        f"No indexed file has the {_NOUNS[name]} {value!r}.{_listed(known.get(name, set()))}"
        for name, value in unknown
    )


def _asking(name: str, value: str, allowed: Filters) -> Filters:
    """One value of one filter, within what may be seen."""
    asked: dict[str, Any] = {name: (value,)}
    return Filters(**asked, within=allowed)


def _listed(values: set[str]) -> str:
    """The values that there are, in a sentence; nothing where there are none."""
    if not values:
        return ""
    listed = sorted(values, key=str.lower)
    more = len(listed) - _MOST_LISTED
    return f" There are: {', '.join(listed[:_MOST_LISTED])}{f', … and {more} more' if more > 0 else ''}."
