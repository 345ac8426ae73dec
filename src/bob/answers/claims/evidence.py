"""Reads a text once for all claims that are checked against it: its sentences with their words and facts."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from bob.answers.claims.fact_comparison import Fact, bears_out, comparable, date_bears_out, facts_in
from bob.text import lexicon
from bob.text.clock import TimeOfDay
from bob.text.dates import StatedDate
from bob.text.names import Name
from bob.text.negation import SignedWord, signed_words
from bob.text.numbers import Quantity
from bob.text.sentences import sentence_ranges
from bob.text.words import Word, unmarked, words_in

_TOKEN = re.compile(r"[$€£]|--?(?=\w)|\w+(?:[.,:/'-]\w+)*|[%°<>=+*&]")
_WORD = re.compile(r"[^\W_]+")
_CLAUSE_END = re.compile(r";|\n[ \t]*\n")
_JOINT = re.compile(r"[-/:.]\d")
_PEOPLE = re.compile(r"(?:a|i?ans?|n|ns|s)?")
_LAST_PART = re.compile(r"[./:>]+")
_SMALL_BETWEEN = rf"\w*\s+(?:(?:{lexicon.either(set(lexicon.words('parts of a name')))})\s+)*"

_TEXTS_KEPT = 4096
"""So many texts are remembered: those of the sources of the last few hundred answers."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a text: its words with and without signs, their stems, and its facts."""

    start: int
    end: int
    words: tuple[Word, ...]
    signed: tuple[SignedWord, ...]
    stems: frozenset[str]
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as read once. `plain` is the text without markup, each character at its place; `tokens` are its
    words and signs, a blank between two, and `clauses` those of each sentence or part of one up to a
    semicolon, by which a copy is known."""

    text: str
    plain: str
    lower: str
    tokens: str
    clauses: tuple[str, ...]
    stems: frozenset[str]
    sentences: tuple[Sentence, ...]
    language: str = "en"

    def part(self, sentence: Sentence) -> str:
        """A sentence without markup."""
        return self.plain[sentence.start : sentence.end]

    def repeats(self, other: Reading) -> bool:
        """Whether it has sentences or clauses of another text word for word. A part of one is none: "Not all
        members have paid." does not say that all have."""
        own = self.clauses
        starts = range(len(other.clauses) - len(own) + 1)
        return bool(own) and any(other.clauses[start : start + len(own)] == own for start in starts)


@lru_cache(maxsize=_TEXTS_KEPT)
def reading(text: str, language: str = "en") -> Reading:
    """A text as read with the stems of a language: those of the claim, so that both have the same. The same
    object for the same text as long as it is remembered."""
    plain = unmarked(text)
    words = words_in(plain, language)
    signed = signed_words(words, plain)
    facts = facts_in(text, plain, words, signed)
    parts, clauses = [], list[str]()
    for start, end in sentence_ranges(plain):
        ends = [match.end() for match in _CLAUSE_END.finditer(text, start, end)]
        ranges = zip([start, *ends], [*ends, end], strict=True)
        clauses += filter(None, (tokens_of(plain[first:last]) for first, last in ranges))
        own = tuple(word for word in words if start <= word.start < end)
        parts.append(
            Sentence(
                start,
                end,
                own,
                tuple(word for word in signed if start <= word.word.start < end),
                frozenset(word.stem for word in own),
                tuple(fact for fact in facts if start <= fact.start < end),
            )
        )
    stems = frozenset(word.stem for word in words)
    return Reading(
        text, plain, plain.lower(), tokens_of(plain), tuple(clauses), stems, tuple(parts), language
    )


def tokens_of(plain: str) -> str:
    """The words and signs of a text without markup, in lower case, a blank between two."""
    return " ".join(_TOKEN.findall(plain.lower()))


def holds(name: Name, reading: Reading) -> bool:
    """Whether a text has a name: as it is, in a shorter or longer form, or as an acronym."""
    lower = " ".join(name.text.lower().split())
    if name.kind == "quote":
        return " ".join(_WORD.findall(lower)) in " ".join(_WORD.findall(reading.lower))
    bare = lower.removesuffix("()")
    if name.kind == "version":
        return bool(_version(bare).search(reading.lower))
    if name.kind == "serial":
        return _says(reading.lower, bare)
    if _says(reading.lower, bare):
        return True
    own = [word for word in words_in(name.text, reading.language) if word.carries_meaning]
    if own and all(word.stem in reading.stems or _related(word.text, reading) for word in own):
        return True
    if name.kind == "code":
        last = _LAST_PART.split(bare)[-1]
        return len(last) > 2 and last != bare and _says(reading.lower, last)
    return _abbreviates(name.text, reading)


def mostly_holds(name: Name, reading: Reading) -> bool:
    """Whether a text has at least half of the words of a name of several."""
    own = [word for word in words_in(name.text, reading.language) if word.carries_meaning]
    return (
        name.kind == "name"
        and len(own) > 1
        and 2 * sum(word.stem in reading.stems for word in own) >= len(own)
    )


def _related(word: str, reading: Reading) -> bool:
    """Whether a text names the land of a people or the people of a land: Libya, Libyan."""
    root = re.sub(r"(?:a|i?an)s?$", "", word)
    return (
        len(root) > 3
        and root != word
        and any(stem.startswith(root) and _PEOPLE.fullmatch(stem, len(root)) for stem in reading.stems)
    )


