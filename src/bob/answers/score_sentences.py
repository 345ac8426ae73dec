"""Finds what may be quoted: the units of found chunks with their signals, and what they are worth."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePath

from bob.answers.question import MOST_WORDS, Evidence, Question
from bob.answers.units import Candidate, Unit, readable, units_of, whole_units_of
from bob.core.errors import ModelError
from bob.core.hit import FoundChunk, Hit
from bob.core.protocols import Embedder, Reader
from bob.search.service import SearchResult
from bob.text.stop_words import ASKING_WORDS, QUERY_STOP_WORDS
from bob.text.terms import term_hashes, words_of

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

    @property
    def model_id(self) -> str:
        """The embedding model."""
        return self._embedder.model_id

    def judged_by(self, candidates: Sequence[Candidate]) -> str:
        """The reader that read these candidates, or "rules"."""
        read = any(candidate.margin is not None for candidate in candidates)
        return self._reader.model_id if read and self._reader is not None else "rules"

    def score_sentences(
        self, result: SearchResult, asked: str | None = None
    ) -> tuple[list[Candidate], Evidence]:
        """All units of the hits, the best of them embedded, and the evidence that the best one gives.

        `asked` is the question where the query says more than it, as that of a follow-up does: units are
        chosen by what is asked, and the evidence is that for the whole query.
        """
        if not result.query.text.strip() or not result.hits:
            return [], Evidence()
        words = _Words(result)
        question = Question(asked or result.query.text)
        found = [
            candidate
            for order, hit in enumerate(result.hits)
            for candidate in _candidates(hit, order, words, question)
        ]
        if not found:
            return [], Evidence()
        candidates, unit_cosine = self._judged(result, found, question.text)
        best = max(
            (candidate for candidate in candidates if candidate.cosine is not None),
            key=lambda candidate: candidate.score,
        )
        return candidates, _evidence(result.hits, unit_cosine, best, words, question)

    def _judged(
        self, result: SearchResult, candidates: list[Candidate], asked: str
    ) -> tuple[list[Candidate], float]:
        """The candidates, the best of them with what the models say; and the best cosine with the query."""
        guessed = [
            replace(candidate, cosine=result.hits[candidate.order].explain.cosine or 0.0)
            for candidate in candidates
        ]
        order = sorted(range(len(candidates)), key=lambda index: (-guessed[index].score, index))[:MOST_UNITS]
        questions = list(dict.fromkeys((asked, result.query.text)))
        units = [_under_heading(candidates[index], EMBEDDED_CHARACTERS) for index in order]
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
            return self._reader.score_passages(
                question, [_under_heading(each, READ_CHARACTERS) for each in candidates]
            )
        except ModelError as error:
            log.warning("answers are judged by rules alone: %s", error)
            return []


class _Words:
    """The question's words with their rarity, to tell how much of the question a text covers."""

    def __init__(self, result: SearchResult) -> None:
        asking = {term for word in ASKING_WORDS for term in term_hashes(word, "en")}
        pairs = [
            (frozenset(group), idf) for group, idf in zip(result.term_groups, result.term_idfs, strict=True)
        ]
        remaining = [(group, idf) for group, idf in pairs if not group & asking] or pairs
        self.searched = len(pairs)
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
    missing = question.missing(_place_of(chunk))
    numbers = _share_present((*question.numbers, *question.dates_said), missing)
    names = _share_present(question.names, missing)
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
                numbers=numbers,
                names=names,
            )
        )
        if unit.kind == "term":
            term, term_words = unit, own
    for unit in () if table else whole_units_of(chunk.text):
        quote = chunk.text[unit.start : unit.end]
        own = words.of([quote], chunk)
        made.append(
            Candidate(
                chunk=chunk,
                unit=unit,
                order=order,
                place=sum(before.start < unit.start for before in units),
                cosine=None,
                coverage=words.share(own),
                context=words.share(own | heading_words),
                fit=question.fits(readable(quote)) if _may_fit(unit, question) else 0.0,
                heading=heading,
                found=hit.score,
                numbers=numbers,
                names=names,
            )
        )
    return made


def _may_fit(unit: Unit, question: Question) -> bool:
    """Whether a unit can have what is wanted: a field's date is no number of things."""
    return unit.kind != "field" or question.kind in ("time", "person")


def _with_term(chunk: FoundChunk, term: Unit | None, quote: str) -> str:
    text = readable(quote)
    return text if term is None else f"{readable(chunk.text[term.start : term.end]).rstrip(':;')}: {text}"


def _squeezed(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum())


def _under_heading(candidate: Candidate, characters: int) -> str:
    """A unit as the models see it: under its heading, since «It is 5 MB» says little alone."""
    heading = candidate.chunk.heading_path[-1] if candidate.chunk.heading_path else candidate.chunk.title
    return f"{heading}: {candidate.text[:characters]}"


def _evidence(
    hits: Sequence[Hit],
    unit_cosine: float,
    best: Candidate,
    words: _Words,
    question: Question,
) -> Evidence:
    cosines = [hit.explain.cosine for hit in hits if hit.explain.cosine is not None]
    whole = [words.of([hit.chunk.text, hit.chunk.title, *hit.chunk.heading_path], hit.chunk) for hit in hits]
    return Evidence(
        unit_cosine=unit_cosine,
        chunk_cosine=max(*cosines, 0.0) if cosines else unit_cosine,
        chunk_coverage=max(words.share(chunk_words) for chunk_words in whole),
        context_coverage=best.context,
        fit=best.fit,
        numbers=best.numbers,
        names=best.names,
        missing=question.missing(_place_of(best.chunk)),
        length=min(words.searched, MOST_WORDS) / MOST_WORDS,
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
