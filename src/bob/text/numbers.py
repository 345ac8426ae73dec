"""Reads the numbers of a text, in digits or words, with what they count or measure and how exact they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from bob.text import lexicon
from bob.text.clock import TimeOfDay, times_in
from bob.text.dates import dates_in
from bob.text.languages import ENGLISH_GRAMMAR, OTHER_GRAMMAR
from bob.text.stop_words import FUNCTION_WORDS
from bob.text.units import UNITS, unit_named
from bob.text.words import stem


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
_TENS_BEFORE_AND = tuple(word for word in lexicon.words("number words", "pt") if word in TENS)
_ONES_BEHIND_AND = _ones("pt")
"""Portuguese joins them to tens: "vinte e cinco"."""


_BOUNDS, _BOUNDS_AFTER = lexicon.by_name("bounds"), lexicon.by_name("bounds after")
_MOST_ZEROS = 300
"""A number with more has no value that a computer can hold."""


def _any_named(cues: dict[str, tuple[str, ...]]) -> str:
    return "|".join(f"(?P<{name}>{lexicon.either(words)})" for name, words in cues.items())


_DIGITS = (
    r"0,\d+(?!\d|,\d)|\d{1,3}(?:,\d{3}){1,8}(?:\.\d+)?(?!\d|,\d)|\d{1,3}(?:\.\d{3}){2,8}(?:,\d+)?(?!\d)|"
    r"\d{1,3}(?:\.\d{3}){1,8},\d{1,2}(?!\d|,\d)|\d{1,3}(?: \d{3}){1,8},\d{1,2}(?!\d|,\d)|"
    r"\d{1,3}(?: \d{3}){2,8}(?!\d)|\d+,\d{1,2}(?!\d|,\d)|\d+(?:\.\d+)?"
)
_THOUSANDS = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?!\w|,\d)")
_GROUP = re.compile(r"\d{1,3}\.\d{3}")
"""1500 where a comma stands before decimals, else one and a half."""
_COMMA_GROUP = re.compile(r"\d{1,3},\d{3}")
"""3125, and three and an eighth in a text that surely has commas before decimals."""
_COMMA_MONEY = (unit_named("€"), unit_named("R$"))
_UNIT = "|".join(sorted(map(re.escape, UNITS), key=lambda unit: (-len(unit), unit)))
MULTIPLIER = lexicon.either(word for word in _TIMES if len(word) > 2)
"""The part of a pattern that matches any word that multiplies the number before it."""
_MULTIPLIED_BY = rf"(?:(?P<times>(?i:(?:{MULTIPLIER})s?)\b|k\b|bn\b)(?:(?:\.|\sde)(?=\s(?:{_UNIT})(?!\w)))?)"
"""What multiplies a number, and the stop of "2 Mio. Euro" or the "de" of "2 milhões de reais"."""
_NUMBER = re.compile(
    rf"(?P<currency>R?\$|[€£]|(?<!\w)(?:EUR|USD|GBP|BRL)(?=\s\d))?\s?(?<![\w./:#@])(?<![A-Za-z_]-)(?<!--)(?P<sign>(?<!\w)-)?"
    rf"(?P<digits>{_DIGITS})(?P<plus>\+)?(?:(?P<ordinal>st|nd|rd|th)\b|"
    rf"\s?{_MULTIPLIED_BY})?"
    rf"(?:[\s-]?(?P<unit>{_UNIT})(?![\w°]))?(?!\w|/(?![^\W\d_]{{2}})|\.\d|-[A-Za-z]+\d)"
)
_IN_WORDS = re.compile(
    rf"\b(?:(?P<before>{lexicon.either(_TENS_BEFORE_AND)})\s(?:{lexicon.any_of('and', 'pt')})\s"
    rf"(?P<one>{lexicon.either(_ONES_BEHIND_AND)})|"
    rf"(?:(?P<tens>{'|'.join(TENS)})-)?(?P<word>{lexicon.either(NUMBER_WORDS)}))\b"
    rf"(?:\s{_MULTIPLIED_BY})?(?:[\s-](?P<unit>(?-i:{_UNIT}))(?!\w))?",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    rf"(?:^|(?<=[^\w]))(?:{_any_named(_BOUNDS)})\s*$",
    re.IGNORECASE,
)
_AFTER = re.compile(rf"\s(?:\w+\s)?(?:{_any_named(_BOUNDS_AFTER)})\b")
_AHEAD = re.compile(rf"\s(?:\w+\s)?(?:{lexicon.any_of('ahead of')})\b")
_HEADS = re.compile(r"[^\W\d_]+")
_LABEL = re.compile(r"([^\W\d_]+)[\s#-]*$")

_HEADS_LOOKED_AT = 3

_UP_TO, _JOINED, _WORDS_BETWEEN = (
    lexicon.either(lexicon.words(section)) for section in ("up to a number", "and", "between")
)
_TO, _AND = re.compile(rf"\s?(?:-|–|—|\b(?:{_UP_TO})\b)\s?"), re.compile(rf"\s(?:{_JOINED})\s")
_GOES_ON = re.compile(rf"{_TO.pattern}|{_AND.pattern}|\s(?:{lexicon.either(lexicon.words('or'))})\s")
_BETWEEN = re.compile(rf"\b(?:{_WORDS_BETWEEN})\s$")
_NAMED_NUMBER = "|".join(NUMBER_WORDS)
_IN_BRACKETS = re.compile(rf"\s?\((?:\d[\d.,]{{0,15}}|(?i:(?:(?:{'|'.join(TENS)})-)?(?:{_NAMED_NUMBER})))\)")
_REPEATS = re.compile(rf"(?:\d|\b(?i:{_NAMED_NUMBER}))\s?\([\w.,-]{{1,20}}\Z")
"""A number behind another: "five (5) members"."""
_LONGEST_REPEATED = 40
_CODE = re.compile(r"0\d")
"""How a number begins that counts nothing: 020-7946 is no range."""
_CLOCK = re.compile(r"(\d\d?)(?:[:.]|h(?=\d))([0-5]\d)")
_DURATION = re.compile(r"(?<![\w.])(?=\d+[hm]\d)(?:(\d{1,4})h)?(?:(\d{1,4})m)?(?:(\d{1,4})s)?(?!\w|\.\d)")
"""Of two units at least, as programs write it: 1h30m, 2m0s."""
_SEPARATED = re.compile(
    r"\d{1,15}|\d{1,3}(?:([.,])\d{3})(?:\1\d{3}){0,7}(?:[.,]\d{1,2})?|\d{1,15}[.,]\d{1,2}"
)
_YEAR = re.compile(r"(?:1[89]|20)\d\d")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number at a range of a text: its value in the base unit of its `dimension` ("" when it counts things
    or stands alone), `step` the value of its last digit that counts, `heads` the stems of the words after it,
    `label` that of the word before it. `bound` is a name in the lexicon's section "bounds", or "":
    "latest" is "most", and ahead of something "least"."""

    start: int
    end: int
    value: float
    step: float
    dimension: str = ""
    factor: float = 1.0
    heads: tuple[str, ...] = ()
    label: str = ""
    bound: str = ""
    whole: bool = True

    @property
    def shown(self) -> str:
        """The value as its unit has it, without needless zeros."""
        return f"{self.value / self.factor:,.10g}".replace(",", "")

    def without_unit(self) -> Quantity:
        """The number alone, as its unit has it."""
        value, step = self.value / self.factor, self.step / self.factor
        return replace(self, value=value, step=step, dimension="", factor=1.0)