@lru_cache(maxsize=1024)
def _version(number: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\d.]){re.escape(number)}(?!\d)")


def _says(lower: str, phrase: str) -> bool:
    """Whether a text has a phrase that is no part of a longer word."""
    position = lower.find(phrase)
    while position >= 0:
        if not _in_word(lower[max(0, position - 1) : position]) and not _in_word(
            lower[position + len(phrase) :][:1]
        ):
            return True
        position = lower.find(phrase, position + 1)
    return False


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _abbreviates(name: str, reading: Reading) -> bool:
    """Whether the name abbreviates words of the text, or the text abbreviates the name."""
    letters = name.replace(".", "").rstrip("s")
    if letters.isascii() and letters.isalpha() and letters.isupper() and 2 <= len(letters) <= 6:
        return bool(_expansion(letters).search(reading.plain))
    initials = "".join(word.text[0] for word in words_in(name) if word.carries_meaning)
    return len(initials) > 1 and initials in reading.stems


@lru_cache(maxsize=1024)
def _expansion(letters: str) -> re.Pattern[str]:
    """The words that an acronym may stand for; two letters are too few to overlook capitals."""
    flags = re.IGNORECASE if len(letters) > 2 else re.NOFLAG
    return re.compile(rf"\b{_SMALL_BETWEEN.join(letters)}\w*", flags)


def written_as_in(claim: Reading, texts: Sequence[Reading]) -> str:
    """A claim with its numbers and dates written as the texts write the same: 61 metres as 200 feet, twelve
    as 12. Who compares words takes them for others."""
    said, reached = "", 0
    for fact in _measured(claim):
        written = (
            text.plain[other.start : other.end]
            for text in texts
            for other in _measured(text)
            if same_fact(fact, other)
        )
        same = None if fact.start < reached or _in_code(claim.plain, fact) else next(written, None)
        if same is not None:
            said, reached = said + claim.text[reached : fact.start] + same, fact.end
    return said + claim.text[reached:]


def _measured(text: Reading) -> Iterator[Fact]:
    """The numbers, times and dates of a text."""
    facts = (fact for part in text.sentences for fact in part.facts)
    return (fact for fact in facts if isinstance(fact.meaning, Quantity | TimeOfDay | StatedDate))


def _in_code(plain: str, fact: Fact) -> bool:
    """Whether a number is part of a longer one: 21-1834-0020."""
    before = plain[max(0, fact.start - 2) : fact.start]
    return any(map(_JOINT.match, (plain[fact.end : fact.end + 2], before[::-1])))


def same_fact(claimed: Fact, stated: Fact) -> bool:
    """Whether two numbers, times or dates are the same, however they are written."""
    one, other = claimed.meaning, stated.meaning
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        bare, theirs = replace(one, bound=""), replace(other, bound="")
        return comparable(one, other) and bears_out(bare, theirs) and bears_out(theirs, bare)
    if isinstance(one, TimeOfDay) and isinstance(other, TimeOfDay):
        return one.is_same(other)
    if isinstance(one, StatedDate) and isinstance(other, StatedDate):
        return date_bears_out(one, other) and date_bears_out(other, one)
    return False


HOLDS_FROM = 0.5
"""The probability from which a claim is supported."""

PARTLY_FROM = 0.25
"""The probability from which at least a part of a claim is."""

_FILE = Path(__file__).with_name("grading.json")
_CERTAIN = 30.0

Tree = Sequence[Sequence[float]]
"""Nodes, the root first: [value] for a leaf, else [signal, threshold, left, right] with the numbers of signal
and nodes; at most the threshold goes left."""


@dataclass(frozen=True, slots=True)
class Grading:
    """A fitted model: a sum over trees. Signals are held within `ranges`, which training saw."""

    names: tuple[str, ...]
    ranges: tuple[tuple[float, float], ...]
    bias: float
    trees: tuple[Tree, ...]

    def probability(self, signals: Mapping[str, float]) -> float:
        """The probability that the claim holds. Raises KeyError when a signal is missing."""
        values = [
            min(max(signals[name], low), high)
            for name, (low, high) in zip(self.names, self.ranges, strict=True)
        ]
        log_odds = self.bias + sum(_leaf(tree, values) for tree in self.trees)
        return 1 / (1 + math.exp(-min(max(log_odds, -_CERTAIN), _CERTAIN)))


def _leaf(tree: Tree, values: Sequence[float]) -> float:
    node = tree[0]
    while len(node) > 1:
        signal, threshold, left, right = node
        node = tree[int(left if values[int(signal)] <= threshold else right)]
    return node[0]


@lru_cache(maxsize=2)
def grading(verified: bool) -> Grading:
    """The model that comes with Bob, for signals with or without what a verifier says."""
    graded = json.loads(_FILE.read_text(encoding="utf-8"))
    return from_json(graded["verified" if verified else "rules"])


def from_json(value: Mapping[str, Any]) -> Grading:
    """A model as `tools/train_grading.py` writes it."""
    return Grading(
        tuple(value["names"]),
        tuple((low, high) for low, high in value["ranges"]),
        value["bias"],
        tuple(value["trees"]),
    )
