"""Checks the facts of a claim against its evidence: numbers, dates, names, quotations, denials (SPEC E2).

No finding means that nothing typed speaks against the claim, not that the evidence bears it out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from bob.answers.claims.alignment import Weight
from bob.answers.claims.cut_out import cut_out
from bob.answers.claims.evidence import Reading, holds, mostly_holds, reading, same_fact
from bob.answers.claims.exceptions import exception_to
from bob.answers.claims.exchanged_words import exchanges
from bob.answers.claims.fact_comparison import (
    ORDINAL,
    Fact,
    bears_out,
    comparable,
    completed,
    date_bears_out,
    differences,
    is_of_fact,
    on_another_side,
    said_in_another_way,
    said_otherwise,
)
from bob.answers.claims.finding import Finding
from bob.answers.claims.rival_names import beside_name, may_be_rivals
from bob.answers.claims.scored_sentences import (
    Scored,
    as_date,
    dates_in,
    has_zero,
    share_name,
    share_word,
    shares_unit,
    written,
)
from bob.answers.claims.single_word_changes import alterations, swaps
from bob.text.clock import TimeOfDay
from bob.text.dates import StatedDate
from bob.text.languages import language_of_sentence
from bob.text.names import Name
from bob.text.numbers import Quantity
from bob.text.polarity import Conflict, claims_too_much, conflicts
from bob.text.words import words_in

_LETTERS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
"""An abbreviation of letters, to which the stop behind it belongs: U.S."""

_BEFORE_ONE = re.compile(r"\b(?:no|any|every|each|either|the)\s+$", re.IGNORECASE)
"""Behind these "one" counts nothing."""

_ALIGNED = 0.5
"""A sentence with this share of the claim's words is about the same: only such a one can contradict it."""

_NEAR_COPY = 0.75
"""With this share the claim is the sentence, perhaps changed; then facts of other sentences count less."""

_STRONG, _WEAK = 0.3, 0.6
"""The share of the best sentence's score from which another one may bear out a number: one that has the same
unit or noun, and one that is merely equal."""

_NEARER = 0.8
"""With less than this share of the score of a sentence that has another number or date, one is about less."""

_FEW = 12
"""So many things may be counted in a source without their number."""

_NAMED = 0.8
"""Where the claim is nearly a copy, the share of the best score from which a sentence may bear out a name."""

_AS_GOOD = 0.9
"""With this share of the best one's score a sentence may be the one that the claim is about."""


def check(
    claim: str, evidence: Sequence[str], rarity: Weight | None = None, rest: Sequence[str] = ()
) -> list[Finding]:
    """What in the evidence speaks against the claim, and what of the claim no evidence has.

    `evidence` are the texts cited or retrieved: sentences or passages. `rarity` weighs words (in lower case)
    in telling which sentence the claim is about; without it all weigh the same. `rest` are texts of the same
    sources that share less with the claim: they contradict nothing, but what they state is not missing, such
    as the day above a report. A claim that is copied from the evidence has no findings.
    """
    language = language_of_sentence(claim)
    claim_reading, readings = reading(claim, language), [reading(text, language) for text in evidence]
    if not claim_reading.tokens or any(map(claim_reading.repeats, readings)):
        return []
    checked = _Check(claim_reading, readings, rarity, rest)
    findings = list(checked.findings())
    against = [finding for finding in findings if finding.outcome == "contradicted"]
    findings += _beside(against, filter(checked.is_told, swaps(claim, evidence)))[:1]
    altered = (
        finding
        for finding in alterations(claim, evidence, language)
        if checked.is_told(finding) and not checked.is_stated(finding)
    )
    findings += _beside(findings, altered)
    findings += _beside(findings, exchanges(claim_reading, readings))
    findings += _beside(findings, cut_out(claim_reading, readings))
    return sorted(findings, key=lambda finding: finding.claim_range)


def _beside(findings: Sequence[Finding], more: Iterable[Finding]) -> list[Finding]:
    """Those of the second that tell something else than the first do; a claim is denied once."""
    denied = any(finding.kind == "negation" for finding in findings)
    return [
        finding
        for finding in more
        if not any(map(finding.overlaps, findings)) and not (denied and finding.kind == "negation")
    ]


