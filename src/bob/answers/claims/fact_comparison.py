"""Whether the dates and numbers that a source states support those of a claim (SPEC E2)."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from bob.text import lexicon
from bob.text.clock import TimeOfDay, times_in
from bob.text.dates import StatedDate, dates_in
from bob.text.names import Name, names_in
from bob.text.negation import SignedWord, quantifiers_in, signed_words
from bob.text.number_words import TENS
from bob.text.numbers import Quantity, heads_behind, numbers_in
from bob.text.units import DECIMAL_AND_BINARY, WORDS_OF, unit_named
from bob.text.words import Word, stem, unmarked, words_in


def completed(date: StatedDate, years: Collection[int | None]) -> Iterator[StatedDate]:
    """A date without a year, with each of the years that its text states elsewhere; any other as it is."""
    if date.year is not None or date.month is None:
        yield date
        return
    for year in (None, *years):
        yield replace(date, year=year)


def date_bears_out(claimed: StatedDate, stated: StatedDate) -> bool:
    """Whether a date says all that the claimed one says; a source may be more exact than a claim."""
    if claimed.decade:
        return stated.year is not None and stated.year // 10 == (claimed.year or 0) // 10
    if stated.decade:
        return False
    pairs = ((claimed.year, stated.year), (claimed.month, stated.month), (claimed.day, stated.day))
    return all(claimed_part is None or claimed_part == stated_part for claimed_part, stated_part in pairs)


def differences(claimed: StatedDate, stated: StatedDate) -> Iterator[str]:
    """The parts that both dates state and in which they differ: year, month, day."""
    for name in ("year", "month", "day"):
        claimed_part, stated_part = getattr(claimed, name), getattr(stated, name)
        if claimed_part is not None and stated_part is not None and claimed_part != stated_part:
            yield name


_ROUNDED_FROM = 10_000
"""Smaller whole numbers are not rounded unless the claim says so: a port 2050 is no port 2049."""

_ROUNDED_WITHIN, _ABOUT = 0.05, 0.1
_CONVERTED_WITHIN = 0.03
"""So far apart are two lengths or weights at most of which one was converted into the other's unit: 200 feet
are 61 metres. Time, sizes and frequencies are converted without a rest."""
_CONVERTED = ("length", "weight", "volume", "area", "speed")

_STANDS_FOR = {
    stem(word): float(value) for value, words in lexicon.pairs("number stand-ins") for word in words
}
_ARTICLES = {word: float(value) for value, words in lexicon.pairs("articles as numbers") for word in words}
_WORDLESS = frozenset([*_STANDS_FOR.values(), *_ARTICLES.values()])
_LETTERS = re.compile(r"[^\W\d_]+")


ORDINAL = "ordinal"
"""The dimension of a place in an order: the third Tuesday is not three Tuesdays."""
_PLACE_OF = {word: float(place) for place, words in lexicon.pairs("ordinals") for word in words}
_ORDINALS = re.compile(
    rf"(?<![\w-])(?:(?P<tens>{lexicon.either(TENS)})-)?(?P<place>{lexicon.either(_PLACE_OF)})\b",
    re.IGNORECASE,
)
_ORDINAL_ENDINGS = ("1st", "2nd", "3rd", "th", "º", "ª")


def _ordinals(plain: str, numbers: Sequence[Quantity]) -> Iterator[Quantity]:
    """The places in an order of what is named behind them; the second in "30 second waits" is a unit."""
    for match in _ORDINALS.finditer(plain):
        is_unit = any(number.start < match.end() and match.start() < number.end for number in numbers)
        if not is_unit and (heads := heads_behind(plain, match.end())):
            tens = TENS[match["tens"].lower()] if match["tens"] else 0
            place = tens + _PLACE_OF[match["place"].lower()]
            yield Quantity(*match.span(), place, 1.0, ORDINAL, heads=heads)


def _in_order(plain: str, quantity: Quantity) -> Quantity:
    """A number that is written as a place in an order, as one."""
    written = plain[quantity.start : quantity.end].lower()
    return replace(quantity, dimension=ORDINAL) if written.endswith(_ORDINAL_ENDINGS) else quantity


def comparable(claimed: Quantity, stated: Quantity) -> bool:
    """Whether two numbers may be about the same: same dimension, or things of one name, or nothing named."""
    if ORDINAL in (claimed.dimension, stated.dimension):
        return claimed.dimension == stated.dimension and bool(set(claimed.heads) & set(stated.heads))
    if claimed.dimension or stated.dimension:
        return claimed.dimension == stated.dimension or _may_be_one_unit(claimed, stated)
    if claimed.heads and stated.heads:
        return bool(set(claimed.heads) & set(stated.heads))
    return not claimed.label or not stated.label or claimed.label == stated.label


_UNITS_OF_ONE_NAME = (
    {unit_named("°"), unit_named("°C")},
    {unit_named("°"), unit_named("°F")},
    {unit_named("£"), unit_named("lb")},
)
"""Units of which one may be meant by the name of the other: 200 degrees, 5 pounds."""


def _may_be_one_unit(claimed: Quantity, stated: Quantity) -> bool:
    """Whether two units of different dimensions may be called the same."""
    return {(quantity.dimension, quantity.factor) for quantity in (claimed, stated)} in _UNITS_OF_ONE_NAME


def bears_out(claimed: Quantity, stated: Quantity) -> bool:
    """Whether the found number makes the claimed one true, units apart from their dimension aside."""
    if claimed.dimension != stated.dimension and _may_be_one_unit(claimed, stated):
        return bears_out(claimed.without_unit(), stated.without_unit())
    aim, value = claimed.value, stated.value
    near = abs(aim - value) <= 1e-9 * max(abs(aim), abs(value))
    if (
        claimed.dimension == "bytes"
        and claimed.factor != stated.factor
        and not near
        and aim > 0
        and value > 0
    ):
        near = max(aim / value, value / aim) <= DECIMAL_AND_BINARY
    if claimed.dimension in _CONVERTED and claimed.factor != stated.factor:
        near = near or abs(aim - value) <= max(_CONVERTED_WITHIN * abs(value), claimed.step / 2)
    if near:
        return not _opposed(claimed.bound, stated.bound)
    if claimed.bound in ("least", "over"):
        return (
            value > aim
            and stated.bound not in ("most", "under")
            and (claimed.bound == "least" or value <= 2 * aim)
        )
    if claimed.bound in ("most", "under"):
        return value < aim and stated.bound not in ("least", "over") and value >= aim / 2
    apart = abs(aim - value) / max(abs(value), 1e-12)
    if claimed.bound == "nearly":
        return value <= aim and apart <= _ABOUT
    if claimed.bound == "about" or stated.bound == "about":
        return apart <= _ABOUT
    rounded = abs(aim - value) <= claimed.step / 2
    coarse = not claimed.whole or abs(value) >= _ROUNDED_FROM or not stated.whole
    return rounded and coarse and apart <= _ROUNDED_WITHIN and claimed.step > stated.step


_CHANGE = re.compile(
    rf"(?P<verb>[^\W\d_]+)\s"
    rf"(?:(?P<by>{lexicon.any_of('changes by')})|(?P<to>{lexicon.any_of('changes to')}))\s\Z",
    re.IGNORECASE,
)
"""What stands before a number that something changes by, or to."""
_LONGEST_CHANGE = 40
_BOUND_WORDS = frozenset(
    word for _, bounds in lexicon.pairs("bounds") for bound in bounds for word in bound.split()
)
_BOUNDS = {"least": "at least", "over": "more than", "most": "at most", "under": "less than"}


def _opposed(claimed: str, stated: str) -> bool:
    lower, upper = ("least", "over"), ("most", "under")
    return (claimed in lower and stated in upper) or (claimed in upper and stated in lower)


def said_otherwise(claimed: Quantity, plain: str) -> bool:
    """Whether a text says a small number without a number: "both", "half" for 50 %, "no files" for 0."""
    value = claimed.value / 100 if claimed.dimension == "percent" else claimed.value / claimed.factor
    counted = {*claimed.heads, *map(stem, WORDS_OF.get((claimed.dimension, claimed.factor), ()))}
    return _stands_for(value, counted, plain)


def _stands_for(value: float, counted: set[str], plain: str) -> bool:
    """Whether a text says a small number without a number: "both", "half", or an article before one of the
    stems that are `counted` ("a file", "no files")."""
    if value not in _WORDLESS:
        return False
    words = [stem(word) for word in _LETTERS.findall(plain.lower())]
    return any(
        _STANDS_FOR.get(word) == value
        or (_ARTICLES.get(word) == value and counted.intersection(words[index + 1 : index + 3]))
        for index, word in enumerate(words)
    )


_ATTRIBUTION = re.compile(
    rf"\b(?i:{lexicon.any_of('according to')})\s+(?:the\s+)?"
    r"(?P<before>[A-Z][\w.'-]*(?:\s[A-Z][\w.'-]*)*)|"
    # What stands behind a capital is inside a name that begins there: looked at from there alone.
    r"(?<![A-Z])(?<![A-Z][\w.'-])(?<![A-Z]\s)(?P<after>[A-Z][\w.'-]*(?:\s[A-Z][\w.'-]*)*)\s(?:said|says|wrote|writes|argue[sd]|claim(?:s|ed)|"
    r"state[sd]|notes?|noted|explain(?:s|ed)|report(?:s|ed)|suggest(?:s|ed))\b"
)


class _Span(Protocol):
    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact at a range of a text.

    Kinds: number (a time of day, too), date, name, quotation, attribution, negation (`value` is the stem
    that is negated) and quantifier. `value` is normalized; `meaning` has the parts of a number, time, date
    or name.
    """

    kind: str
    value: str
    start: int
    end: int
    meaning: Quantity | TimeOfDay | StatedDate | Name | None = None


