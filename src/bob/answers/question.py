"""What a question wants: a definition, a time, a number, a person, a reason, a way, an outcome; and which
texts have it.

Rules over a few words in English, Portuguese, German, French and Spanish; no rule applies to a question
that is only key words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain
from typing import Literal

from bob.answers.alternatives import considered
from bob.answers.dated_places import dates_naming, dates_of, document_day, label_of
from bob.answers.definitions import defines, subject_of
from bob.answers.quantity import StatedBeside, quantity_of
from bob.answers.question_kinds import (
    KNOWN_IN_ENGLISH,
    WANTED,
    asks_who_it_is,
    kind_of,
    tells_other_names,
    tells_place,
)
from bob.answers.units.named_lists import list_of, lists_by_name, text_without
from bob.answers.units.table_rows import empty_of
from bob.answers.units.unit import Unit, unit_at, units_of
from bob.core.search import FoundChunk, Hit
from bob.text import lexicon
from bob.text.clock import TimeOfDay, times_in
from bob.text.dates import (
    MONTHS,
    MONTHS_WRITTEN,
    YEAR_OF_EDITION,
    StatedDate,
    dates_in,
    period_of,
)
from bob.text.languages import is_in_english
from bob.text.names import has_name
from bob.text.number_words import NUMBER_WORDS
from bob.text.numbers import has_number
from bob.text.sentences import sentence_ranges, sentences_within
from bob.text.stop_words import QUERY_STOP_WORDS
from bob.text.units import UNITS, is_unit
from bob.text.words import folded, stems_of, words_of

_NOW = re.compile(rf"\b(?:{lexicon.any_of('at this time')})\b", re.IGNORECASE)
_TIME = re.compile(
    rf"\b(?:(?:1[89]|20)\d\d|{lexicon.any_of('speaks of now')}|{MONTHS})\b|{_NOW.pattern}", re.IGNORECASE
)
_DO_NOT_CHANGE = ("way", "reason", "place")
"""What is told once for all versions: how to upgrade to the latest one."""

_BEFORE = 2
"""Whose meetings they are is told by so many words before "last met"."""

_WORD = re.compile(r"\w(?:(?:[\w.\-]|(?<=\d)[,:](?=\d))*\w)?(?:&\w+)*")
_NAME = r"[\w.'’/-]+"
_ORDINAL = re.compile(r"^(\d+)(?:st|nd|rd|th)$")
_LABELLED = 3
"""A number of at most so many digits behind a name is its number, as in "PEP 20"; it means nothing alone."""
_LABEL = re.compile(r"(?:\S+\s){0,3}\S+:\s")
"""At the beginning of the items of a list that are all of one thing: "Length: 9.2 m"."""
_DECIMAL = re.compile(r"\d+\.\d+")
_EDITION = re.compile(rf"{YEAR_OF_EDITION}|v?\d+(?:\.\d+)+")
_NO_NAMES = QUERY_STOP_WORDS | {month.lower() for month in MONTHS_WRITTEN}


Series = Literal["versions", "meetings"]
"""Things that follow each other, each with its day: versions also have a number."""


@dataclass(frozen=True, slots=True)
class NewestOf:
    """The newest of a `series` is asked for: "the latest version of Bob"; `whose` are the words for what has
    that series ("Bob"). `about` is what is asked about the newest one ("Who took the minutes?"), empty where
    it is only which that is, or when it was."""

    series: Series
    whose: tuple[str, ...]
    about: str


class Question:
    """A question with what it wants; where it only names another thing ("And guests?") that is what the one
    `before` it wanted."""

    def __init__(self, text: str, before: str = "") -> None:
        self.text = text
        question = text.strip()
        wanting = before.strip() if _names_another(question) else question
        self.quantity = quantity_of(wanting)
        """The quantity that it wants, None where it wants none or does not say."""
        self.states_quantity = partial(StatedBeside(wanting, question).states, self.quantity)
        """Whether a text states it, beside what the question states itself."""
        self.kind = kind_of(wanting, self.quantity)
        self.subject = subject_of(question)
        """What it asks the definition of, empty where it asks for none."""
        every_date = dates_in(question)
        self.dates = tuple(stated for stated in every_date if stated.month)
        """Months and days, each perhaps with its year."""
        self.dates_said = tuple(question[stated.start : stated.end] for stated in self.dates)
        self._periods = {
            question[stated.start : stated.end]: period
            for stated in every_date
            if (period := period_of(question, stated)) is not None and period.is_open
        }
        """The time before or after its dates that is meant, by how it writes them: by a year alone, too."""
        # "3.10" may be a version.
        times = [
            time for time in times_in(question) if not _DECIMAL.fullmatch(question[time.start : time.end])
        ]
        words = _words_of(question, [*self.dates, *times])
        neighbours = [("", True), *words, ("", True)]
        self.numbers = tuple(
            f"{before} {word}"
            if word.isdigit() and len(word) <= _LABELLED and _is_label(before, opens) and behind not in UNITS
            else word
            for (before, opens), (word, _), (behind, _) in zip(
                neighbours, neighbours[1:], neighbours[2:], strict=False
            )
            if any(map(str.isdecimal, word))
        ) + tuple(time.written for time in times)
        """Years, versions, amounts, and numbers with the name before them ("PEP 20", but not «die Miete 850
        Euro»): what answers speaks of the same ones."""
        self.asks_for_version = bool(_asks_for_version().search(question))
        self.editions = tuple(
            number.removeprefix("v")
            for number in self.numbers
            if _EDITION.fullmatch(number)
            and number not in self._periods
            and not _beyond().search(question[: question.find(number)])
        )
        """Its years and versions, but for those before or after which something is asked for."""
        self.is_in_english = is_in_english(question)
        self.names = tuple(
            word
            for word, opens in words
            if not opens
            and word[0].isupper()
            and not any(map(str.isdigit, word))
            and word.lower() not in _NO_NAMES
            and not is_unit(word, in_english=self.is_in_english)
        )
        """Words with a capital letter inside a sentence; in German all nouns. Months are no names: many a
        date has none; nor are units, which one text writes out and another as a symbol."""
        self.stems = stems_of(question)
        """Of its words that say something."""
        self.alternative = considered(question)
        """What it asks about that may have been turned down (`considered`)."""
        newest, others = _newest_words()
        self.newest = " ".join(newest.findall(others.sub(" ", " ".join(question.split()))))
        """Its words that ask for the newest of several ("latest", "most recent"); empty without such."""
        self.now = " ".join(_NOW.findall(question))
        """Its words that ask for what holds today ("at the moment"); empty without such."""
        self.newest_of = _newest_of(question, self.kind) if self.newest else None
        """None where it is the newest of what the question speaks of ("what was last said about travel")."""
        self.speaks_of_time = self.kind == "time" or bool(_TIME.search(question))

    @property
    def of_any_time(self) -> Question:
        """The question without its words that ask for the newest."""
        newest, others = _newest_words()
        return self if others.search(self.text) else Question(" ".join(newest.sub(" ", self.text).split()))

    def missing(self, chunk: FoundChunk, units: Sequence[Unit]) -> list[tuple[str, ...]]:
        """Of each unit the numbers, dates and names of the question, in its order, that are missing where it
        stands: in its chunk, with what names that. What only other rows of a table, other items of a list or
        lists of another name have is missing of one, and so are the columns that the question names and a row
        has empty."""
        beside = text_without(chunk.text, [unit for unit in units if unit.cells])
        of_chunk = self._missing(chunk, chunk.text)
        named = lists_by_name(chunk.text, units) if self.names else []
        of_named = {each: self._missing(chunk, text_without(chunk.text, {*named} - {each})) for each in named}
        are_names = self.is_in_english and set(self.names) - set(of_chunk)
        of_items = self._missing_of_items(chunk, units) if are_names else {}
        return [
            (*self._missing(chunk, f"{unit.line}\n{beside}"), *empty_of(unit, self.stems))
            if unit.cells
            else of_items.get((unit.start, unit.end), of_chunk)
            if (own := list_of(unit, named)) is None
            else of_named[own]
            for unit in units
        ]

    def _missing_of_items(
        self, chunk: FoundChunk, units: Sequence[Unit]
    ) -> dict[tuple[int, int], tuple[str, ...]]:
        """What is missing of the items of flat lists, which are of one thing each: what only the others have;
        and of a list of which a quantity is wanted what is missing of the items that state one."""
        missing: dict[tuple[int, int], tuple[str, ...]] = {}
        for listed in units:
            if not listed.items or any(item.above or _LABEL.match(item.line) for item in listed.items):
                continue
            beside = text_without(chunk.text, listed.items)
            of_each = [self._missing(chunk, f"{item.line}\n{beside}") for item in listed.items]
            missing |= {
                (item.start, item.end): lacks for item, lacks in zip(listed.items, of_each, strict=True)
            }
            stating = [
                lacks
                for item, lacks in zip(listed.items, of_each, strict=True)
                if self.quantity is not None and self.states_quantity(item.line)
            ]
            if stating:
                missing[listed.start, listed.end] = min(stating, key=len)
        return missing

    def of_its_time(self, hits: Sequence[Hit]) -> list[Hit]:
        """Only the hits of a time that the question states; all where none is of one, or where it asks for
        what is before or after that.

        A passage is of the times that it states, and of those that its headings, title or file do. An amount
        is that of the time beside it: where some state the time that is asked for, what states another one
        is left out, though its file is of that time (the minutes of May have a table "through April").
        """
        if self._asks_beyond_its_dates:
            return list(hits)
        of_text = [list(dates_of(hit.chunk, f"{hit.chunk.context}\n{hit.chunk.text}")) for hit in hits]
        stated = [self._states_one(dates) for dates in of_text]
        beside = self.kind == "number" and any(stated)
        of_time = [
            hit
            for hit, dates, states_it in zip(hits, of_text, stated, strict=True)
            if states_it or (not (beside and dates) and self.is_of_its_time(hit.chunk))
        ]
        return of_time or list(hits)

    @property
    def _asks_beyond_its_dates(self) -> bool:
        """Whether it asks for what is before or after a date."""
        return any(_beyond().search(self.text.lstrip()[: stated.start]) for stated in self.dates)

    def is_of_no_time_of(self, hits: Sequence[Hit]) -> bool:
        """Whether it states a day, and all hits are of documents with another day of their own, and state it
        nowhere: no minutes are of that meeting."""
        if not any(stated.day for stated in self.dates) or self._asks_beyond_its_dates or not hits:
            return False
        return not any(document_day(hit.chunk) is None or self._is_dated(hit) for hit in hits)

    def _is_dated(self, hit: Hit) -> bool:
        stated = dates_of(hit.chunk, f"{hit.chunk.context}\n{hit.chunk.text}")
        return self._states_one(stated) or self.is_of_its_time(hit.chunk)

    def is_of_its_time(self, chunk: FoundChunk) -> bool:
        """Whether what names a passage states a time that the question states, where it states one."""
        return not self.dates or self._states_one(dates_naming(chunk))

    def _states_one(self, dates: Iterable[StatedDate]) -> bool:
        """Whether one of the dates is one that the question states, or of the time that it means."""
        there = list(dates)
        return any(
            self._is_stated(said, stated, there)
            for said, stated in zip(self.dates_said, self.dates, strict=True)
        )

    def _is_stated(self, said: str, stated: StatedDate, dates: Iterable[StatedDate]) -> bool:
        period = self._periods.get(said)
        return any(_same_date(stated, other) or (period is not None and period.has(other)) for other in dates)

    def fits(self, text: str) -> float:
        """1 when a text has what the question wants, 0 when not, 0.5 when the question does not tell."""
        if self.defines(text):
            return 1.0
        if self.quantity is not None:
            return float(self.states_quantity(text))
        if self.kind == "definition":
            return 0.0
        if self.kind == "outcome":
            return self._tells_outcome(text)
        pattern = WANTED.get(self.kind)
        if pattern is None or (self.kind in KNOWN_IN_ENGLISH and not self.is_in_english):
            return 0.5
        if self.kind == "place":
            return float(tells_place(text))
        if self.kind == "person" and not asks_who_it_is(self.text, self.names):
            return float(tells_other_names(text, self.names))
        return float(bool(pattern.search(text)))

    def _tells_outcome(self, text: str) -> float:
        """1 when a sentence or item tells what came of what is asked about, 0 when another does or none, 0.5
        when the text does not name it."""
        missing = self.missing_in(text, self.dates)
        if missing and len(missing) == len(self.numbers) + len(self.names):
            return 0.5 if WANTED["outcome"].search(text) else 0.0
        items = text.split("; ")
        sentences = (item[start:end] for item in items for start, end in sentence_ranges(item))
        parts = filter(WANTED["outcome"].search, sentences)
        return float(any(set(self.missing_in(part, self.dates)) <= set(missing) for part in parts))

    def _missing(self, chunk: FoundChunk, text: str) -> tuple[str, ...]:
        label = label_of(chunk)
        return self.missing_in(
            f"{text} {label}",
            [*dates_of(chunk, text), *dates_naming(chunk)] if self._periods or self.dates else (),
        )

    def missing_in(self, text: str, dates: Sequence[StatedDate] | None = None) -> tuple[str, ...]:
        """The numbers, dates and names that a text does not have; 5 is not in 15, a name may be inflected.
        `dates` are those of the text where it does not state them itself."""
        if not self.numbers and not self.dates and not self.names:
            return ()
        plain = folded(text)
        there = dates_in(text) if dates is None else dates
        return (
            *(
                number
                for number in self.numbers
                if not has_number(plain, folded(number))
                and not (number in self._periods and any(map(self._periods[number].has, there)))
            ),
            *(
                said
                for said, stated in zip(self.dates_said, self.dates, strict=True)
                if not self._is_stated(said, stated, there)
            ),
            *(name for name in self.names if not has_name(plain, name, in_english=self.is_in_english)),
        )

    def defines(self, text: str) -> bool:
        """Whether a text begins as a definition of the question's subject does."""
        return bool(self.subject) and defines(self.subject, text)


