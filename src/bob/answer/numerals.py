"""Words that are numbers, that say how exact a number is, or that stand for one ("both", "half")."""

from __future__ import annotations

import re

from bob.answer.wording import stem

_FROM_ZERO = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen twenty
"""
_FROM_TWO = """
    dois três quatro cinco seis sete oito nove dez;
    zwei drei vier fünf sechs sieben acht neun zehn elf zwölf;
    deux trois quatre cinq _ sept huit _ dix;
    _ tres cuatro _ _ siete ocho nueve diez
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"

TENS = {word: 10 * at for at, word in enumerate(_TENS.split(), 2)}
TIMES = {
    **{"dozen": 12, "hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9},
    **{"trillion": 10**12, "k": 10**3, "bn": 10**9},
}
"""What multiplies the number before it."""

NUMBER_WORDS = {
    **{word: at for at, word in enumerate(_FROM_ZERO.split())},
    **{word: at for words in _FROM_TWO.split(";") for at, word in enumerate(words.split(), 2) if word != "_"},
    **TENS,
    **{"duas": 2, "dozen": 12, "hundred": 100, "thousand": 1000, "million": 10**6},
}
"""Words that are numbers. Left out are those that are other words in another language ("six" is not)."""

BOUNDS = {
    "least": r"at least|no (?:less|fewer) than|a minimum of|minimum|not (?:less|fewer) than|mindestens|"
    r"pelo menos|au moins|al menos",
    "most": r"at most|up to|no more than|not more than|a maximum of|maximum|höchstens|bis zu|até|no máximo|"
    r"jusqu'à|como máximo|hasta",
    "over": r"more than|over|above|greater than|larger than|longer than|exceed(?:s|ing)?|mehr als|über|"
    r"mais de|plus de|más de",
    "under": r"less than|fewer than|under|below|smaller than|shorter than|weniger als|unter|"
    r"menos de|moins de",
    "nearly": r"nearly|almost|close to|quase|presque|casi",
    "about": r"about|around|roughly|approximately|approx\.|circa|ca\.|some|~|≈|etwa|ungefähr|cerca de|"
    r"environ|unos|unas",
    "exactly": r"exactly|precisely|genau|exatamente|exactement|exactamente",
}
"""Phrases before a number that say how exact it is."""

_STANDS_FOR = {
    **{stem(word): 2.0 for word in ("both", "pair", "twice", "double", "couple")},
    **{stem(word): 1.0 for word in ("once", "single")},
    **{stem("triple"): 3.0, stem("half"): 0.5},
}
_ARTICLES = {"a": 1.0, "an": 1.0, "the": 1.0, "no": 0.0, "none": 0.0, "ein": 1.0, "um": 1.0, "un": 1.0}
_WORDLESS = frozenset([*_STANDS_FOR.values(), *_ARTICLES.values()])
_LETTERS = re.compile(r"[^\W\d_]+")


def stands_for(value: float, counted: set[str], plain: str) -> bool:
    """Whether a text says a small number without a number: "both", "half", or an article before one of the
    stems that are `counted` ("a file", "no files")."""
    if value not in _WORDLESS:
        return False
    words = [stem(each) for each in _LETTERS.findall(plain.lower())]
    return any(
        _STANDS_FOR.get(word) == value
        or (_ARTICLES.get(word) == value and counted.intersection(words[at + 1 : at + 3]))
        for at, word in enumerate(words)
    )
