"""Checks claims against the texts that they cite, without a language model (SPEC E2)."""

from __future__ import annotations

import logging
import math
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, takewhile
from threading import Lock

from bob.answers.answer import Judgement, Span, Verdict
from bob.answers.claims.alignment import Aligned, Tokens, Weight, overlap, signals, tokens_of, tokens_read
from bob.answers.claims.evidence import HOLDS_FROM, PARTLY_FROM, grading, reading, written_as_in
from bob.answers.claims.fact_checks import check
from bob.answers.claims.finding import Finding
from bob.answers.claims.one_place import signals_of_place
from bob.answers.claims.word_rarity import Rarity, WordWeights, unknown
from bob.answers.units.chunk_units import ChunkText, cut_chunks, text_of
from bob.answers.units.spoken_units import TURNS_OF
from bob.answers.units.unit import Unit, states_alone
from bob.core.errors import ModelError
from bob.core.protocols import Verifier, WordEmbedder
from bob.core.search import FoundChunk
from bob.llm.containment import restored
from bob.text.dates import MONTHS_WRITTEN
from bob.text.languages import is_in_english, language_of_sentence
from bob.text.markup import EMPHASIS, asks, ends_with_colon, readable
from bob.text.number_words import NUMBER_WORDS
from bob.text.numbers import without_separators
from bob.text.stop_words import FUNCTION_WORDS

log = logging.getLogger(__name__)

PLACES = 3
"""The passages of so many of the best texts may be the one place that says all of a claim."""

WORDS_AROUND = 30
"""On each side of a text the verifier reads at most so many words more, or one text."""

TEXTS_READ = 16
"""So many sentences of the evidence, those that share most with the claim, are looked at closely."""

NEARLY_SAID = {"contradicted": 0.75, "missing": 0.9}
"""Where one sentence has this share of the claim's other words, by rarity, it is what the claim repeats: a
number, date, name or denial that it has otherwise, or has not at all, is then wrong. Elsewhere it may only be
said otherwise, and counts among the signals."""

IN_THE_BEST = {
    "number": 0.0,
    "date": 0.0,
    "unit": 0.0,
    "exchange": 0.5,
    "quantifier": 0.5,
    "comparison": 0.6,
}
"""The same where the text that bears the claim out best says otherwise. Of claims that were written about
documents for training (`bench/data/claims`) these were wrong: all 62 with such a number or date, 9 of 9
quantifiers, 51 of 54 comparisons."""

_TEXTS_KEPT = 4_096
"""About 30 MB of vectors: the sentences of the last few hundred chunks."""

_Text = tuple[str, str]
"""A text, and the language whose stems it is read with."""

_REASONS = 3
"""So many reasons are told of one claim: who reads them wants to know why, not all."""

_JUST_BELOW = 0.99
_UNSAID = 0.25
_TOLD_OTHERWISE = FUNCTION_WORDS | NUMBER_WORDS.keys() | {month.lower() for month in MONTHS_WRITTEN}
"""Words that are not among those that no source mentions: numbers and dates are checked by what they mean."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text of the evidence with where it stands; None for a heading, which bears out but is not quoted.

    `passage` is all texts of its passage, of which it is that at `position`; `under` is the title with the
    headings above it. `speaker` is who says it, and when, with which the text of a chat or mail begins."""

    text: str
    span: Span | None
    passage: Sequence[str] = ()
    position: int = 0
    under: str = ""
    speaker: str = ""

    @property
    def stated(self) -> str:
        """What it states: when a message was sent is none of it, and a question states nothing."""
        return "" if asks(self.text) else self.text.removeprefix(f"{self.speaker}: ")


