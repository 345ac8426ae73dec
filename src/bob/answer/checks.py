"""Checks the facts of a claim against its evidence: numbers, dates, names, quotations, denials (SPEC E2).

No finding means that nothing typed speaks against the claim, not that the evidence bears it out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from bob.answer.facts import Fact, facts_of
from bob.answer.names import Name
from bob.answer.polarity import SignedWord, claims_too_much, conflicts, signed_words
from bob.answer.quantities import Quantity, bears_out, comparable, said_otherwise
from bob.answer.sentences import sentences
from bob.answer.stated_dates import StatedDate, date_bears_out, differences
from bob.answer.wording import Word, unmarked, words_in

Outcome = Literal["missing", "contradicted"]
Rarity = Callable[[str], float]

_TOKEN = re.compile(r"[$€£]|--?(?=\w)|\w+(?:[.,:/'-]\w+)*|[%°<>=+*&]")

_ALIGNED = 0.5
"""A sentence with this share of the claim's words is about the same: only such a one can contradict it."""

_NEAR_COPY = 0.75
"""With this share the claim is the sentence, perhaps changed; then facts of other sentences do not count."""

_STRONG, _WEAK = 0.3, 0.6
"""The share of the best sentence's score from which another one may bear out a number: one that has the same
unit or noun, and one that is merely equal."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What speaks against a claim: the range of it, why, and the place in the evidence that contradicts it.

    `kind` is that of the fact: number, unit, date, name, quotation, attribution, negation, comparison,
    quantifier. `evidence_range` counts in the text at `evidence_index`; both are None when no place is
    to blame.
    """

    kind: str
    claim_range: tuple[int, int]
    outcome: Outcome
    reason: str
    evidence_index: int | None = None
    evidence_range: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence of the evidence as read once: its words with signs, and its facts."""

    start: int
    end: int
    words: tuple[Word, ...]
    signed: tuple[SignedWord, ...]
    stems: frozenset[str]
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class _Reading:
    """A text as read once; ranges are those of the whole text."""

    text: str
    plain: str
    tokens: str
    stems: frozenset[str]
    sentences: tuple[_Sentence, ...]


@dataclass(frozen=True, slots=True)
class _Scored:
    """A sentence of the evidence, and the share of the claim's words that it has."""

    index: int
    reading: _Reading
    sentence: _Sentence
    score: float


def check(claim: str, evidence: Sequence[str], rarity: Rarity | None = None) -> list[Finding]:
    """What in the evidence speaks against the claim, and what of the claim no evidence has.

    `evidence` are the texts cited or retrieved: sentences or passages. `rarity` weighs words (in lower case)
    in telling which sentence the claim is about; without it all weigh the same. A claim that is copied from
    the evidence has no findings.
    """
    readings = [_reading(each) for each in evidence]
    tokens = _tokens(claim)
    if not tokens or any(f" {tokens} " in f" {each.tokens} " for each in readings):
        return []
    asked = _reading(claim)
    return sorted(_Check(asked, readings, rarity).findings(), key=lambda finding: finding.claim_range)


@lru_cache(maxsize=4096)
def _reading(text: str) -> _Reading:
    plain = unmarked(text)
    words, facts = words_in(plain), facts_of(text)
    signed = signed_words(words, plain)
    parts = []
    for start, end in sentences(plain, 0, len(plain)):
        own = tuple(each for each in words if start <= each.start < end)
        parts.append(
            _Sentence(
                start,
                end,
                own,
                tuple(each for each in signed if start <= each.word.start < end),
                frozenset(each.stem for each in own),
                tuple(each for each in facts if start <= each.start < end),
            )
        )
    stems = frozenset(each.stem for each in words)
    return _Reading(text, plain, _tokens(text), stems, tuple(parts))


def _tokens(text: str) -> str:
    return " ".join(_TOKEN.findall(unmarked(text).lower()))


