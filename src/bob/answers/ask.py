"""Ask: an answer whose every claim cites the place that bears it out (SPEC E1, E3, E4).

Without a language model the answer is quoted; with one it is written and checked, and quoted where nothing
that was written may stand.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from bob.answers.answer import (
    NOT_FOUND,
    Answer,
    Answered,
    AnswerEvent,
    Claim,
    DateConfidence,
    Source,
    date_confidence,
    outlined_claims,
)
from bob.answers.candidates import Candidate
from bob.answers.choose_candidates import chosen, with_rest_of_lists
from bob.answers.closest_units import closest_units
from bob.answers.definitions import with_definitions
from bob.answers.gate import ANSWERS_FROM
from bob.answers.lists_in_part import overlap
from bob.answers.newest import (
    MOST_SEARCHED,
    Newest,
    last_day,
    newest_first,
    newest_of,
    series_asked_for,
    series_of,
)
from bob.answers.other_editions import of_its_edition, with_its_heading
from bob.answers.quantity import NAMES, Quantity
from bob.answers.question import Question
from bob.answers.quote_candidates import quoted, state_quantity, that_state, under_their_versions
from bob.answers.score_sentences import Scored, ScoreSentences
from bob.answers.sides import Sides, both_told, not_told, sides_of, told_of_each
from bob.core.search import NO_FILTERS, Filters, FoundChunk, Hit, Query, outlined
from bob.search.rare_words import with_corrections
from bob.search.service import Search, SearchResult
from bob.text.words import words_of

if TYPE_CHECKING:
    from bob.answers.decision_statements import StateDecisions, TurnedDown
    from bob.answers.write_answer import WriteAnswer, Written

CHUNKS_READ = 16
"""The units of so many hits are considered."""

CHUNKS_GIVEN = 10
"""So many of them a language model is given: each costs some 250 tokens."""

MOST_OF_A_TIME = 100
"""Of so many hits for a question that states a time those of that time are looked for."""

MOST_OF_A_SUBJECT = 50
"""Of so many hits for a question for a definition one that defines is looked for."""

_DOUBTED = "By Bob's own reading no passage answers this; open the sources before you rely on it."

_QUOTED_INSTEAD = "These are quotes instead."

_NOT_ANSWERED = "Not answered: “{}”"

MOST_OF_A_SIDE = 2
"""So many sentences tell each of the two sides that a question compares."""

MOST_EARLIER = 3
"""Of the questions before a follow-up so many are searched with: the last ones."""


@dataclass(frozen=True, slots=True)
class AskOptions:
    """How answers are made; see `bob.app.settings.AnswerSettings`."""

    max_sentences: int
    outdated_after_days: int


@dataclass(frozen=True, slots=True)
class _Found:
    """What was found for a question, and how far that answers it; `meant` is it without typing errors."""

    question: str
    meant: Question
    earlier: tuple[str, ...]
    today: date
    result: SearchResult
    scored: Scored
    turned_down: TurnedDown | None
    search_seconds: float
    searched_at: float

    @property
    def answers(self) -> bool:
        return self.scored.support >= ANSWERS_FROM or self.turned_down is not None

    @property
    def decided(self) -> bool:
        """Whether some of what was found is part of a decision, or one turned down what is asked about."""
        return self.turned_down is not None or any(hit.decisions for hit in self.result.hits)


class Ask:
    """Answers questions from one organization's documents.

    `writer` gives what writes answers, None where no language model is wanted; it is asked for when a
    question is. `decisions` is asked for when a question is about one.
    """

    def __init__(
        self,
        search: Search,
        units: ScoreSentences,
        decisions: Callable[[], StateDecisions],
        options: AskOptions,
        writer: Callable[[], WriteAnswer | None] = lambda: None,
    ) -> None:
        self._search = search
        self._units = units
        self._make_decisions = decisions
        self._options = options
        self._make_writer = writer

    @cached_property
    def _decisions(self) -> StateDecisions:
        return self._make_decisions()

    @cached_property
    def _writer(self) -> WriteAnswer | None:
        return self._make_writer()

    def answer_question(
        self,
        question: str,
        *,
        earlier: Sequence[str] = (),
        filters: Filters = NO_FILTERS,
        today: date,
        extractive: bool = False,
    ) -> Answer:
        """The answer, or `found` False with what came closest in the audit."""
        for event in self.events(
            question, earlier=earlier, filters=filters, today=today, extractive=extractive
        ):
            if isinstance(event, Answered):
                return event.answer
        raise AssertionError("the last event is the answer")

    def events(
        self,
        question: str,
        *,
        earlier: Sequence[str] = (),
        filters: Filters = NO_FILTERS,
        today: date,
        extractive: bool = False,
    ) -> Iterator[AnswerEvent]:
        """The draft as a language model writes it, unchecked, and its end, then always one `Answered`.

        `earlier` are the questions that this one goes on from, oldest first: what is searched for is what all
        of them speak of, and what is answered is the last.

        No model is asked when `extractive`, or when nothing was found. Whether what was found answers the
        question (`bob.answers.gate`) decides over quotes; over what a model wrote it only warns.
        """
        writer = None if extractive else self._writer
        prepared = self._find(question, tuple(earlier[-MOST_EARLIER:]), filters, today)
        if writer is None or not prepared.result.hits or not any(map(str.isalnum, question)):
            yield Answered(self._quoted(prepared))
            return
        given = replace(prepared, result=_only(prepared.result, prepared.result.hits[:CHUNKS_GIVEN]))
        told: dict[int, str] = {}
        if given.decided:
            given = replace(given, result=self._decisions.given(given.result, given.turned_down))
            told = self._decisions.statuses(given.result.hits)
        written = yield from writer.write_answer(
            question, [hit.chunk for hit in given.result.hits], told, prepared.earlier
        )
        if given.decided:
            written = self._decisions.checked(written, given.result, writer.name)
        yield Answered(self._checked(given if written.claims else prepared, written, writer.name))

    def _find(self, question: str, earlier: tuple[str, ...], filters: Filters, today: date) -> _Found:
        began = time.perf_counter()
        query = Query(" ".join((*earlier, question)), filters=filters)
        result = self._search_chunks(query, Question(question), today)
        # A name that no file has may be one of its own: what is near it is found, but does not answer.
        plain = [(typed, word) for typed, word in result.corrections if typed.islower()]
        before = earlier[-1] if earlier else ""
        meant = Question(with_corrections(question, plain) if plain else question, before)
        day = today if filters.as_of is None else min(today, filters.as_of)
        searched = time.perf_counter()
        if meant.newest:
            result, scored = self._newest_that_answers(result, meant, day, before)
        else:
            scored = self._score(result, meant, None, before, is_newest=False)
        if not meant.newest and meant.is_of_no_time_of(result.hits):
            scored = replace(scored, support=0.0)
        what = meant.alternative
        turned_down = None if what is None else self._decisions.turned_down(what, filters)
        return _Found(
            question,
            meant,
            earlier,
            day,
            result,
            scored,
            turned_down,
            searched - began,
            searched,
        )

    def _search_evidence(self, query: Query, limit: int, *, today: date | None = None) -> SearchResult:
        return self._search.search_chunks(query, limit, today=today, evidence_only=True, as_question=True)

    def _search_chunks(self, query: Query, question: Question, today: date) -> SearchResult:
        """What is read for a question; where it states months or days, or goes on from one that does, only
        what is of that time; where it asks for a definition, also a passage further down that defines."""
        result = self._search_of_time(query, question, today)
        if not question.editions:
            return result
        hits = of_its_edition(result.hits, question)
        return _only(result, with_its_heading(hits, question, partial(self._under_heading, result.query)))

    def _under_heading(self, query: Query, chunk: FoundChunk, heading: str) -> list[Hit]:
        """The passages of a document under a heading."""
        filters = Filters(path_prefixes=(chunk.path,), within=query.filters)
        query = replace(query, filters=filters, phrases=(*query.phrases, heading))
        return self._search_evidence(query, MOST_OF_A_TIME).hits

    def _search_of_time(self, query: Query, question: Question, today: date) -> SearchResult:
        dated = question if question.dates or question.text == query.text else Question(query.text)
        if question.subject and not dated.dates:
            result = self._search_evidence(query, MOST_OF_A_SUBJECT, today=today)
            return _only(result, with_definitions(result.hits, question.subject, CHUNKS_READ))
        if not dated.dates or question.newest:
            return self._search_evidence(query, CHUNKS_READ, today=today)
        result = self._search_evidence(query, MOST_OF_A_TIME, today=today)
        return _only(result, dated.of_its_time(result.hits)[:CHUNKS_READ])

    def _score(
        self, result: SearchResult, meant: Question, newest: Newest | None, before: str, *, is_newest: bool
    ) -> Scored:
        """How what was found answers; of the newest of a series, what is said of it, or what states it. Where
        all that was found `is_newest`, it need not say so."""
        if newest is not None and meant.newest_of is not None and meant.newest_of.about:
            about = Question(meant.newest_of.about)
            met = set(words_of(meant.text.lower())).difference(words_of(about.text.lower()))
            return self._units.score_sentences(result, about, before=before, met=met)
        if newest is None and is_newest:
            met = set(words_of(meant.newest.lower()))
            return self._units.score_sentences(result, meant.of_any_time, before=before, met=met)
        scored = self._units.score_sentences(result, meant, before=before)
        return scored if newest is None else scored.stated_by(newest.is_stated)

    def _newest_that_answers(
        self, every: SearchResult, question: Question, day: date, before: str
    ) -> tuple[SearchResult, Scored]:
        """What was found of the newest place that answers, and how it does; that of the newest of all where
        none does."""
        tried: list[tuple[SearchResult, Scored]] = []
        for result, newest in self._newest(every, question, day):
            scored = self._score(result, question, newest, before, is_newest=result is not every)
            tried.append((result, scored))
            if scored.support >= ANSWERS_FROM:
                return tried[-1]
        return tried[0]

    def _newest(
        self, result: SearchResult, question: Question, day: date
    ) -> Iterator[tuple[SearchResult, Newest | None]]:
        """What was found, of the best series of dated places only the newest until that day, then one before
        that; and the place, where the question says of which series."""
        search = partial(self._search_evidence, limit=MOST_SEARCHED, today=day)
        query, until = result.query, min(day, last_day(question.text) or day)
        asked = question.newest_of
        series = None if asked is None else series_asked_for(asked, search(query).hits)
        if asked is not None and series is not None:
            places = self._search.places(series.within(query.filters))
            newest = newest_of(asked, series, places, until)
            if newest is not None:
                yield self._of_newest(result, newest, asked.about, day), newest
                return
        series = next((series for hit in result.hits if (series := series_of(hit.chunk))), None)
        if series is None:
            yield result, None
            return
        of_series = search(replace(query, filters=series.within(query.filters))).hits
        for hits in newest_first(result.hits, of_series, series, until, CHUNKS_READ):
            yield replace(result, hits=hits), None

    def _of_newest(self, result: SearchResult, newest: Newest, about: str, day: date) -> SearchResult:
        """What the newest place says about something, or first for the question itself."""
        query = newest.within(replace(result.query, text=about or result.query.text))
        within = self._search_evidence(query, CHUNKS_READ, today=day)
        hits = [hit for hit in within.hits if newest.holds(hit.chunk)]
        return replace(result, hits=hits, vectors_pending=within.vectors_pending)

    def _quoted(self, prepared: _Found) -> Answer:
        most, candidates = self._options.max_sentences, prepared.scored.candidates
        kind, rest_after = prepared.meant.kind, self._search.chunk_after
        units = with_rest_of_lists(chosen(candidates, most, kind), rest_after) if prepared.answers else []
        lacking = prepared.meant.quantity if units and not state_quantity(units, prepared.meant) else None
        if lacking is not None:
            candidates = that_state(candidates, prepared.meant)
            units = with_rest_of_lists(chosen(candidates, most, kind), rest_after)
        decided = self._tells_decisions(prepared, units)
        if prepared.answers and decided and (units or lacking is None):
            stated = self._decisions.quoted(prepared.result, candidates, prepared.turned_down, most, kind)
            if not stated.claims:
                return self._not_found(prepared)
            prepared = replace(prepared, result=stated.result)
            return self._answer(prepared, stated.text, stated.claims, stated.sources, stated.notices)
        sides = None if decided else sides_of(prepared.question)
        halves = [] if sides is None else self._halves(prepared, sides)
        notices: tuple[str, ...] = ()
        if sides is not None and not any(self._tells_decisions(half, _told(half)) for half in halves):
            unanswered = [half.question for half in halves if not half.answers]
            if not unanswered:
                return self._compared(prepared, sides, halves, units)
            if len(unanswered) == 1:
                notices = _not_answered(sides, " ".join(unit.text for unit in units), unanswered)
        if not units:
            return self._not_found(prepared, lacking)
        (paragraphs,), claims, sources = quoted([under_their_versions(units, prepared.meant)])
        return self._answer(prepared, "\n\n".join(paragraphs), claims, sources, notices)

    def _tells_decisions(self, found: _Found, units: Sequence[Candidate]) -> bool:
        """Whether the units tell of decisions, which are told as they stand today."""
        if not found.decided:
            return False
        return found.turned_down is not None or self._decisions.concerns(units, found.result.hits)

    def _halves(self, prepared: _Found, sides: Sides) -> list[_Found]:
        """What is found for each of the two, asked alone."""
        filters, today = prepared.result.query.filters, prepared.today
        return [
            self._find(side.question, (*prepared.earlier, *side.earlier), filters, today) for side in sides
        ]

    def _compared(
        self, prepared: _Found, sides: Sides, halves: Sequence[_Found], units: Sequence[Candidate]
    ) -> Answer:
        """Both sides behind the first of the units that tells of both, unless a side has it. Where one
        passage tells each, nothing else is told."""
        passage, candidates = told_of_each(sides, [half.scored.candidates for half in halves])
        told = [
            chosen(of_side, MOST_OF_A_SIDE, half.meant.kind)
            for of_side, half in zip(candidates, halves, strict=True)
        ]
        if passage is not None:
            of_passage = [unit for unit in prepared.scored.candidates if unit.chunk.chunk_id == passage]
            units = chosen(of_passage, MOST_OF_A_SIDE, prepared.meant.kind)
        of_both = [unit for unit in units if both_told(sides, unit.text)][:1]
        if any(overlap(unit, other) for unit in of_both for other in chain.from_iterable(told)):
            # Told apart from its side it would leave "They are …" there without what that refers to.
            of_both = []
        parts = [of_both]
        for best in told:
            before = [*chain.from_iterable(parts)]
            parts.append([unit for unit in best if not any(overlap(unit, other) for other in before)])
        rest_after = self._search.chunk_after
        texts, claims, sources = quoted([with_rest_of_lists(part, rest_after) for part in parts if part])
        hits: dict[int, Hit] = {}
        for hit in chain.from_iterable(part.result.hits for part in (prepared, *halves)):
            hits.setdefault(hit.chunk.chunk_id, replace(hit, rank=len(hits) + 1))
        result = replace(prepared.result, hits=[*hits.values()])
        weaker = min(halves, key=lambda half: half.scored.support)
        prepared = replace(prepared, result=result, scored=weaker.scored)
        text = "\n\n".join(chain.from_iterable(texts))
        missing = [half.question for half, part in zip(halves, parts[1:], strict=True) if not part]
        return self._answer(prepared, text, claims, sources, _not_answered(sides, text, missing))

    def _checked(self, prepared: _Found, written: Written, name: str) -> Answer:
        """The answer that is left of a draft; quotes where nothing is."""
        if written.claims:
            notices = (
                self._decisions.said_of(written.sources, prepared.turned_down) if prepared.decided else ()
            )
            answer = self._answer(prepared, written.text, written.claims, written.sources, notices)
        else:
            answer = self._not_found(prepared) if written.declined else self._quoted(prepared)
        doubts = (_DOUBTED,) if written.claims and not prepared.answers else ()
        instead = (_QUOTED_INSTEAD,) if answer.found and not written.claims else ()
        audit = answer.audit | written.audit
        for part in ("settings", "timings"):
            audit[part] = answer.audit[part] | written.audit[part]
        notices = (*written.notices, *instead, *doubts, *answer.notices)
        return replace(answer, written_by=name if written.claims else None, notices=notices, audit=audit)

    def _answer(
        self,
        prepared: _Found,
        text: str,
        claims: Sequence[Claim],
        sources: Sequence[Source],
        notices: Sequence[str] = (),
    ) -> Answer:
        confidence = date_confidence(
            sources,
            prepared.today,
            self._options.outdated_after_days,
            speaks_of_time=prepared.meant.speaks_of_time,
        )
        return Answer(
            prepared.question,
            True,
            text,
            tuple(claims),
            tuple(sources),
            confidence,
            self._audit(prepared, claims, sources),
            notices=(*prepared.result.notices, *notices, *self._not_spoken_of(prepared, text, sources)),
            earlier=prepared.earlier,
        )

    def _not_spoken_of(self, prepared: _Found, text: str, sources: Sequence[Source]) -> tuple[str, ...]:
        """What is told beside a number, version or date of the question that does not stand there may be of
        another one."""
        headings = (" ".join((source.chunk.title, *source.chunk.heading_path)) for source in sources)
        shown = " ".join((text, *headings)).casefold()
        missing = [
            name
            for name in prepared.scored.evidence.missing
            if any(map(str.isdigit, name)) and name.casefold() not in shown
        ]
        return (f"What is told does not speak of {' or '.join(missing)}.",) if missing else ()

    def _not_found(self, prepared: _Found, lacking: Quantity | None = None) -> Answer:
        closest = closest_units(prepared.result.hits, prepared.scored.candidates)
        audit = self._audit(prepared, (), ()) | {"closest": closest}
        confidence = DateConfidence("low", "no source answers the question")
        shown = "\n".join(f"{each['title']}\n{each['text']}" for each in closest).casefold()
        missing = [name for name in prepared.scored.evidence.missing if name.casefold() not in shown]
        notices = prepared.result.notices
        if missing:
            notices += (f"What came closest does not speak of {' or '.join(missing)}.",)
        if lacking is not None:
            notices += (f"What came closest states no {NAMES[lacking]}.",)
        return Answer(
            prepared.question,
            False,
            NOT_FOUND,
            (),
            (),
            confidence,
            audit,
            notices=notices,
            earlier=prepared.earlier,
        )

    def _audit(self, prepared: _Found, claims: Sequence[Claim], sources: Sequence[Source]) -> dict[str, Any]:
        return {
            "retrieved": outlined(prepared.result.hits),
            "used": [source.chunk.chunk_id for source in sources],
            "claims": outlined_claims(claims, sources),
            "removed": [],
            **prepared.scored.to_json(),
            "settings": {"max_sentences": self._options.max_sentences},
            "timings": {
                "search_seconds": round(prepared.search_seconds, 4),
                "answer_seconds": round(time.perf_counter() - prepared.searched_at, 4),
            },
        }


def _told(half: _Found) -> list[Candidate]:
    """What tells one of two sides."""
    return chosen(half.scored.candidates, MOST_OF_A_SIDE, half.meant.kind) if half.answers else []


def _not_answered(sides: Sides, told: str, halves: Sequence[str]) -> tuple[str, ...]:
    """A notice for each of the halves of a question of which nothing is told."""
    untold = not_told(sides, told)
    return tuple(_NOT_ANSWERED.format(half) for half in halves if half in untold)


def _only(result: SearchResult, hits: Sequence[Hit]) -> SearchResult:
    """The result with these hits, in their order."""
    return replace(result, hits=[replace(hit, rank=rank) for rank, hit in enumerate(hits, 1)])