def said_in_another_way(plain: str, claimed: Fact, source: str, stated: Fact) -> tuple[str, str] | None:
    """How a claim has a number and how its source has the same one, where that is not the same: as the least
    and the most, or "by 30" and "to 30" behind one verb; None where they agree, or the numbers differ."""
    ours, theirs = claimed.meaning, stated.meaning
    if not (isinstance(ours, Quantity) and isinstance(theirs, Quantity) and comparable(ours, theirs)):
        return None
    if not math.isclose(ours.value, theirs.value):
        return None
    if _opposed(ours.bound, theirs.bound):
        return _BOUNDS[ours.bound], _BOUNDS[theirs.bound]
    change, other = _change_before(plain, claimed.start), _change_before(source, stated.start)
    if change is None or other is None or change[0] != other[0] or change[1] == other[1]:
        return None
    return change[2], other[2]


def _change_before(plain: str, start: int) -> tuple[str, str, str] | None:
    """The stem of the verb before a number, "by" or "to", and that word as it is written."""
    match = _CHANGE.search(plain, max(0, start - _LONGEST_CHANGE), start)
    if match is None:
        return None
    return stem(match["verb"].lower()), "by" if match["by"] else "to", match["by"] or match["to"]


_SIDES = {
    "earlier": ("earlier than a date",),
    "until": ("up to a date",),
    "later": ("later than a date",),
    "since": ("from a date on", "beginning with a date"),
}
_OTHER_SIDES = {
    "earlier": ("since",),
    "until": ("later", "since"),
    "later": ("until",),
    "since": ("earlier", "until"),
}
"""Which tells of days that the other does not; "before" and "after" are opposites wherever they stand."""
_SIDE = re.compile(
    r"(?P<word>[^\W\d_]+)\s(?:"
    + "|".join(rf"(?P<{side}>{'|'.join(map(lexicon.any_of, sections))})" for side, sections in _SIDES.items())
    + rf")\s(?:(?:{lexicon.either(lexicon.words('articles'))})\s)?\Z",
    re.IGNORECASE,
)
"""What stands before a date that something goes on to, or begins with."""
_LONGEST_SIDE = 60


