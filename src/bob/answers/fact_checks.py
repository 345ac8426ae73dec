"""Checks the facts of a claim against its evidence: numbers, dates, names, quotations, denials (SPEC E2).

No finding means that nothing typed speaks against the claim, not that the evidence bears it out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from bob.answers.evidence import Reading, Sentence, holds, mostly_holds, reading
from bob.answers.fact_comparison import (
    Fact,
    bears_out,
    comparable,
    completed,
    date_bears_out,
    differences,
    said_otherwise,
)
from bob.answers.single_word_changes import Swap, swaps
from bob.text.dates import StatedDate
from bob.text.names import Name
from bob.text.numbers import Quantity
from bob.text.polarity import claims_too_much, conflicts

Outcome = Literal["missing", "contradicted"]
Rarity = Callable[[str], float]

_ALIGNED = 0.5
"""A sentence with this share of the claim's words is about the same: only such a one can contradict it."""

_NEAR_COPY = 0.75
"""With this share the claim is the sentence, perhaps changed; then facts of other sentences count less."""

_STRONG, _WEAK = 0.3, 0.6
"""The share of the best sentence's score from which another one may bear out a number: one that has the same
unit or noun, and one that is merely equal."""

_NAMED = 0.8
"""Where the claim is nearly a copy, the share of the best score from which a sentence may bear out a name."""

_AS_GOOD = 0.9
"""With this share of the best one's score a sentence may be the one that the claim is about."""


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
class _Scored:
    """A sentence of the evidence, and the share of the claim's words that it has."""

    index: int
    reading: Reading
    sentence: Sentence
    score: float


def check(claim: str, evidence: Sequence[str], rarity: Rarity | None = None) -> list[Finding]:
    """What in the evidence speaks against the claim, and what of the claim no evidence has.

    `evidence` are the texts cited or retrieved: sentences or passages. `rarity` weighs words (in lower case)
    in telling which sentence the claim is about; without it all weigh the same. A claim that is copied from
    the evidence has no findings.
    """
    asked, readings = reading(claim), [reading(each) for each in evidence]
    if not asked.tokens or any(f" {asked.tokens} " in f" {each.tokens} " for each in readings):
        return []
    found = list(_Check(asked, readings, rarity).findings())
    told = {at for each in found if each.outcome == "contradicted" for at in range(*each.claim_range)}
    denied = any(each.kind == "negation" for each in found)
    swapped = [
        swap
        for swap in swaps(claim, evidence)
        if told.isdisjoint(range(*swap.claim_range)) and not (denied and swap.kind == "negation")
    ]
    found += [_swapped(claim, evidence, each) for each in swapped[:1]]
    return sorted(found, key=lambda finding: finding.claim_range)


def _swapped(claim: str, evidence: Sequence[str], swap: Swap) -> Finding:
    said, found = claim[slice(*swap.claim_range)], evidence[swap.index][slice(*swap.evidence_range)]
    reason = f"the source says {found}, the claim {said}"
    return Finding(swap.kind, swap.claim_range, "contradicted", reason, swap.index, swap.evidence_range)