@cache
def _another() -> re.Pattern[str]:
    return re.compile(rf"(?:{lexicon.either(lexicon.words('and'))})((?:\s\w+){{1,4}})\W*", re.IGNORECASE)


def _names_another(question: str) -> bool:
    """Whether a question goes on from another and says no more than of what: "And for guests?"."""
    match = _another().fullmatch(question)
    return match is not None and kind_of(match[1].strip(), quantity_of(match[1])) == ""


@cache
def _beyond() -> re.Pattern[str]:
    """For what stands before a date where something of another time is asked for: "after the end of "."""
    words = map(lexicon.any_of, ("earlier than a date", "later than a date", "up to a date"))
    return re.compile(rf"\b(?:{'|'.join(words)})(?:\s+\w+){{0,3}}\s*\Z", re.IGNORECASE)


@cache
def _asks_for_version() -> re.Pattern[str]:
    asks, versions = map(lexicon.any_of, ("asks what number", "versions"))
    return re.compile(rf"\b(?:{asks})\s(?:\w+\s)?(?:{versions})\b", re.IGNORECASE)


@cache
def _newest_words() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """For words that ask for the newest, and for what only looks like them."""
    words, before, others = map(lexicon.phrases, ("newest", "newest before a word", "not newest"))
    newest = rf"(?:{lexicon.either(words)})|(?:{lexicon.either(before)})(?=\s+\w)"
    numbers = lexicon.either(word for word, number in NUMBER_WORDS.items() if number > 1)
    several = rf"(?:{lexicon.either((*words, *before))})\s+(?:\d+|{numbers})"
    return (
        re.compile(rf"\b(?:{newest})\b", re.IGNORECASE),
        re.compile(rf"\b(?:{lexicon.either(others)}|{several})\b", re.IGNORECASE),
    )


