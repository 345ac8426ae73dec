"""Finds what may be quoted: the units of found chunks with their signals, and what they are worth."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from pathlib import PurePath

from bob.answers.candidates import Candidate, best_first, under_headings
from bob.answers.question import MOST_WORDS, Evidence, Question
from bob.answers.units import Unit, cut, units_of
from bob.core.errors import ModelError
from bob.core.hit import FoundChunk, Hit
from bob.core.protocols import Embedder, Reader
from bob.search.service import SearchResult
from bob.text.stop_words import ASKING_WORDS, QUERY_STOP_WORDS
from bob.text.words import hashed_words, term_hashes, words_of

_HashedWord = tuple[str, tuple[int, ...]]
"""A word as it is written, and the hashes of its terms."""

log = logging.getLogger(__name__)

MOST_UNITS = 16
"""So many units are embedded and read for one answer, those first that look best without it."""

EMBEDDED_CHARACTERS = 300
"""Of a longer unit only the beginning is embedded: time grows with length, and the beginning tells."""

READ_CHARACTERS = 500
"""Of a longer unit only the beginning is read."""


class ScoreSentences:
    """Cuts hits into candidates and judges them: by rules, and by a reader where there is one."""

    def __init__(self, embedder: Embedder, reader: Reader | None) -> None:
        self._embedder = embedder
        self._reader = reader

    @cached_property
    def model_id(self) -> str:
        """The embedding model."""
        return self._embedder.model_id

    def judged_by(self, candidates: Sequence[Candidate]) -> str:
        """The reader that read these candidates, or "rules"."""
        read = any(candidate.margin is not None for candidate in candidates)
        return self._reader.model_id if read and self._reader is not None else "rules"

    def score_sentences(
        self, result: SearchResult, asked: Question | None = None
    ) -> tuple[list[Candidate], Evidence]:
        """All units of the hits, the best of them embedded, and the evidence that the best one gives.

        `asked` is the question where the query says more than it, as that of a follow-up does: units are
        chosen by what is asked, and the evidence is that for the whole query.
        """
        if not result.query.text.strip() or not result.hits:
            return [], Evidence()
        question = asked if asked is not None and asked.text else Question(result.query.text)
        words = _Words(result, question)
        missing = question.all_missing([_place_of(hit.chunk) for hit in result.hits])
        cuts = [_Cut(hit.chunk, words, lacks) for hit, lacks in zip(result.hits, missing, strict=True)]
        found = [
            candidate
            for order, (hit, pieces) in enumerate(zip(result.hits, cuts, strict=True))
            for candidate in _candidates(hit, order, pieces, words, question)
        ]
        if not found:
            return [], Evidence()
        candidates, unit_cosine = self._judged(result, found, question.text)
        embedded = [candidate for candidate in candidates if candidate.cosine is not None]
        best = embedded[best_first(embedded)[0]]
        coverage = max(words.share(pieces.whole_words) for pieces in cuts)
        return candidates, _evidence(result, unit_cosine, best, coverage, cuts[best.order].missing)

    def _judged(
        self, result: SearchResult, candidates: list[Candidate], asked: str
    ) -> tuple[list[Candidate], float]:
        """The candidates, the best of them with what the models say; and the best cosine with the query."""
        guessed = [
            replace(candidate, cosine=result.hits[candidate.order].explain.cosine or 0.0)
            for candidate in candidates
        ]
        order = best_first(guessed)[:MOST_UNITS]
        questions = list(dict.fromkeys((asked, result.query.text)))
        units = under_headings([candidates[index] for index in order], EMBEDDED_CHARACTERS)
        vectors = self._embedder.embed([*questions, *units])
        of_questions, of_units = vectors[: len(questions)], vectors[len(questions) :]
        cosines = dict(zip(order, (of_units @ of_questions[0]).tolist(), strict=True))
        read = self._margins(asked, [candidates[index] for index in order])
        margins = dict(zip(order, read, strict=True)) if read else {}
        judged = [
            replace(candidate, cosine=cosines.get(index), margin=margins.get(index))
            for index, candidate in enumerate(candidates)
        ]
        return judged, max(0.0, float((of_units @ of_questions[-1]).max()))

    def _margins(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        """What the reader says of each candidate; nothing without a reader, or where it cannot be loaded."""
        if self._reader is None:
            return []
        try:
            return self._reader.score_passages(question, under_headings(candidates, READ_CHARACTERS))
        except ModelError as error:
            log.warning("answers are judged by rules alone: %s", error)
            return []


class _Words:
    """The question's words with their rarity, to tell how much of the question a text covers."""

    def __init__(self, result: SearchResult, question: Question) -> None:
        # "In March 2026" is met by a file of 2026-03-06: dates are compared as such, not by their words.
        said = (*ASKING_WORDS, *words_of(" ".join(question.dates_said)))
        asking = {term for word in said for term in term_hashes(word, "en")}
        pairs = [
            (frozenset(group), idf) for group, idf in zip(result.term_groups, result.term_idfs, strict=True)
        ]
        remaining = [(group, idf) for group, idf in pairs if not group & asking] or pairs
        self._groups = [group for group, _ in remaining]
        self._idfs = [idf for _, idf in remaining]
        self._total = sum(self._idfs) or 1.0

    def among(self, words: Iterable[_HashedWord]) -> frozenset[int]:
        """Which of the question's words are among those of a text."""
        terms = {term for _, hashes in words for term in hashes}
        return frozenset(index for index, group in enumerate(self._groups) if group & terms)

    def share(self, groups: Iterable[int]) -> float:
        """The share of the question that these words are, by rarity."""
        return sum(self._idfs[index] for index in groups) / self._total

    def alike(self, heading: Sequence[_HashedWord]) -> float:
        """How far a heading is the question: the harmonic mean of the shares of words that both have."""
        every = [frozenset(hashes) for word, hashes in heading if word.lower() not in QUERY_STOP_WORDS]
        asked = frozenset(term for group in self._groups for term in group)
        shared = sum(1 for terms in every if terms & asked)
        if not shared:
            return 0.0
        covered = len(self.among(heading)) / len(self._groups)
        return 2 * covered * (shared / len(every)) / (covered + shared / len(every))