class _Check:
    """One claim beside its evidence."""

    def __init__(
        self, claim: Reading, readings: Sequence[Reading], rarity: Weight | None, rest: Sequence[str]
    ) -> None:
        self.claim, self.readings, self._rest = claim, readings, rest
        self.facts = [fact for part in claim.sentences for fact in part.facts]
        measured = [fact for fact in self.facts if fact.kind in ("number", "date")]
        self._weights = weights = {
            word.stem: rarity(word.text) if rarity else 1.0
            for part in claim.sentences
            for word in part.words
            if word.carries_meaning and not any(is_of_fact(word, fact) for fact in measured)
        }
        total = sum(weights.values()) or 1.0
        scored = (
            Scored(index, sentence, part, sum(weights[stem] for stem in weights.keys() & part.stems) / total)
            for index, sentence in enumerate(readings)
            for part in sentence.sentences
        )
        self.scored = sorted(scored, key=lambda sentence: -sentence.score)
        self.excepting: set[int] = set()
        self.best = self.scored[0].score if self.scored else 0.0
        self.near = max(_ALIGNED, _AS_GOOD * self.best)

    @cached_property
    def rest(self) -> list[Reading]:
        """The texts that share little with the claim, read where something is missing in the others."""
        return [reading(text, self.claim.language) for text in self._rest]

    def _everything(self) -> Iterator[Reading]:
        """All texts, the nearest first."""
        yield from self.readings
        yield from self.rest

    def findings(self) -> Iterator[Finding]:
        """All findings, fact by fact."""
        for fact in self.facts:
            if isinstance(fact.meaning, Quantity):
                yield from self._number(fact, fact.meaning)
            elif isinstance(fact.meaning, TimeOfDay):
                yield from self._time(fact, fact.meaning)
            elif isinstance(fact.meaning, StatedDate):
                yield from self._date(fact, fact.meaning)
            elif isinstance(fact.meaning, Name):
                yield from self._name(fact, fact.meaning)
        yield from self._meaning()

    def is_told(self, finding: Finding) -> bool:
        """Whether a denial that only one of a claim and a text has is none of what the text excepts."""
        return finding.kind != "negation" or finding.evidence_index not in self.excepting

    def is_stated(self, finding: Finding) -> bool:
        """Whether the number that a finding is about stands in another sentence that shares as much with the
        claim as the text that has it otherwise: words in the same order are not everything."""
        (start, end), blamed = finding.claim_range, finding.evidence_index
        fact = next((fact for fact in self.facts if fact.start <= start and end <= fact.end), None)
        if fact is None or not isinstance(fact.meaning, Quantity):
            return False
        least = max((scored.score for scored in self.scored if scored.index == blamed), default=0.0)
        others = (scored for scored in self.scored if scored.index != blamed and scored.score >= least)
        return any(scored.states(self.claim, fact) for scored in others)

    def _shown(self, fact: Fact, reading: Reading) -> str:
        shown = " ".join(reading.text[fact.start : fact.end].split())
        is_short = _LETTERS.fullmatch(shown) and reading.text[fact.end : fact.end + 1] == "."
        return f"{shown}." if is_short else shown

    def _finding(self, kind: str, fact: Fact, rival: tuple[Scored, Fact] | None) -> Finding:
        claimed = self._shown(fact, self.claim)
        if rival is None:
            span = (fact.start, fact.end)
            return Finding(kind, span, "missing", f"the source does not say {claimed}")
        scored, other = rival
        reason = f"the source says {self._shown(other, scored.reading)}, the claim {claimed}"
        return Finding(
            kind,
            (fact.start, fact.end),
            "contradicted",
            reason,
            scored.index,
            (other.start, other.end),
        )

    def _counts(self, scored: Scored, share: float) -> bool:
        """Whether a sentence may bear out a fact: nearly as much about the claim as the best one."""
        return scored.score >= (max(share, _WEAK) if self.best >= _NEAR_COPY else share) * self.best

    def _number(self, fact: Fact, quantity: Quantity) -> Iterator[Finding]:
        is_one = quantity.value == 1 and not quantity.dimension
        is_word = is_one and self._shown(fact, self.claim).lower() == "one"
        as_written = written(self._shown(fact, self.claim))
        bearing = next(
            (scored for scored in self.scored if self._numbered(quantity, as_written, scored)), None
        )
        claimed = {fact.meaning.value for fact in self.facts if isinstance(fact.meaning, Quantity)}
        near = [
            (scored, fact_found, fact_found.meaning)
            for scored in self.scored
            if scored.score >= self.near
            for fact_found in scored.sentence.facts
            if isinstance(fact_found.meaning, Quantity) and comparable(quantity, fact_found.meaning)
        ]
        rivals = [each for each in near if each[2].value not in claimed]
        if is_word:
            # "One of them" and "no one" count nothing, but "one member" where the source counts members.
            is_denied = _BEFORE_ONE.search(self.claim.plain[: fact.start])
            rivals = [rival for rival in rivals if set(quantity.heads) & set(rival[2].heads)]
            if is_denied or not rivals:
                return
        for scored, stated, _ in near:
            ways = said_in_another_way(self.claim.plain, fact, scored.reading.plain, stated)
            # A number beyond a bound bears it out less than the bound's own number speaks against it.
            states_it = bearing is not None and bearing.has_value(quantity)
            if ways and (bearing is scored or not states_it):
                shown = self._shown(stated, scored.reading)
                reason = f"{shown}: the source says “{ways[1]}”, the claim “{ways[0]}”"
                yield replace(self._finding("number", fact, (scored, stated)), reason=reason)
                return
        if bearing is not None:
            # Of several numbers of one kind in a sentence it is open which the claim has otherwise.
            named = [
                rival
                for rival in rivals
                if share_name(quantity, rival[2]) and sum(one[0] is rival[0] for one in rivals) == 1
            ]
            if not named or not self._is_nearer(named[0][0], bearing, fact.start):
                return
            rivals = named
        few = quantity.value <= _FEW and not quantity.dimension
        elsewhere = bearing is not None or self._anywhere(quantity, as_written)
        absent = not (few or elsewhere or quantity.dimension == ORDINAL)
        if not rivals:
            yield replace(self._finding("number", fact, None), absent=absent, elsewhere=elsewhere)
            return
        scored, found, other = next((rival for rival in rivals if share_name(quantity, rival[2])), rivals[0])
        kind = "unit" if quantity.factor != other.factor and quantity.shown == other.shown else "number"
        yield replace(self._finding(kind, fact, (scored, found)), absent=absent)

    def _is_nearer(self, rival: Scored, bearing: Scored, at: int) -> bool:
        """Whether a sentence that has another number or date is nearer to the claim than the one that has the
        claim's, so that it says what the claim is about: by its words, or, as rows of one table have the
        same, by the other facts of the claim that it states."""
        if rival is bearing:
            return False
        if bearing.score < _NEARER * rival.score:
            return True
        others = [fact for fact in self.facts if fact.meaning is not None and fact.start != at]
        stated_there, stated_here = (
            sum(scored.states(self.claim, fact) for fact in others) for scored in (rival, bearing)
        )
        return rival.score >= bearing.score and stated_there > stated_here

    def _anywhere(self, quantity: Quantity, written: re.Pattern[str]) -> bool:
        """Whether any text states a number, whatever it counts there."""
        return any(
            written.search(reading.plain) or said_otherwise(quantity, reading.plain)
            for reading in self._everything()
        ) or any(
            bears_out(quantity, other)
            or bears_out(replace(quantity, value=bare), replace(other, value=theirs))
            if isinstance(other, Quantity)
            else isinstance(other, StatedDate) and quantity.value in (other.year, other.day)
            for reading in self._everything()
            for other in (fact.meaning for part in reading.sentences for fact in part.facts)
            for bare, theirs in (
                (
                    quantity.value / quantity.factor,
                    other.value / other.factor if isinstance(other, Quantity) else 0.0,
                ),
            )
        )

    def _numbered(self, quantity: Quantity, written: re.Pattern[str], scored: Scored) -> bool:
        """Whether a sentence bears a number out, in digits, in words or as a year."""
        for fact in scored.sentence.facts:
            if (
                isinstance(fact.meaning, StatedDate)
                and not quantity.dimension
                and quantity.value == fact.meaning.year
            ):
                return True
            if isinstance(fact.meaning, Quantity) and bears_out(quantity, fact.meaning):
                if comparable(quantity, fact.meaning):
                    if self._counts(scored, _STRONG if share_name(quantity, fact.meaning) else _WEAK):
                        return True
                elif not quantity.dimension and scored.score >= _ALIGNED and self._counts(scored, _WEAK):
                    return True
            if isinstance(fact.meaning, Quantity) and shares_unit(quantity, fact.meaning, scored.sentence):
                return scored.score >= _ALIGNED
        plain = scored.reading.part(scored.sentence)
        if scored.score >= _ALIGNED and said_otherwise(quantity, plain):
            return True
        # "18 °C" does not stand in "-18 °C", nor "two hours" in "no longer than two hours" for more than two.
        others = [
            (fact.start - scored.sentence.start, fact.end - scored.sentence.start)
            for fact in scored.sentence.facts
            if isinstance(fact.meaning, Quantity)
            and comparable(quantity, fact.meaning)
            and not bears_out(quantity, fact.meaning)
        ]
        return self._counts(scored, _WEAK) and any(
            not any(start <= match.start() < end for start, end in others)
            for match in written.finditer(plain)
        )

    def _time(self, fact: Fact, claimed: TimeOfDay) -> Iterator[Finding]:
        telling = [
            scored for scored in self.scored if scored.states(self.claim, fact) or scored.has_hour(claimed)
        ]
        bearing = next((scored for scored in telling if self._counts(scored, _STRONG)), None)
        rivals = [
            (scored, other)
            for scored in self.scored
            if scored.score >= self.near
            for other in scored.sentence.facts
            if isinstance(other.meaning, TimeOfDay) and not any(same_fact(own, other) for own in self.facts)
        ]
        if bearing is not None:
            rivals = [rival for rival in rivals if self._is_nearer(rival[0], bearing, fact.start)]
            if not rivals:
                return
        finding = self._finding("number", fact, rivals[0] if rivals else None)
        yield replace(finding, absent=not telling, elsewhere=bool(telling))

    def _date(self, fact: Fact, claimed: StatedDate) -> Iterator[Finding]:
        stated_anywhere = [stated for reading in self._everything() for stated in dates_in(reading)]
        years = {stated.year for stated in stated_anywhere if stated.year}
        dated = [
            (scored, other, stated)
            for scored in self.scored
            for other in scored.sentence.facts
            if (stated := as_date(other)) is not None
        ]
        saying_so = [
            (scored, other)
            for scored, other, stated in dated
            if any(date_bears_out(claimed, date_) for date_ in completed(stated, years))
        ]
        bearing = [scored for scored, _ in saying_so]
        # Of several dates in a sentence the one that differs least is the one that the claim has otherwise.
        apart = sorted(
            (-scored.score, len(differing), number)
            for number, (scored, other, stated) in enumerate(dated)
            if scored.score >= _ALIGNED
            and scored not in bearing
            and not any(same_fact(own, other) for own in self.facts)
            and (differing := list(differences(claimed, stated)))
            and not (isinstance(other.meaning, Quantity) and other.meaning.heads)
        )
        rivals = [dated[number][:2] for _, _, number in apart]
        if opposed := self._on_another_side(fact, saying_so):
            yield opposed
            return
        borne_out = next((scored for scored in bearing if self._counts(scored, _STRONG)), None)
        if borne_out is not None:
            rivals = [rival for rival in rivals if self._is_nearer(rival[0], borne_out, fact.start)]
            if not rivals:
                return
        elsewhere = any(date_bears_out(claimed, stated) for stated in stated_anywhere) or bool(bearing)
        rival = rivals[0] if rivals else None
        absent = not (elsewhere or claimed.decade) and claimed.year is not None and claimed.year not in years
        yield replace(self._finding("date", fact, rival), absent=absent, elsewhere=elsewhere)

    def _on_another_side(self, fact: Fact, saying_so: Iterable[tuple[Scored, Fact]]) -> Finding | None:
        """That of the sentences which state a date one has something on another side of it."""
        for scored, stated in saying_so:
            ways = on_another_side(self.claim.plain, fact, scored.reading.plain, stated)
            # "Not open until 3 May" is open from then on.
            denied = any(other.kind == "negation" for other in (*self.facts, *scored.sentence.facts))
            if ways and not denied and scored.score >= self.near:
                shown = self._shown(stated, scored.reading), self._shown(fact, self.claim)
                reason = f"the source says “{ways[1]} {shown[0]}”, the claim “{ways[0]} {shown[1]}”"
                return replace(self._finding("date", fact, (scored, stated)), reason=reason)
        return None

    def _name(self, fact: Fact, name: Name) -> Iterator[Finding]:
        is_held = any(holds(name, reading) for reading in self._everything())
        near = (scored for scored in self.scored if scored.score >= _NAMED * self.best)
        if is_held and (name.kind == "quote" or self.best < _NEAR_COPY or any(self._has(name, near))):
            sibling = self._sibling(fact, name) if name.kind == "name" else None
            if sibling is not None:
                yield self._finding(fact.kind, fact, sibling)
            return
        enough = {"name": _WEAK, "quote": math.inf}.get(name.kind, _ALIGNED)
        rival = self._other_name(name) if self.best >= enough else None
        other = rival is not None and share_word(name.text, rival[1].value)
        if not is_held and not other and any(mostly_holds(name, reading) for reading in self.readings):
            return
        if rival is not None or not is_held:
            absent = name.kind in ("version", "serial") and not is_held
            yield replace(self._finding(fact.kind, fact, rival), absent=absent)

    def _has(self, name: Name, scored: Iterable[Scored]) -> Iterator[bool]:
        """Whether each of some sentences has a name."""
        parts = (sentence.reading.part(sentence.sentence) for sentence in scored)
        return (holds(name, reading(part, self.claim.language)) for part in parts)

    def _sibling(self, fact: Fact, name: Name) -> tuple[Scored, Fact] | None:
        """A name in the place of one that stands elsewhere, in the sentence that has nearly all other words
        of the claim: with a word of it, or beside the same word. The name's own words tell nothing of which
        sentence the claim is about."""
        own = {word.stem for word in words_in(name.text, self.claim.language)}
        weights = {stem: weight for stem, weight in self._weights.items() if stem not in own}
        total = sum(weights.values())
        if not total or not self.scored:
            return None
        shares = [
            (sum(weights[stem] for stem in weights.keys() & scored.sentence.stems) / total, scored)
            for scored in self.scored
        ]
        most, best = max(shares, key=lambda share: share[0])
        near = (scored for share, scored in shares if share >= _NAMED * most)
        if most < _NEAR_COPY or any(self._has(name, near)):
            return None
        beside = beside_name(self.claim.sentences, fact)
        for other in best.sentence.facts:
            is_rival = isinstance(other.meaning, Name) and may_be_rivals(name, other.meaning)
            if is_rival and isinstance(other.meaning, Name) and not holds(other.meaning, self.claim):
                is_beside = not beside.isdisjoint(beside_name([best.sentence], other))
                same_shape = len(name.text.split()) == len(other.meaning.text.split())
                if share_word(name.text, other.value) or (is_beside and same_shape):
                    return best, other
        return None

    def _other_name(self, name: Name) -> tuple[Scored, Fact] | None:
        """A name of the same kind in the sentence that the claim is about, which the claim does not have."""
        best = self.scored[0]
        for fact in best.sentence.facts:
            other = fact.meaning
            if isinstance(other, Name) and may_be_rivals(name, other) and not holds(other, self.claim):
                return best, fact
        return None

    def _meaning(self) -> Iterator[Finding]:
        """Denials, opposites and quantifiers, of the nearest sentence that conflicts in one; another that is
        as near and agrees settles it where it has all words of the claim that the first has."""
        signed = [word for part in self.claim.sentences for word in part.signed]
        words = [word for part in self.claim.sentences for word in part.words]
        conflicting: tuple[Scored, list[Conflict]] | None = None
        agreeing: list[Scored] = []
        for scored in self.scored:
            if scored.score < self.near:
                break
            against = [
                *conflicts(signed, scored.sentence.signed),
                *claims_too_much(words, scored.sentence.words),
            ]
            if has_zero(self.claim.sentences) != has_zero((scored.sentence,)):
                # "No fee" is a fee of 0.
                against = [conflict for conflict in against if conflict.kind != "negation"]
            excepted = exception_to(self.claim, self._weights, scored.reading, scored.sentence)
            if excepted is not None:
                self.excepting.add(scored.index)
                # Who denies what the sentence excepts says the same.
                denied = any(conflict.kind == "negation" for conflict in against)
                against = [] if denied else [excepted]
            if not against:
                agreeing.append(scored)
            elif conflicting is None:
                conflicting = scored, against
        if conflicting is None:
            return
        scored, against = conflicting
        shared = self._weights.keys() & scored.sentence.stems
        if any(shared <= other.sentence.stems for other in agreeing):
            return
        for conflict in against:
            yield Finding(
                conflict.kind,
                (conflict.claimed.start, conflict.claimed.end),
                "contradicted",
                conflict.reason,
                scored.index,
                (conflict.found.start, conflict.found.end),
            )
