"""Finds the numbers of a text with what they count or measure, and tells whether one bears another out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from bob.answer.measures import DECIMAL_AND_BINARY, UNITS, WORDS_OF, unit_named
from bob.answer.numerals import BOUNDS, NUMBER_WORDS, TENS, TIMES, stands_for
from bob.answer.ranges import TakenRanges
from bob.answer.wording import FUNCTION_WORDS, stem

_DIGITS = (
    r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,])|\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?(?!\d)|"
    r"\d{1,3}(?: \d{3}){2,}(?!\d)|\d+,\d{1,2}(?![\d,])|\d+(?:\.\d+)?"
)
_UNIT = "|".join(sorted(map(re.escape, UNITS), key=lambda each: (-len(each), each)))
_NUMBER = re.compile(
    rf"(?P<currency>R?\$|[€£])?\s?(?<![\w./:#@])(?<![A-Za-z_]-)(?<!--)(?P<sign>(?<!\w)-)?"
    rf"(?P<digits>{_DIGITS})(?P<plus>\+)?(?:(?P<ordinal>st|nd|rd|th)\b|"
    rf"\s?(?P<times>(?:million|billion|trillion|thousand|hundred|dozen)s?\b|k\b|bn\b))?"
    rf"(?:[\s-]?(?P<unit>{_UNIT})(?![\w°]))?(?![\w/]|\.\d|-[A-Za-z]+\d)"
)
_IN_WORDS = re.compile(
    rf"\b(?:(?P<tens>{'|'.join(TENS)})-)?(?P<word>{'|'.join(NUMBER_WORDS)})"
    rf"(?:\s(?P<times>hundred|thousand|million|billion|dozen))?\b(?:[\s-](?P<unit>(?-i:{_UNIT}))(?!\w))?",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    rf"(?:^|(?<=[^\w]))(?:{'|'.join(f'(?P<{name}>{said})' for name, said in BOUNDS.items())})\s*$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\s(?:\w+\s)?or (?:(?P<least>more|higher|above|later|longer|greater)|(?P<most>less|fewer|lower|below))\b"
)
_GOES_ON = re.compile(r"\s?(?:-|to|or|and|bis|a|à)\s?")
_HEADS = re.compile(r"[^\W\d_]+")
_LABEL = re.compile(r"([^\W\d_]+)[\s#-]*$")

_HEADS_LOOKED_AT = 3
_ROUNDED_FROM = 10_000
"""Smaller whole numbers are not rounded unless the claim says so: a port 2050 is no port 2049."""

_ROUNDED_WITHIN, _ABOUT = 0.05, 0.1


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number at a range of a text: its value in the base unit of its `dimension` ("" when it counts things
    or stands alone), `step` the value of its last digit that counts, `heads` the stems of the words after it,
    `label` that of the word before it. `bound` is a key of `BOUNDS` or ""."""

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


def quantities_in(plain: str, taken: list[tuple[int, int]]) -> list[Quantity]:
    """The numbers of a text without markup, in order, apart from ranges that are `taken` (dates, names)."""
    found: list[Quantity] = []
    ranges = TakenRanges(len(plain), taken)
    for each in (*_in_digits(plain), *_in_words(plain)):
        if not ranges.meets(each.start, each.end):
            found.append(each)
            ranges.add(each.start, each.end)
    found.sort(key=lambda each: each.start)
    for at in range(len(found) - 1, 0, -1):
        first, second = found[at - 1], found[at]
        if second.dimension and not first.dimension and _GOES_ON.fullmatch(plain, first.end, second.start):
            found[at - 1] = replace(
                first,
                dimension=second.dimension,
                factor=second.factor,
                value=first.value * second.factor,
                step=first.step * second.factor,
            )
    return found


def _in_digits(plain: str) -> Iterator[Quantity]:
    for match in _NUMBER.finditer(plain) if any(map(str.isdigit, plain)) else ():
        digits = match["digits"]
        value, decimals = _value(digits)
        times = TIMES.get((match["times"] or "").rstrip("s").lower(), 1)
        unit = match["unit"] or match["currency"]
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
        word = match["word"].lower()
        value = float(NUMBER_WORDS[word] + (TENS[match["tens"].lower()] if match["tens"] else 0))
        value *= TIMES.get((match["times"] or "").lower(), 1)
        yield _made(plain, match.start(), match.end(), value, 1.0, match["unit"], "", True)