def _newest_of(question: str, kind: str) -> NewestOf | None:
    plain = " ".join(question.split())
    match = next((match for pattern in _newest_of_series() if (match := pattern.search(plain))), None)
    if match is None or kind in _DO_NOT_CHANGE:
        return None
    before, behind = (_undated(part) for part in (plain[: match.start()], plain[match.end() :]))
    rest = f"{_unlinked(before)} {_of_what().sub('', behind)}"
    asks_more = kind != "time" and not _say_no_more().issuperset(words_of(rest.lower()))
    of_what = _of_what().match(behind)
    # "When did the council last meet?" Whose it is stands before.
    who = before.split()[-_BEFORE:] if kind == "time" else ()
    whose = words_of(" ".join((*who, match[0], of_what[0] if of_what else "")))
    called = _call_newest().union(words_of(match["of"].lower()))
    return NewestOf(
        "meetings" if match["of"].lower() in lexicon.phrases("meetings") else "versions",
        tuple(word for word in whose if word.lower() not in called),
        " ".join(rest.split()).replace(" ?", "?") if asks_more else "",
    )


def _undated(text: str) -> str:
    for stated in reversed(dates_in(text)):
        text = f"{_unlinked(text[: stated.start])}{text[stated.end :]}"
    return text


def _unlinked(text: str) -> str:
    """A text without the words at its end that join what is cut off: "at the", "in"."""
    words = text.split()
    while words and words[-1].lower() in _links():
        words.pop()
    return " ".join(words)