class _Check:
    """One claim beside its evidence."""

    def __init__(self, claim: _Reading, readings: Sequence[_Reading], rarity: Rarity | None) -> None:
        self.claim, self.readings = claim, readings
        self.facts = [fact for part in claim.sentences for fact in part.facts]
        numbers = [each for each in self.facts if each.kind in ("number", "date")]
        weights = {
            word.stem: rarity(word.text) if rarity else 1.0
            for part in claim.sentences
            for word in part.words
            if word.carries_meaning and not any(each.start <= word.start < each.end for each in numbers)
        }
        total = sum(weights.values()) or 1.0
        self.scored = sorted(
            (
                _Scored(at, each, part, sum(weights[stem] for stem in weights.keys() & part.stems) / total)
                for at, each in enumerate(readings)
                for part in each.sentences
            ),
            key=lambda each: -each.score,
        )
        self.best = self.scored[0].score if self.scored else 0.0

    def findings(self) -> Iterator[Finding]:
        """All findings, fact by fact."""
        for fact in self.facts:
            if isinstance(fact.said, Quantity):
                yield from self._number(fact, fact.said)
            elif isinstance(fact.said, StatedDate):
                yield from self._date(fact, fact.said)
            elif isinstance(fact.said, Name):
                yield from self._name(fact, fact.said)
        yield from self._meaning()

    def _shown(self, fact: Fact, reading: _Reading | None = None) -> str:
        return " ".join((reading or self.claim).text[fact.start : fact.end].split())

    def _contradicted(self, kind: str, fact: Fact, scored: _Scored, found: Fact) -> Finding:
        reason = f"the source says {self._shown(found, scored.reading)}, the claim {self._shown(fact)}"
        place = (found.start, found.end)
        return Finding(kind, (fact.start, fact.end), "contradicted", reason, scored.index, place)

    def _missing(self, fact: Fact) -> Finding:
        reason = f"the source does not say {self._shown(fact)}"
        return Finding(fact.kind, (fact.start, fact.end), "missing", reason)

    def _counts(self, scored: _Scored, share: float) -> bool:
        """Whether a sentence may bear out a fact: nearly as much about the claim as the best one."""
        return scored.score >= (max(share, _WEAK) if self.best >= _NEAR_COPY else share) * self.best

    def _number(self, fact: Fact, said: Quantity) -> Iterator[Finding]:
        rival: tuple[_Scored, Fact, Quantity] | None = None
        claimed = {each.said.value for each in self.facts if isinstance(each.said, Quantity)}
        for scored in self.scored:
            for found in scored.sentence.facts:
                if (
                    isinstance(found.said, StatedDate)
                    and not said.dimension
                    and said.value == found.said.year
                ):
                    return
                if not isinstance(found.said, Quantity):
                    continue
                alike = comparable(said, found.said)
                named = alike and _share_name(said, found.said)
                if bears_out(said, found.said) and self._bears(scored, said, found.said, alike, named):
                    return
                if (
                    alike
                    and scored.score >= _ALIGNED
                    and (rival is None or (named and not _share_name(said, rival[2])))
                ):
                    if found.said.value not in claimed and scored.score >= 0.9 * self.best:
                        rival = scored, found, found.said
            if scored.score >= _ALIGNED and said_otherwise(
                said, scored.reading.plain[scored.sentence.start : scored.sentence.end]
            ):
                return
            if re.search(
                rf"(?<![\w.]){re.escape(self._shown(fact))}(?!\w|\.\d)",
                scored.reading.plain[scored.sentence.start : scored.sentence.end],
            ) and self._counts(scored, _WEAK):
                return
        if rival is None:
            yield self._missing(fact)
            return
        kind = "unit" if said.factor != rival[2].factor and said.shown == rival[2].shown else "number"
        yield self._contradicted(kind, fact, rival[0], rival[1])

    def _bears(self, scored: _Scored, said: Quantity, found: Quantity, alike: bool, named: bool) -> bool:
        if alike:
            return self._counts(scored, _STRONG if named else _WEAK)
        if found.dimension and said.dimension:
            return False
        return not said.dimension and self._counts(scored, _WEAK) and scored.score >= _ALIGNED

    def _date(self, fact: Fact, said: StatedDate) -> Iterator[Finding]:
        rival: tuple[_Scored, Fact] | None = None
        for scored in self.scored:
            for found in scored.sentence.facts:
                if isinstance(found.said, StatedDate):
                    if date_bears_out(said, found.said) and self._counts(scored, _STRONG):
                        return
                    if rival is None and scored.score >= _ALIGNED and any(differences(said, found.said)):
                        rival = scored, found
                elif (
                    isinstance(found.said, Quantity) and said.month is None and found.said.value == said.year
                ):
                    return
        yield self._contradicted("date", fact, *rival) if rival else self._missing(fact)

    def _name(self, fact: Fact, said: Name) -> Iterator[Finding]:
        holds = [_holds(said, each) for each in self.readings]
        if any(holds):
            if said.kind == "quote" or self.best < _NEAR_COPY or self._named_near(said):
                return
            rival = self._other_name(said)
            if rival is None:
                return
            yield self._contradicted(fact.kind, fact, *rival)
            return
        rival = self._other_name(said) if self.best >= _ALIGNED and said.kind != "quote" else None
        yield self._contradicted(fact.kind, fact, *rival) if rival else self._missing(fact)

    def _named_near(self, said: Name) -> bool:
        near = (each for each in self.scored if each.score >= _WEAK * self.best)
        return any(
            _holds(said, _reading(each.reading.text[each.sentence.start : each.sentence.end]))
            for each in near
        )

    def _other_name(self, said: Name) -> tuple[_Scored, Fact] | None:
        """A name of the same kind in the sentence that the claim is about, which the claim does not have."""
        best = self.scored[0]
        for found in best.sentence.facts:
            if (
                isinstance(found.said, Name)
                and found.said.kind == said.kind
                and not _holds(found.said, self.claim)
            ):
                return best, found
        return None

    def _meaning(self) -> Iterator[Finding]:
        """Denials, opposites and quantifiers, against each sentence that is as near as the best one."""
        near = [each for each in self.scored if each.score >= max(_ALIGNED, 0.95 * self.best)]
        signed = [word for part in self.claim.sentences for word in part.signed]
        words = [word for part in self.claim.sentences for word in part.words]
        for at, scored in enumerate(near):
            found = [
                *conflicts(signed, scored.sentence.signed),
                *claims_too_much(words, scored.sentence.words),
            ]
            if not found:
                return
            if at + 1 == len(near):
                for each in found:
                    yield Finding(
                        each.kind,
                        (each.claimed.start, each.claimed.end),
                        "contradicted",
                        each.reason,
                        scored.index,
                        (each.found.start, each.found.end),
                    )


