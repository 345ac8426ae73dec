"""Cuts a chunk into the units that an answer may quote: sentences, list items, table rows.

A unit is a range of the chunk's text, so a quote is always byte-equal to its source. Headings, markup
lines and other text that states nothing give no unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r"^\s*(```|~~~)")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s")
_RULE = re.compile(r"^\s*([-=~^\"'`#*+_.:<>|]\s*)\1{2,}\s*$|^[\s|:+=-]+$")
_DIRECTIVE = re.compile(r"^\s*(\.\.(\s|$)|:[A-Za-z][\w -]*:(\s|$)|@\w+|<!--|\[[^\]]+\]:\s)")
_ITEM = re.compile(r"^(\s*)(?:[-*+•]|\d{1,3}[.)]|\(?[a-z][.)])\s+")
_TABLE_ROW = re.compile(r"^\s*\|.*\|\s*$|.+ \| .+")
_QUOTE_MARK = re.compile(r"^\s*>+\s?")
_SENTENCE_END = re.compile(r"[.!?…。！？]+[\"'”’)\]*_`]*(?=\s|$)|[。！？]")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|al|approx|Mr|Mrs|Ms|Dr|Prof|St|No|Nos|Fig|Eq|Sec|Ch|pp?|vol|Inc|Ltd|Co|Jan|Feb|"
    r"Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|Sr|Sra|Dra?|Av|pág|ex|z\.B|d\.h|bzw|ca|Nr)|\b[A-Z]|^\s*\d{1,3})\.$"
)
_WORD = re.compile(r"[^\W\d_]{2,}|\d+")

LEAST_WORDS = 3
"""A unit of fewer words states nothing on its own."""

MOST_CHARACTERS = 700
"""A longer unit is no quote but a page; it is left out unless nothing else is there."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A quotable range of a chunk's text. `follows` says that it goes on from the unit before it."""

    start: int
    end: int
    kind: str
    follows: bool = False


def units_of(text: str) -> list[Unit]:
    """The units of a chunk in order."""
    return [
        unit
        for start, end, kind in _passages(text)
        for unit in _units_in(text, start, end, kind)
        if len(_WORD.findall(text[unit.start : unit.end])) >= LEAST_WORDS
    ]


def _passages(text: str) -> Iterator[tuple[int, int, str]]:
    """Runs of lines that belong together: a paragraph, one list item, one table row, one code block."""
    lines = list(_lines(text))
    at = 0
    while at < len(lines):
        start, end = lines[at]
        line = text[start:end]
        underlined = at + 1 < len(lines) and bool(_RULE.match(text[slice(*lines[at + 1])]))
        if not line.strip() or _RULE.match(line) or _HEADING.match(line) or _DIRECTIVE.match(line):
            at += 1
        elif underlined and "|" not in line and not _ITEM.match(line):
            at += 2
        elif _FENCE.match(line):
            closing = next(
                (i for i in range(at + 1, len(lines)) if _FENCE.match(text[slice(*lines[i])])), None
            )
            last = len(lines) - 1 if closing is None else closing
            if last > at + 1:
                yield lines[at + 1][0], lines[last - 1 if closing is not None else last][1], "code"
            at = last + 1
        elif _TABLE_ROW.match(line):
            yield start, end, "row"
            at += 1
        else:
            last = at
            while last + 1 < len(lines) and _goes_on(text[slice(*lines[last + 1])]):
                last += 1
            mark = _ITEM.match(line)
            yield start + (mark.end() if mark else 0), lines[last][1], "item" if mark else "prose"
            at = last + 1


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.split("\n"):
        yield start, start + len(line.rstrip("\r"))
        start += len(line) + 1


def _goes_on(line: str) -> bool:
    """Whether a line continues the passage before it."""
    return bool(line.strip()) and not any(
        pattern.match(line) for pattern in (_RULE, _HEADING, _DIRECTIVE, _FENCE, _ITEM, _TABLE_ROW)
    )


def _units_in(text: str, start: int, end: int, kind: str) -> Iterator[Unit]:
    if kind in ("row", "code"):
        yield Unit(start, end, kind)
        return
    mark = _QUOTE_MARK.match(text, start, end)
    begin = mark.end() if mark else start
    first = True
    for stop in _SENTENCE_END.finditer(text, begin, end):
        so_far = text[begin : stop.end()]
        following = text[stop.end() : end].lstrip()
        if _ABBREVIATION.search(so_far) or (following and following[0].islower()):
            continue
        yield from _trimmed(text, begin, stop.end(), kind, follows=not first)
        begin, first = stop.end(), False
    yield from _trimmed(text, begin, end, kind, follows=not first)


def _trimmed(text: str, start: int, end: int, kind: str, *, follows: bool) -> Iterator[Unit]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield Unit(start, end, kind, follows)


_MARKUP = (
    (re.compile(r"!\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"\[([^\]]+)\]\([^)\s]*(?:\s\"[^\"]*\")?\)"), r"\1"),
    (re.compile(r":[a-z:+-]+:`~?!?([^`<]+?)(?:\s*<[^`>]*>)?`"), r"\1"),
    (re.compile(r"`([^`<]+?)\s*<[^`>]*>`__?"), r"\1"),
    (re.compile(r"``([^`]+)``"), r"`\1`"),
    (re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?![\w*])"), r"\1"),
    (re.compile(r"^\s*\||\|\s*$"), ""),
    (re.compile(r"\n\s*>+\s?"), " "),
)


def readable(quote: str) -> str:
    """A quote as a person reads it: on one line, without the markup of links and emphasis."""
    for pattern, replacement in _MARKUP:
        quote = pattern.sub(replacement, quote)
    return " ".join(quote.split())