@dataclass(slots=True)
class Compared:
    """A claim laid beside its evidence: the signals in `values`, and in `alone` how well each text bears the
    claim out by itself. `said` is the claim with its numbers as the evidence writes them."""

    claim: str
    said: str
    evidence: Sequence[SourceText]
    aligned: Aligned
    texts: Sequence[Aligned]
    values: dict[str, float]
    alone: Sequence[float]
    findings: Sequence[Finding]

    @property
    def ranked(self) -> list[int]:
        """The numbers of the texts, the one that bears the claim out best first."""
        return sorted(range(len(self.alone)), key=lambda index: -self.alone[index])

    def read_beside(self, numbers: Iterable[int]) -> tuple[str, str]:
        """The claim and some of the texts, in their order, as the verifier reads them. It takes "5,000" and
        "5000" for different words, so thousands have no commas."""
        return _said(self.said), _joined(self.evidence[index].text for index in sorted(numbers))

    def read_under_heading(self, numbers: Sequence[int]) -> tuple[str, str]:
        """The same behind the title and headings of the first of them, which say what it is about."""
        claim, read = self.read_beside(numbers)
        return claim, _under(self.evidence[numbers[0]], read)

    def read_around(self, number: int) -> tuple[str, str]:
        """The claim and a text with what stands around it in its passage, behind title and headings."""
        text = self.evidence[number]
        before = _few(reversed(text.passage[: text.position]))
        after = _few(text.passage[text.position + 1 :])
        return _said(self.said), _under(text, _joined([*reversed(before), text.text, *after]))


def _said(text: str) -> str:
    return without_separators(readable(restored(text)))


def _joined(texts: Iterable[str]) -> str:
    """Texts one behind another. What opens a list stands before each of its items, and is said once."""
    joined, openers = list[str](), list[str]()
    for text in texts:
        *own, item = text.split(": ")
        shared = sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(own, openers, strict=False)))
        joined.append(_said(": ".join((*own[shared:], item))))
        openers = own
    return " ".join(filter(None, joined))


def _under(text: SourceText, read: str) -> str:
    return f"{_said(text.under)}: {read}" if text.under else read


def _few(texts: Iterable[str]) -> list[str]:
    """The first text, and more as long as they have few words together."""
    chosen, words = list[str](), 0
    for text in texts:
        words += len(text.split())
        if chosen and words > WORDS_AROUND:
            break
        chosen.append(text)
    return chosen


