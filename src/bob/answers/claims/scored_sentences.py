"""The sentences of the evidence: how much each is about a claim, and what of its facts they state."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from bob.answers.claims.evidence import Reading, Sentence, same_fact
from bob.answers.claims.fact_comparison import Fact, comparable
from bob.text.clock import HALF_DAY, TimeOfDay
from bob.text.dates import StatedDate
from bob.text.number_words import MULTIPLIER
from bob.text.numbers import Quantity


@dataclass(frozen=True, slots=True)
class Scored:
    """A sentence of the evidence, and the share of the claim's words that it has."""

    index: int
    reading: Reading
    sentence: Sentence
    score: float

    def has_value(self, quantity: Quantity) -> bool:
        """Whether it states that very number, whatever its bound."""
        return any(
            isinstance(fact.meaning, Quantity)
            and comparable(quantity, fact.meaning)
            and math.isclose(fact.meaning.value, quantity.value)
            for fact in self.sentence.facts
        )

    def has_hour(self, claimed: TimeOfDay) -> bool:
        """Whether it has a time of day as a bare hour: "at 9" for 9:00."""
        return not claimed.minutes % 60 and any(
            isinstance(fact.meaning, Quantity)
            and not fact.meaning.dimension
            and (60 * fact.meaning.value - claimed.minutes) % HALF_DAY == 0
            for fact in self.sentence.facts
        )

    def states(self, claim: Reading, fact: Fact) -> bool:
        """Whether it states a number, date or name of the claim."""
        as_written = written(claim.plain[fact.start : fact.end])
        return bool(as_written.search(self.reading.part(self.sentence))) or any(
            same_fact(fact, other) for other in self.sentence.facts
        )


@lru_cache(maxsize=1024)
def written(shown: str) -> re.Pattern[str]:
    """A number or name as it is shown, perhaps as a version ("v3.0"), and no part of a larger number."""
    multiplied = rf"(?!(?<=\d)\s(?i:{MULTIPLIER})\b)"
    return re.compile(rf"(?<![\w.])(?<!\d,)[vV]?{re.escape(shown)}(?!\w|\.\d){multiplied}")


def shares_unit(claimed: Quantity, stated: Quantity, sentence: Sentence) -> bool:
    """Whether a bare number of a sentence is the claimed one in a unit that the sentence says of another
    number: "Adults pay 120 euros, children 40"."""
    if stated.dimension or stated.value != claimed.value / claimed.factor:
        return False
    return any(
        isinstance(fact.meaning, Quantity)
        and bool(claimed.dimension)
        and (fact.meaning.dimension, fact.meaning.factor) == (claimed.dimension, claimed.factor)
        for fact in sentence.facts
    )


def has_zero(sentences: Sequence[Sentence]) -> bool:
    """Whether a number of some sentences is 0."""
    return any(
        isinstance(fact.meaning, Quantity) and fact.meaning.value == 0
        for sentence in sentences
        for fact in sentence.facts
    )


def dates_in(reading: Reading) -> Iterator[StatedDate]:
    """The dates that a text states."""
    facts = (fact.meaning for part in reading.sentences for fact in part.facts)
    return (meaning for meaning in facts if isinstance(meaning, StatedDate))


def as_date(fact: Fact) -> StatedDate | None:
    """A fact's date; a number without a unit may be a year."""
    if isinstance(fact.meaning, StatedDate):
        return fact.meaning
    if (
        not isinstance(fact.meaning, Quantity)
        or fact.meaning.dimension
        or not 1000 <= fact.meaning.value < 2100
    ):
        return None
    return StatedDate(fact.start, fact.end, int(fact.meaning.value)) if fact.meaning.whole else None


def share_word(one: str, other: str) -> bool:
    """Whether two texts have a word in common."""
    return not set(one.lower().split()).isdisjoint(other.lower().split())


def share_name(claimed: Quantity, other: Quantity) -> bool:
    """Whether two numbers are of one dimension, or count things of one name."""
    return bool(
        (claimed.dimension and claimed.dimension == other.dimension)
        or set(claimed.heads) & set(other.heads)
        or (claimed.label and claimed.label == other.label)
    )
