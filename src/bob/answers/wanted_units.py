"""What the number that a question wants must measure: "how heavy" is told by a weight, "how much does it
cost" by money, and neither by a length of time. The words are in `bob.text.lexicon`."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from bob.text import lexicon
from bob.text.dates import dates_in
from bob.text.numbers import numbers_in
from bob.text.units import unit_asked_for

_MONEY = ("dollars", "euros", "pounds sterling", "reais")
_TRANSFERRED = ("bytes", "bits", "bits per second")
_OF_A_THING = {
    "weight": ("weight",),
    "length": ("length", "pixels"),
    "depth": ("length", "pixels", "celsius", "degrees"),
    "distance": ("length", "time"),
    "speed": ("speed", "time", "frequency", "percent", *_TRANSFERRED),
    "temperature": ("celsius", "fahrenheit", "degrees"),
}
_OF_A_DURATION = ("time", "length", *_TRANSFERRED)
"""A message may be so many bytes long, a street so many metres."""

_MOST_BETWEEN = 60
"""So many characters may stand between "how much" and the verb that asks for money."""


@lru_cache(maxsize=64)
def wanted_units(question: str) -> frozenset[str] | None:
    """The dimensions (`bob.text.units`) of which one answers a question in lower case, as a bare number does;
    None where it does not say.

    >>> sorted(wanted_units("how heavy is the boat?")), wanted_units("how large is the boat?")
    (['weight'], None)
    """
    match = _in_unit().search(question[-_MOST_BETWEEN:])
    if match is not None and (unit := unit_asked_for(match[1])) is not None:
        return frozenset([unit[0]])
    for pattern, dimensions in _patterns():
        if pattern.match(question):
            return frozenset(dimensions)
    return None


def of_a_duration(question: str) -> frozenset[str]:
    """What a length is told by: "How long is a message?" by bytes, too."""
    return wanted_units(question) or frozenset(_OF_A_DURATION)


def measure(text: str, dimensions: frozenset[str]) -> bool:
    """Whether some number of a text is of one of the dimensions, or without any; also where it has none, but
    words for an amount ("free of charge").

    >>> [measure(text, frozenset(["weight"])) for text in ("a 3 kg bag, 2 years old", "2 years old", "a few")]
    [True, False, True]
    """
    numbers = numbers_in(text, [(stated.start, stated.end) for stated in dates_in(text)])
    return not numbers or any(not number.dimension or number.dimension in dimensions for number in numbers)


def words_before(*excluded: str) -> str:
    """The part of a pattern for up to two words before the name of a quantity: "oil" of "the oil
    temperature", but no word that joins two things, nor what the other patterns match."""
    joined = lexicon.either((*lexicon.words("and"), *lexicon.words("or")))
    return rf"(?:(?!(?:{'|'.join((*excluded, joined))})\b)[\w-]+\s){{0,2}}"


@cache
def _in_unit() -> re.Pattern[str]:
    """For the unit that a question ends with: "How far is it in miles?"."""
    return re.compile(rf"\s(?:{lexicon.any_of('in a unit')})\s([^\W\d_]{{2,}})\W*\Z")


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    """The first that matches tells."""
    before = rf"\W*(?:(?:{lexicon.any_of('before a question word')})\s+){{0,3}}"
    how_much, costs, money, shares, asking, ranks, quantities = map(
        lexicon.any_of,
        (
            "asks how much",
            "costs",
            "money that is asked for",
            "shares of money",
            "asks whether",
            "ranks of quantities",
            "quantities",
        ),
    )
    articles, prepositions, being = (
        lexicon.either(lexicon.words(section)) for section in ("articles", "prepositions", "being")
    )
    what = rf"(?:{lexicon.any_of('asks what number')}|{how_much})(?:\s(?:{being}))?"
    # "What percentage of the salary" is no salary, nor is a "salary increase".
    other_words = words_before(quantities)
    things = rf"{before}{what}\s(?:(?:{articles}|{ranks})\s){{0,3}}{other_words}"
    ends = rf"(?=\W*$|\s(?:{prepositions}|{being}|{asking})\b)"
    verbs = "|".join(
        rf"{re.escape(begin)}\s.{{1,{_MOST_BETWEEN}}}?\b(?:{lexicon.either(ends_with)})"
        for begin, ends_with in lexicon.pairs("asks what it costs")
    )
    # "How much does it cost?", but not "How much time does it cost?"
    much = rf"{before}(?:{how_much})\s(?:(?:{asking})\s(?:[^,;:]{{0,{_MOST_BETWEEN}}}\s)??)?"
    much_of = rf"{before}(?:{how_much})\s(?:{prepositions})\s[^,;:]{{0,{_MOST_BETWEEN}}}?\s"
    of_things = tuple(
        (rf"{before}(?:{lexicon.either(phrases)})\b", _OF_A_THING[name])
        for name, phrases in lexicon.pairs("asks for a dimension")
    )
    of_names = tuple(
        (rf"{things}(?:{lexicon.either(names)}){ends}", _OF_A_THING[dimension])
        for dimension, names in lexicon.pairs("names of dimensions")
    )
    return tuple(
        (re.compile(pattern, re.IGNORECASE), dimensions)
        for pattern, dimensions in (
            *of_things,
            *of_names,
            (rf"(?:{much_of}|{much})(?:{shares})\b|{things}(?:{shares}){ends}", (*_MONEY, "percent")),
            (rf"{much}(?:{costs})\b|{before}(?:{verbs})\b|{things}(?:{money}){ends}", _MONEY),
        )
    )