class JudgeClaims:
    """Judges claims; remembers the sentences that it has read."""

    def __init__(
        self,
        embedder: WordEmbedder,
        verifier: Verifier | None,
        rarity: Callable[[], Rarity] = lambda: unknown,
    ) -> None:
        """Without a `verifier` rules judge alone. `rarity` is asked anew for each call of `judged`, so that
        it may follow an index that grows."""
        self._embedder = embedder
        self._verifier = verifier
        self._rarity = rarity
        self._read: OrderedDict[_Text, Aligned] = OrderedDict()
        self._lock = Lock()

    def judge_claims(self, claims: Sequence[tuple[str, Sequence[FoundChunk]]]) -> list[Judgement]:
        """One judgement a claim, each given with the chunks that it is to be checked against."""
        return self.judged([(claim, list(_evidence(chunks))) for claim, chunks in claims])

    def judged(self, claims: Sequence[tuple[str, Sequence[SourceText]]]) -> list[Judgement]:
        """One judgement a claim, each given with its evidence cut into sentences. A language model read the
        evidence neutralized, so claim and evidence are compared as what that was made from."""
        weight = WordWeights(self._embedder, self._rarity())
        compared = self.compare(claims, weight)
        self._verify([each for each in compared if isinstance(each, Compared)])
        return [self._judged(each, weight) if isinstance(each, Compared) else each for each in compared]

    def compare(
        self, claims: Sequence[tuple[str, Sequence[SourceText]]], weight: Weight
    ) -> list[Compared | Judgement]:
        """Each claim beside the texts of its evidence that are nearest to it; a judgement where there is
        nothing to compare."""
        claims = [
            (restored(claim), [replace(text, text=restored(text.text)) for text in evidence])
            for claim, evidence in claims
        ]
        near: list[tuple[str, str, list[SourceText], list[str]]] = []
        for claim, evidence in claims:
            language = language_of_sentence(claim)
            own = _nearest(tokens_of(readable(claim), language), evidence, weight, language)
            rest = [text.text for text in evidence if text not in own or text.stated != text.text]
            said = written_as_in(reading(claim, language), [reading(e.text, language) for e in own])
            near.append((claim, said, own, rest))
        aligned = self._aligned(
            (readable(text), language_of_sentence(claim))
            for claim, said, own, _ in near
            for text in (said, *(e.text for e in own))
        )
        return [self._compare_one(claim, said, own, rest, aligned, weight) for claim, said, own, rest in near]

    def _compare_one(
        self,
        claim: str,
        said: str,
        evidence: Sequence[SourceText],
        rest: Sequence[str],
        aligned: dict[_Text, Aligned],
        weight: Weight,
    ) -> Compared | Judgement:
        language = language_of_sentence(claim)
        aligned_claim = aligned[readable(said), language]
        if not any(aligned_claim.tokens.stems):
            return Judgement("unsupported", 0.0, reason="it makes no claim that can be checked")
        if not evidence:
            return Judgement("unsupported", 0.0, reason="there is no source for it")
        texts = [aligned[readable(text.text), language] for text in evidence]
        values, alone = signals(aligned_claim, texts, weight, self._embedder.rarity)
        findings = check(claim, [text.stated for text in evidence], weight, rest)
        compared = Compared(claim, said, evidence, aligned_claim, texts, values, alone, findings)
        compared.values |= _counted(findings, compared.ranked[0]) | {"question": float("?" in claim)}
        return compared

    def _verify(self, compared: Sequence[Compared]) -> None:
        """Add what the verifier says of the best texts of each claim; nothing without a verifier, or where it
        cannot be loaded. It has read nothing but English."""
        compared = [each for each in compared if is_in_english(each.claim)]
        if self._verifier is None or not compared:
            return
        read = [_read(each) for each in compared]
        distinct = list(dict.fromkeys(pair for pairs in read for pair in pairs))
        try:
            said = dict(zip(distinct, self._verifier.judge_pairs(distinct), strict=True))
        except ModelError as error:
            log.warning("claims are judged by rules alone: %s", error)
            return
        for each, pairs in zip(compared, read, strict=True):
            each.values |= _verified([said[pair] for pair in pairs])

    def _judged(self, compared: Compared, weight: Weight) -> Judgement:
        evidence, aligned_claim = compared.evidence, compared.aligned
        texts, alone, findings = compared.texts, compared.alone, compared.findings
        spans = (evidence[number].span for number in compared.ranked)
        places = [span.chunk for span in islice(filter(None, spans), PLACES)]
        language = language_of_sentence(compared.claim)
        of_place = signals_of_place(compared.claim, aligned_claim.tokens, places, weight, language)
        values = compared.values | of_place
        said = reading(compared.said, language)
        is_repeated = any(said.repeats(reading(text.text, language)) for text in evidence)
        score = 1.0 if is_repeated else grading("entailed" in values).probability(values)
        quotable = [index for index, text in enumerate(evidence) if text.span is not None]
        best = max(quotable, key=alone.__getitem__, default=None)
        support = None if best is None else evidence[best].span
        decisive = _decisive(compared, weight)
        if decisive:
            score = min(score, HOLDS_FROM * _JUST_BELOW)
        if score >= HOLDS_FROM and support is not None:
            return Judgement("supported", score, support, signals=values)
        against = _against(decisive, evidence)
        told = decisive or [each for each in findings if each.outcome != "missing" or not each.elsewhere]
        reasons = list(dict.fromkeys(finding.reason for finding in told))[:_REASONS]
        reason = "; ".join(reasons) or _unsaid(aligned_claim, texts, weight)
        if any(finding.outcome == "contradicted" for finding in decisive):
            return Judgement("contradicted", score, support, reason, against, values, decided=True)
        partly = score >= PARTLY_FROM and support is not None and not decisive
        verdict: Verdict = "partly" if partly else "unsupported"
        return Judgement(verdict, score, support, reason, against, values, decided=bool(decisive))

    def _aligned(self, texts: Iterable[_Text]) -> dict[_Text, Aligned]:
        """Each text as it was read; several threads judge at once, so what one reads another may push out."""
        distinct = list(dict.fromkeys(texts))
        with self._lock:
            aligned = {text: self._read[text] for text in distinct if text in self._read}
        missing = [text for text in distinct if text not in aligned]
        tokens = [tokens_of(*text) for text in missing]
        vectors = self._embedder.word_vectors([text.words for text in tokens])
        aligned |= dict(zip(missing, map(Aligned, tokens, vectors), strict=True))
        with self._lock:
            for text in distinct:
                self._read[text] = aligned[text]
                self._read.move_to_end(text)
            while len(self._read) > _TEXTS_KEPT:
                self._read.popitem(last=False)
        return aligned


