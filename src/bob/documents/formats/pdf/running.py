"""Leaves out the headers and footers that run through the pages of a PDF; knows nothing of PDF libraries."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

from bob.documents.formats.pdf.layout import Line

_EDGE_LINES = 3  # running headers and footers are among the first or last three lines by height
_MOST_LINES = 8  # of a letterhead, which has to stand on half of all pages
_EDGE_STEP = 6.0  # heights within six points are the same
_EDGE_SHARE = 0.3  # of all pages: odd and even pages, or chapters, may have headers of their own
_EDGE_PAGES = 3
_TITLE = 1.5  # times the usual size of the page

_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"[ivxlc]{1,7}|[IVXLC]{1,7}")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}

_Key = tuple[str, int | str, int]


def without_running_lines(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """The pages without what stands at one height of many: the same text, or one with the page's number.

    Digits aside, since a page number or a date may be in it. The name of a section is a running line as well
    when it stands where others stand and on more than one page.
    """
    if len(pages) < _EDGE_PAGES:
        return [list(lines) for lines in pages]
    edges = [_keys_at(lines, index, _EDGE_LINES) for index, lines in enumerate(pages)]
    half = len(pages) // 2
    least = max(_EDGE_PAGES, math.ceil(len(pages) * _EDGE_SHARE))
    counts = Counter(key for page in edges for key in set().union(*page.values()))
    running = {key for key, count in counts.items() if count >= least}
    running |= _section_names(counts, max(least, half))
    inner = [_keys_at(lines, index, _MOST_LINES) for index, lines in enumerate(pages)]
    counts = Counter(key for page in inner for key in set().union(*page.values()))
    letterhead = {key for key, count in counts.items() if key[0] != "number" and count > max(least, half)}
    return [
        _without(lines, {number for number, keys in page.items() if keys & running}, all_keys, letterhead)
        for lines, page, all_keys in zip(pages, edges, inner, strict=True)
    ]


def _without(
    lines: Sequence[Line], running: set[int], keys: dict[int, set[_Key]], letterhead: set[_Key]
) -> list[Line]:
    """The lines without the running ones, given by number, and those of a letterhead that go on from them."""
    dropped = set(running)
    by_height = sorted(range(len(lines)), key=lambda number: lines[number].y)
    for ordered in (by_height, by_height[::-1]):
        for position, number in enumerate(ordered[:_MOST_LINES]):
            if number not in running and (position < _EDGE_LINES or not keys[number] & letterhead):
                break
            dropped.add(number)
    return [line for number, line in enumerate(lines) if number not in dropped]


def _section_names(counts: Counter[_Key], least: int) -> set[_Key]:
    """Texts that stand on several pages at a height at which most pages have such a text."""
    repeated = [key for key, count in counts.items() if key[0] == "text" and count > 1]
    pages: Counter[int] = Counter()
    for key in repeated:
        pages[key[2]] += counts[key]
    return {key for key in repeated if pages[key[2]] >= least}


def _keys_at(lines: Sequence[Line], index: int, count: int) -> dict[int, set[_Key]]:
    """The keys of the first and last lines by height, by the number of the line."""
    by_height = sorted(range(len(lines)), key=lambda number: lines[number].y)
    usual = median(line.size for line in lines) if lines else 0.0
    return {
        number: set(_keys(lines[number], index, usual))
        for number in {*by_height[:count], *by_height[max(count, len(lines) - count) :]}
    }


def _keys(line: Line, index: int, usual: float) -> Iterator[_Key]:
    """What a line has in common with others of its kind; the titles of slides are larger than the text."""
    is_title = line.size > usual * _TITLE and not line.text.isdecimal()
    height = round(line.y / _EDGE_STEP)
    yield "title" if is_title else "text", _folded(line.text), height
    number = _page_number(line.text)
    if number is not None and not is_title:
        yield "number", number - index, height


def _folded(text: str) -> str:
    """A text without spaces, its digits and Roman page numbers alike."""
    words = text.split()
    for end in {0, -1} if words else ():
        if _ROMAN.fullmatch(words[end]):
            words[end] = "#"
    return _DIGITS.sub("#", "".join(words))


def _page_number(text: str) -> int | None:
    """The number with which a line begins or ends."""
    words = text.split()
    for end in (words[0], words[-1]):
        word = end.strip("-–—[]().|")
        if word.isdecimal() and len(word) < 6:
            return int(word)
        if _ROMAN.fullmatch(word):
            return _roman(word.lower())
    return None


def _roman(word: str) -> int:
    values = [_ROMAN_VALUES[letter] for letter in word]
    return sum(-value if value < max(values[position:]) else value for position, value in enumerate(values))
