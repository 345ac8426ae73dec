"""Which lines of somebody's document claim nothing by what they are (SPEC E2): the head of a mail, a
salutation, a sign-off with the signature below it, titles, who was there, blanks, topics and tasks.

What an answer of a language model says is never left unchecked for such a reason. A line with a verb or a
figure is one of these only where its place tells: in a head, in a signature, with a number at a title's end.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, takewhile

from bob.answers.claims.clauses import has_verb
from bob.text import lexicon
from bob.text.negation import names_negation
from bob.text.stop_words import FUNCTION_WORDS
from bob.text.turns import HEADER_NAMES, ONLY_IN_HEADERS, SIGNATURE, header_field, quote_depth

_MARKS = re.compile(r"[*`]+|(?<!_)_{1,2}(?!_)")
_MARKER = r"(?:[-+*•]|\d{1,3}[.)]|[a-z]\))\s+"
_ITEM = re.compile(rf"(?:{_MARKER})?\[[ xX]\]\s+|{_MARKER}")
_NUMBERED = re.compile(r"\d{1,3}[.)]\s+")
_HEADING = re.compile(r"#{1,6}\s+")
_OTHER_BLOCK = re.compile(r"\||:?-{3,}\s*\||<|\[\^?\w+\]:")

_LABELLED = re.compile(r"(?P<label>[^\W\d_][^:.!?]{0,40}?)\s?:\s*(?P<value>.*)$")
_BLANK = re.compile(r"(?:[_.…]{3,}|\[[^\W\dA-Z][^\]\d]{0,40}\])$")
_BOXES = re.compile(r"[☐□][^☐□\d]{1,60}[☐□][^\d]{1,60}$")
_NUMBERING = re.compile(
    rf"(?:(?i:{lexicon.any_of('points of an agenda')})\s\d{{1,3}}:?\s+|\d{{1,3}}[.):]\s+|"
    r"\d{1,4}(?:[./]\d{1,4}){1,3}[.):]?\s+|(?:\d{1,3}|[ivxIVX]{1,6})\s+[–—-]\s+|[ivxIVX]{1,6}[.)]\s+)"
)
_SEPARATORS = re.compile(rf"{SIGNATURE}|—|_{{3,}}")
_STOP = re.compile(r"[.!?:;,…]$")
_ABBREVIATED = re.compile(r"\b(?:[A-Z]\w{0,2}|[^\W\d_])\.$")
_QUOTED_MAIL = re.compile(
    rf"-{{2,}}\s?(?:{lexicon.any_of('above an earlier mail')})\s?-{{2,}}$|"
    rf"(?:{lexicon.any_of('before who wrote')})\s(?=.*\d).*\b(?:{lexicon.any_of('wrote')})\b[^.]*:$",
    re.IGNORECASE,
)
_FOOTER = re.compile(rf"(?:{lexicon.any_of('mail footers')})\b", re.IGNORECASE)
_SALUTATION = re.compile(rf"(?:{lexicon.any_of('salutations')})(?!\w)(?P<names>.*)$", re.IGNORECASE)
_SIGN_OFF = re.compile(rf"(?:{lexicon.any_of('sign-offs')})(?!\w)(?P<names>.*)$", re.IGNORECASE)
_NAMES = re.compile(r"\.?,?(?:\s+[^\W\d_a-z][^\W\d_]*\.?){0,5}[,!.:]?")
_SAID_TO = re.compile(r"\.?,?(?:\s+[^\s,.!?:;]+\.?){0,6}\s?[,!]")
_QUESTION_WORD = re.compile(rf"(?:{lexicon.any_of('question words')})(?!\w)", re.IGNORECASE)
_NUMBER_AT_END = re.compile(r"[^\d]*\s\S*\d\S*$")
_POSTSCRIPT = ("p.s", "ps:", "ps ")

_SUBJECTS = ONLY_IN_HEADERS | frozenset(lexicon.phrases("subjects of a memo"))
_HEAD_LABELS = _SUBJECTS | HEADER_NAMES | frozenset(lexicon.phrases("memo for"))
_PEOPLE = frozenset((*lexicon.phrases("who attended"), *lexicon.phrases("who wrote it down")))
_TOPICS = frozenset(lexicon.phrases("lists of topics"))

_TITLE, _TITLE_ABOVE_TEXT = 6, 5
"""Words of a title that stands alone, and of one right above its text."""

_SIGNED, _SIGNED_ALONE = 8, 3
"""Lines of a signature, and of one without a sign-off."""

_SENTENCE, _STOPPED_SENTENCE = 9, 4
"""From so many words a line is a sentence and no part of a signature; from so many if it ends like one."""

_LONGEST_LINE = 200
"""A longer line is text."""

_DOCUMENT = 5
"""With more lines than these a text has titles; in a shorter one a line may be an answer."""


def lines_without_claims(lines: Sequence[str]) -> frozenset[int]:
    """The numbers of the lines of a document that claim nothing; what is not to be read is an empty line."""
    return frozenset(_Lines(lines).found())


class _Lines:
    """The lines of a document, `plain` without emphasis; `filled` numbers those that have text."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.raw = [line[quote_depth(line)[1] :].rstrip() for line in lines]
        self.plain = [_MARKS.sub("", line).strip() if len(line) <= _LONGEST_LINE else "" for line in self.raw]
        self.filled = [number for number, line in enumerate(self.raw) if line.strip()]
        self._above = {below: above for above, below in pairwise(self.filled)}

    def found(self) -> Iterator[int]:
        """All such lines, perhaps twice."""
        head = set(self._heads())
        salutations = [number for number in self.filled if self._is_salutation(number)]
        yield from head
        yield from salutations
        yield from (number for number in self.filled if self._is_form(number) or self._is_border(number))
        if len(self.filled) > _DOCUMENT:
            yield from self._titles(head)
        yield from self._topics()
        borders = [-1, *filter(self._is_border, self.filled), len(self.plain)]
        for start, end in pairwise(borders):
            yield from self._signature(start, end, is_letter=bool(head or salutations))
        yield from self._footers()

    def _is_item(self, number: int) -> bool:
        return bool(_ITEM.match(self.raw[number].lstrip()) or _OTHER_BLOCK.match(self.raw[number]))

    def _is_below(self, number: int, is_such: Callable[[int], bool]) -> bool:
        """Whether the last line with text above a line is such a one."""
        return number in self._above and is_such(self._above[number])

    def _begins(self, number: int) -> bool:
        """Whether a line begins a block of text."""
        return not self._is_item(number) and (not number or not self.raw[number - 1].strip())

    def _label(self, number: int) -> str:
        field = header_field(self.plain[number])
        return field[0] if field and not self._is_item(number) else ""

    def _is_salutation(self, number: int) -> bool:
        greeting = _SALUTATION.match(self.plain[number])
        if greeting is None or not (self._begins(number) or self._is_below(number, self._is_border)):
            return False
        names = greeting["names"]
        is_said = bool(_SAID_TO.fullmatch(names) or (_NAMES.fullmatch(names) and number != self.filled[-1]))
        return is_said and not has_verb(greeting[0], inflected=True)

    def _is_form(self, number: int) -> bool:
        """Whether it says who was there, or has to be filled in."""
        labelled = _LABELLED.match(self.plain[number])
        if self._is_item(number) or labelled is None:
            return bool(_BOXES.match(self.plain[number]))
        label, value = labelled["label"].lower(), labelled["value"]
        is_blank = _BLANK.match(value) and not has_verb(f"- {label}")
        is_names = not any(map(str.isdigit, value)) and not has_verb(value, inflected=True)
        return bool(is_blank or (label in _PEOPLE and is_names and ". " not in value[3:]))

    def _is_border(self, number: int) -> bool:
        """Whether a mail ends above a line."""
        is_mark = _SEPARATORS.fullmatch(self.raw[number].strip())
        return bool(is_mark or _QUOTED_MAIL.match(self.plain[number]))

    def _heads(self) -> Iterator[int]:
        """The lines of heads: "From" and "To" alone may be times or places, so a subject belongs to them."""
        run: list[int] = []
        for number in (*self.filled, len(self.plain)):
            if number < len(self.plain) and self._label(number) in _HEAD_LABELS:
                run.append(number)
                continue
            is_more = bool(run) and run[-1] != self.filled[-1]
            if is_more and any(self._label(each) in _SUBJECTS for each in run):
                yield from run
            run = []

    def _titles(self, head: set[int]) -> Iterator[int]:
        below = [number for number in self.filled if number not in head]
        is_top = True
        for number, following in pairwise(below):
            is_title = self._could_be_title(number) and (
                self._is_title(number, following) or (is_top and self._is_top_title(number))
            )
            if is_title:
                yield number
            is_top = is_top and is_title and (number, following) == (below[0], below[0] + 1)

    def _could_be_title(self, number: int) -> bool:
        line = self._bare(number)
        if not line or _HEADING.match(line) or (self._is_item(number) and not self._is_numbered(number)):
            return False
        if _is_stopped(line) or any(sign in line for sign in ":|[") or names_negation(line):
            return False
        return bool(_QUESTION_WORD.match(line)) or not has_verb(line, inflected=True)

    def _bare(self, number: int) -> str:
        """A line without its number, and without the colon of a label."""
        line = self.plain[number]
        numbering = _NUMBERING.match(line)
        return line[numbering.end() if numbering else 0 :].removesuffix(":")

    def _is_numbered(self, number: int) -> bool:
        return bool(_NUMBERED.match(self.raw[number]))

    def _is_title(self, number: int, following: int) -> bool:
        """Whether a line names what follows: it stands alone, or is short and right above that."""
        bare = self._bare(number)
        words = bare.split()
        if len(words) > _TITLE or any(map(str.isdigit, bare)):
            return False
        is_right_above = following == number + 1
        if self._is_item(number):
            is_list = self._is_item(following) or self._is_below(number, self._is_item)
            return not is_list and (self.plain[following][:1].isupper() or not is_right_above)
        if is_right_above and not self._is_item(following):
            opens = words[0].lower() in FUNCTION_WORDS and not _QUESTION_WORD.match(bare)
            is_short = len(words) <= _TITLE_ABOVE_TEXT and not opens
            return self._begins(number) and is_short and self.raw[following][:1].isupper()
        return self._begins(number)

    def _is_top_title(self, number: int) -> bool:
        line = self.plain[number]
        is_plain = not any(map(str.isdigit, line))
        return not self._is_item(number) and (is_plain or bool(_NUMBER_AT_END.match(line)))

    def _topics(self) -> Iterator[int]:
        """The titles of agendas and lists of tasks, and their items without figures or verbs."""
        within = False
        for number in self.filled:
            line = self.plain[number]
            heading = _HEADING.match(line)
            if line[heading.end() if heading else 0 :].rstrip(":").lower() in _TOPICS:
                within = True
                yield number
            elif within and self._is_item(number):
                said = self.raw[number].lstrip()
                marker = _ITEM.match(said)
                said = said[marker.end() if marker else 0 :]
                if not any(map(str.isdigit, said)) and not has_verb(said, inflected=True):
                    yield number
            else:
                within = False

    def _signature(self, start: int, end: int, *, is_letter: bool) -> Iterator[int]:
        """The sign-off above `end` with the lines below it; in a letter without one the last short lines."""
        first, last = (bisect_left(self.filled, number) for number in (start, end))
        above = self.filled[max(first, last - _SIGNED - 1) : last]
        for position in reversed(range(len(above))):
            rest = above[position + 1 :]
            below = list(takewhile(lambda number: not self._is_sentence(number), rest))
            if self._signs_off(above[position], is_letter=is_letter, is_whole=bool(rest) and below == rest):
                has_figure = any(map(str.isdigit, "".join(self.plain[number] for number in below)))
                if is_letter or not has_figure:
                    yield from (above[position], *below)
                    return
        if is_letter and above:
            yield from self._names_above(above[-1], start)

    def _names_above(self, last: int, start: int) -> Iterator[int]:
        """The last lines, if these are a few that could be names, below a sentence or an empty line."""
        lines = list(takewhile(self._could_be_name, range(last, start, -1)))
        above = self._above.get(lines[-1]) if lines else None
        if above is None or len(lines) > _SIGNED_ALONE or self.plain[above].endswith(":"):
            return
        if above < lines[-1] - 1 or _is_stopped(self.plain[above]):
            yield from lines

    def _could_be_name(self, number: int) -> bool:
        line = self.plain[number]
        is_short = bool(line) and len(line.split()) <= _TITLE and not self._is_item(number)
        is_said = any(map(str.isdigit, line)) or _is_stopped(line) or has_verb(line, inflected=True)
        return is_short and line[0].isupper() and not is_said

    def _signs_off(self, number: int, *, is_letter: bool, is_whole: bool) -> bool:
        """Whether a line is a sign-off by its words, or in a letter by its comma above short lines alone."""
        line = self.plain[number]
        if self._is_item(number) or self._is_salutation(number) or self._is_below(number, self._goes_on):
            return False
        if any(map(str.isdigit, line)):
            return False
        if sign_off := _SIGN_OFF.match(line):
            return bool(_NAMES.fullmatch(sign_off["names"])) or (is_whole and line.endswith(","))
        is_mark = bool(_SEPARATORS.fullmatch(self.raw[number].strip()))
        is_short = line.endswith(",") and len(line.split()) < _TITLE
        return is_whole and (is_mark or (is_letter and is_short))

    def _goes_on(self, number: int) -> bool:
        return self.plain[number].endswith((":", ";")) or (
            self.plain[number].endswith(",") and not self._is_salutation(number)
        )

    def _is_sentence(self, number: int) -> bool:
        line = self.plain[number]
        fewest = _STOPPED_SENTENCE if _is_stopped(line) and not line.endswith(",") else _SENTENCE
        is_long = not line or (len(line.split()) >= fewest and "|" not in line)
        is_said = is_long or has_verb(line, inflected=True)
        return is_said or self._is_item(number) or line.lower().startswith(_POSTSCRIPT)

    def _footers(self) -> Iterator[int]:
        """What programs and offices put below a mail: its last lines."""
        for number in self.filled[-_SIGNED_ALONE:]:
            if _FOOTER.match(self.plain[number]) and not any(map(str.isdigit, self.plain[number])):
                yield number


def _is_stopped(line: str) -> bool:
    """Whether a line ends as a sentence or a part of one does."""
    return bool(_STOP.search(line)) and not _ABBREVIATED.search(line)