def _evidence(chunks: Sequence[FoundChunk]) -> Iterator[SourceText]:
    for chunk in chunks:
        under, said, units = _headings_of(chunk), list[str](), _units(text_of(chunk))
        is_spoken = chunk.source_type in TURNS_OF
        for unit in units:
            is_told = unit.cells or unit.under or unit.kind == "field"
            said.append(unit.said if is_told else chunk.text[unit.start : unit.end])
        for index, unit in enumerate(units):
            # What somebody asks is no source; who answers is read beside it. In a text the answer follows.
            if asks(said[index]) and (is_spoken or all(map(asks, said[index + 1 : index + 2]))):
                continue
            speaker = unit.under if is_spoken else ""
            yield SourceText(said[index], Span(chunk, unit.start, unit.end), said, index, under, speaker)
    for heading in dict.fromkeys(map(_headings_of, chunks)):
        yield SourceText(heading, None)


def _headings_of(chunk: FoundChunk) -> str:
    return " ".join(dict.fromkeys((chunk.title, *chunk.heading_path)))


@lru_cache(maxsize=_TEXTS_KEPT // 8)
def _units(chunk: ChunkText) -> Sequence[Unit]:
    [(cut, beside)] = cut_chunks([chunk])
    # An item of a word or two has those of many claims that it does not bear out.
    units = [unit for unit in cut if unit.kind != "item" or states_alone(unit, chunk.text)]
    return [*(unit for unit in beside if unit.kind == "field"), *_behind_openers(units)]


def _behind_openers(units: Sequence[Unit]) -> Iterator[Unit]:
    """The units, each item of a list behind the sentence that opens it: "Not covered:" denies its items."""
    opener = ""
    for unit in units:
        if unit.kind != "item":
            opener = unit.line.rstrip(f"{EMPHASIS}:") if ends_with_colon(unit.line) else ""
        yield replace(unit, under=opener) if unit.kind == "item" and opener and not unit.under else unit


def _nearest(
    claim: Tokens, evidence: Sequence[SourceText], weight: Weight, language: str
) -> list[SourceText]:
    texts = [(text, tokens_read(text.text, language)) for text in evidence]
    ranked = sorted(
        (
            (overlap(claim, tokens, weight), -index, text)
            for index, (text, tokens) in enumerate(texts)
            if any(tokens.stems)
        ),
        key=lambda scored: scored[:2],
        reverse=True,
    )
    return [text for _, _, text in sorted(ranked[:TEXTS_READ], key=lambda scored: -scored[1])]


def _read(compared: Compared) -> list[tuple[str, str]]:
    """What the verifier reads beside a claim: the best text, the best two, the best in its passage, and the
    best two under their headings."""
    ranked = compared.ranked
    texts = [compared.read_beside(ranked[:1]), compared.read_beside(ranked[:2])]
    return [*texts, compared.read_around(ranked[0]), compared.read_under_heading(ranked[:2])]


def _verified(said: Sequence[tuple[float, float]]) -> dict[str, float]:
    """What the verifier says of what it has read beside a claim, as signals."""
    one, two = said[:2]
    return {
        "entailed": max(entailed for entailed, _ in said),
        "entailed_by_one": one[0],
        "entailed_by_two": two[0],
        "denied": max(denied for _, denied in said),
        "denied_by_one": one[1],
        "denied_by_two": two[1],
    }


_MEASURES = ("number", "date", "unit", "quantifier")
_TOLD_APART = {"negation": "denied", "comparison": "opposed", "name": "named"} | dict.fromkeys(
    _MEASURES, "measured"
)
"""What the best text has otherwise, by the kind of the finding."""


def _counted(findings: Sequence[Finding], best: int) -> dict[str, float]:
    """The findings as signals: of each kind at most three. What the `best` text has otherwise counts by its
    kind too, and so does what only another text states."""
    missing = [finding for finding in findings if finding.outcome == "missing"]
    kinds = [finding.kind for finding in missing]
    elsewhere = [finding.kind for finding in missing if finding.elsewhere]
    otherwise = {
        _TOLD_APART.get(finding.kind)
        for finding in findings
        if finding.outcome == "contradicted" and finding.evidence_index == best
    }
    return {
        **{f"{kind}_missing": float(min(kinds.count(kind), 3)) for kind in ("number", "date", "name")},
        **{f"{kind}_elsewhere": float(min(elsewhere.count(kind), 3)) for kind in ("number", "date")},
        **{f"{kind}_otherwise": float(kind in otherwise) for kind in sorted({*_TOLD_APART.values()})},
        "contradicted": float(min(len(findings) - len(missing), 3)),
    }


def _decisive(compared: Compared, weight: Weight) -> list[Finding]:
    """The findings that settle the verdict: one text says the claim but for what they are about, the best one
    has a number otherwise, or none states the number at all."""
    if not compared.findings:
        return []
    rest = compared.claim
    for start, end in (finding.claim_range for finding in compared.findings):
        rest = rest[:start] + " " * (end - start) + rest[end:]
    tokens = tokens_of(readable(rest), language_of_sentence(compared.claim))
    near = [overlap(tokens, text.tokens, weight) for text in compared.texts]
    best = compared.ranked[0]

    def says_it(finding: Finding) -> float:
        # A text that has it otherwise must be about the same itself.
        blamed = finding.evidence_index if finding.outcome == "contradicted" else None
        return max(near) if blamed is None else near[blamed]

    return [
        finding
        for finding in compared.findings
        if finding.absent
        or says_it(finding) >= _decides_from(finding, in_best=finding.evidence_index == best)
    ]


def _decides_from(finding: Finding, *, in_best: bool) -> float:
    if finding.kind == "date" and finding.elsewhere and finding.outcome == "missing":
        return math.inf  # the day above a report is that of all its sentences
    otherwise = NEARLY_SAID[finding.outcome]
    return IN_THE_BEST.get(finding.kind, otherwise) if in_best else otherwise


def _against(findings: Sequence[Finding], evidence: Sequence[SourceText]) -> Span | None:
    for finding in findings:
        if finding.evidence_index is not None and finding.evidence_range is not None:
            span = evidence[finding.evidence_index].span
            if span is not None:
                return span
    return None


def _unsaid(claim: Aligned, texts: Sequence[Aligned], weight: Weight) -> str:
    """Which of the claim's words no text has, the rarest first."""
    evidence_stems = {stem for text in texts for stem in text.tokens.stems}
    missing = {
        word: weight(word)
        for word, stem in zip(claim.tokens.words, claim.tokens.stems, strict=True)
        if stem
        and stem not in evidence_stems
        and len(word) > 1
        and not word[0].isdigit()
        and word not in _TOLD_OTHERWISE
        and weight(word) >= _UNSAID
    }
    words = sorted(missing, key=lambda word: -missing[word])[:4]
    if not words:
        return "the sources contain its words, but do not say this"
    return f"the sources do not mention {', '.join(words)}"
