"""Finds what a text states that can be compared: numbers, dates, names, quotations, denials."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bob.text.dates import StatedDate, dates_in
from bob.text.names import Name, names_in
from bob.text.negation import SignedWord, quantifiers_in, signed_words
from bob.text.numbers import Quantity, numbers_in
from bob.text.words import Word, unmarked, words_in

_ATTRIBUTION = re.compile(
    r"\b(?:[Aa]ccording to|[Ss]egundo|[Ll]aut|[Ss]elon|[Ss]egún)\s+(?:the\s+)?"
    r"(?P<before>[A-Z][\w.'-]*(?:\s[A-Z][\w.'-]*)*)|"
    # What stands behind a capital is inside a name that begins there: looked at from there alone.
    r"(?<![A-Z])(?<![A-Z][\w.'-])(?<![A-Z]\s)(?P<after>[A-Z][\w.'-]*(?:\s[A-Z][\w.'-]*)*)\s(?:said|says|wrote|writes|argue[sd]|claim(?:s|ed)|"
    r"state[sd]|notes?|noted|explain(?:s|ed)|report(?:s|ed)|suggest(?:s|ed))\b"
)


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact at a range of a text.

    Kinds: number, date, name, quotation, attribution, negation (`value` is the stem that is negated) and
    quantifier. `value` is normalized; `said` has the parts of a number, date or name.
    """

    kind: str
    value: str
    start: int
    end: int
    said: Quantity | StatedDate | Name | None = None


def facts_of(text: str) -> list[Fact]:
    """The facts of a text, ordered by where they begin."""
    plain = unmarked(text)
    words = words_in(plain)
    return facts_in(text, plain, words, signed_words(words, plain))


def facts_in(text: str, plain: str, words: Sequence[Word], signed: Sequence[SignedWord]) -> list[Fact]:
    """The facts of a text that is also given without markup, as its words and as signed words."""
    dates = dates_in(plain)
    names = [
        each
        for each in names_in(text, plain)
        if not any(date.start < each.end and each.start < date.end for date in dates)
    ]
    taken = [(each.start, each.end) for each in dates]
    taken += [(each.start, each.end) for each in names if each.kind != "quote"]
    found = [
        *(Fact("date", each.shown, each.start, each.end, each) for each in dates),
        *(
            Fact(_kind(each), " ".join(each.text.lower().split()), each.start, each.end, each)
            for each in names
        ),
        *(
            Fact("number", f"{each.value:g} {each.dimension}".strip(), each.start, each.end, each)
            for each in numbers_in(plain, taken)
        ),
        *(
            Fact("attribution", match[match.lastgroup or 0].lower(), *match.span(match.lastgroup or 0))
            for match in _ATTRIBUTION.finditer(plain)
        ),
        *(
            Fact("negation", each.word.stem, each.cue.start, each.word.end)
            for each in signed
            if each.cue is not None
        ),
        *(Fact("quantifier", kind, word.start, word.end) for kind, word, _ in quantifiers_in(words)),
    ]
    return sorted(found, key=lambda fact: (fact.start, fact.end, fact.kind))


def _kind(name: Name) -> str:
    return "quotation" if name.kind == "quote" else "name"
