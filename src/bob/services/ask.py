"""Ask: an answer in sentences of the sources, each with the place where it stands (SPEC E1, E3, E4)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from bob.answer.dates import date_confidence
from bob.answer.question import Question
from bob.answer.select import Candidate, chosen
from bob.answer.support import ANSWERS_FROM, Evidence, support
from bob.domain.answer import NOT_FOUND, Answer, Claim, DateConfidence, Source
from bob.domain.filters import NO_FILTERS, Filters, Query
from bob.domain.hit import FoundChunk, Hit
from bob.domain.locator import locator_to_json
from bob.protocols import Embedder
from bob.services.find_units import FindUnits
from bob.services.search import Search

CHUNKS_READ = 10
"""The units of so many hits are considered."""


_LINKS = {"item": "\n- ", "row": "\n- "}
"""What stands before a claim that goes on in a paragraph."""


@dataclass(frozen=True, slots=True)
class AskOptions:
    """How answers are made; see `bob.settings.AnswerSettings`."""

    max_sentences: int
    outdated_after_days: int


class Ask:
    """Answers questions from one organization's documents, without a language model."""

    def __init__(self, search: Search, embedder: Embedder, options: AskOptions) -> None:
        self._search = search
        self._embedder = embedder
        self._units = FindUnits(embedder)
        self._options = options

    def run(self, question: str, *, filters: Filters = NO_FILTERS, today: date) -> Answer:
        """The answer, or `found` False with what came closest in the audit."""
        began = time.perf_counter()
        result = self._search.run(Query(question, filters=filters), CHUNKS_READ, today=today)
        searched = time.perf_counter()
        candidates, evidence = self._units.run(result)
        trust = support(evidence) if candidates else 0.0
        kept: list[Candidate] = []
        if trust >= ANSWERS_FROM:
            kept = chosen(candidates, self._options.max_sentences, Question(question).kind)
        sources, claims = _cited(kept)
        audit: dict[str, Any] = {
            "retrieved": [_retrieved(hit) for hit in result.hits],
            "used": [source.chunk.chunk_id for source in sources],
            "claims": [_checked(claim, sources) for claim in claims],
            "removed": [],
            "support": round(trust, 4),
            "answers_from": ANSWERS_FROM,
            "evidence": evidence.to_json(),
            "vectors_pending": result.vectors_pending,
            "model": self._embedder.model_id,
            "settings": {"max_sentences": self._options.max_sentences},
            "timings": {
                "search_seconds": round(searched - began, 4),
                "answer_seconds": round(time.perf_counter() - searched, 4),
            },
        }
        if not kept:
            audit["closest"] = _closest(result.hits, candidates)
            reason = "no source answers the question"
            return Answer(question, False, NOT_FOUND, (), (), DateConfidence("low", reason), audit)
        text = "\n\n".join(_paragraphs(kept, claims, sources))
        confidence = date_confidence(sources, today, self._options.outdated_after_days)
        return Answer(question, True, text, tuple(claims), tuple(sources), confidence, audit)

    def evidence(self, question: str, *, filters: Filters = NO_FILTERS) -> Evidence:
        """The signals by which Bob decides whether to answer; for calibrating them."""
        return self._units.run(self._search.run(Query(question, filters=filters), CHUNKS_READ))[1]


def _cited(kept: Sequence[Candidate]) -> tuple[list[Source], list[Claim]]:
    """Sources and claims of the chosen units; units that stand side by side share one source."""
    sources: list[Source] = []
    claims: list[Claim] = []
    for each in kept:
        last = sources[-1] if sources else None
        start = each.start
        if (
            last is not None
            and last.chunk.chunk_id == each.chunk.chunk_id
            and not each.chunk.text[last.quote_range[1] : start].strip()
        ):
            start = last.quote_range[0]
            sources.pop()
        sources.append(_source(len(sources) + 1, each.chunk, start, each.unit.end))
        claims.append(Claim(each.text, "supported", min(each.score, 1.0), (len(sources),)))
    return sources, claims


def _source(n: int, chunk: FoundChunk, start: int, end: int) -> Source:
    locator = chunk.locator.narrowed(chunk.text, start, end)
    return Source(n, chunk, locator, chunk.text[start:end], (start, end))


def _paragraphs(kept: Sequence[Candidate], claims: Sequence[Claim], sources: Sequence[Source]) -> list[str]:
    """The answer's text: what comes from one document is one paragraph; items and rows are a list, and code
    stands by itself."""
    found: list[str] = []
    last_document: int | None = None
    for each, claim in zip(kept, claims, strict=True):
        chunk = sources[claim.citations[0] - 1].chunk
        marks = "".join(f"[{n}]" for n in claim.citations)
        if each.unit.kind == "code":
            found.append(f"```\n{claim.text}\n```\n{marks}")
            last_document = None
        elif chunk.document_id == last_document:
            found[-1] += f"{_LINKS.get(each.unit.kind, ' ')}{claim.text} {marks}"
        else:
            found.append(f"{claim.text} {marks}")
            last_document = chunk.document_id
    return found


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