def numbers_in(plain: str, taken: list[tuple[int, int]]) -> list[Quantity]:
    """The numbers of a text without markup, in order, apart from ranges that are `taken` (dates, names)."""
    quantities: list[Quantity] = []
    occupied = bytearray(len(plain))
    for start, end in taken:
        occupied[start:end] = b"\1" * (min(end, len(plain)) - start)
    in_digits = (*_durations(plain), *_in_digits(plain)) if any(map(str.isdigit, plain)) else ()
    for quantity in (*in_digits, *_in_words(plain)):
        if not any(occupied[quantity.start : quantity.end]):
            occupied[quantity.start : quantity.end] = b"\1" * (quantity.end - quantity.start)
            quantities.append(quantity)
    quantities.sort(key=lambda quantity: quantity.start)
    for index in range(len(quantities) - 1, 0, -1):
        first, second = quantities[index - 1], quantities[index]
        if second.dimension and not first.dimension and _GOES_ON.fullmatch(plain, first.end, second.start):
            quantities[index - 1] = replace(
                first,
                dimension=second.dimension,
                factor=second.factor,
                value=first.value * second.factor,
                step=first.step * second.factor,
            )
    return quantities


@lru_cache(maxsize=256)
def _has_commas(plain: str, surely: bool = False) -> bool:
    """Whether a text is in a language that has a comma before decimals: it has no English word of grammar,
    and one of another language, or several if it has to be sure."""
    words = set(_HEADS.findall(plain.lower()))
    return len(words & OTHER_GRAMMAR) > surely and words.isdisjoint(ENGLISH_GRAMMAR)


