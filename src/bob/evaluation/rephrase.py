"""Says true sentences a little differently, to measure how often the checks of claims flag what is true.

English: contractions, synonyms, numerals, the order of a condition, fillers and markup.
"""

from __future__ import annotations

import re
from random import Random

from bob.text.numbers import SMALL_NUMBERS

_SYNONYMS = {
    "use": "employ",
    "uses": "employs",
    "begin": "start",
    "begins": "starts",
    "large": "big",
    "shows": "displays",
    "show": "display",
    "returns": "gives back",
    "contains": "holds",
    "obtain": "get",
    "whole": "entire",
    "specify": "give",
    "typically": "usually",
    "for example": "e.g.",
    "e.g.": "for example",
    "however": "but",
    "therefore": "so",
    "such as": "like",
    "in order to": "to",
    "need to": "have to",
    "because": "since",
    "works": "functions",
    "method": "method",
    "create": "make",
    "created": "made",
}
_CONTRACTED = {
    "do not": "don't",
    "does not": "doesn't",
    "is not": "isn't",
    "are not": "aren't",
    "cannot": "can't",
    "did not": "didn't",
    "will not": "won't",
    "was not": "wasn't",
    "should not": "shouldn't",
}
_CONTRACTED |= {short: long for long, short in _CONTRACTED.items()}
_FILLER = re.compile(
    r"\b(?:[Pp]lease )?[Nn]ote that (?:the |a )?(?=[a-z])|\b(?:also|simply|just|actually|basically)\s"
)
_CONDITION = re.compile(r"^(If|When) ([^,;:]+), (?!then\b)([A-Za-z`][^,;:]+?)([.!])$")
_SMALL_NUMBER = re.compile(rf"(?<=[a-z] )(?:[2-9]|1[0-2]|{'|'.join(SMALL_NUMBERS[2:])})(?=\s[a-z]{{3}})")
_MARKUP = re.compile(r"`+|(?<!\w)\*\*(?=\w)|(?<=\w)\*\*(?!\w)")


def rephrased(sentence: str, rng: Random) -> str | None:
    """The sentence said a little differently with the same meaning; None where nothing could be changed."""
    ways = [_swapped, _contracted, _without_filler, _condition_last, _other_numerals, _synonym, _unmarked]
    rng.shuffle(ways)
    said = sentence
    for way in ways[:4]:
        said = way(said, rng)
    return said if said != sentence else None


def _table(table: dict[str, str], sentence: str) -> str:
    for word, other in table.items():
        said = re.sub(rf"(?<![\w.'-]){re.escape(word)}(?![\w'-]|\.\w)", other, sentence, count=1)
        if said != sentence:
            return said
    return sentence


def _swapped(sentence: str, rng: Random) -> str:
    return (
        re.sub(r"(?<![\w.-])([a-z]+) and ([a-z]+)(?=[.,](?:\s|$))", r"\2 and \1", sentence, count=1)
        if rng.random() < 0.5
        else sentence
    )


def _contracted(sentence: str, rng: Random) -> str:
    return _table(_CONTRACTED, sentence)


def _synonym(sentence: str, rng: Random) -> str:
    return _table(dict(rng.sample(sorted(_SYNONYMS.items()), len(_SYNONYMS))), sentence)


def _without_filler(sentence: str, rng: Random) -> str:
    said = _FILLER.sub("", sentence, count=1)
    return said[:1].upper() + said[1:]


def _condition_last(sentence: str, rng: Random) -> str:
    match = _CONDITION.match(sentence)
    if match is None:
        return sentence
    conjunction, condition, rest, stop = match.groups()
    return f"{rest[0].upper()}{rest[1:]} {conjunction.lower()} {condition}{stop}"


def _other_numerals(sentence: str, rng: Random) -> str:
    def other(match: re.Match[str]) -> str:
        said = match[0]
        return SMALL_NUMBERS[int(said)] if said.isdigit() else str(SMALL_NUMBERS.index(said))

    return _SMALL_NUMBER.sub(other, sentence, count=1)


def _unmarked(sentence: str, rng: Random) -> str:
    return _MARKUP.sub("", sentence)
