"""Finds what may be quoted, with its signals."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import chain, islice
from operator import attrgetter
from typing import Any

from bob.answers.candidates import Candidate, after_term, best_first, judged_best_first
from bob.answers.gate import ANSWERS_FROM, Evidence, evidence_of, support
from bob.answers.question import Question
from bob.answers.read_texts import read_after, surroundings, texts_to_embed, texts_to_read
from bob.answers.units.chunk_units import cut_chunks, text_of
from bob.answers.units.narrow_units import narrowed
from bob.answers.units.unit import MOST_CHARACTERS, Unit
from bob.core.errors import ModelError
from bob.core.protocols import Embedder, Reader
from bob.core.search import FoundChunk, Hit
from bob.search.service import SearchResult
from bob.text.dates import read_date
from bob.text.stop_words import ASKING_WORDS, FUNCTION_WORDS, QUERY_STOP_WORDS
from bob.text.words import hashed_words, term_hashes, words_of

_HashedWord = tuple[str, tuple[int, ...]]
"""A word as it is written, and the hashes of its terms."""

log = logging.getLogger(__name__)

MOST_UNITS = 32
"""So many units are judged for one answer, those that promise most."""

MOST_BRANCHES = 3
"""Of the lists of an item and what stands under it, so many of a chunk are judged."""

MOST_SURROUNDINGS = 6
"""So many stretches of text are read around the best of them."""

NOUN = 0.5
"""What a missing name counts in German, where every noun has a capital letter and most are no names; one that
is written otherwise ("AGG", "GmbH") counts in full."""


@dataclass(frozen=True, slots=True)
class Scored:
    """What may be quoted, and how far the best of it answers: `support` is the probability, by `evidence`.

    While `vectors_pending` some passages were judged without their vectors. `model` is the embedding model,
    `judged_by` the reader that read the candidates, or "rules".
    """

    candidates: list[Candidate]
    evidence: Evidence
    support: float
    vectors_pending: bool
    model: str
    judged_by: str

    def stated_by(self, is_stated: Callable[[str], bool]) -> Scored:
        """Only the first candidate whose text states what is asked for, which then is the answer; the same
        where none does."""
        stating = [each for each in self.candidates if is_stated(each.text)]
        if not stating:
            return self
        first = min(stating, key=lambda each: (each.order, each.unit.start, each.unit.end))
        return replace(self, candidates=[replace(first, cosine=first.cosine or 0.0)], support=1.0)

    def to_json(self) -> dict[str, Any]:
        """How it was judged, as the audit shows it."""
        return {
            "support": round(self.support, 4),
            "answers_from": ANSWERS_FROM,
            "evidence": self.evidence.to_json(),
            "vectors_pending": self.vectors_pending,
            "model": self.model,
            "judged_by": self.judged_by,
        }


class ScoreSentences:
    """Cuts hits into candidates and judges them: by a reader, or by rules and vectors where there is none."""

    def __init__(self, embedder: Embedder, question_encoder: Embedder, reader: Reader | None) -> None:
        self._embedder, self._question_encoder = embedder, question_encoder
        self._reader = reader

    @cached_property
    def _model_id(self) -> str:
        return self._embedder.model_id

    @cached_property
    def _reader_id(self) -> str:
        return "rules" if self._reader is None else self._reader.model_id

    def score_sentences(
        self,
        result: SearchResult,
        asked: Question | None = None,
        *,
        before: str = "",
        met: Collection[str] = (),
    ) -> Scored:
        """All units of the hits, the best of them judged, and how far the best one answers.

        `asked` is the question where the query says more than it, as that of a follow-up does: units are
        chosen by what is asked, and the evidence is that for the whole query. `before` is the question that
        it goes on from: it is answered rather from what was found for both, and read with it. `met` are
        words of the query that are true of all hits: "the latest meeting", of passages of that meeting.
        """
        nothing = Scored([], Evidence(), 0.0, result.vectors_pending, self._model_id, "rules")
        if not result.query.text.strip() or not result.hits:
            return nothing
        question = asked if asked is not None and asked.text else Question(result.query.text)
        words = _Words(result, question, met)
        cuts = _cut([hit.chunk for hit in result.hits], words, question)
        found = [
            candidate
            for order, (hit, pieces) in enumerate(zip(result.hits, cuts, strict=True))
            for candidate in _candidates(hit, order, pieces, words, question, follows=bool(before))
        ]
        if not found:
            return nothing
        unread = before_reading(result, found)
        places = [*islice(_most_promising(unread), MOST_UNITS)]
        candidates, unit_cosine = self._read(unread, places, read_after(question.text, before)), 0.0
        if not candidates:
            candidates, unit_cosine = self._embedded(unread, places, question.text, result.query.text)
        ranked = judged_best_first(candidates)
        # Rows that may not be told still tell how far the best is ahead, unless one of them was the best.
        if judged := judged_best_first(named := _with_named_rows(candidates, question)):
            candidates, ranked = named, ranked if ranked[0] is judged[0] else judged
        best = ranked[0]
        coverage = max(words.share(pieces.whole_words) for pieces in cuts)
        evidence = evidence_of(result, question, unit_cosine, ranked, coverage)
        judged_by = "rules" if best.margin is None else self._reader_id
        is_none = _is_of_another(best, question) or best.only_asks
        supported = 0.0 if is_none else support(evidence)
        return Scored(candidates, evidence, supported, result.vectors_pending, self._model_id, judged_by)

    def _read(self, unread: Sequence[Candidate], places: Sequence[int], question: str) -> list[Candidate]:
        """The candidates, those at these places with what a reader says of each alone, and of the best of
        them where they stand; none without a reader, or where it cannot be loaded."""
        if self._reader is None:
            return []
        try:
            margins = self._reader.score_passages(question, texts_to_read(unread, places))
            candidates = [replace(candidate, cosine=None) for candidate in unread]
            for index, margin in zip(places, margins, strict=True):
                candidates[index] = replace(unread[index], margin=margin)
            ranked = [index for index in best_first(candidates) if candidates[index].margin is not None]
            around = surroundings(candidates, ranked, MOST_SURROUNDINGS)
            margins_around = self._reader.score_parts(
                question, [(stretch.text, stretch.parts) for stretch in around]
            )
        except ModelError as error:
            log.warning("answers are judged by rules alone: %s", error)
            return []
        for index in places:
            if candidates[index].stands_beside:
                candidates[index] = replace(candidates[index], margin_in_context=candidates[index].margin)
        for stretch, in_context in zip(around, margins_around, strict=True):
            for index, margin_there in zip(stretch.places, in_context, strict=True):
                candidates[index] = replace(candidates[index], margin_in_context=margin_there)
        return candidates

    def _embedded(
        self, unread: Sequence[Candidate], places: Sequence[int], asked: str, query: str
    ) -> tuple[list[Candidate], float]:
        """The candidates, those at these places with their own cosines with what is asked; and the best
        cosine with the query."""
        of_questions = self._question_encoder.embed(list(dict.fromkeys((asked, query))))
        of_units = self._embedder.embed(texts_to_embed([unread[index] for index in places]))
        candidates = [replace(candidate, cosine=None) for candidate in unread]
        for index, cosine in zip(places, (of_units @ of_questions[0]).tolist(), strict=True):
            candidates[index] = replace(unread[index], cosine=cosine)
        return candidates, max(0.0, float((of_units @ of_questions[-1]).max()))


def _is_of_another(best: Candidate, question: Question) -> bool:
    """Whether the best unit states a number or day and none of the names that the question gives stands
    beside it. In German all nouns look like names, and letters may stand for a name that is written out."""
    is_named = question.is_in_english and not any(map(str.isupper, question.names))
    return is_named and question.quantity is not None and best.names == 0.0


def _most_promising(unread: Sequence[Candidate]) -> Iterator[int]:
    """The places of the candidates that promise most first; of the items with what stands under them only the
    best few of a chunk, or those of minutes would leave nothing else to read. What answers nothing
    is not read, unless nothing else is there."""
    branches: Counter[int] = Counter()
    answer_nothing = all(map(_answers_nothing, unread))
    for index in best_first(unread, attrgetter("promise")):
        candidate = unread[index]
        if _answers_nothing(candidate) and not answer_nothing:
            continue
        if candidate.unit.is_branch:
            branches[candidate.chunk.chunk_id] += 1
            if branches[candidate.chunk.chunk_id] > MOST_BRANCHES:
                continue
        yield index


def _answers_nothing(candidate: Candidate) -> bool:
    """Whether a unit asks, or is too long to be told: of a list that is, the first sentences may be."""
    if candidate.only_asks:
        return True
    return not candidate.unit.items and candidate.characters_told > MOST_CHARACTERS


def before_reading(result: SearchResult, candidates: Iterable[Candidate]) -> list[Candidate]:
    """The candidates as they are known before models read them: with the cosines of their chunks."""
    cosines = [hit.explain.cosine or 0.0 for hit in result.hits]
    return [replace(candidate, cosine=cosines[candidate.order], margin=None) for candidate in candidates]


@cache
def _terms_of_asking() -> frozenset[int]:
    """What grammar and asking words are in the index."""
    return _terms_of((*FUNCTION_WORDS, *ASKING_WORDS))


def _terms_of(words: Iterable[str]) -> frozenset[int]:
    return frozenset(term for word in words for term in term_hashes(word, "en"))


class _Words:
    """The question's words with their rarity, to tell how much of the question a text covers."""

    def __init__(self, result: SearchResult, question: Question, met: Collection[str]) -> None:
        # "In March 2026" is met by a file of 2026-03-06: dates are compared as such, not by their words.
        dates = words_of(" ".join(question.dates_said)) if question.dates_said else ()
        asking = _terms_of_asking().union(_terms_of((*dates, *words_of(f"{question.newest} {question.now}"))))
        pairs = [
            (frozenset(group), idf) for group, idf in zip(result.term_groups, result.term_idfs, strict=True)
        ]
        remaining = [(group, idf) for group, idf in pairs if not group & asking] or pairs
        self._groups = [group for group, _ in remaining]
        self._idfs = [idf for _, idf in remaining]
        self._total = sum(self._idfs) or 1.0
        met_terms = _terms_of(met)
        self._met = frozenset(index for index, group in enumerate(self._groups) if group & met_terms)

    def among(self, words: Iterable[_HashedWord]) -> frozenset[int]:
        """Which of the question's words are among those of a text."""
        terms = {term for _, hashes in words for term in hashes}
        return frozenset(index for index, group in enumerate(self._groups) if group & terms)

    def share(self, groups: Iterable[int]) -> float:
        """The share of the question that these words are, by rarity."""
        return sum(self._idfs[index] for index in self._met.union(groups)) / self._total

    def alike(self, heading: Sequence[_HashedWord]) -> float:
        """How far a heading is the question: the harmonic mean of the shares of words that both have."""
        every = [frozenset(hashes) for word, hashes in heading if word.lower() not in QUERY_STOP_WORDS]
        asked = frozenset(term for group in self._groups for term in group)
        shared = sum(1 for terms in every if terms & asked)
        if not shared:
            return 0.0
        covered = len(self.among(heading)) / len(self._groups)
        return 2 * covered * (shared / len(every)) / (covered + shared / len(every))