def on_another_side(plain: str, claimed: Fact, source: str, stated: Fact) -> tuple[str, str] | None:
    """The words before a date in a claim and in its source, where one tells of the days before it and the
    other of those behind it, of the same: "open until 3 May", "open from 3 May". None where they do not."""
    ours, theirs = _side_before(plain, claimed.start), _side_before(source, stated.start)
    if ours is None or theirs is None or ours[0] != theirs[0] or theirs[1] not in _OTHER_SIDES[ours[1]]:
        return None
    return ours[2], theirs[2]


def _side_before(plain: str, start: int) -> tuple[str, str, str] | None:
    """The stem of the word before what stands before a date, the side of it, and that as it is written."""
    match = _SIDE.search(plain, max(0, start - _LONGEST_SIDE), start)
    if match is None:
        return None
    side = next(side for side in _SIDES if match[side])
    return stem(match["word"].lower()), side, match[side]


def is_of_fact(word: Word, fact: Fact) -> bool:
    """Whether a word is of a number or date: one of its own, or "least" of "at least" right before it."""
    if fact.start <= word.start < fact.end:
        return True
    is_bounded = isinstance(fact.meaning, Quantity) and bool(fact.meaning.bound)
    return is_bounded and word.text in _BOUND_WORDS and 0 < fact.start - word.end <= 1