class _Cut:
    """A chunk cut into its units, each with the term right before it, and, beside them, whole lists and the
    like. `shown` is how all of them are read; `of_units`, `of_whole`, `heading_words` and `whole_words` are
    the question's words in each, in the headings, and in the chunk with its headings."""

    def __init__(self, chunk: FoundChunk, words: _Words, missing: tuple[str, ...]) -> None:
        """`missing` are the question's numbers and names that the chunk does not have."""
        self.missing = missing
        table = chunk.source_type == "csv"
        every, self.whole = (
            (units_of(chunk.text, delimited=True, headed=not chunk.context), []) if table else cut(chunk.text)
        )
        headings = (chunk.title, *chunk.heading_path)
        titles = {_squeezed(heading) for heading in headings}
        self.units = [unit for unit in every if _squeezed(unit.line) not in titles]
        self.terms = [_term_before(chunk.text, self.units, position) for position in range(len(self.units))]
        self.shown = [
            *(_after_term(unit, term) for unit, term in zip(self.units, self.terms, strict=True)),
            *(unit.line for unit in self.whole),
        ]
        quotes = [chunk.text[unit.start : unit.end] for unit in (*self.units, *self.whole)]
        text, *others = hashed_words((chunk.text, *headings, *quotes), chunk.language or "en")
        of_headings, of_quotes = others[: len(headings)], others[len(headings) :]
        self.heading_words = words.among(chain.from_iterable(of_headings))
        self.whole_words = words.among(chain(text, *of_headings))
        closest = (of_headings[0], *of_headings[1:][-1:])
        self.heading = max(words.alike(heading) for heading in closest)
        own = [words.among(quote) for quote in of_quotes]
        self.of_units, self.of_whole = own[: len(self.units)], own[len(self.units) :]


def _candidates(hit: Hit, order: int, pieces: _Cut, words: _Words, question: Question) -> list[Candidate]:
    units, missing = pieces.units, pieces.missing
    candidate = partial(
        Candidate,
        hit.chunk,
        order=order,
        cosine=None,
        heading=pieces.heading,
        found=hit.score,
        numbers=_share_present((*question.numbers, *question.dates_said), missing),
        names=_share_present(question.names, missing),
    )
    fits = question.all_fits(pieces.shown)
    made: list[Candidate] = []
    term_words: frozenset[int] = frozenset()
    for position, (unit, term, own) in enumerate(zip(units, pieces.terms, pieces.of_units, strict=True)):
        made.append(
            candidate(
                unit=unit,
                place=position,
                coverage=words.share(own),
                context=words.share(own | pieces.heading_words | term_words),
                fit=fits[position] if _may_fit(unit, question) else 0.0,
                term=term if unit.kind != "code" else None,
            )
        )
        if unit.kind == "term":
            term_words = own
    for unit, own, fit in zip(pieces.whole, pieces.of_whole, fits[len(units) :], strict=True):
        made.append(
            candidate(
                unit=unit,
                place=sum(before.start < unit.start for before in units),
                coverage=words.share(own),
                context=words.share(own | pieces.heading_words),
                fit=fit if _may_fit(unit, question) else 0.0,
            )
        )
    return made


def _term_before(text: str, units: Sequence[Unit], position: int) -> Unit | None:
    """The term that stands right before a unit, if there is one."""
    before = units[position - 1] if position else None
    if before is None or before.kind != "term" or text[before.end : units[position].start].strip():
        return None
    return before


def _after_term(unit: Unit, term: Unit | None) -> str:
    return unit.line if term is None else f"{term.line.rstrip(':;')}: {unit.line}"


def _may_fit(unit: Unit, question: Question) -> bool:
    """Whether a unit can have what is wanted: a field's date is no number of things."""
    return unit.kind != "field" or question.kind in ("time", "person")


def _squeezed(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum())


def _evidence(
    result: SearchResult,
    unit_cosine: float,
    best: Candidate,
    chunk_coverage: float,
    missing: tuple[str, ...],
) -> Evidence:
    cosines = [hit.explain.cosine for hit in result.hits if hit.explain.cosine is not None]
    return Evidence(
        unit_cosine=unit_cosine,
        chunk_cosine=max(*cosines, 0.0) if cosines else unit_cosine,
        chunk_coverage=chunk_coverage,
        context_coverage=best.context,
        fit=best.fit,
        numbers=best.numbers,
        names=best.names,
        missing=missing,
        length=min(len(result.term_groups), MOST_WORDS) / MOST_WORDS,
        nearness=None if best.margin is None else best.nearness,
    )


def _place_of(chunk: FoundChunk) -> str:
    """A chunk with its headings, title, file name and date. The folders above a file are those of a machine:
    what they are called says nothing."""
    dated = chunk.source_date.isoformat() if chunk.source_date else ""
    named = (chunk.title, *chunk.heading_path, PurePath(chunk.path).name, dated)
    return " ".join((chunk.text, *named))


def _share_present(asked: Sequence[str], missing: Sequence[str]) -> float:
    return 1 - sum(word in missing for word in asked) / len(asked) if asked else 1.0