@dataclass(frozen=True, slots=True)
class _Cut:
    """A chunk cut into its units, each with the term right before it, and, beside them, whole lists and the
    like. `fits` tells of all of them whether they have what is wanted, and `missing` which of the question's
    numbers, dates and names they do not have, read with their chunk; `of_units`, `of_whole`, `heading_words`
    and `whole_words` are the question's words in each, in the headings, and in the chunk with its headings,
    `of_names` those in what each of all stands under. `heading` tells how far a heading is the question."""

    units: list[Unit]
    whole: list[Unit]
    terms: list[Unit | None]
    fits: list[float]
    of_units: list[frozenset[int]]
    of_whole: list[frozenset[int]]
    of_names: list[frozenset[int]]
    heading_words: frozenset[int]
    whole_words: frozenset[int]
    heading: float
    missing: list[tuple[str, ...]]

    @property
    def fewest_missing(self) -> int:
        """How many of the question's numbers, dates and names the unit lacks that has the most of them."""
        return min(map(len, self.missing), default=0)


def _cut(chunks: Sequence[FoundChunk], words: _Words, question: Question) -> list[_Cut]:
    """All chunks at once: what reads many texts reads them in one go."""
    every: list[tuple[list[Unit], list[Unit], list[Unit | None]]] = []
    shown: list[list[str]] = []
    texts: list[list[tuple[str, str]]] = []
    cut = cut_chunks(map(text_of, chunks))
    for chunk, (cut_units, whole) in zip(chunks, cut, strict=True):
        headings = (chunk.title, *chunk.heading_path)
        titles = {_squeezed(heading) for heading in headings}
        own = [unit for unit in cut_units if _squeezed(unit.line) not in titles]
        units = [narrowed(unit, chunk.text, question.stems) for unit in own]
        terms = [_term_before(chunk.text, units, position) for position in range(len(units))]
        every.append((units, whole, terms))
        shown.append(
            [
                *(after_term(unit.line, term) for unit, term in zip(units, terms, strict=True)),
                *(unit.line for unit in whole),
            ]
        )
        quotes = [chunk.text[unit.start : unit.end] for unit in (*units, *whole)]
        names = [unit.under for unit in (*units, *whole)]
        texts.append([(text, chunk.language or "en") for text in (chunk.text, *headings, *quotes, *names)])
    hashed = iter(hashed_words(chain.from_iterable(texts)))
    cuts: list[_Cut] = []
    for chunk, (units, whole, terms), lines in zip(chunks, every, shown, strict=True):
        text, *of_headings = islice(hashed, 2 + len(chunk.heading_path))
        closest = (of_headings[0], *of_headings[1:][-1:])
        cuts.append(
            _Cut(
                units,
                whole,
                terms,
                list(map(question.fits, lines)),
                [words.among(quote) for quote in islice(hashed, len(units))],
                [words.among(quote) for quote in islice(hashed, len(whole))],
                [words.among(name) for name in islice(hashed, len(units) + len(whole))],
                words.among(chain.from_iterable(of_headings)),
                words.among(chain(text, *of_headings)),
                max(words.alike(heading) for heading in closest),
                question.missing(chunk, (*units, *whole)),
            )
        )
    return cuts


