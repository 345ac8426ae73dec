"""Where the sentences of a text end: not at abbreviations, and not inside brackets, code or quotations.

Source code has no sentences; it is recognized here, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from bob.text import lexicon

CODE_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
"""A block of code; one that is not closed runs to the end, as in Markdown."""

# Begins at the first mark of several, so that a long row of them is read once.
_SENTENCE_END = re.compile(r"(?<![.!?…。！？])[.!?…。！？]++[\"'”’)\]*_`»]*+(?=\s|$)|[。！？]")
_INK = re.compile(r"\S")
_BLOCK_END = re.compile(r"\n[^\S\n]*+\n\s*+|\n(?=[^\S\n]*+(?:[-*>•]|\d{1,3}[.)])\s)")
"""A blank line, or the end of a line before an item of a list or a quotation."""

_TAIL = 40
"""Characters before a stop in which its abbreviation, or its initial and the name before that, stands."""

_OPEN_BRACKET_CHARACTERS = 400
"""No sentence ends inside brackets or code, as long as they are closed within so many characters."""

_BRACKETS = (("(", ")"), ("[", "]"))
_QUOTES = ("``", "`", '"')


def _ending(section: str) -> re.Pattern[str]:
    entries = sorted(lexicon.phrases(section), key=lambda entry: (-len(entry), entry))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, entries))})\.\Z")


_ABBREVIATION = _ending("abbreviations")
_BEFORE_NUMBER = _ending("abbreviations before a number")
_INITIAL = re.compile(r"(?:\b[A-Z]\w{0,30}\s|[A-Z]\.\s?)[A-Z]\.\Z")
_OPENING = re.compile(r"[A-Z]\.|\d{1,3}\.")
"""An initial, or an item's number, with which a sentence begins."""


def sentence_ranges(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """The ranges of the sentences between `start` and `end`, in order; together they cover it all.

    Takes time linear in the length of the text.
    """
    end = len(text) if end is None else end
    begin = counted = start
    open_marks = _OpenMarks()
    for stop in _SENTENCE_END.finditer(text, start, end):
        open_marks.add(text, counted, stop.end())
        counted = stop.end()
        following = _INK.search(text, counted, end)
        after = following.start() if following else end
        if (
            (after < end and text[after].islower())
            or _is_abbreviation(text, begin, counted, after, end)
            or open_marks.close_within(text, after, min(end, after + _OPEN_BRACKET_CHARACTERS))
        ):
            continue
        yield begin, counted
        begin = counted
        open_marks = _OpenMarks()
    if begin < end:
        yield begin, end


def sentences_within(places: Iterable[tuple[str, int, int]]) -> list[list[tuple[int, int]]]:
    """For each range of a text the ranges of its sentences, in order."""
    return [list(sentence_ranges(text, start, end)) for text, start, end in places]


def message_sentences(text: str) -> list[str]:
    """The sentences of a message, none empty, their blanks made single. Blank lines and items of a list end a
    sentence, too."""
    ranges = []
    start = 0
    for stop in (
        *((match.start(), match.end()) for match in _BLOCK_END.finditer(text)),
        (len(text), len(text)),
    ):
        ranges += [
            " ".join(text[first:last].split()) for first, last in sentence_ranges(text, start, stop[0])
        ]
        start = stop[1]
    return [sentence for sentence in ranges if sentence]


def without_code(text: str) -> str:
    """The text without its blocks of code."""
    return CODE_FENCE.sub("\n\n", text).strip()


_CODE_LINE = re.compile(
    r"^\s*(?:def |class \w+[:({]|import \w|from \w+ import|return\b|for ?\(|for \w+ in .*:$|if ?\(.*\)|"
    r"while ?\(|"
    r"const |let |var |function\b|fn |pub |public |private |#include|@\w+|SELECT\b.*\bFROM\b|\$ \w|"
    r"<\/?\w[^>]*>$)"
    r"|[;{}]\s*$|^\s*\w+(?:\.\w+)*\([^)]*\);?$|^\s*[\w.]+ ?[-+]?= ?[^=]"
)


def looks_like_code(text: str) -> bool:
    """Whether most lines of the text read as code; fences are not looked at."""
    lines = [line for line in text.splitlines() if line.strip()]
    return bool(lines) and sum(bool(_CODE_LINE.search(line)) for line in lines) * 2 > len(lines)


class _OpenMarks:
    """The brackets and quotation marks of a sentence so far."""

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def add(self, text: str, start: int, end: int) -> None:
        """Count those of one more piece of the sentence."""
        for mark in ("(", ")", "[", "]", *_QUOTES):
            if count := text.count(mark, start, end):
                self._counts[mark] = self._counts.get(mark, 0) + count

    def close_within(self, text: str, start: int, end: int) -> bool:
        """Whether one that is open is closed in the range."""
        counts = self._counts
        if not counts:
            return False
        return any(
            counts.get(opening, 0) > counts.get(closing, 0) and text.find(closing, start, end) >= 0
            for opening, closing in _BRACKETS
        ) or any(counts.get(mark, 0) % 2 == 1 and text.find(mark, start, end) >= 0 for mark in _QUOTES)


def _is_abbreviation(text: str, begin: int, stop: int, after: int, end: int) -> bool:
    """Whether the stop belongs to an abbreviation, an initial or an item's number."""
    if text[stop - 1] != ".":
        return False
    tail = text[max(begin, stop - _TAIL) : stop]
    if stop - begin <= _TAIL and _OPENING.fullmatch(tail.lstrip()):
        return True
    if _ABBREVIATION.search(tail) or _INITIAL.search(tail):
        return True
    return after < end and text[after].isdigit() and bool(_BEFORE_NUMBER.search(tail))
