"""Cuts a chunk into the units that an answer may quote: sentences, list items, table rows, code blocks.

A unit is a range of the chunk's text, so a quote is always byte-equal to its source. Headings, markup
lines and other text that states nothing give no unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bob.answers.passages import passages, rows
from bob.text.sentences import sentence_ranges

_QUOTE_MARK = re.compile(r"^\s*>+\s?")
_WORD = re.compile(r"[^\W\d_]{2,}|\d+")

LEAST_WORDS = 3
"""A unit of fewer words states nothing on its own."""

MOST_CHARACTERS = 700
"""A longer unit is no quote but a page; it is left out unless nothing else is there."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A quotable range of a chunk's text. `follows` says that it goes on from the unit before it.

    Kinds: see `bob.answers.passages`; a head or a term only names what the next units are about.
    """

    start: int
    end: int
    kind: str
    follows: bool = False


def units_of(text: str, *, delimited: bool = False, headed: bool = False) -> list[Unit]:
    """The units of a chunk in order; of `delimited` text each line is a row, the first one perhaps a head."""
    return [
        unit
        for passage in (rows(text, headed=headed) if delimited else passages(text))
        for unit in _units_in(text, passage.start, passage.end, passage.kind)
        if delimited
        or unit.kind in ("term", "head", "code")
        or len(_WORD.findall(text[unit.start : unit.end])) >= LEAST_WORDS
    ]


def _units_in(text: str, start: int, end: int, kind: str) -> Iterator[Unit]:
    if kind not in ("prose", "item"):
        yield from _trimmed(text, start, end, kind, follows=False)
        return
    mark = _QUOTE_MARK.match(text, start, end)
    begin = mark.end() if mark else start
    for at, (first, last) in enumerate(sentence_ranges(text, begin, end)):
        yield from _trimmed(text, first, last, kind, follows=at > 0)


def _trimmed(text: str, start: int, end: int, kind: str, *, follows: bool) -> Iterator[Unit]:
    while start < end and text[start].isspace() and (kind != "code" or text[start] in "\r\n"):
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield Unit(start, end, kind, follows)


_CODE_SPAN = re.compile(r"(?<![`:])(`+)(?!`)([^`]+?)(?<!`)\1(?![`_])")
_ROLE = re.compile(r":(?:[a-z]+:)?([a-z+-]+):`[~!]?([^`<]*?)(?:\s*<([^`>]*)>)?`")
_MARKUP = (
    (re.compile(r"^(versionadded|versionchanged|deprecated(?:-removed)?)::\s*(\S+)"), r"\1 \2:"),
    (re.compile(r"!\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"\[([^\]]+)\]\([^)\s]*(?:\s\"[^\"]*\")?\)"), r"\1"),
    (re.compile(r"`([^`<]+?)\s*<[^`>]*>`__?"), r"\1"),
    (re.compile(r"`([^`<]+?)`__?(?!\w)"), r"\1"),
    (re.compile(r"(?<!\w)(\*\*|__)(?=\S)([^*_]+?)(?<=\S)\1(?!\w)"), r"\2"),
    (re.compile(r"(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?![\w*])"), r"\1"),
    (re.compile(r"(?<![\w_])_(?=\S)([^_]+?)(?<=\S)_(?![\w_])"), r"\1"),
    (re.compile(r"\|([a-z][\w-]*)\|"), r"\1"),
    (re.compile(r"\s*\|\s*"), " | "),
    (re.compile(r"::$"), ":"),
    (re.compile(r"\\([_*`|])"), r"\1"),
)
_NAMED_ROLES = ("pep", "rfc")
_BULLET = re.compile(r"\n\s*>+\s?")


def readable(quote: str) -> str:
    """A quote as a person reads it: on one line, without the markup of links and emphasis."""
    quote = _ROLE.sub(_role, _BULLET.sub(" ", quote))
    parts: list[str] = []
    at = 0
    for span in _CODE_SPAN.finditer(quote):
        parts += [quote[at : span.start()], f"`{span[2].strip()}`"]
        at = span.end()
    parts.append(quote[at:])
    parts[::2] = [_plain(each) for each in parts[::2]]
    return " ".join("".join(parts).split()).strip("| ")


def _role(match: re.Match[str]) -> str:
    name, shown, target = match.groups()
    said: str = shown.strip() or target or ""
    return f"{name.upper()} {said}" if name in _NAMED_ROLES else said


def _plain(quote: str) -> str:
    for pattern, replacement in _MARKUP:
        quote = pattern.sub(replacement, quote)
    return quote