def _made(
    plain: str, start: int, end: int, value: float, step: float, unit: str | None, bound: str, whole: bool
) -> Quantity:
    dimension, factor = (unit_named(unit) if unit else None) or ("", 1.0)
    before = _BEFORE.search(plain, max(0, start - 24), start)
    after = _AFTER.match(plain, end)
    bound = bound or (before.lastgroup if before else "") or (after.lastgroup if after else "") or ""
    label = _LABEL.search(plain[max(0, start - 24) : start])
    named = stem(label[1].lower()) if label and not before and label[1].lower() not in FUNCTION_WORDS else ""
    return Quantity(
        start, end, value * factor, step * factor, dimension, factor, _heads(plain, end), named, bound, whole
    )


def _heads(plain: str, end: int) -> tuple[str, ...]:
    """The stems of the words after a number, as far as no punctuation or grammar ends the phrase."""
    found: list[str] = []
    at = end
    for match in _HEADS.finditer(plain, end, min(len(plain), end + 60)):
        if (
            plain[at : match.start()].strip(" -")
            or match[0].lower() in FUNCTION_WORDS
            or len(found) == _HEADS_LOOKED_AT
        ):
            break
        found.append(stem(match[0].lower()))
        at = match.end()
    return tuple(found)


def _value(digits: str) -> tuple[float, int]:
    """The value of written digits, and how many of them stand after the decimal point."""
    compact = digits.replace(" ", "")
    if re.fullmatch(r"\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?", compact):
        compact = compact.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"\d+,\d{1,2}", compact):
        compact = compact.replace(",", ".")
    compact = compact.replace(",", "")
    return float(compact), len(compact.partition(".")[2])


def _step(digits: str, decimals: int) -> float:
    if decimals:
        return float(10**-decimals)
    compact = re.sub(r"\D", "", digits)
    return float(10 ** (len(compact) - len(compact.rstrip("0") or compact)))


def comparable(claimed: Quantity, found: Quantity) -> bool:
    """Whether two numbers may be about the same: same dimension, or things of one name, or nothing named."""
    if claimed.dimension or found.dimension:
        return claimed.dimension == found.dimension
    if claimed.heads and found.heads:
        return bool(set(claimed.heads) & set(found.heads))
    return not claimed.label or not found.label or claimed.label == found.label


def bears_out(claimed: Quantity, found: Quantity) -> bool:
    """Whether the found number makes the claimed one true, units apart from their dimension aside."""
    aim, value = claimed.value, found.value
    near = abs(aim - value) <= 1e-9 * max(abs(aim), abs(value))
    if claimed.dimension == "bytes" and claimed.factor != found.factor and not near and aim > 0 and value > 0:
        near = max(aim / value, value / aim) <= DECIMAL_AND_BINARY
    if near:
        return not _opposed(claimed.bound, found.bound)
    if claimed.bound in ("least", "over"):
        return (
            value > aim
            and found.bound not in ("most", "under")
            and (claimed.bound == "least" or value <= 2 * aim)
        )
    if claimed.bound in ("most", "under"):
        return value < aim and found.bound not in ("least", "over") and value >= aim / 2
    apart = abs(aim - value) / max(abs(value), 1e-12)
    if claimed.bound == "nearly":
        return value <= aim and apart <= _ABOUT
    if claimed.bound == "about" or found.bound == "about":
        return apart <= _ABOUT
    rounded = abs(aim - value) <= claimed.step / 2
    coarse = not claimed.whole or abs(value) >= _ROUNDED_FROM or not found.whole
    return rounded and coarse and apart <= _ROUNDED_WITHIN and claimed.step > found.step


def _opposed(claimed: str, found: str) -> bool:
    lower, upper = ("least", "over"), ("most", "under")
    return (claimed in lower and found in upper) or (claimed in upper and found in lower)


def said_otherwise(claimed: Quantity, plain: str) -> bool:
    """Whether a text says a small number without a number: "both", "half" for 50 %, "no files" for 0."""
    asked = claimed.value / 100 if claimed.dimension == "percent" else claimed.value / claimed.factor
    counted = {*claimed.heads, *map(stem, WORDS_OF.get((claimed.dimension, claimed.factor), ()))}
    return stands_for(asked, counted, plain)