class _Check:
    """One claim beside its evidence."""

    def __init__(self, claim: Reading, readings: Sequence[Reading], rarity: Rarity | None) -> None:
        self.claim, self.readings = claim, readings
        self.facts = [fact for part in claim.sentences for fact in part.facts]
        measured = [each for each in self.facts if each.kind in ("number", "date")]
        weights = {
            word.stem: rarity(word.text) if rarity else 1.0
            for part in claim.sentences
            for word in part.words
            if word.carries_meaning and not any(each.start <= word.start < each.end for each in measured)
        }
        total = sum(weights.values()) or 1.0
        scored = (
            _Scored(at, each, part, sum(weights[stem] for stem in weights.keys() & part.stems) / total)
            for at, each in enumerate(readings)
            for part in each.sentences
        )
        self.scored = sorted(scored, key=lambda each: -each.score)
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

    def _shown(self, fact: Fact, said: Reading) -> str:
        return " ".join(said.text[fact.start : fact.end].split())

    def _finding(self, kind: str, fact: Fact, rival: tuple[_Scored, Fact] | None) -> Finding:
        claimed = self._shown(fact, self.claim)
        if rival is None:
            place = (fact.start, fact.end)
            return Finding(kind, place, "missing", f"the source does not say {claimed}")
        scored, found = rival
        reason = f"the source says {self._shown(found, scored.reading)}, the claim {claimed}"
        return Finding(
            kind,
            (fact.start, fact.end),
            "contradicted",
            reason,
            scored.index,
            (found.start, found.end),
        )

    def _counts(self, scored: _Scored, share: float) -> bool:
        """Whether a sentence may bear out a fact: nearly as much about the claim as the best one."""
        return scored.score >= (max(share, _WEAK) if self.best >= _NEAR_COPY else share) * self.best

    def _number(self, fact: Fact, said: Quantity) -> Iterator[Finding]:
        # "One of them" counts nothing.
        if said.value == 1 and not said.dimension and self._shown(fact, self.claim).lower() == "one":
            return
        written = re.compile(rf"(?<![\w.]){re.escape(self._shown(fact, self.claim))}(?!\w|\.\d)")
        if any(self._numbered(said, written, each) for each in self.scored):
            return
        claimed = {each.said.value for each in self.facts if isinstance(each.said, Quantity)}
        rivals = [
            (scored, found, found.said)
            for scored in self.scored
            if scored.score >= max(_ALIGNED, _AS_GOOD * self.best)
            for found in scored.sentence.facts
            if isinstance(found.said, Quantity)
            and comparable(said, found.said)
            and found.said.value not in claimed
        ]
        if not rivals:
            yield self._finding("number", fact, None)
            return
        scored, found, other = next((rival for rival in rivals if _share_name(said, rival[2])), rivals[0])
        kind = "unit" if said.factor != other.factor and said.shown == other.shown else "number"
        yield self._finding(kind, fact, (scored, found))

    def _numbered(self, said: Quantity, written: re.Pattern[str], scored: _Scored) -> bool:
        """Whether a sentence bears a number out, in digits, in words or as a year."""
        for fact in scored.sentence.facts:
            if isinstance(fact.said, StatedDate) and not said.dimension and said.value == fact.said.year:
                return True
            if isinstance(fact.said, Quantity) and bears_out(said, fact.said):
                if comparable(said, fact.said):
                    if self._counts(scored, _STRONG if _share_name(said, fact.said) else _WEAK):
                        return True
                elif not said.dimension and scored.score >= _ALIGNED and self._counts(scored, _WEAK):
                    return True
        plain = scored.reading.part(scored.sentence)
        if scored.score >= _ALIGNED and said_otherwise(said, plain):
            return True
        return self._counts(scored, _WEAK) and bool(written.search(plain))

    def _date(self, fact: Fact, said: StatedDate) -> Iterator[Finding]:
        years = {
            each.said.year
            for scored in self.scored
            for each in scored.sentence.facts
            if isinstance(each.said, StatedDate) and each.said.year
        }
        rival: tuple[_Scored, Fact] | None = None
        for scored in self.scored:
            for found in scored.sentence.facts:
                if isinstance(found.said, StatedDate):
                    dates = completed(found.said, years)
                    if any(date_bears_out(said, date_) for date_ in dates) and self._counts(scored, _STRONG):
                        return
                    if rival is None and scored.score >= _ALIGNED and any(differences(said, found.said)):
                        rival = scored, found
                elif isinstance(found.said, Quantity) and not said.month and found.said.value == said.year:
                    return
        yield self._finding("date", fact, rival)

    def _name(self, fact: Fact, said: Name) -> Iterator[Finding]:
        known = any(holds(said, each) for each in self.readings)
        near = (each for each in self.scored if each.score >= _NAMED * self.best)
        if known and (
            said.kind == "quote"
            or self.best < _NEAR_COPY
            or any(holds(said, reading(each.reading.part(each.sentence))) for each in near)
        ):
            return
        enough = {"name": _WEAK, "quote": math.inf}.get(said.kind, _ALIGNED)
        rival = self._other_name(said) if self.best >= enough else None
        other = rival is not None and _share_word(said.text, rival[1].value)
        if not known and not other and any(mostly_holds(said, each) for each in self.readings):
            return
        if rival is not None or not known:
            yield self._finding(fact.kind, fact, rival)

    def _other_name(self, said: Name) -> tuple[_Scored, Fact] | None:
        """A name of the same kind in the sentence that the claim is about, which the claim does not have."""
        best = self.scored[0]
        for fact in best.sentence.facts:
            other = fact.said
            if isinstance(other, Name) and other.kind == said.kind and not holds(other, self.claim):
                return best, fact
        return None

    def _meaning(self) -> Iterator[Finding]:
        """Denials, opposites and quantifiers; a sentence as near as the best one that agrees settles it."""
        signed = [word for part in self.claim.sentences for word in part.signed]
        words = [word for part in self.claim.sentences for word in part.words]
        found: list[Finding] = []
        for scored in self.scored:
            if scored.score < max(_ALIGNED, _AS_GOOD * self.best):
                break
            against = [
                *conflicts(signed, scored.sentence.signed),
                *claims_too_much(words, scored.sentence.words),
            ]
            if not against:
                return
            found = found or [
                Finding(
                    each.kind,
                    (each.claimed.start, each.claimed.end),
                    "contradicted",
                    each.reason,
                    scored.index,
                    (each.found.start, each.found.end),
                )
                for each in against
            ]
        yield from found


def _share_word(one: str, other: str) -> bool:
    return not set(one.lower().split()).isdisjoint(other.lower().split())


def _share_name(said: Quantity, found: Quantity) -> bool:
    return bool(
        (said.dimension and said.dimension == found.dimension)
        or set(said.heads) & set(found.heads)
        or (said.label and said.label == found.label)
    )