@cache
def _links() -> frozenset[str]:
    return frozenset(
        chain.from_iterable(map(lexicon.words, ("prepositions", "articles", "parts of a period")))
    )


@cache
def _say_no_more() -> frozenset[str]:
    """What a question is made of that asks for nothing but which is the newest, and of when."""
    sections = ("question words", "being", "function words", "besides the newest")
    return _links().union(NUMBER_WORDS, *map(lexicon.words, sections))


@cache
def _call_newest() -> frozenset[str]:
    """What a phrase for the newest is made of, besides words for what it is."""
    newest = (*lexicon.phrases("newest"), *lexicon.phrases("newest before a word"))
    return _say_no_more().union(words_of(" ".join(newest).lower()))


@cache
def _of_what() -> re.Pattern[str]:
    """For what the series is of, right behind: "of Bob", "of the council", "der Software"."""
    before, articles = (lexicon.either(lexicon.words(name)) for name in ("prepositions", "articles"))
    joined = rf"(?:(?:{before})\s(?:(?:{articles})\s)?|(?:{articles})\s)"
    return re.compile(rf"\A\s*{joined}{_NAME}", re.IGNORECASE)


@cache
def _newest_of_series() -> tuple[re.Pattern[str], ...]:
    """For "the last restic release", "which release was the last one", "a versão mais recente"."""
    newest = lexicon.either((*lexicon.phrases("newest"), *lexicon.phrases("newest before a word")))
    of = rf"(?P<of>{lexicon.either((*lexicon.phrases('versions'), *lexicon.phrases('meetings')))})"
    being, articles, before = (
        lexicon.either(words)
        for words in (lexicon.phrases("being"), lexicon.words("articles"), lexicon.words("prepositions"))
    )
    few = rf"(?:\s{_NAME}){{0,2}}?"
    every = rf"(?!.*(?:,\s|\b(?:{lexicon.any_of('some of them')})\b))"
    return tuple(
        re.compile(rf"\b{pattern}{every}", re.IGNORECASE)
        for pattern in (
            rf"(?:{newest}){few}\s{of}\b",
            rf"(?:{_NAME}\s)?{of}{few}\s(?:{being})\s(?:(?:{articles})\s)?(?:{newest})\b",
            rf"(?:{_NAME}\s)?{of}{few}\s(?:{newest})(?=\s?[?,.]|$|\s(?:{before})\b)",
        )
    )


