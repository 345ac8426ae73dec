"""Marked passages as reading programs export them: Readwise's CSV, any CSV or JSON, Kindle's clippings."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from bob.extensions import Highlight, UsageError, Work, decode, read_date
from bob_formats.clippings import is_clippings, read_clippings

_KEYS = {
    "text": ("text", "highlight", "quote", "content", "passage", "annotation"),
    "comment": ("note", "comment", "notes", "annotation_note", "my_note"),
    "title": ("source", "title", "book_title", "book", "document", "article", "source_title"),
    "author": ("author", "book_author", "authors", "source_author"),
    "address": ("url", "source_url", "link", "address"),
    "place": ("location", "page", "loc", "place"),
    "place_kind": ("location_type",),
    "added": ("highlighted_at", "date", "added", "created", "created_at", "date_added", "updated_at"),
    "tags": ("tags", "tag"),
}
"""What each field is called, the likeliest name first; spaces and capitals make no difference."""

_LISTS = ("highlights", "results", "items", "annotations", "data", "books")
_MOST_CHARACTERS = 200_000
"""Of one passage: more is a file that was taken for one."""


def read_highlights(data: bytes, name: str) -> tuple[list[Highlight], list[str]]:
    """The passages of an export in its order, and what of it was left out and why. `name` is the file's.

    Raises:
        UsageError: the file is none of the known forms.
        UnreadableError: it is no text.
    """
    text = decode(data)
    if is_clippings(text):
        return read_clippings(text)
    if text.lstrip()[:1] in ("{", "["):
        return _read(_json_rows(text), name)
    return _read(_csv_rows(text), name)


def _read(rows: Iterator[tuple[str, Mapping[str, Any]]], name: str) -> tuple[list[Highlight], list[str]]:
    found: list[Highlight] = []
    problems: list[str] = []
    for where, row in rows:
        value = _values(row)
        text, comment = value("text"), value("comment")
        if not text and not comment:
            problems.append(f"{where}: has neither a text nor a note")
        elif len(text) > _MOST_CHARACTERS:
            problems.append(f"{where}: is longer than {_MOST_CHARACTERS:,} characters")
        else:
            work = Work(_line(value("title")) or name, _line(value("author")), _line(value("address")))
            tags = tuple(dict.fromkeys(each for each in _tags(row) if each))
            place, day = _place(value("place"), value("place_kind"), row), _day(value("added"))
            found.append(Highlight(work, text, comment, place, day, tags=tags))
    return found, problems


def _values(row: Mapping[str, Any]) -> Any:
    def value(field: str) -> str:
        for key in _KEYS[field]:
            held = row.get(key)
            if isinstance(held, str | int | float) and not isinstance(held, bool) and str(held).strip():
                return str(held).strip()
        return ""

    return value


def _place(place: str, kind: str, row: Mapping[str, Any]) -> str:
    if not place:
        return ""
    kind = kind.lower() or ("page" if not row.get("location") and row.get("page") else "location")
    return _line(f"{kind} {place}") if place[0].isdigit() else _line(place)


def _tags(row: Mapping[str, Any]) -> Iterator[str]:
    held = next((row[key] for key in _KEYS["tags"] if row.get(key)), "")
    for each in held.split(",") if isinstance(held, str) else held if isinstance(held, list) else ():
        word = each.get("name") if isinstance(each, dict) else each
        yield _line(str(word)).lstrip("#.") if isinstance(word, str) else ""


def _json_rows(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        content = json.loads(text)
    except RecursionError as error:
        raise UsageError("the JSON is nested too deeply") from error
    except ValueError:
        lines = [each for each in text.splitlines() if each.strip()]
        try:
            content = [json.loads(each) for each in lines]
        except (ValueError, RecursionError) as error:
            raise UsageError(f"not valid JSON: {error}") from error
    yield from _nested(content, {}, "entry")


def _nested(content: Any, outer: dict[str, Any], where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Passages in a list, or in the lists of several works, whose title and author they then have."""
    if isinstance(content, dict):
        own = {_key(key): value for key, value in content.items()}
        inner = next((own[key] for key in _LISTS if isinstance(own.get(key), list)), None)
        if inner is None:
            yield where, outer | own
            return
        about = {key for field in ("title", "author", "address") for key in _KEYS[field]}
        outer = outer | {key: own[key] for key in own.keys() & about if not isinstance(own[key], list | dict)}
        content = inner
    if not isinstance(content, list):
        raise UsageError("the JSON has no list of highlights")
    for number, each in enumerate(content, 1):
        if isinstance(each, str):
            yield f"{where} {number}", outer | {"text": each}
        elif isinstance(each, dict):
            yield from _nested(each, outer, f"{where} {number}")
        else:
            yield f"{where} {number}", {}


def _csv_rows(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    first = next(iter(text.lstrip("\ufeff").splitlines()), "")
    delimiter = max(",;\t", key=first.count)
    rows = csv.DictReader(io.StringIO(text.lstrip("\ufeff"), newline=""), delimiter=delimiter)
    try:
        names = {_key(name) for name in rows.fieldnames or () if name}
        if not names & set(_KEYS["text"]):
            raise UsageError(
                "unknown highlight format; use a CSV with a column text, highlight or quote, JSON, or "
                "Kindle's «My Clippings.txt»"
            )
        for row in rows:
            yield f"line {rows.line_num}", {_key(key): value for key, value in row.items() if key}
    except csv.Error as error:
        raise UsageError(f"line {rows.line_num}: the CSV is damaged: {error}") from error


def _key(name: str) -> str:
    return "_".join(name.strip().lower().replace("-", " ").replace("_", " ").split())


def _line(text: str) -> str:
    return " ".join(text.split())


def _day(text: str) -> date | None:
    return read_date(text) if text else None