def facts_of(text: str) -> list[Fact]:
    """The facts of a text, ordered by where they begin."""
    plain = unmarked(text)
    words = words_in(plain)
    return facts_in(text, plain, words, signed_words(words, plain))


def facts_in(text: str, plain: str, words: Sequence[Word], signed: Sequence[SignedWord]) -> list[Fact]:
    """The facts of a text that is also given without markup, as its words and as signed words."""
    names = names_in(text, plain)
    serials = [name for name in names if name.kind == "serial"]
    # 1834 is no year in 21-1834-0020; Monday is a date and no name.
    dates = [date for date in dates_in(plain) if not any(_overlap(date, serial) for serial in serials)]
    times = [
        time
        for time in times_in(plain)
        if not any(_overlap(date, time) for date in dates)
        and not any(_overlap(serial, time) for serial in serials)
    ]
    moments: list[_Span] = [*dates, *times]
    names = [name for name in names if not any(_overlap(moment, name) for moment in moments)]
    taken = [(date.start, date.end) for date in dates] + [(time.start, time.end) for time in times]
    taken += [(name.start, name.end) for name in names if name.kind != "quote"]
    # Twenty is no number in "twenty-first".
    taken += [match.span() for match in _ORDINALS.finditer(plain) if match["tens"]]
    numbers = [_in_order(plain, quantity) for quantity in numbers_in(plain, taken)]
    facts = [
        *(Fact("date", date_.shown, date_.start, date_.end, date_) for date_ in dates),
        *(
            Fact("number", f"{time.minutes // 60}:{time.minutes % 60:02}", time.start, time.end, time)
            for time in times
        ),
        *(
            Fact(_kind(name), " ".join(name.text.lower().split()), name.start, name.end, name)
            for name in names
        ),
        *(
            Fact(
                "number",
                f"{quantity.value:g} {quantity.dimension}".strip(),
                quantity.start,
                quantity.end,
                quantity,
            )
            for quantity in (*numbers, *_ordinals(plain, numbers))
        ),
        *(
            Fact("attribution", match[match.lastgroup or 0].lower(), *match.span(match.lastgroup or 0))
            for match in _ATTRIBUTION.finditer(plain)
        ),
        *(
            Fact("negation", negation.word.stem, negation.cue.start, negation.word.end)
            for negation in signed
            if negation.cue is not None
        ),
        *(Fact("quantifier", kind, word.start, word.end) for kind, word, _ in quantifiers_in(words)),
    ]
    return sorted(facts, key=lambda fact: (fact.start, fact.end, fact.kind))


def _overlap(one: _Span, other: _Span) -> bool:
    return one.start < other.end and other.start < one.end


def _kind(name: Name) -> str:
    return "quotation" if name.kind == "quote" else "name"
