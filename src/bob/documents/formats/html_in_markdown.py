"""The headings and other blocks in the lines of HTML that stands in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape

HtmlBlock = tuple[int, int, int, str]
"""First line, line after the last, level and words of a heading; 0 and "" of what is none."""

_HEADING = re.compile(r"\s*<h(?P<level>[1-6])(?:\s[^<>]*)?>", re.IGNORECASE)
_BLOCK = re.compile(r"\s*<(?:p|div|li|d[ltd]|tr|table|[uo]l|blockquote|section)(?:\s[^<>]*)?>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_MOST_LINES = 5
"""So many lines a heading may take."""


def html_headings(lines: Sequence[str], first: int, last: int) -> Iterator[HtmlBlock]:
    """The headings of a block of HTML; one that has no words, but a picture, is none."""
    return (block for block in html_blocks(lines, first, last) if block[2])


def html_blocks(lines: Sequence[str], first: int, last: int) -> Iterator[HtmlBlock]:
    """The lines of a block of HTML from `first` up to `last`, cut where a heading, a paragraph, an item or a
    row begins.

    >>> list(html_blocks(["<h2>Ropes</h2>", "<p>They are", "new.</p>"], 0, 3))
    [(0, 1, 2, 'Ropes'), (1, 3, 0, '')]
    """
    begin = number = first
    while number < last:
        heading = _HEADING.match(lines[number])
        end = _heading_end(lines, number, last, heading["level"]) if heading else 0
        words = _words("\n".join(lines[number:end])) if heading and end else ""
        if number > begin and (words or _BLOCK.match(lines[number])):
            yield begin, number, 0, ""
            begin = number
        if heading and words:
            yield number, end, int(heading["level"]), words
            begin = number = end
        else:
            number += 1
    if begin < last:
        yield begin, last, 0, ""


def _heading_end(lines: Sequence[str], first: int, last: int, level: str) -> int:
    """The line after that in which a heading ends, with nothing behind it; 0 where none is near."""
    closing = f"</h{level}>"
    for number in range(first, min(first + _MOST_LINES, last)):
        line = lines[number].rstrip().lower()
        if closing in line:
            return number + 1 if line.endswith(closing) and line.count("<h" + level) <= 1 else 0
    return 0


def _words(heading: str) -> str:
    return " ".join(unescape(_TAG.sub(" ", heading)).split())
