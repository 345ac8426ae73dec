"""Reads the words of the languages: one file a language, which a speaker of it can correct without Python.

A file has headings in brackets, and below each its words: one entry a line, or several between commas. A
line that begins with `#` is a comment. In a section of pairs an entry's name stands before a colon.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

LANGUAGES = ("en", "pt", "de", "es", "fr", "it", "nl", "sv", "da", "pl")
"""The languages that have a file; the first comes first wherever the order matters."""


def words(section: str, *languages: str) -> tuple[str, ...]:
    """The single words of a section, those of the languages given, or of all that have it, in order."""
    return tuple(word for line in _lines(section, languages) for word in line.replace(",", " ").split())


def phrases(section: str, *languages: str) -> tuple[str, ...]:
    """The entries of a section, which may have blanks inside."""
    return tuple(phrase for line in lines(section, *languages) for phrase in line)


def lines(section: str, *languages: str) -> tuple[tuple[str, ...], ...]:
    """The entries of a section, line by line."""
    return tuple(_entries(line) for line in _lines(section, languages))


def whole_lines(section: str, *languages: str) -> tuple[str, ...]:
    """The lines of a section as they are written."""
    return tuple(_lines(section, languages))


def pairs(section: str, *languages: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The named lines of a section: the name, and the entries after the colon."""
    split = (line.partition(":") for line in _lines(section, languages))
    return tuple((name.strip(), _entries(rest)) for name, _, rest in split)


def by_name(section: str, *languages: str) -> dict[str, tuple[str, ...]]:
    """The entries of a section of pairs by their name, those of all the languages together."""
    entries_of: dict[str, tuple[str, ...]] = {}
    for name, entries in pairs(section, *languages):
        entries_of[name] = (*entries_of.get(name, ()), *entries)
    return entries_of


def numbers(section: str, *languages: str) -> dict[str, int]:
    """The number of each entry of a section of pairs whose names are whole numbers."""
    return {entry: int(name) for name, entries in pairs(section, *languages) for entry in entries}


def either(entries: Iterable[str]) -> str:
    """The part of a pattern that matches any of some words or phrases, of two that begin alike the longer."""
    return "|".join(map(re.escape, sorted(entries, key=lambda entry: (-len(entry), entry))))


def any_of(section: str, *languages: str) -> str:
    """The part of a pattern that matches any of the entries of a section; see `either`."""
    return either(phrases(section, *languages))


def _entries(line: str) -> tuple[str, ...]:
    return tuple(entry for part in line.split(",") if (entry := part.strip()))


def _lines(section: str, languages: tuple[str, ...]) -> Iterator[str]:
    for language in languages or LANGUAGES:
        yield from _sections(language).get(section, ())


@cache
def _sections(language: str) -> Mapping[str, tuple[str, ...]]:
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    text = Path(__file__).with_name(f"{language}.txt").read_text(encoding="utf-8")
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            lines = sections.setdefault(line[1:-1], [])
        elif line and not line.startswith("#"):
            lines.append(line)
    return MappingProxyType({name: tuple(entries) for name, entries in sections.items()})
