"""Which quantity a question wants: a number, a length of time, a date, a time; and which texts state one.

A question that begins with "how many" is answered by no text without a number, however near it is. The words
are those of the languages that have them in the lexicon.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import chain
from typing import Literal

from bob.text import lexicon
from bob.text.dates import MONTHS_WRITTEN
from bob.text.numbers import NUMBER_WORDS
from bob.text.units import UNITS

Quantity = Literal["number", "duration", "frequency", "date", "time"]

NAMES: dict[Quantity, str] = {
    "number": "number",
    "duration": "length of time",
    "frequency": "frequency",
    "date": "date",
    "time": "time",
}
"""What a person calls them."""

_ASKED: tuple[tuple[Quantity, str], ...] = (
    ("date", "asks which day"),
    ("frequency", "asks how often"),
    ("duration", "asks how long"),
    ("number", "asks how many"),
    ("time", "asks when"),
)
"""The sections of the lexicon with the beginnings of questions, the more exact first."""

_MOST_BEFORE = 3
"""So many words that say nothing may stand before the beginning of a question."""


def quantity_of(question: str) -> Quantity | None:
    """The quantity that a question wants, None where it wants none or does not say."""
    plain = " ".join(question.lower().replace(",", " ").lstrip(" ¿").split())
    return next((quantity for quantity, pattern in _beginnings() if pattern.match(plain)), None)


def states(quantity: Quantity, text: str) -> bool:
    """Whether a text states any quantity of this kind.

    >>> states("number", "The house has a garden."), states("number", "It has two doors.")
    (False, True)
    """
    return _stated()[quantity].search(text) is not None


@cache
def _beginnings() -> tuple[tuple[Quantity, re.Pattern[str]], ...]:
    before = rf"(?:(?:{lexicon.any_of('before a question word')})\s){{0,{_MOST_BEFORE}}}"
    asks, ranks, quantities, numbers = (
        lexicon.any_of(section)
        for section in ("asks what number", "ranks of quantities", "quantities", "numbers of things")
    )
    articles = lexicon.either(lexicon.words("articles"))
    no_day = rf"(?!\s(?:{lexicon.either(lexicon.words('no day'))})\b)"
    costs = "|".join(
        rf"{re.escape(begin)}\s.*\b(?:{lexicon.either(ends)})"
        for begin, ends in lexicon.pairs("asks what it costs")
    )
    of_a_thing = rf"(?:{asks})\s(?:\S+\s){{1,4}}(?:{numbers})(?=\W*$)"
    which = rf"{costs}|{of_a_thing}|(?:{asks})\s(?:(?:{articles}|{ranks})\s){{0,3}}(?:{quantities})"
    return tuple(
        (
            quantity,
            re.compile(
                rf"{before}(?:{lexicon.any_of(section)}"
                rf"{'|' + which if quantity == 'number' else ''})\b"
                rf"{no_day if quantity == 'date' else ''}"
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
    units_of_time = rf"\b(?:{units})\b|\d\s?(?:{short})\b"
    years = lexicon.either(unit for unit, measured in UNITS.items() if measured == UNITS["year"])
    date = (
        rf"\b(?:{years})\b\W{{0,2}}(?:(?:{either('being')})\W)?\d{{1,4}}\b|"
        rf"\b(?:1[5-9]|20)\d\d\b|\b(?:{lexicon.either(MONTHS_WRITTEN)}|{either('weekdays', 'seasons')})\b|"
        rf"\b(?:{either('months')})\.?\s\d|\b\d{{1,2}}[:.]\d\d\b|\b\d{{1,2}}\s?(?:[ap]\.?m\b|uhr\b|h(?:\d\d)?\b)|"
        r"\bversion(?:added|changed)?\b.{0,3}\d|"
        r"\bv?\d+\.\d+|\b\d{1,2}(?:st|nd|rd|th)\b|\bq[1-4]\b|\b\d{1,2}[./]\d{1,2}\b"
    )
    patterns: dict[Quantity, str] = {
        "number": number,
        "duration": rf"{number}|{units_of_time}|\b(?:{either('lengths of time in words')})\b",
        "frequency": rf"{number}|{units_of_time}|\b(?:{either('frequencies in words')})\b",
        "date": date,
        "time": rf"{date}|{units_of_time}|\b(?:{either('times in words', 'lengths of time in words')})\b",
    }
    return {quantity: re.compile(pattern, re.IGNORECASE) for quantity, pattern in patterns.items()}