def has_number(plain: str, number: str) -> bool:
    """Whether a text without markup has a number, in any notation, perhaps with a name before it, or states a
    range or a bound that it lies in, unless it is a year.

    >>> [has_number("£100 to £500: a director", number) for number in ("300", "700", "2019")]
    [True, False, False]
    >>> [has_number("R$ 1.500,00 um 14.30 Uhr", number) for number in ("1500", "14:30", "1.501")]
    [True, True, False]
    >>> has_number("It opens at 2:30 pm.", "14:30")
    True
    >>> has_number("Call 020-7946.", "300")
    False
    """
    if _written(number).search(plain):
        return True
    if (clock := _CLOCK.fullmatch(number)) and any(map(_time_of(clock).is_same, times_in(plain))):
        return True
    if _SEPARATED.fullmatch(number) and _is_stated(plain, number):
        return True
    return number.isdecimal() and not _YEAR.fullmatch(number) and _takes_in(plain, float(number))


def _time_of(clock: re.Match[str]) -> TimeOfDay:
    return TimeOfDay(*clock.span(), 60 * int(clock[1]) + int(clock[2]), is_sure=False)


def _is_stated(plain: str, number: str) -> bool:
    """Whether a text states the value of a number that may be written with separators."""
    values = {_value(number)[0]} | ({float(number.replace(".", ""))} if _GROUP.fullmatch(number) else set())
    stated = numbers_in(plain, [(date.start, date.end) for date in dates_in(plain)])
    return any(
        quantity.value / quantity.factor in values and not _CODE.match(plain, quantity.start)
        for quantity in stated
    )


@lru_cache(maxsize=64)
def _written(number: str) -> re.Pattern[str]:
    """A number as it stands in a text; that of a name may follow it as in PEP-0020, and a hyphen
    may be a blank."""
    label, _, digits = number.rpartition(" ")
    before = rf"\b{re.escape(label)}\W{{0,3}}0*" if label else r"(?<!\d)"
    joined = re.escape(digits).replace(r"\-", r"[\s-]")
    return re.compile(rf"{before}{joined}(?!\d)")


def _takes_in(plain: str, value: float) -> bool:
    """Whether a range or a bound of a text takes in a number, whatever its unit; 2026-11-26 is no range."""
    quantities = numbers_in(plain, [(stated.start, stated.end) for stated in dates_in(plain)])
    values = [quantity.value / quantity.factor for quantity in quantities]
    for quantity, stated in zip(quantities, values, strict=True):
        over, under = quantity.bound in ("over", "least"), quantity.bound in ("under", "most")
        if (over and stated <= value) or (under and value <= stated):
            return True
    return any(
        low <= value <= high and _is_range(plain, first, second)
        for (first, second), (low, high) in zip(pairwise(quantities), pairwise(values), strict=True)
    )


def _is_range(plain: str, first: Quantity, second: Quantity) -> bool:
    if _CODE.match(plain, first.start):
        return False
    if _TO.fullmatch(plain, first.end, second.start):
        return True
    between = _BETWEEN.search(plain, max(0, first.start - 12), first.start)
    return between is not None and _AND.fullmatch(plain, first.end, second.start) is not None


def _durations(plain: str) -> Iterator[Quantity]:
    for match in _DURATION.finditer(plain):
        hours, minutes, seconds = (int(part or 0) for part in match.groups())
        step = 60.0 if match[3] is None else 1.0
        value = 3600.0 * hours + 60.0 * minutes + seconds
        yield Quantity(*match.span(), value, step, "time", heads=heads_behind(plain, match.end()))


