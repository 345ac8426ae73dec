"""The gate: whether what was found answers a question, by signals that are weighed together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from bob.answers.candidates import Candidate, share_between
from bob.answers.question import Question
from bob.search.service import SearchResult

ANSWERS_FROM = 0.5
"""The support from which an answer is given."""

_BIAS = -9.88
_WEIGHTS = {
    "unit_cosine": 2.71,
    "chunk_cosine": 2.25,
    "chunk_coverage": 2.01,
    "context_coverage": 2.28,
    "fit": 0.20,
    "numbers": 3.0,
    "names": 2.0,
}
"""The first five by logistic regression. The last two, whose full value the bias takes off, were chosen on
the development part of `bench/data/judgement`: of 65 questions without an answer 23 were answered instead of
38, of 240 with one 136 instead of 144."""

_READ_BIAS = -10.51
_READ_WEIGHTS = {
    "chunk_coverage": 5.0,
    "numbers": 2.35,
    "names": 1.51,
    "length": 1.2,
    "answered": 3.3,
    "answered_in_context": 1.5,
    "fit": 0.6,
}
"""With a reader over little. Coverage weighs twice what a logistic regression gives it (see
`tools/fit_small_memories.py`), and numbers and names as rules: where there is little to read, that is often
of another thing of the same kind, and a word that no document has tells more. The longer a question is, the
smaller is the share of it that the passage which answers it has. So coverage counts by how far it is above
that of answered questions of the same length: `length` stands for that."""

_AHEAD_BIAS = -7.15
_AHEAD_WEIGHTS = {
    "chunk_coverage": 0.76,
    "numbers": 1.04,
    "names": 1.51,
    "length": 0.26,
    "answered": 2.29,
    "answered_in_context": 2.51,
    "unit_lead": 4.45,
    "chunk_lead": 1.19,
    "together": 0.81,
}
"""Where enough was found to tell how far the best is ahead, in the same way."""


@dataclass(frozen=True, slots=True)
class _Lead:
    """How far the first of many is above the one at `place`, and `most` at the most: nine in ten of the
    questions that the weights were fitted on are below."""

    place: int
    most: float

    def of(self, scores: Sequence[float]) -> float | None:
        """The lead among scores, the highest first; None where there are fewer."""
        return min(scores[0] - scores[self.place], self.most) if len(scores) > self.place else None


_UNIT_LEAD = _Lead(place=3, most=0.39)
_CHUNK_LEAD = _Lead(place=4, most=0.45)

_SURE = 12.0
"""No margin of a reader says more than this one, nor less than minus it."""

MOST_WORDS = 12
"""A question of more words counts as one of so many."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The signals, each between 0 and 1.

    Cosines are those of the best unit and the best chunk with the question (of the unit, while vectors are
    pending). Coverage is the share of the question's words, weighted by their rarity, that a text has: the
    best chunk with its headings, or the best unit with its headings; a word that no document has counts as
    the rarest of all. `unit_lead` is how much better the best unit scores than the fourth, `chunk_lead` how
    much better the first chunk was found than the fifth: where many are as good, the answer may be any of
    them, or none; None with fewer. `fit` is 1 when the best unit has what the question
    wants (a number, a date, a reason), 0 when not, one half when the question does not tell. `numbers` and
    `names` are the shares of those in the question that stand in the best unit's chunk, its headings,
    title, file name or date; 1 when the question has none; `missing` are those that do not. `dated` is 1
    when the question states days or months, and all stand there. `length` is the number of words that were
    searched for, as a share of MOST_WORDS. `together` is the share of the four best units that stand in the
    best one's chunk: an answer stands among what speaks of the same. `answered` is how sure a reader is of
    the unit that it finds best, `answered_in_context` of the one that it finds best among what stands around
    it; None where none read them.
    """

    unit_cosine: float = 0.0
    chunk_cosine: float = 0.0
    chunk_coverage: float = 0.0
    context_coverage: float = 0.0
    unit_lead: float | None = None
    chunk_lead: float | None = None
    fit: float = 0.0
    numbers: float = 1.0
    names: float = 1.0
    missing: tuple[str, ...] = ()
    dated: float = 0.0
    length: float = 0.0
    together: float = 0.0
    answered: float | None = None
    answered_in_context: float | None = None

    def to_json(self) -> dict[str, float]:
        """The signals as the audit shows them."""
        _, weights = _model_for(self)
        return {name: round(getattr(self, name), 4) for name in weights}


def _model_for(evidence: Evidence) -> tuple[float, dict[str, float]]:
    """The bias and the weights for the signals that there are."""
    if evidence.answered is None:
        return _BIAS, _WEIGHTS
    if evidence.unit_lead is None or evidence.chunk_lead is None:
        return _READ_BIAS, _READ_WEIGHTS
    return _AHEAD_BIAS, _AHEAD_WEIGHTS


def support(evidence: Evidence) -> float:
    """The probability that the evidence answers the question."""
    bias, weights = _model_for(evidence)
    weighted = sum(weight * float(getattr(evidence, name)) for name, weight in weights.items())
    return 1 / (1 + math.exp(-(bias + weighted)))


def evidence_of(
    result: SearchResult,
    question: Question,
    unit_cosine: float,
    ranked: Sequence[Candidate],
    chunk_coverage: float,
) -> Evidence:
    """The signals of what was found: `ranked` are the units that models judged, the best first,
    `unit_cosine` is the best of theirs with the query, and `chunk_coverage` the most that a chunk has of its
    words."""
    cosines = [hit.explain.cosine for hit in result.hits if hit.explain.cosine is not None]
    best, answered = ranked[0], _surest([unit.margin for unit in ranked])
    # The units that were read where they stand may be among the rows of others that are left out.
    in_context = _surest([unit.margin_in_context for unit in ranked])
    return Evidence(
        unit_cosine=unit_cosine,
        chunk_cosine=max(*cosines, 0.0) if cosines else unit_cosine,
        chunk_coverage=chunk_coverage,
        context_coverage=best.context,
        unit_lead=_UNIT_LEAD.of([unit.score for unit in ranked]),
        chunk_lead=_CHUNK_LEAD.of(result.scores),
        fit=best.fit,
        numbers=best.numbers,
        names=best.names,
        missing=best.missing,
        dated=float(bool(question.dates) and not set(question.dates_said) & set(best.missing)),
        length=min(len(result.term_groups), MOST_WORDS) / MOST_WORDS,
        together=fmean(unit.chunk.chunk_id == best.chunk.chunk_id for unit in ranked[: _UNIT_LEAD.place + 1]),
        answered=answered,
        answered_in_context=answered if in_context is None else in_context,
    )


def _surest(margins: Sequence[float | None]) -> float | None:
    """The highest margin of a reader, from 0 to 1; None where it read none."""
    known = [margin for margin in margins if margin is not None]
    return share_between(-_SURE, _SURE, max(known)) if known else None
