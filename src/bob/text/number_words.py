"""Reads numbers that are written in words: "one hundred and twenty", "zweieinhalb", "duzentos e cinco"."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bob.text import lexicon
from bob.text.stop_words import FUNCTION_WORDS


def _ones(language: str) -> dict[str, int]:
    """The numbers below ten as a language writes them beside tens, where one may be an article."""
    words = lexicon.numbers("articles as numbers", language) | lexicon.numbers("number words", language)
    return {word: value for word, value in words.items() if value < 10}


def _in_one_word() -> dict[str, int]:
    """The numbers that German writes in one word: fünfundzwanzig, dreihundert."""
    tens = lexicon.numbers("number words", "de").items()
    (joined,) = lexicon.phrases("and", "de")
    return {
        f"{unit}{joined}{word}" if value < 100 else f"{unit}{word}": ones + value
        if value < 100
        else ones * value
        for unit, ones in _ones("de").items()
        for word, value in tens
        if 20 <= value <= 100
    }


NUMBER_WORDS = lexicon.numbers("number words") | _in_one_word()
"""Words that are numbers. Left out are those that are other words in another language ("six" is not)."""

SMALL_NUMBERS = tuple(words[0] for _, words in lexicon.pairs("number words", "en")[:13])
"""The English words from zero to twelve."""

TENS = {word: value for word, value in NUMBER_WORDS.items() if value in range(20, 100, 10)}
"""Those before another number word: "twenty" in "twenty-one"."""

_TIMES = {word.lower(): value for word, value in lexicon.numbers("number multipliers").items()}
MULTIPLIER = lexicon.either(word for word in _TIMES if len(word) > 2)
"""The part of a pattern that matches any word that multiplies the number before it."""

_BEFORE_AND = lexicon.numbers("number words before and")
_AND, _JOINS_TENS = (
    frozenset(lexicon.phrases("and", *languages)) for languages in (("en", "pt", "de"), ("pt",))
)
_ONES_BEHIND_AND = _ones("pt")
"""Portuguese joins them to tens: "vinte e cinco"."""
_FRACTIONS = {
    word: float(value) for value, words in lexicon.pairs("fractions before a unit") for word in words
}
_IN_GERMAN = {**_ones("de"), **lexicon.numbers("number words", "de"), **_in_one_word()}
_HUNDREDS_OF_GERMAN = [(value, word) for word, value in _IN_GERMAN.items() if value in (1000, 100)][::-1]
_HALF_IN_ONE_WORD = "einhalb"
_IN_COMPOUNDS = (*(part for _, part in _HUNDREDS_OF_GERMAN), _HALF_IN_ONE_WORD)
_BEGIN = frozenset(
    word
    for words in (NUMBER_WORDS, _BEFORE_AND, *(fraction.split() for fraction in _FRACTIONS))
    for word in words
    if word not in FUNCTION_WORDS
)
"""A text with none of these, and no such compound, has no number in words."""
_SHORTEST_COMPOUND = 9
"""Letters of a German number in one word that the lexicon has not: hundertelf has ten."""

_WORD = re.compile(r"[^\W\d_]+")
_FRACTION = re.compile(rf"\b(?:{lexicon.either(_FRACTIONS)})(?=[\s-])", re.IGNORECASE)
_AND_A_HALF = re.compile(rf"\s(?:{lexicon.any_of('half behind a number')})\b", re.IGNORECASE)


class Spelled(NamedTuple):
    """A number in words at a range of a text. One that `needs_unit` is a number only before a unit or a
    multiplier: half of "half an hour", not of "half a page"."""

    start: int
    end: int
    value: float
    needs_unit: bool = False


def multiplier(written: str | None) -> int:
    """What a word behind a number multiplies it by, also one in the plural; 1 without one."""
    word = (written or "").lower()
    return _TIMES.get(word) or _TIMES.get(word.removesuffix("s"), 1)


def spelled_numbers(plain: str) -> Iterator[Spelled]:
    """The numbers in words of a text without markup, in order.

    >>> [number.value for number in spelled_numbers("One hundred and twenty of two thousand five hundred")]
    [120.0, 2500.0]
    >>> [number.value for number in spelled_numbers("zweieinhalb, hundertzwanzig, vinte e cinco")]
    [2.5, 120.0, 25.0]
    """
    lowered = plain.lower()
    if _BEGIN.isdisjoint(_WORD.findall(lowered)) and not any(part in lowered for part in _IN_COMPOUNDS):
        return
    words = list(_WORD.finditer(plain))
    index = end = 0
    while index < len(words):
        start = words[index].start()
        number = _number_at(plain, words, index)
        if start >= end and number is not None:
            value, after = number
            end = words[after - 1].end()
            half = _AND_A_HALF.match(plain, end)
            end = half.end() if half else end
            yield Spelled(start, end, value + 0.5 if half else value)
        elif start >= end and (fraction := _FRACTION.match(plain, start)):
            end = fraction.end()
            yield Spelled(start, end, _FRACTIONS[fraction[0].lower()], needs_unit=True)
        index += 1


def _number_at(
    plain: str, words: Sequence[re.Match[str]], index: int, below: float = math.inf, *, joined: bool = False
) -> tuple[float, int] | None:
    """The value of the number in words that begins with a word, and the word behind it; None where none
    `below` begins there. `joined` says that it stands behind the "e" of tens."""

    def next_word(number: int) -> str:
        """A word with nothing but a blank or a hyphen before it, or ""."""
        follows = 0 < number < len(words) and plain[words[number - 1].end() : words[number].start()] in (
            " ",
            "-",
        )
        return words[number][0].lower() if follows else ""

    word = words[index][0].lower()
    value = float(_BEFORE_AND.get(word) or (joined and _ONES_BEHIND_AND.get(word)) or _value_of(word) or 0)
    if not 0 < value < below:
        return (0.0, index + 1) if word in NUMBER_WORDS and value < below else None
    first, index = index, index + 1
    while following := next_word(index):
        if value < (times := multiplier(following)) and value * times < below:
            value, index = value * times, index + 1
            continue
        is_and = following in _AND and (value % 100 == 0 or following in _JOINS_TENS)
        ones_alike = following in _JOINS_TENS and value >= min(TENS.values())
        rest = (
            _number_at(plain, words, index + is_and, _room_of(value), joined=ones_alike)
            if not is_and or next_word(index + 1)
            else None
        )
        # Of "between one hundred and two hundred" the second does not go on with the first.
        if rest is None or (is_and and 1 < multiplier(next_word(rest[1])) <= value + rest[0]):
            break
        value, index = value + rest[0], rest[1]
    return None if word in _BEFORE_AND and index == first + 1 else (value, index)


def _room_of(value: float) -> float:
    """Below what a number may be that goes on with this one: five behind twenty, twenty behind a hundred."""
    rooms = (power for power in (1e9, 1e6, 1e3, 100.0, 10.0) if value % power == 0)
    return 1.0 if value % 100 == 10 else next(rooms, 1.0)


def _value_of(word: str) -> float | None:
    value = NUMBER_WORDS.get(word)
    return value if value is not None or len(word) < _SHORTEST_COMPOUND else _value_of_german(word)


def _value_of_german(word: str) -> float | None:
    """The value of a German number in one word: zweitausenddreihundertfünf, zweieinhalb."""
    if word in _IN_GERMAN:
        return _IN_GERMAN[word]
    for value, part in _HUNDREDS_OF_GERMAN:
        before, found, behind = word.partition(part)
        if found:
            times = _value_of_german(before) if before else 1
            rest = _value_of_german(behind.removeprefix("und")) if behind else 0
            return None if times is None or rest is None or rest >= value else times * value + rest
    whole = word.removesuffix(_HALF_IN_ONE_WORD)
    return _IN_GERMAN[whole] + 0.5 if whole != word and whole in _IN_GERMAN else None