def _in_digits(plain: str) -> Iterator[Quantity]:
    for match in _NUMBER.finditer(plain):
        digits = match["digits"]
        unit = match["unit"] or match["currency"]
        if _GROUP.fullmatch(digits) and ((unit and unit_named(unit) in _COMMA_MONEY) or _has_commas(plain)):
            digits = digits.replace(".", "")
        elif _COMMA_GROUP.fullmatch(digits) and _has_commas(plain, surely=True):
            digits = digits.replace(",", ".")
        value, decimals = _value(digits)
        times = _multiplier(match["times"])
        start = (
            match.start("currency")
            if match["currency"]
            else match.start("sign" if match["sign"] else "digits")
        )
        value = -value if match["sign"] else value
        plus = "least" if match["plus"] else ""
        whole = not decimals and times == 1
        yield _made(
            plain, start, match.end(), value * times, _step(digits, decimals) * times, unit, plus, whole
        )


def _in_words(plain: str) -> Iterator[Quantity]:
    if NUMBER_WORDS.keys().isdisjoint(_HEADS.findall(plain.lower())):
        return
    for match in _IN_WORDS.finditer(plain):
        if match["before"]:
            value = float(TENS[match["before"].lower()] + _ONES_BEHIND_AND[match["one"].lower()])
        else:
            tens = TENS[match["tens"].lower()] if match["tens"] else 0
            value = float(NUMBER_WORDS[match["word"].lower()] + tens)
        value *= _multiplier(match["times"])
        yield _made(plain, match.start(), match.end(), value, 1.0, match["unit"], "", True)


def _multiplier(written: str | None) -> int:
    """What a word behind a number multiplies it by, also one in the plural; 1 without one."""
    word = (written or "").lower()
    return _TIMES.get(word) or _TIMES.get(word.removesuffix("s"), 1)


def _made(
    plain: str, start: int, end: int, value: float, step: float, unit: str | None, bound: str, whole: bool
) -> Quantity:
    dimension, factor = (unit_named(unit) if unit else None) or ("", 1.0)
    before = _BEFORE.search(plain, max(0, start - 24), start)
    after = _AFTER.match(plain, end)
    bound = bound or (before.lastgroup if before else "") or (after.lastgroup if after else "") or ""
    if bound == "latest":
        bound = "least" if _AHEAD.match(plain, end) else "most"
    label = _LABEL.search(plain[max(0, start - 24) : start])
    named = stem(label[1].lower()) if label and not before and label[1].lower() not in FUNCTION_WORDS else ""
    return Quantity(
        start,
        end,
        value * factor,
        step * factor,
        dimension,
        factor,
        heads_behind(plain, end),
        named,
        bound,
        whole,
    )


def heads_behind(plain: str, end: int) -> tuple[str, ...]:
    """The stems of the words after a number, as far as no punctuation or grammar ends the phrase. A number in
    brackets repeats the one before it, and the words after it belong to both."""
    digits: list[str] = []
    repeated = _IN_BRACKETS.match(plain, end)
    if repeated:
        end = repeated.end()
    elif plain[end : end + 1] == ")" and _REPEATS.search(plain, max(0, end - _LONGEST_REPEATED), end):
        end += 1
    position = end
    for match in _HEADS.finditer(plain, end, min(len(plain), end + 60)):
        if (
            plain[position : match.start()].strip(" -")
            or match[0].lower() in FUNCTION_WORDS
            or len(digits) == _HEADS_LOOKED_AT
        ):
            break
        digits.append(stem(match[0].lower()))
        position = match.end()
    return tuple(digits)


def without_separators(text: str) -> str:
    """The text with the commas inside its numbers left out, for who takes them as words.

    >>> without_separators("The tank holds 5,000 litres, 1,2 or 3.")
    'The tank holds 5000 litres, 1,2 or 3.'
    """
    return _THOUSANDS.sub(lambda number: number[0].replace(",", ""), text)


def _value(digits: str) -> tuple[float, int]:
    """The value of written digits, and how many of them stand after the decimal point."""
    compact = digits.replace(" ", "")
    if re.fullmatch(r"\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?|\d{1,3}(?:\.\d{3})+,\d{1,2}", compact):
        compact = compact.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"0,\d+|\d+,\d{1,2}", compact):
        compact = compact.replace(",", ".")
    compact = compact.replace(",", "")
    return float(compact), len(compact.partition(".")[2])


def _step(digits: str, decimals: int) -> float:
    if decimals:
        return float(10**-decimals)
    compact = re.sub(r"\D", "", digits)
    return 10.0 ** min(len(compact) - len(compact.rstrip("0") or compact), _MOST_ZEROS)
