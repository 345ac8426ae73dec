"""Which quantity a question wants: a number, a length of time, a time of day, a date; which texts state it.

A question that begins with "how many" is answered by no text without a number, however near it is. The words
are those of the languages that have them in the lexicon.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from itertools import chain
from typing import Literal

from bob.answers.part_numbers import without_part_numbers
from bob.answers.wanted_units import measure, of_a_duration, wanted_units, words_before
from bob.text import lexicon
from bob.text.clock import times_in
from bob.text.dates import MONTHS, dates_in
from bob.text.number_words import NUMBER_WORDS
from bob.text.numbers import numbers_in
from bob.text.units import UNITS, unit_asked_for
from bob.text.words import stem, words_of

Quantity = Literal["number", "duration", "frequency", "clock", "date", "time"]

NAMES: dict[Quantity, str] = {
    "number": "number",
    "duration": "length of time",
    "frequency": "frequency",
    "clock": "time of day",
    "date": "date",
    "time": "time",
}
"""What a person calls them."""

_ASKED: tuple[tuple[Quantity, str], ...] = (
    ("clock", "asks what time"),
    ("date", "asks which day"),
    ("frequency", "asks how often"),
    ("duration", "asks how long"),
    ("number", "asks how many"),
    ("time", "asks when"),
)
"""The sections of the lexicon with the beginnings of questions, the more exact first."""

ASKING_WORDS = frozenset(word for _, section in _ASKED for word in lexicon.words(section))
"""The single words of these beginnings."""

_AMOUNTS = ("number", "duration", "frequency")
"""The number of a clause tells none of these."""

_DIGITS = re.compile(r"\d[\d.,]*\d|\d")

_HEAD = 5
"""Letters of a German word for a quantity that ends longer ones: "Motorleistung"."""

_MOST_BEFORE = 3
"""So many words that say nothing may stand before the beginning of a question."""


def quantity_of(question: str) -> Quantity | None:
    """The quantity that a question wants, None where it wants none or does not say.

    >>> quantity_of("At what time is lunch?"), quantity_of("What time zone is it?")
    ('clock', None)
    """
    plain = " ".join(question.lower().replace(",", " ").lstrip(" ¿").split())
    return next((quantity for quantity, pattern in _beginnings() if pattern.match(plain)), None)


def states(quantity: Quantity, text: str) -> bool:
    """Whether a text states any quantity of this kind.

    >>> states("number", "The house has a garden."), states("number", "It has two doors.")
    (False, True)
    """
    if quantity == "clock":
        return bool(times_in(text))
    return _stated()[quantity].search(text) is not None


class StatedBeside:
    """Tells whether texts state the quantity that a question wants, beside the numbers and days that it
    states itself. Where it asks how many, it wants a number of something: £80,000 is no number of entries."""

    def __init__(self, wanting: str, question: str) -> None:
        """`wanting` is the question that says what is wanted, which may stand before this one."""
        match = _counts().match(wanting.lower())
        self._counted = match[1] if match else None
        self._unit = match and (unit_asked_for(match[1]) or unit_asked_for(stem(match[1])))
        self._days = [(day.month, day.day) for day in dates_in(question) if day.month and day.day]
        numbers = set(_DIGITS.findall(question))
        self._numbers = _alone(numbers) if numbers else None
        self._question = f"{wanting} {question}"
        asked = " ".join(wanting.lower().split())
        self._dimensions, self._of_duration = wanted_units(asked), of_a_duration(asked)

    def states(self, quantity: Quantity | None, text: str) -> bool:
        """Whether a text states the quantity; any does where none is wanted.

        >>> minutes, entries = (StatedBeside(f"How many {what}?", "") for what in ("minutes", "entries"))
        >>> [minutes.states("number", text) for text in ("Bake for 20-30 min.", "Take 500 g of flour.")]
        [True, False]
        >>> StatedBeside("How many GB?", "").states("number", "The free plan has 10 GB.")
        True
        >>> [entries.states("number", text) for text in ("There were 26 entries.", "It cost £80,000.")]
        [True, False]
        >>> StatedBeside("Which day?", "Which day after 3 May?").states("date", "It met on 3 May.")
        False
        """
        if quantity is None:
            return True
        plain = self._without_given(text)
        if quantity in _AMOUNTS:
            plain = without_part_numbers(plain, self._question)
        if quantity == "duration":
            plain = _intervals().sub(" ", plain)
        if not states(quantity, plain):
            return False
        if quantity == "duration":
            return measure(plain, self._of_duration)
        if quantity != "number":
            return True
        if self._counted is None:
            return self._dimensions is None or measure(plain, self._dimensions)
        numbers = numbers_in(plain, [(stated.start, stated.end) for stated in dates_in(plain)])
        if self._unit is not None and any(number.dimension == self._unit[0] for number in numbers):
            return True
        is_named = self._unit is None or stem(self._counted) in map(stem, words_of(plain.lower()))
        return is_named and (not numbers or any(not number.dimension for number in numbers))

    def _without_given(self, text: str) -> str:
        if self._days:
            days = [day for day in dates_in(text) if (day.month, day.day) in self._days]
            for day in reversed(days):
                text = f"{text[: day.start]} {text[day.end :]}"
        return text if self._numbers is None else self._numbers.sub(" ", text)


def _alone(numbers: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.,:/-])(?:{lexicon.either(numbers)})(?![\w:/-]|[.,]\d)")


@cache
def _intervals() -> re.Pattern[str]:
    """For "every 2 minutes", which tells how often and not how long. One of days and longer tells of that,
    too: "elected every two years"."""
    short = lexicon.either(
        unit
        for unit, (dimension, factor) in UNITS.items()
        if dimension == "time" and factor < UNITS["day"][1]
    )
    number = rf"(?:(?:\d{{1,4}}|{lexicon.either(NUMBER_WORDS)})\s?)?"
    no_end = rf"(?!\s(?:{lexicon.any_of('up to a number')})\b)"
    return re.compile(
        rf"\b(?:{lexicon.any_of('every')})\s{number}(?:{short})\b{no_end}",
        re.IGNORECASE,
    )


@cache
def _counts() -> re.Pattern[str]:
    before = rf"(?:{lexicon.any_of('before a question word')})"
    return re.compile(
        rf"\W*(?:{before}\s+){{0,{_MOST_BEFORE}}}(?:{lexicon.any_of('asks for a count')})\s+([^\W\d_]+)"
    )


@cache
def _beginnings() -> tuple[tuple[Quantity, re.Pattern[str]], ...]:
    before = rf"(?:(?:{lexicon.any_of('before a question word')})\s){{0,{_MOST_BEFORE}}}"
    asks, ranks, quantities, numbers, asking = (
        lexicon.any_of(section)
        for section in (
            "asks what number",
            "ranks of quantities",
            "quantities",
            "numbers of things",
            "asks whether",
        )
    )
    articles, before_more, being = (
        lexicon.either(lexicon.words(section)) for section in ("articles", "prepositions", "being")
    )
    no_day = rf"(?!\s(?:{lexicon.either(lexicon.words('no day'))})\b)"
    costs = "|".join(
        rf"{re.escape(begin)}\s.*\b(?:{lexicon.either(ends)})(?!\sfor\W*$)"
        for begin, ends in lexicon.pairs("asks what it costs")
    )
    of_a_thing = rf"(?:{asks})\s(?:\S+\s){{1,4}}(?:{numbers})(?=\W*$)"
    # "What is the click-through rate of …", but not "the main cost driver"; "welche Düsentemperatur".
    with_words = rf"{words_before()}(?:{quantities})(?=\s(?:{before_more}|{being}|{asking})\b|\W*$)"
    compounds = lexicon.either(word for word in lexicon.phrases("quantities", "de") if len(word) >= _HEAD)
    not_ends, ends_of = map(lexicon.any_of, ("no ends of quantities", "ends of quantities"))
    why = rf"(?!(?:{lexicon.any_of('asks why')})\b)"
    which = (
        rf"{costs}|{of_a_thing}|(?:{asks})\s(?:(?:{articles}|{ranks})\s){{0,3}}"
        rf"(?:{with_words}|(?:{quantities})|[^\W\d_]+(?:{compounds})|"
        rf"(?!(?:{not_ends})\b)[^\W\d_]*(?:{ends_of}))"
    )
    return tuple(
        (
            quantity,
            re.compile(
                rf"{why}{before}(?:{lexicon.any_of(section)}"
                rf"{'|' + which if quantity == 'number' else ''})\b"
                rf"{no_day if quantity in ('clock', 'date') else ''}"
            ),
        )
        for quantity, section in _ASKED
    )


@cache
def _stated() -> dict[Quantity, re.Pattern[str]]:
    def either(*sections: str) -> str:
        return "|".join(lexicon.any_of(section) for section in sections)

    of_time = [unit for unit, (dimension, _) in UNITS.items() if dimension == "time"]
    units = lexicon.either(unit for unit in of_time if len(unit) > 2)
    short = lexicon.either(unit for unit in of_time if len(unit) < 3)
    multipliers = chain.from_iterable(words for _, words in lexicon.pairs("number multipliers"))
    number = rf"\d|\b(?:{lexicon.either((*NUMBER_WORDS, *multipliers))}|{either('amounts in words')})\b"
    units_of_time = rf"(?<!\bmany\s)\b(?:{units})\b|\d\s?(?:{short})\b"
    years = lexicon.either(unit for unit, measured in UNITS.items() if measured == UNITS["year"])
    date = (
        rf"\b(?:{years})\b\W{{0,2}}(?:(?:{either('being')})\W)?\d{{1,4}}\b|"
        rf"\b(?:1[5-9]|20)\d\d\b|\b(?:{MONTHS}|{either('weekdays', 'seasons')})\b|"
        rf"\b(?:{either('months')})\.?\s\d|\b\d{{1,2}}[:.]\d\d\b|\b\d{{1,2}}\s?(?:[ap]\.?m\b|uhr\b|h(?:\d\d)?\b)|"
        r"\bversion(?:added|changed)?\b.{0,3}\d|"
        r"\bv?\d+\.\d+|\b\d{1,2}(?:st|nd|rd|th)\b|\bq[1-4]\b|\b\d{1,2}[./]\d{1,2}\b"
    )
    up_to = lexicon.either(lexicon.words("up to a number"))
    span = rf"\b(?:{MONTHS}|{either('weekdays')})\W{{0,3}}(?:{up_to})\b"
    patterns: dict[Quantity, str] = {
        "number": number,
        "duration": rf"{number}|{units_of_time}|{span}|\b(?:{either('lengths of time in words')})\b",
        "frequency": rf"{number}|{units_of_time}|\b(?:{either('frequencies in words')})\b",
        "date": date,
        "time": rf"{date}|{units_of_time}|\b(?:{either('times in words', 'lengths of time in words')})\b",
    }
    return {quantity: re.compile(pattern, re.IGNORECASE) for quantity, pattern in patterns.items()}