def _with_named_rows(found: Sequence[Candidate], question: Question) -> list[Candidate]:
    """The candidates; of the rows of a document, where some have a number or a name of the question, these
    alone: order 1005 is not told by the row of 1004. Nor is one that has empty what is asked told by rows
    that have less of the question."""
    numbers, names = set(question.numbers), set(question.names)
    wanted = {*numbers, *question.dates_said, *names}
    fewest: dict[int, tuple[int, int]] = {}
    empty: dict[int, float] = {}

    def lacking_of(row: Candidate) -> tuple[int, int]:
        return len(numbers.intersection(row.missing)), len(names.intersection(row.missing))

    for row in (candidate for candidate in found if candidate.unit.cells):
        document, lacking = row.chunk.document_id, lacking_of(row)
        fewest[document] = min(lacking, fewest.get(document, lacking))
        if not wanted.issuperset(row.missing):
            empty[document] = max(row.coverage, empty.get(document, 0.0))
    return [
        candidate
        for candidate in found
        if not candidate.unit.cells
        or (
            lacking_of(candidate) == fewest[candidate.chunk.document_id]
            and candidate.coverage >= empty.get(candidate.chunk.document_id, 0.0)
        )
    ]


def _candidates(
    hit: Hit, order: int, pieces: _Cut, words: _Words, question: Question, *, follows: bool
) -> list[Candidate]:
    units = pieces.units
    fits, missing = iter(pieces.fits), iter(pieces.missing)
    dated = question.is_of_its_time(hit.chunk)
    in_german = hit.chunk.language == "de" or (hit.chunk.language is None and not question.is_in_english)
    noun = NOUN if in_german else 1.0

    def candidate(
        unit: Unit, position: int, own: frozenset[int], beside: frozenset[int], term: Unit | None = None
    ) -> Candidate:
        fit, lacks = next(fits), next(missing)
        dates_and_numbers = (*question.numbers, *question.dates_said)
        wanted = (*dates_and_numbers, *question.names)
        has_it_empty = any(word not in wanted for word in lacks)
        return Candidate(
            hit.chunk,
            unit,
            order,
            position,
            cosine=None,
            coverage=words.share(own),
            context=words.share(own | pieces.heading_words | beside),
            fit=fit if _may_fit(unit, question) else 0.0,
            heading=pieces.heading,
            found=hit.score,
            term=term,
            missing=lacks,
            times=tuple(said for said in question.dates_said if said not in lacks),
            numbers=_share_present(dates_and_numbers, lacks),
            names=0.0 if has_it_empty else _names_present(question.names, lacks, noun),
            thread=hit.score if follows else 1.0,
            dated=dated,
            without_outcome=question.kind == "outcome" and _lacks_outcome(unit, fit),
        )

    made: list[Candidate] = []
    of_term: frozenset[int] = frozenset()
    of_columns: frozenset[int] = frozenset()
    of_names = iter(pieces.of_names)
    for position, (unit, term, own) in enumerate(zip(units, pieces.terms, pieces.of_units, strict=True)):
        # A row that has nothing of the question is no answer because its table's columns have.
        has_some = bool(own) or (bool(unit.cells) and _states_one(unit, question))
        beside = (of_columns if has_some else frozenset()) if unit.cells else of_term
        beside |= next(of_names)
        made.append(candidate(unit, position, own, beside, term if unit.kind != "code" else None))
        of_term = own if unit.kind == "term" else of_term
        of_columns = own if unit.kind == "head" else of_columns
    for unit, own in zip(pieces.whole, pieces.of_whole, strict=True):
        position = sum(before.start < unit.start for before in units)
        listed = candidate(unit, position, own, next(of_names))
        # Of a list in which one item has the number that is asked for, and another the name, none answers.
        if len(listed.missing) <= pieces.fewest_missing or not unit.items:
            made.append(listed)
    return made


