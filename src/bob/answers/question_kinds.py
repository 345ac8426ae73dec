"""Which kind of thing a question wants, and by which words a text is known to have it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from bob.answers.quantity import Quantity
from bob.text import lexicon
from bob.text.dates import MONTHS
from bob.text.languages import is_in_english
from bob.text.number_words import NUMBER_WORDS
from bob.text.units import UNITS

_KINDS = (
    ("", rf"(?:{lexicon.any_of('asks for a name')})\b"),
    (
        "definition",
        r"what(?:(?:'s| is)\s+(?:an?\s+|the\s+)?| are\s+(?!the\s))[\w./`'\"-]+(?:\s[\w./`'\"-]+)?\s*\?*$|"
        r"what does .* (?:mean|stand for)\b|define |"
        rf"{lexicon.any_of('asks for a definition', 'pt', 'de', 'es')}|{lexicon.any_of('asks what')}",
    ),
    ("person", rf"(?:{lexicon.any_of('asks who')})\b"),
    ("reason", lexicon.any_of("asks why")),
    ("way", rf"(?:{lexicon.any_of('asks how')})\b"),
    ("place", rf"(?:{lexicon.any_of('asks where')})\b"),
    (
        "outcome",
        rf"(?:{lexicon.any_of('asks whether it happened')})\b.*\b(?:{lexicon.any_of('what is decided')})\b",
    ),
    (
        "list",
        rf"(?:{lexicon.any_of('asks for several')})\b|"
        r"(?:which|what)\s(?:[\w-]+\s)?[\w-]+(?<![sui])s\s"
        r"(?:are|were|do|does|did|have|had|can|could|may|must|should|will|that|which|I|we|you|they)\b",
    ),
)
_QUESTIONS = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _KINDS)

_OTHERS = tuple(language for language in lexicon.LANGUAGES if language != "en")
_WHETHER = {
    is_english: re.compile(rf"(?:{lexicon.any_of('asks whether', *languages)})\b", re.IGNORECASE)
    for is_english, languages in ((True, ("en",)), (False, _OTHERS))
}
"""By whether a question is in English: "Was kostet es?" asks what."""

_UNITS_OF_TIME = lexicon.either(
    unit for unit, (dimension, _) in UNITS.items() if dimension == "time" and len(unit) > 2
)
_CAPITAL, _SMALL = "[A-ZÀ-ÖØ-Þ]", "[a-zß-öø-ÿ]"
WANTED = {
    "person": re.compile(
        rf"(?<=[a-zß-öø-ÿ,;] ){_CAPITAL}{_SMALL}+|\b{_CAPITAL}{_SMALL}+ {_CAPITAL}{_SMALL}+|"
        r"\b(?:team|we|authors?|maintainers?)\b"
    ),
    "reason": re.compile(rf"\b(?:{lexicon.any_of('reasons')})\b", re.IGNORECASE),
    "way": re.compile(
        r"`[^`]+`|\b(?:you can|use|using|by \w+ing|run|call|add|set|will|steps?|to \w+,)\b|--\w|^\s*[$>]",
        re.IGNORECASE | re.MULTILINE,
    ),
    "place": re.compile(
        rf"\b(?:in|at|on|under|within|inside|from|{lexicon.any_of('parts of an address')})\b|/\w",
        re.IGNORECASE,
    ),
    "outcome": re.compile(rf"\b(?:{lexicon.any_of('what came of it')})\b", re.IGNORECASE),
}
_NAMED_TIMES = "|".join((MONTHS, lexicon.any_of("weekdays", "en"), lexicon.any_of("seasons", "en")))
_TIMES = re.compile(
    r"\b(?:in|at|on|within|from)\s"
    r"(?:(?:the|a|an|this|that|next|last|early|late|mid|same|first|past)[\s-]){0,2}"
    rf"(?:(?:1[5-9]|20)\d\ds?|{_NAMED_TIMES}|"
    rf"(?:(?:\d{{1,4}}|{lexicon.either(NUMBER_WORDS)})\s)?(?:{_UNITS_OF_TIME}))\b",
    re.IGNORECASE,
)
"""Where "in", "at" and "on" tell when: "in summer", "on Monday", "within two days"."""

KNOWN_IN_ENGLISH = ("person", "way", "place")
"""By what these are told apart is known of English alone; in German every noun begins as a name does."""


def tells_place(text: str) -> bool:
    """Whether an English text tells a place.

    >>> tells_place("It is held in the shed in May."), tells_place("It is held in May.")
    (True, False)
    """
    return WANTED["place"].search(_TIMES.sub(" ", text)) is not None


def tells_other_names(text: str, names: Sequence[str]) -> bool:
    """Whether a text has a person's name, or the like, besides those that a question gives.

    >>> tells_other_names("the mate Ben", ["Ben"]), tells_other_names("Ben and Ada row", ["Ben"])
    (False, True)
    """
    given = re.compile(rf"\b(?:{lexicon.either(names)})(?:['’]s)?\b") if names else None
    return WANTED["person"].search(given.sub("…", text) if given else text) is not None


@lru_cache(maxsize=64)
def asks_who_it_is(question: str, names: tuple[str, ...]) -> bool:
    """Whether a question asks who a person is that it names: "Who is Ada Byron?"."""
    given = rf"(?:{lexicon.either(names)})"
    who, being, articles = (lexicon.either(lexicon.words(name)) for name in ("asks who", "being", "articles"))
    return bool(names) and bool(
        re.match(
            rf"\W*(?:{who})\s(?:{being})\s(?:(?:{articles})\s)?{given}(?:\s{given}){{0,5}}\W*$",
            question,
            re.I,
        )
    )


def kind_of(question: str, quantity: Quantity | None) -> str:
    """The kind of thing that a question wants; "" where it does not tell."""
    if quantity is not None:
        return "time" if quantity in ("clock", "date", "time") else "number"
    kind = next((kind for kind, pattern in _QUESTIONS if pattern.match(question)), None)
    if kind is None and _WHETHER[is_in_english(question)].match(question):
        return "whether"
    return kind or ""