def _words_of(question: str, moments: Sequence[StatedDate | TimeOfDay]) -> list[tuple[str, bool]]:
    """The words outside dates and times, and whether each opens a sentence."""
    return [
        (_ORDINAL.sub(r"\1", match[0]), number == 0)
        for sentence in sentences_within([(question, 0, len(question))])[0]
        for number, match in enumerate(_WORD.finditer(question, *sentence))
        if not any(moment.start <= match.start() < moment.end for moment in moments)
    ]


def _is_label(word: str, opens: bool) -> bool:
    is_name = word.isupper() if opens else word[:1].isupper()
    return word.isalpha() and is_name and word.lower() not in _NO_NAMES


def _same_date(asked: StatedDate, other: StatedDate) -> bool:
    """Whether a date is the one that is asked for, as far as the question states it."""
    return all(
        wanted is None or wanted == given
        for wanted, given in (
            (asked.year, other.year),
            (asked.month, other.month),
            (asked.day, other.day),
        )
    )


def unit_saying(text: str, statement: str, fits: Callable[[int, int], bool]) -> Unit | None:
    """The unit of a chunk's text in which some words stand, or the line, where it is too short for a unit;
    None where they do not stand at a range (end excluded) that `fits`."""
    words = statement.split()
    places = re.finditer(r"\s+".join(map(re.escape, words)), text) if words else iter(())
    match = next((match for match in places if fits(*match.span())), None)
    if match is None:
        return None
    for unit in units_of(text):
        if unit.start <= match.start() and match.end() <= unit.end:
            return unit
    start = text.rfind("\n", 0, match.start()) + 1
    end = text.find("\n", match.end())
    line = text[start : len(text) if end < 0 else end]
    mark = re.match(r"[\s>*+-]*", line)
    skipped = mark.end() if mark else 0
    return unit_at(text, start + skipped, start + len(line.rstrip()), "prose")