def _states_one(row: Unit, question: Question) -> bool:
    """Whether a row states a number or date of the question, as its first cell often does."""
    stated = {*question.numbers, *question.dates_said}
    return not stated.issubset(question.missing_in(row.line))


def _term_before(text: str, units: Sequence[Unit], position: int) -> Unit | None:
    """The term that stands right before a unit, if there is one; a field has its name in itself."""
    before, unit = units[position - 1] if position else None, units[position]
    if (
        before is None
        or before.kind != "term"
        or unit.kind == "field"
        or unit.under == before.line.rstrip(":")
    ):
        return None
    if unit.kind == "item" and before.line.endswith(":") and " " in before.line:
        # It opens the whole list.
        return None
    return None if text[before.end : unit.start].strip() else before


def _lacks_outcome(unit: Unit, fit: float) -> bool:
    """Whether a unit does not tell what came of a matter; of a list that names it an item does."""
    return fit == 0.0 or (fit == 1.0 and bool(unit.items))


def _may_fit(unit: Unit, question: Question) -> bool:
    """Whether a unit can have what is wanted: a field's date is no number of things."""
    is_number = unit.kind == "field" and question.kind == "number"
    return not is_number or read_date(unit.line.rpartition(": ")[2]) is None


def _squeezed(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum())


def _share_present(asked: Sequence[str], missing: Sequence[str]) -> float:
    return 1 - sum(word in missing for word in asked) / len(asked) if asked else 1.0


def _names_present(asked: Sequence[str], missing: Sequence[str], noun: float) -> float:
    """The share of the names that are not missing; of one that is written as nouns are so much is missing."""
    lacking = sum(noun if word[1:].islower() else 1.0 for word in asked if word in missing)
    return 1 - lacking / len(asked) if asked else 1.0
