"""Which lines of a draft claim nothing by what they are (SPEC E2): the head of a mail, a salutation, a
sign-off with the signature below it, titles, who was there, blanks to be filled in, topics and tasks.

A line with a figure is one of these only where its place tells: in a head, in a signature, at the top.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, takewhile

from bob.answers.claims.clauses import has_verb
from bob.text import lexicon
from bob.text.numbers import numbers_in

_QUOTE = re.compile(r"^(?:\s*>)+\s*")
_MARKS = re.compile(r"[*`]+|(?<!_)_{1,2}(?!_)")
_BOLD = re.compile(r"(\*\*|__)[^*_]+\1:?")
_MARKER = r"(?:[-+*•]|\d{1,3}[.)]|[a-z]\))\s+"
_ITEM = re.compile(rf"(?:{_MARKER})?\[[ xX]\]\s+|{_MARKER}")
_NUMBERED = re.compile(r"\d{1,3}[.)]\s+")
_HEADING = re.compile(r"#{1,6}\s+")
_OTHER_BLOCK = re.compile(r"```|~~~|\||:?-{3,}\s*\||<|\[\^?\w+\]:|    |\t")

_LABELLED = re.compile(r"(?P<label>[^\W\d_][^:.!?]{0,40}?)\s?:\s*(?P<value>.*)$")
_BLANK = re.compile(r"(?:[_.…]{3,}|\[(?=[^\]]*[^\W\d])[^\]]+\])$")
_TO_FILL_IN = re.compile(r"_{4,}|^[☐□]|^\[[^\W\d][^\]]*\]$")
_NUMBERING = re.compile(
    rf"(?:(?i:{lexicon.any_of('points of an agenda')})\s\d+:?\s+|\d+[.):]\s+|\d+(?:[./]\d+)+[.):]?\s+|"
    r"(?:\d+|[ivxIVX]+)\s+[–—-]\s+|[ivxIVX]+[.)]\s+)"
)
_SEPARATOR = re.compile(r"--|—|_{3,}")
_STOP = re.compile(r"[.!?:;,…]$")
_ABBREVIATED = re.compile(r"\b(?:\w{1,2}|[A-Z]\w{2})\.$")
_QUOTED_MAIL = re.compile(
    rf"-{{2,}}\s?\w[\w -]*-{{2,}}$|(?=.*\d)(?i:.*\b(?:{lexicon.any_of('wrote in a mail')})\b[^.]*:)$"
)
_FOOTER = re.compile(rf"(?:{lexicon.any_of('mail footers')})\b", re.IGNORECASE)
_NAMED = r"(?!\w)(?P<names>[^?:!;]*?)[,!.:]?$"
_SALUTATION = re.compile(rf"(?:{lexicon.any_of('salutations')}){_NAMED}", re.IGNORECASE)
_SIGN_OFF = re.compile(rf"(?:{lexicon.any_of('sign-offs')}){_NAMED}", re.IGNORECASE)
_QUESTION_WORD = re.compile(rf"(?:{lexicon.any_of('question words')})(?!\w)", re.IGNORECASE)
_POSTSCRIPT = ("p.s", "ps:", "ps ")

_ADDRESS = frozenset(lexicon.phrases("mail headers"))
_HEAD_LABELS = _ADDRESS | frozenset(lexicon.phrases("dates of a mail"))
_PEOPLE = frozenset(lexicon.phrases("who was there"))
_TOPICS = frozenset(lexicon.phrases("lists of topics"))

_NAMES, _TITLE, _TOP_TITLE = 6, 8, 10
"""Words of names behind a greeting and of a line in a signature, of a title, and of one at the top."""

_TITLE_LENGTH = 50
"""Characters of a title that stands right above its text: what is longer may be the first line of that."""

_SIGNED = 8
"""Lines of a signature."""

_SENTENCE, _STOPPED_SENTENCE = 9, 4
"""From so many words a line is a sentence and no part of a signature; from so many if it ends like one."""

_LONGEST_MARK = 200
"""Characters of a line that says who wrote the mail below it."""

_DOCUMENT = 5
"""With more lines than these a draft has a title, perhaps with a number ("Report 3"); a shorter one may open
with an answer."""


def lines_without_claims(lines: Sequence[str]) -> frozenset[int]:
    """The numbers of the lines of a draft that claim nothing."""
    return frozenset(_Lines(lines).found())


class _Lines:
    """The lines of a draft, `plain` without emphasis; `filled` numbers those that have text."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.raw = [_QUOTE.sub("", line).rstrip() for line in lines]
        self.plain = [_MARKS.sub("", line).strip() for line in self.raw]
        self.filled = [number for number, line in enumerate(self.plain) if line]
        self._above = {below: above for above, below in pairwise(self.filled)}

    def found(self) -> Iterator[int]:
        """All such lines, perhaps twice."""
        head = set(self._heads())
        salutations = [
            number
            for number in self.filled
            if self._begins(number) and _greets(_SALUTATION.match(self.plain[number]))
        ]
        yield from head
        yield from salutations
        yield from (number for number in self.filled if self._is_formal(number))
        yield from self._titles(head)
        yield from self._topics()
        ends = [-1, *filter(self._is_end, self.filled), len(self.plain)]
        for start, end in pairwise(ends):
            yield from self._signature(start, end, is_letter=bool(head or salutations))

    def _is_item(self, number: int) -> bool:
        return bool(_ITEM.match(self.raw[number].lstrip()) or _OTHER_BLOCK.match(self.raw[number]))

    def _begins(self, number: int) -> bool:
        """Whether a line begins a block of text."""
        above = self.plain[number - 1] if number else ""
        return not self._is_item(number) and (not above or above.endswith(":"))

    def _label(self, number: int) -> str:
        labelled = _LABELLED.match(self.plain[number])
        return labelled["label"].lower() if labelled and not self._is_item(number) else ""

    def _is_formal(self, number: int) -> bool:
        """Whether it says who was there, is to be filled in, or stands below or between mails."""
        line = self.plain[number]
        if self._is_item(number):
            return False
        labelled = _LABELLED.match(line)
        is_field = labelled and (labelled["label"].lower() in _PEOPLE or _BLANK.match(labelled["value"]))
        return bool(is_field or _TO_FILL_IN.search(line)) or self._is_end(number)

    def _heads(self) -> Iterator[int]:
        """The head of the mail at the top, of those that are quoted below, or of a memo."""
        run: list[int] = []
        for number in (*self.filled, len(self.plain)):
            if number < len(self.plain) and self._label(number) in _HEAD_LABELS:
                run.append(number)
                continue
            if any(self._label(each) in _ADDRESS for each in run) and (len(run) > 1 or self._opens(run[0])):
                yield from run
            run = []

    def _opens(self, number: int) -> bool:
        """Whether a line is the first of a mail, and not all of it."""
        is_first = number == self.filled[0] or self._is_below(number, self._is_end)
        return is_first and number != self.filled[-1]

    def _is_below(self, number: int, is_such: Callable[[int], bool]) -> bool:
        """Whether the last line with text above a line is such a one."""
        return number in self._above and is_such(self._above[number])

    def _titles(self, head: set[int]) -> Iterator[int]:
        below = [number for number in self.filled if number not in head]
        is_top = len(below) > _DOCUMENT
        for number, following in pairwise(below):
            is_title = self._is_title(number, following) or (is_top and self._is_top_title(number))
            if is_title:
                yield number
            is_top = is_top and is_title and (number, following) == (below[0], below[0] + 1)

    def _is_title(self, number: int, following: int) -> bool:
        """Whether a line names what follows: it stands alone, or is short and right above that."""
        line, is_numbered = self.plain[number], bool(_NUMBERED.match(self.raw[number]))
        bare = _NUMBERING.sub("", line)
        is_right_above = following == number + 1
        if len(bare.split()) > _TITLE or any(map(str.isdigit, bare)) or not self._could_be_title(number):
            return False
        if is_numbered and self._is_item(number):
            is_list = self._is_item(following) or self._is_below(number, self._is_item)
            return not is_list and (self.plain[following][:1].isupper() or not is_right_above)
        if is_right_above and not self._is_item(following):
            is_short = len(line) <= _TITLE_LENGTH
            return self._begins(number) and is_short and self.plain[following][:1].isupper()
        return self._begins(number)

    def _is_top_title(self, number: int) -> bool:
        line = self.plain[number]
        if line[0].isdigit() or self._is_item(number) or len(line.split()) > _TOP_TITLE:
            return False
        is_measure = any(quantity.dimension for quantity in numbers_in(line, []))
        return not is_measure and self._could_be_title(number)

    def _could_be_title(self, number: int) -> bool:
        line = _NUMBERING.sub("", self.plain[number]).removesuffix(":")
        if _HEADING.match(line) or (self._is_item(number) and not _NUMBERED.match(self.raw[number])):
            return False
        if _is_stopped(line) or any(sign in line for sign in ":|["):
            return False
        is_named = _BOLD.fullmatch(self.raw[number]) or _QUESTION_WORD.match(line)
        return bool(is_named) or not has_verb(line, inflected=True)

    def _topics(self) -> Iterator[int]:
        """The titles of agendas and lists of tasks, and their items without figures."""
        within = False
        for number in self.filled:
            line = _HEADING.sub("", self.plain[number]).rstrip(":")
            if line.lower() in _TOPICS:
                within = True
                yield number
            elif within and self._is_item(number):
                if not any(map(str.isdigit, _ITEM.sub("", self.plain[number], count=1))):
                    yield number
            else:
                within = False

    def _is_end(self, number: int) -> bool:
        """Whether a mail ends above a line."""
        line = self.plain[number]
        is_mark = _SEPARATOR.fullmatch(self.raw[number].strip())
        is_quoted = len(line) <= _LONGEST_MARK and _QUOTED_MAIL.match(line)
        return bool(is_mark or is_quoted or _FOOTER.match(line))

    def _signature(self, start: int, end: int, *, is_letter: bool) -> Iterator[int]:
        """The sign-off above `end` with the lines below it; in a letter without one the short lines there."""
        first, last = (bisect_left(self.filled, number) for number in (start, end))
        above = self.filled[max(first, last - _SIGNED - 1) : last]
        for position in reversed(range(len(above))):
            rest = above[position + 1 :]
            below = list(takewhile(lambda number: not self._is_sentence(number), rest))
            if self._signs_off(above[position], below, is_whole=below == rest):
                has_figure = any(map(str.isdigit, "".join(self.plain[number] for number in below)))
                if is_letter or not has_figure:
                    yield from (above[position], *below)
                    return
        for number in range(above[-1] if above and is_letter else -1, start, -1):
            line = self.plain[number]
            if not line or self._is_item(number) or len(line.split()) > _NAMES or _is_stopped(line):
                return
            yield number

    def _signs_off(self, number: int, below: Sequence[int], *, is_whole: bool) -> bool:
        """Whether a line is a sign-off by its words, or by its comma above nothing but short lines."""
        line = self.plain[number]
        is_open = is_whole and bool(below) and line.endswith(",") and len(line.split()) < _NAMES
        is_mark = is_whole and _SEPARATOR.fullmatch(self.raw[number].strip())
        return not self._is_item(number) and bool(is_open or is_mark or _greets(_SIGN_OFF.match(line)))

    def _is_sentence(self, number: int) -> bool:
        line = self.plain[number]
        fewest = _STOPPED_SENTENCE if _is_stopped(line) and not line.endswith(",") else _SENTENCE
        is_long = len(line.split()) >= fewest and "|" not in line
        return is_long or self._is_item(number) or line.lower().startswith(_POSTSCRIPT)


def _is_stopped(line: str) -> bool:
    """Whether a line ends as a sentence or a part of one does."""
    return bool(_STOP.search(line)) and not _ABBREVIATED.search(line)


def _greets(match: re.Match[str] | None) -> bool:
    """Whether at most a few names stand behind a greeting: "Thanks to Ann the boat was sold" is none."""
    if match is None or len(match["names"].split()) > _NAMES:
        return False
    return not has_verb(match[0], inflected=True)