def _share_name(said: Quantity, found: Quantity) -> bool:
    return bool(
        (said.dimension and said.dimension == found.dimension)
        or set(said.heads) & set(found.heads)
        or (said.label and said.label == found.label)
    )


def _holds(said: Name, reading: _Reading) -> bool:
    """Whether a text has a name: as it is, in a shorter or longer form, or as an acronym."""
    lower = " ".join(said.text.lower().split())
    plain = reading.plain.lower()
    if said.kind == "quote":
        return _tokens(lower) in reading.tokens
    bare = lower.removesuffix("()").lstrip("v") if said.kind == "version" else lower.removesuffix("()")
    if re.search(rf"(?<![\w]){re.escape(bare)}(?!\w)", plain):
        return True
    if said.kind == "version":
        return False
    own = [each for each in words_in(said.text) if each.carries_meaning]
    if own and all(each.stem in reading.stems for each in own):
        return True
    if said.kind == "code":
        last = re.split(r"[./:>]+", bare)[-1]
        return len(last) > 2 and last != bare and bool(re.search(rf"(?<!\w){re.escape(last)}(?!\w)", plain))
    return _acronym(said.text, reading)


def _acronym(name: str, reading: _Reading) -> bool:
    """Whether the name abbreviates words of the text, or the text abbreviates the name."""
    letters = name.replace(".", "").rstrip("s")
    if letters.isupper() and 2 <= len(letters) <= 6:
        between = r"\w*\s+(?:(?:of|and|for|the|de|da|do|du|der|des|und|et|y)\s+)*"
        words = re.compile(rf"\b{between.join(letters)}\w*", re.IGNORECASE if len(letters) > 2 else 0)
        return bool(words.search(reading.plain))
    initials = "".join(each.text[0] for each in words_in(name) if each.carries_meaning)
    return len(initials) > 1 and initials in reading.stems
