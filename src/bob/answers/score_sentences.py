"""Finds what may be quoted: the units of found chunks with their signals, and what they are worth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePath

import numpy as np

from bob.answers.question import Evidence, Question
from bob.answers.units import Candidate, Unit, readable, units_of
from bob.core.hit import FoundChunk, Hit
from bob.core.protocols import Embedder
from bob.search.service import SearchResult
from bob.text.stop_words import ASKING_WORDS, QUERY_STOP_WORDS
from bob.text.terms import term_hashes, words_of

MOST_UNITS = 16
"""So many units are embedded for one answer, those first that look best without it."""

EMBEDDED_CHARACTERS = 300
"""Of a longer unit only the beginning is embedded: time grows with length, and the beginning tells."""


class ScoreSentences:
    """Cuts hits into candidates and judges them."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def score_sentences(self, result: SearchResult) -> tuple[list[Candidate], Evidence]:
        """All units of the hits, the best of them embedded, and the evidence that the best one gives."""
        if not result.query.text.strip() or not result.hits:
            return [], Evidence()
        words = _Words(result)
        question = Question(result.query.text)
        found = [
            candidate
            for order, hit in enumerate(result.hits)
            for candidate in _candidates(hit, order, words, question)
        ]
        if not found:
            return [], Evidence()
        candidates = self._embedded(result, found)
        best = max(
            (candidate for candidate in candidates if candidate.cosine is not None),
            key=lambda candidate: candidate.score,
        )
        return candidates, _evidence(result.hits, candidates, best, words, question)

    def _embedded(self, result: SearchResult, candidates: list[Candidate]) -> list[Candidate]:
        guessed = [
            replace(candidate, cosine=result.hits[candidate.order].explain.cosine or 0.0)
            for candidate in candidates
        ]
        order = sorted(range(len(candidates)), key=lambda index: (-guessed[index].score, index))[:MOST_UNITS]
        question, *rows = self._embedder.embed(
            [result.query.text, *(_embedded_text(candidates[index]) for index in order)]
        )
        cosines = {index: float(np.dot(question, row)) for index, row in zip(order, rows, strict=True)}
        return [replace(candidate, cosine=cosines.get(index)) for index, candidate in enumerate(candidates)]


class _Words:
    """The question's words with their rarity, to tell how much of the question a text covers."""

    def __init__(self, result: SearchResult) -> None:
        asking = {term for word in ASKING_WORDS for term in term_hashes(word, "en")}
        pairs = [
            (frozenset(group), idf) for group, idf in zip(result.term_groups, result.term_idfs, strict=True)
        ]
        remaining = [(group, idf) for group, idf in pairs if not group & asking] or pairs
        self._groups = [group for group, _ in remaining]
        self._idfs = [idf for _, idf in remaining]
        self._total = sum(self._idfs) or 1.0

    def of(self, texts: Iterable[str], chunk: FoundChunk) -> frozenset[int]:
        """Which of the question's words the texts have."""
        language = chunk.language or "en"
        terms = {term for text in texts for word in words_of(text) for term in term_hashes(word, language)}
        return frozenset(index for index, group in enumerate(self._groups) if group & terms)

    def share(self, groups: Iterable[int]) -> float:
        """The share of the question that these words are, by rarity."""
        return sum(self._idfs[index] for index in groups) / self._total

    def alike(self, heading: str, chunk: FoundChunk) -> float:
        """How far a heading is the question: the harmonic mean of the shares of words that both have."""
        language = chunk.language or "en"
        every = [
            frozenset(term_hashes(w, language))
            for w in words_of(heading)
            if w.lower() not in QUERY_STOP_WORDS
        ]
        asked = frozenset(term for group in self._groups for term in group)
        shared = sum(1 for terms in every if terms & asked)
        if not shared:
            return 0.0
        covered = len(self.of([heading], chunk)) / len(self._groups)
        return 2 * covered * (shared / len(every)) / (covered + shared / len(every))


def _candidates(hit: Hit, order: int, words: _Words, question: Question) -> list[Candidate]:
    chunk = hit.chunk
    headings = (chunk.title, *chunk.heading_path)
    titles = {_squeezed(heading) for heading in headings}
    heading_words = words.of(headings, chunk)
    heading = max(
        words.alike(heading_text, chunk) for heading_text in (chunk.title, *chunk.heading_path[-1:])
    )
    table = chunk.source_type == "csv"
    every = units_of(chunk.text, delimited=table, headed=table and not chunk.context)
    units = [u for u in every if _squeezed(readable(chunk.text[u.start : u.end])) not in titles]
    made: list[Candidate] = []
    term: Unit | None = None
    term_words: frozenset[int] = frozenset()
    for position, unit in enumerate(units):
        quote = chunk.text[unit.start : unit.end]
        own = words.of([quote], chunk)
        directly = units[position - 1] if position and units[position - 1] is term else None
        if directly is not None and chunk.text[directly.end : unit.start].strip():
            directly = None
        made.append(
            Candidate(
                chunk=chunk,
                unit=unit,
                order=order,
                place=position,
                cosine=None,
                coverage=words.share(own),
                context=words.share(own | heading_words | term_words),
                fit=question.fits(_with_term(chunk, directly, quote)) if _may_fit(unit, question) else 0.0,
                heading=heading,
                found=hit.score,
                term=directly if unit.kind != "code" else None,
            )
        )
        if unit.kind == "term":
            term, term_words = unit, own
    return made


def _may_fit(unit: Unit, question: Question) -> bool:
    """Whether a unit can have what is wanted: a field's date is no number of things."""
    return unit.kind != "field" or question.kind in ("time", "person")


def _with_term(chunk: FoundChunk, term: Unit | None, quote: str) -> str:
    text = readable(quote)
    return text if term is None else f"{readable(chunk.text[term.start : term.end]).rstrip(':;')}: {text}"


def _squeezed(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum())


def _embedded_text(candidate: Candidate) -> str:
    """A unit as the embedder sees it: under its heading, since «It is 5 MB» says little alone."""
    heading = candidate.chunk.heading_path[-1] if candidate.chunk.heading_path else candidate.chunk.title
    return f"{heading}: {candidate.text[:EMBEDDED_CHARACTERS]}"


def _evidence(
    hits: Sequence[Hit],
    candidates: Sequence[Candidate],
    best: Candidate,
    words: _Words,
    question: Question,
) -> Evidence:
    unit_cosine = max(
        (candidate.cosine for candidate in candidates if candidate.cosine is not None), default=0.0
    )
    cosines = [hit.explain.cosine for hit in hits if hit.explain.cosine is not None]
    whole = [words.of([hit.chunk.text, hit.chunk.title, *hit.chunk.heading_path], hit.chunk) for hit in hits]
    chunk = best.chunk
    dated = chunk.source_date.isoformat() if chunk.source_date else ""
    # The folders above a file are those of a machine: what they are called says nothing.
    named = (chunk.title, *chunk.heading_path, PurePath(chunk.path).name, dated)
    missing = question.missing(" ".join([chunk.text, *named]))
    return Evidence(
        unit_cosine=max(unit_cosine, 0.0),
        chunk_cosine=max(*cosines, 0.0) if cosines else max(unit_cosine, 0.0),
        chunk_coverage=max(words.share(chunk_words) for chunk_words in whole),
        context_coverage=best.context,
        fit=best.fit,
        numbers=_share_present(question.numbers, missing),
        names=_share_present(question.names, missing),
        missing=missing,
    )


def _share_present(asked: Sequence[str], missing: Sequence[str]) -> float:
    return 1 - sum(word in missing for word in asked) / len(asked) if asked else 1.0
