"""Ask: an answer whose every claim cites the place that bears it out (SPEC E1, E3, E4).

Without a language model the answer is quoted; with one it is written and checked, and quoted where nothing
that was written may stand.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any

from bob.answer.dates import date_confidence
from bob.answer.question import Question
from bob.answer.quoting import cited, paragraphs
from bob.answer.select import Candidate, chosen
from bob.answer.support import ANSWERS_FROM, Evidence, support
from bob.domain.answer import (
    NOT_FOUND,
    Answer,
    Answered,
    AnswerEvent,
    Claim,
    DateConfidence,
    Source,
)
from bob.domain.filters import NO_FILTERS, Filters, Query
from bob.domain.hit import Hit
from bob.domain.locator import locator_to_json
from bob.protocols import Embedder
from bob.services.find_units import FindUnits
from bob.services.search import Search, SearchResult

if TYPE_CHECKING:
    from bob.services.write_answer import WriteAnswer, Written

CHUNKS_READ = 10
"""The units of so many hits are considered."""


@dataclass(frozen=True, slots=True)
class AskOptions:
    """How answers are made; see `bob.settings.AnswerSettings`."""

    max_sentences: int
    outdated_after_days: int


@dataclass(frozen=True, slots=True)
class _Found:
    """What was found for a question, and how far it answers."""

    question: str
    today: date
    result: SearchResult
    candidates: list[Candidate]
    evidence: Evidence
    search_seconds: float
    began: float

    @property
    def trust(self) -> float:
        return support(self.evidence) if self.candidates else 0.0


class Ask:
    """Answers questions from one organization's documents.

    `writer` gives what writes answers, None where no language model is wanted; it is asked for when a
    question is.
    """

    def __init__(
        self,
        search: Search,
        embedder: Embedder,
        options: AskOptions,
        writer: Callable[[], WriteAnswer | None] = lambda: None,
    ) -> None:
        self._search = search
        self._embedder = embedder
        self._units = FindUnits(embedder)
        self._options = options
        self._writer = writer

    def run(
        self, question: str, *, filters: Filters = NO_FILTERS, today: date, extractive: bool = False
    ) -> Answer:
        """The answer, or `found` False with what came closest in the audit."""
        for event in self.events(question, filters=filters, today=today, extractive=extractive):
            if isinstance(event, Answered):
                return event.answer
        raise AssertionError("the last event is the answer")

    def events(
        self, question: str, *, filters: Filters = NO_FILTERS, today: date, extractive: bool = False
    ) -> Iterator[AnswerEvent]:
        """The draft as a language model writes it, unchecked, and its end, then always one `Answered`.

        No model is asked when `extractive`, or when what was found does not answer the question by the rule
        that holds for quoted answers too (`bob.answer.support`).
        """
        writer = None if extractive else self._writer()
        found = self._find(question, filters, today)
        if writer is None or found.trust < ANSWERS_FROM:
            yield Answered(self._quoted(found))
            return
        written = yield from writer.run(question, [hit.chunk for hit in found.result.hits])
        yield Answered(self._checked(found, written, writer.name))

    def evidence(self, question: str, *, filters: Filters = NO_FILTERS) -> Evidence:
        """The signals by which Bob decides whether to answer; for calibrating them."""
        return self._units.run(self._search.run(Query(question, filters=filters), CHUNKS_READ))[1]

    def _find(self, question: str, filters: Filters, today: date) -> _Found:
        began = time.perf_counter()
        result = self._search.run(Query(question, filters=filters), CHUNKS_READ, today=today)
        searched = time.perf_counter()
        candidates, evidence = self._units.run(result)
        return _Found(question, today, result, candidates, evidence, searched - began, searched)

    def _quoted(self, found: _Found) -> Answer:
        kept: list[Candidate] = []
        if found.trust >= ANSWERS_FROM:
            kept = chosen(found.candidates, self._options.max_sentences, Question(found.question).kind)
        sources, claims = cited(kept)
        if not kept:
            return self._not_found(found)
        text = "\n\n".join(paragraphs(kept, claims, sources))
        return self._answer(found, text, claims, sources)

    def _checked(self, found: _Found, written: Written, name: str) -> Answer:
        """The answer that is left of a draft; quotes where nothing is."""
        if written.claims:
            answer = self._answer(found, written.text, written.claims, written.sources)
        else:
            answer = self._not_found(found) if written.declined else self._quoted(found)
        audit = answer.audit | written.audit
        for part in ("settings", "timings"):
            audit[part] = answer.audit[part] | written.audit[part]
        return replace(
            answer, written_by=name if written.claims else None, notices=written.notices, audit=audit
        )

    def _answer(
        self,
        found: _Found,
        text: str,
        claims: Sequence[Claim],
        sources: Sequence[Source],
    ) -> Answer:
        confidence = date_confidence(sources, found.today, self._options.outdated_after_days)
        audit = self._audit(found, claims, sources)
        return Answer(found.question, True, text, tuple(claims), tuple(sources), confidence, audit)

    def _not_found(self, found: _Found) -> Answer:
        audit = self._audit(found, (), ()) | {"closest": _closest(found.result.hits, found.candidates)}
        confidence = DateConfidence("low", "no source answers the question")
        return Answer(found.question, False, NOT_FOUND, (), (), confidence, audit)

    def _audit(self, found: _Found, claims: Sequence[Claim], sources: Sequence[Source]) -> dict[str, Any]:
        return {
            "retrieved": [_retrieved(hit) for hit in found.result.hits],
            "used": [source.chunk.chunk_id for source in sources],
            "claims": [_checked(claim, sources) for claim in claims],
            "removed": [],
            "support": round(found.trust, 4),
            "answers_from": ANSWERS_FROM,
            "evidence": found.evidence.to_json(),
            "vectors_pending": found.result.vectors_pending,
            "model": self._embedder.model_id,
            "settings": {"max_sentences": self._options.max_sentences},
            "timings": {
                "search_seconds": round(found.search_seconds, 4),
                "answer_seconds": round(time.perf_counter() - found.began, 4),
            },
        }


def _retrieved(hit: Hit) -> dict[str, Any]:
    return {
        "rank": hit.rank,
        "score": round(hit.score, 4),
        "chunk_id": hit.chunk.chunk_id,
        "path": hit.chunk.path,
        "locator": locator_to_json(hit.chunk.locator),
        "explain": hit.explain.to_json(),
    }


def _checked(claim: Claim, sources: Sequence[Source]) -> dict[str, Any]:
    quoted = [sources[n - 1] for n in claim.citations]
    return claim.to_json() | {
        "quotes": [
            {
                "chunk_id": source.chunk.chunk_id,
                "quote": source.quote,
                "quote_range": list(source.quote_range),
            }
            for source in quoted
        ]
    }


def _closest(hits: Sequence[Hit], candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
    """The best unit of each of the best three chunks."""
    best = sorted(candidates, key=lambda each: -each.score)
    nearest = [next((c for c in best if c.chunk.chunk_id == hit.chunk.chunk_id), None) for hit in hits]
    return [
        {
            "path": each.chunk.path,
            "title": each.chunk.title,
            "locator": locator_to_json(each.chunk.locator),
            "text": each.text[:300],
            "score": round(each.score, 4),
        }
        for each in nearest
        if each is not None
    ][:3]
