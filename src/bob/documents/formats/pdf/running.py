"""Leaves out the headers and footers that run through the pages of a PDF; knows nothing of PDF libraries.

What they say stays where it first stands: the title of a statement runs through its pages too.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median

from bob.documents.formats.pdf.layout import ROW_GAP, Line, is_in_row

_EDGE_LINES = 3  # running headers and footers are among the first or last three lines by height
_MOST_LINES = 8  # of a letterhead, which has to stand on half of all pages
_EDGE_STEP = 6.0  # heights within six points are the same
_EDGE_SHARE = 0.3  # of all pages: odd and even pages, or chapters, may have headers of their own
_EDGE_PAGES = 3
_SIZE_CHANGE = 1.15
_TITLE = 1.5  # times the usual size of the page
_STEPS = (-2, -1, 1, 2)  # pages on one of which a number has to go on; every other may have none
_MOST_NUMBERS = 6  # of a line, such as "Page 3 of 14, printed 2024-05-01 10:00"
_FEW_WORDS = 2  # "Page 3 of 14" says only where it stands

_NUMBER = re.compile(r"(?<!\d)\d{1,5}(?!\d)")
_WORD = re.compile(r"[^\W\d_]{2,}")
_ROMAN = re.compile(r"[ivxlc]{1,7}|[IVXLC]{1,7}")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}

_Key = tuple[str, int | str, int]
_Counted = tuple[str, int, int, int]


def without_running_lines(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """The pages without what stands at one height of many: the same text, or one with the page's number.

    A number in it may differ only if it counts with the pages. The name of a section is a running line as
    well when it stands where others stand and on more than one page. The first line of each text stays, as
    `is_running`, and so does the head of a table.
    """
    if len(pages) < _EDGE_PAGES:
        return [list(lines) for lines in pages]
    inner = _keys_at_edges(pages)
    edges = [
        {number: keys[number] for number in _edge_lines(lines, _EDGE_LINES)}
        for lines, keys in zip(pages, inner, strict=True)
    ]
    half = len(pages) // 2
    least = max(_EDGE_PAGES, math.ceil(len(pages) * _EDGE_SHARE))
    counts = Counter(key for page in edges for key in set().union(*page.values()))
    running = {key for key, count in counts.items() if count >= least}
    running |= _section_names(counts, max(least, half))
    counts = Counter(key for page in inner for key in set().union(*page.values()))
    letterhead = {key for key, count in counts.items() if key[0] != "number" and count > max(least, half)}
    shown: set[str] = set()
    return [
        _with_first(lines, _running_keys(lines, page, all_keys, running, letterhead), shown)
        for lines, page, all_keys in zip(pages, edges, inner, strict=True)
    ]


def _running_keys(
    lines: Sequence[Line],
    edge: dict[int, set[_Key]],
    inner: dict[int, set[_Key]],
    running: set[_Key],
    letterhead: set[_Key],
) -> dict[int, set[_Key]]:
    """The keys by which lines are running ones, or of a letterhead that goes on from them, by number."""
    keys_of = {number: common for number, keys in edge.items() if (common := keys & running)}
    if not keys_of:
        return {}
    of_head = {number for number, keys in inner.items() if keys & letterhead}
    in_table = _in_tables(lines, of_head.union(keys_of))
    # The number of a page may stand close below a table.
    keys_of = {
        number: keys
        for number, keys in keys_of.items()
        if number not in in_table or any(key[0] == "count" for key in keys)
    }
    by_height = sorted(range(len(lines)), key=lambda number: lines[number].y)
    for ordered in (by_height, by_height[::-1]):
        for position, number in enumerate(ordered[:_MOST_LINES]):
            goes_on = position >= _EDGE_LINES and number not in in_table and inner[number] & letterhead
            if number not in keys_of and not goes_on:
                break
            keys_of.setdefault(number, inner[number] & letterhead)
    return keys_of


def _with_first(lines: Sequence[Line], running: dict[int, set[_Key]], shown: set[str]) -> list[Line]:
    """The lines without the running ones whose text is `shown` already or says only which page it is."""
    remaining: list[Line] = []
    for number, line in enumerate(lines):
        if number not in running:
            remaining.append(line)
            continue
        kinds = {key[0]: str(key[1]) for key in sorted(running[number], key=str)}
        text = kinds.get("count", " ".join(line.text.split()))
        is_same = not kinds.keys() & {"count", "number"}
        says_more = is_same or ("count" in kinds and len(_WORD.findall(line.text)) > _FEW_WORDS)
        if says_more and text not in shown:
            shown.add(text)
            remaining.append(replace(line, is_running=True))
    return remaining


def _in_tables(lines: Sequence[Line], running: set[int]) -> set[int]:
    """The lines that are rows of several cells, one below the other, unless each row has `running` ones."""
    rows: list[list[int]] = []
    for number in sorted(range(len(lines)), key=lambda number: -lines[number].y):
        line = lines[number]
        if rows and is_in_row(lines[rows[-1][0]], line):
            rows[-1].append(number)
        else:
            rows.append([number])
    in_tables: set[int] = set()
    table: list[list[int]] = []
    for row in [*rows, []]:
        is_row = sum(max(len(lines[number].cells), 1) for number in row) > 1
        goes_on = is_row and table and _are_near(lines[table[-1][0]], lines[row[0]])
        if table and not goes_on:
            is_head = all(running.intersection(row) for row in table)
            in_tables.update(() if is_head else (number for row in table for number in row))
            table = []
        table += [row] if is_row else []
    return in_tables


def _are_near(upper: Line, lower: Line) -> bool:
    """Whether two lines may be of one table; a running line close to one is set in another size."""
    larger, smaller = max(upper.size, lower.size), min(upper.size, lower.size)
    return upper.y - lower.y <= lower.size * ROW_GAP and larger <= smaller * _SIZE_CHANGE


def _section_names(counts: Counter[_Key], least: int) -> set[_Key]:
    """Texts that stand on several pages at a height at which most pages have such a text."""
    repeated = [key for key, count in counts.items() if key[0] == "text" and count > 1]
    pages: Counter[int] = Counter()
    for key in repeated:
        pages[key[2]] += counts[key]
    return {key for key in repeated if pages[key[2]] >= least}


def _edge_lines(lines: Sequence[Line], count: int) -> set[int]:
    """The numbers of the first and last lines by height."""
    by_height = sorted(range(len(lines)), key=lambda number: lines[number].y)
    return {*by_height[:count], *by_height[max(count, len(lines) - count) :]}


def _keys_at_edges(pages: Sequence[Sequence[Line]]) -> list[dict[int, set[_Key]]]:
    """The keys of the first and last lines of each page by height, by the number of the line.

    A number counts with the pages where a page nearby has the same text at that height, with the number that
    is as far from it as the page.
    """
    numbered = [
        {number: list(_numbered(lines[number], index)) for number in _edge_lines(lines, _MOST_LINES)}
        for index, lines in enumerate(pages)
    ]
    counted = {one for page in numbered for of_line in page.values() for one in of_line}
    keys: list[dict[int, set[_Key]]] = []
    for index, (lines, page) in enumerate(zip(pages, numbered, strict=True)):
        usual = median(line.size for line in lines) if lines else 0.0
        keys_of_page: dict[int, set[_Key]] = {}
        for number, of_line in page.items():
            counting = [one for one in of_line if _counts(one, counted)]
            keys_of_page[number] = set(_keys(lines[number], index, usual, counting))
        keys.append(keys_of_page)
    return keys


def _counts(numbered: _Counted, others: set[_Counted]) -> bool:
    text, height, index, number = numbered
    return any((text, height, index + step, number + step) in others for step in _STEPS)


def _numbered(line: Line, index: int) -> Iterator[_Counted]:
    """The text of a line without one of its numbers, for each of them."""
    text = " ".join(line.text.split())
    height = round(line.y / _EDGE_STEP)
    for number in list(_NUMBER.finditer(text))[:_MOST_NUMBERS]:
        yield f"{text[: number.start()]}#{text[number.end() :]}", height, index, int(number[0])
    words = line.text.split()
    for end in {0, len(words) - 1} if words else ():
        if _ROMAN.fullmatch(words[end]):
            rest = " ".join([*words[:end], "#", *words[end + 1 :]])
            yield rest, height, index, _roman(words[end].lower())


def _keys(line: Line, index: int, usual: float, counting: Sequence[_Counted]) -> Iterator[_Key]:
    """What a line has in common with others of its kind; the titles of slides are larger than the text."""
    is_title = line.size > usual * _TITLE and not line.text.isdecimal()
    height = round(line.y / _EDGE_STEP)
    yield "title" if is_title else "text", " ".join(line.text.split()), height
    if is_title:
        return
    for text, *_ in counting:
        yield "count", text, height
    number = _page_number(line.text)
    if number is not None:
        yield "number", number - index, height


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
