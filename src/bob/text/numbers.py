"""Reads the numbers of a text, in digits or words, with what they count or measure and how exact they are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from bob.text import lexicon
from bob.text.clock import TimeOfDay, times_in
from bob.text.dates import dates_in
from bob.text.languages import ENGLISH_GRAMMAR, OTHER_GRAMMAR
from bob.text.number_words import MULTIPLIER, NUMBER_WORDS, TENS, multiplier, spelled_numbers
from bob.text.stop_words import FUNCTION_WORDS
from bob.text.units import UNITS, unit_named
from bob.text.words import stem

_BOUNDS, _BOUNDS_AFTER = lexicon.by_name("bounds"), lexicon.by_name("bounds after")
_MOST_ZEROS = 300
"""A number with more has no value that a computer can hold."""


def _any_named(cues: dict[str, tuple[str, ...]]) -> str:
    return "|".join(f"(?P<{name}>{lexicon.either(words)})" for name, words in cues.items())


_MIXED = r"\d{1,3} (?:& |and )?[1-9]/[2-9]"
"""A whole number with a fraction: 2 1/2, 4 and 1/4."""
_DIGITS = (
    rf"{_MIXED}(?![\w/])|"
    r"\d{0,4}[½¼¾]|0,\d+(?!\d|,\d)|\d{1,3}(?:,\d{3}){1,8}(?:\.\d+)?(?!\d|,\d)|\d{1,3}(?:\.\d{3}){2,8}(?:,\d+)?(?!\d)|"
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
_OF_UNIT = rf"(?:(?:\.|\sde)(?=\s(?:{_UNIT})(?!\w)))?"
"""The stop of "2 Mio. Euro" or the "de" of "2 milhões de reais"."""
_MULTIPLIED_BY = (
    rf"(?:(?P<times>(?i:(?:{MULTIPLIER})s?)\b|k\b|bn\b|M\b|(?(currency)[mKBb]\b|(?!))){_OF_UNIT})"
)
"""What multiplies a number; m is a metre but behind "£5"."""
_NUMBER = re.compile(
    rf"(?P<debit>(?<!\w)[-−](?=R?[$€£]))?(?P<currency>R?\$|[€£]|(?<!\w)(?:EUR|USD|GBP|BRL)(?=\s\d))?\s?(?<![\w./:#@])(?<![A-Za-z_]-)(?<!--)(?P<sign>(?<!\w)[-−])?"
    rf"(?P<digits>{_DIGITS})(?P<plus>\+)?(?:(?P<ordinal>(?:st|nd|rd|th)\b|[ºª](?!\w|\s?[CF]\b))|"
    rf"\s?{_MULTIPLIED_BY})?"
    rf"(?:[\s-]?(?P<unit>[°º]\s?[CF]|(?<=\d)[CF]|{_UNIT})(?![\w°]))?"
    r"(?!\w|/(?![^\W\d_]{2}|\d{1,3}\s?[°º]?\s?[CF]\b)|\.\d|-[A-Za-z]+\d)"
)
_PARTS_OF_MIXED = re.compile(r"(\d+) \D*(\d)/(\d)")
_DEGREE = re.compile(r"(?:[°º]\s?)?[CF]")
_BEHIND_WORDS = re.compile(
    rf"(?:\s(?P<times>(?i:(?:{MULTIPLIER})s?))\b)?{_OF_UNIT}(?:[\s-](?P<unit>(?-i:{_UNIT}))(?!\w))?",
    re.IGNORECASE,
)
"""What stands behind a number in words."""
_MINUS = re.compile(rf"(?<!\w)(?<!\d\s)(?:{lexicon.any_of('minus')})\s\Z", re.IGNORECASE)
_LONGEST_MINUS = 8
_BELOW_ZERO = ("celsius", "fahrenheit", "degrees")
"""What "minus" stands before as a sign."""
_HALF_BEHIND_UNIT = re.compile(rf"\s(?:{lexicon.any_of('half behind a number', 'pt')})\b")
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
_AND_SMALLER = re.compile(rf",?\s(?:({_JOINED})\s)?")
"""Between the parts of one amount: 1 hour and 45 minutes."""
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
    in_digits = (*_durations(plain), *_in_digits(plain)) if any(map(str.isnumeric, plain)) else ()
    for quantity in (*in_digits, *_in_words(plain)):
        if not any(occupied[quantity.start : quantity.end]):
            occupied[quantity.start : quantity.end] = b"\1" * (quantity.end - quantity.start)
            quantities.append(quantity)
    quantities = _whole_amounts(plain, sorted(quantities, key=lambda quantity: quantity.start))
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


def _whole_amounts(plain: str, quantities: Sequence[Quantity]) -> list[Quantity]:
    """The numbers of a text, those one that are of one amount in two units: 1 hour and 45 minutes."""
    whole: list[Quantity] = []
    for part in quantities:
        before = whole[-1] if whole else None
        if (
            before is not None
            and before.dimension == part.dimension != ""
            and 0 < part.value < before.factor
            and part.factor < before.factor
            and not part.bound
            and (gap := _AND_SMALLER.fullmatch(plain, before.end, part.start))
            # "Nach sechs Stunden 30 Minuten Pause" has two amounts.
            and (gap[1] or not part.heads)
        ):
            value = before.value + part.value
            whole[-1] = replace(part, start=before.start, value=value, bound=before.bound, label=before.label)
        else:
            whole.append(part)
    return whole


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
    hour = int(clock[1])
    return TimeOfDay(*clock.span(), 60 * hour + int(clock[2]), is_sure=hour > 12 or clock[1].startswith("0"))


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
        unit = _degree(match["unit"]) or match["currency"]
        if _GROUP.fullmatch(digits) and ((unit and unit_named(unit) in _COMMA_MONEY) or _has_commas(plain)):
            digits = digits.replace(".", "")
        elif _COMMA_GROUP.fullmatch(digits) and _has_commas(plain, surely=True):
            digits = digits.replace(",", ".")
        value, decimals = _value(digits)
        times = multiplier(match["times"])
        start = match.start(next(part for part in ("debit", "currency", "sign", "digits") if match[part]))
        value = -value if match["sign"] or match["debit"] else value
        plus = "least" if match["plus"] else ""
        whole = not decimals and times == 1
        yield _made(
            plain, start, match.end(), value * times, _step(digits, decimals) * times, unit, plus, whole
        )


def _degree(unit: str | None) -> str | None:
    """A unit of temperature by its one name: "° F", "ºF" and "F" right behind a number are all "°F"."""
    return f"°{unit[-1]}" if unit and _DEGREE.fullmatch(unit) else unit


def _in_words(plain: str) -> Iterator[Quantity]:
    for number in spelled_numbers(plain):
        behind = _BEHIND_WORDS.match(plain, number.end)
        times, unit = (behind["times"], behind["unit"]) if behind else (None, None)
        if number.needs_unit and not (times or unit):
            continue
        value, end = number.value * multiplier(times), behind.end() if behind else number.end
        is_whole = value.is_integer()
        yield _made(plain, number.start, end, value, 1.0 if is_whole else 0.5, unit, "", is_whole)


def _made(
    plain: str, start: int, end: int, value: float, step: float, unit: str | None, bound: str, whole: bool
) -> Quantity:
    dimension, factor = (unit_named(unit) if unit else None) or ("", 1.0)
    if dimension in _BELOW_ZERO and (minus := _MINUS.search(plain, max(0, start - _LONGEST_MINUS), start)):
        value, start = -value, minus.start()
    if dimension and (half := _HALF_BEHIND_UNIT.match(plain, end)):
        value, end = value + 0.5, half.end()
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
    if mixed := _PARTS_OF_MIXED.fullmatch(digits):
        whole, above, below = map(int, mixed.groups())
        return whole + above / below, 2
    compact = digits.replace(" ", "")
    if not compact[-1].isdecimal():
        return float(compact[:-1] or 0) + unicodedata.numeric(compact[-1]), 2
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
