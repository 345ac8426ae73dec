"""Ask: an answer whose every claim cites the place that bears it out (SPEC E1, E3, E4).

Without a language model the answer is quoted; with one it is written and checked, and quoted where nothing
that was written may stand.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bob.answers import rows
from bob.answers.candidates import Candidate, chosen, cited, paragraphs
from bob.answers.question import ANSWERS_FROM, Evidence, Question, considered, date_confidence, support
from bob.answers.score_sentences import ScoreSentences
from bob.answers.values import NOT_FOUND, Answer, Answered, AnswerEvent, Claim, DateConfidence, Source
from bob.core.errors import StoreError
from bob.core.filters import NO_FILTERS, Filters, Query
from bob.core.hit import Hit, outlined
from bob.core.locator import locator_to_json
from bob.search.rare_words import with_corrections
from bob.search.service import Search, SearchResult
from bob.storage.database import Database

if TYPE_CHECKING:
    from bob.answers.decision_statements import StateDecisions, TurnedDown
    from bob.answers.write_answer import WriteAnswer, Written

CHUNKS_READ = 10
"""The units of so many hits are considered."""

_DOUBTED = "By Bob's own reading no passage answers this; open the sources before you rely on it."

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
    candidates: list[Candidate]
    evidence: Evidence
    support: float
    turned_down: TurnedDown | None
    search_seconds: float
    began: float

    @property
    def answers(self) -> bool:
        return self.support >= ANSWERS_FROM or self.turned_down is not None

    @property
    def kind(self) -> str:
        """What is wanted (`Question.kind`): of a follow-up what all the questions together want."""
        whole = self.result.query.text
        return self.meant.kind if self.meant.text == whole else Question(whole).kind

    @property
    def decided(self) -> bool:
        """Whether decisions have to do with it."""
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
        question (`bob.answers.question`) decides over quotes; over what a model wrote it only warns.
        """
        writer = None if extractive else self._writer
        prepared = self._find(question, tuple(earlier[-MOST_EARLIER:]), filters, today)
        if writer is None or not prepared.result.hits or not any(map(str.isalnum, question)):
            yield Answered(self._quoted(prepared))
            return
        told: dict[int, str] = {}
        if prepared.decided:
            prepared = replace(prepared, result=self._decisions.given(prepared.result, prepared.turned_down))
            told = self._decisions.statuses(prepared.result.hits)
        written = yield from writer.write_answer(
            question, [hit.chunk for hit in prepared.result.hits], told, prepared.earlier
        )
        if prepared.decided:
            written = self._decisions.checked(written, prepared.result, writer.name)
        yield Answered(self._checked(prepared, written, writer.name))

    def evidence(self, question: str, *, filters: Filters = NO_FILTERS) -> Evidence:
        """The signals by which Bob decides whether to answer; for calibrating them."""
        return self._units.score_sentences(
            self._search.search_chunks(Query(question, filters=filters), CHUNKS_READ, evidence_only=True)
        )[1]

    def _find(self, question: str, earlier: tuple[str, ...], filters: Filters, today: date) -> _Found:
        began = time.perf_counter()
        query = Query(" ".join((*earlier, question)), filters=filters)
        result = self._search.search_chunks(query, CHUNKS_READ, today=today, evidence_only=True)
        searched = time.perf_counter()
        # A name that no file has may be one of its own: what is near it is found, but does not answer.
        plain = [(typed, word) for typed, word in result.corrections if typed.islower()]
        meant = Question(with_corrections(question, plain) if plain else question)
        candidates, evidence = self._units.score_sentences(result, meant)
        what = considered(question)
        turned_down = None if what is None else self._decisions.turned_down(what, filters)
        day = today if filters.as_of is None else min(today, filters.as_of)
        return _Found(
            question,
            meant,
            earlier,
            day,
            result,
            candidates,
            evidence,
            support(evidence) if candidates else 0.0,
            turned_down,
            searched - began,
            searched,
        )

    def _quoted(self, prepared: _Found) -> Answer:
        if not prepared.answers:
            return self._not_found(prepared)
        parts: list[list[Candidate]] = [] if prepared.decided else [self._chosen(prepared)]
        candidates: list[Candidate] = []
        if prepared.decided:
            stated = self._decisions.told(
                prepared.result,
                prepared.candidates,
                prepared.turned_down,
                self._options.max_sentences,
                prepared.kind,
            )
            parts, candidates, prepared = (
                stated.holds,
                stated.superseded,
                replace(prepared, result=stated.result),
            )
        if not candidates and not any(parts):
            return self._not_found(prepared)
        sources, claims = cited([claim for part in parts for claim in part])
        for candidate in candidates:
            # A source of its own each: beside what holds it would be quoted as one with it.
            more = cited([candidate], len(sources))
            sources, claims = [*sources, *more[0]], [*claims, *more[1]]
        if prepared.decided:
            sources = self._decisions.of_sources(sources, prepared.result.hits)
        left = iter(claims)
        text = [line for part in parts for line in paragraphs(part, [next(left) for _ in part], sources)]
        for candidate in candidates:
            claim = next(left)
            past = _past(sources[claim.citations[0] - 1])
            text += [f"{past}: {line}" for line in paragraphs([candidate], [claim], sources)]
        return self._answer(prepared, "\n\n".join(text), claims, sources)

    def _chosen(self, prepared: _Found) -> list[Candidate]:
        return chosen(prepared.candidates, self._options.max_sentences, prepared.meant.kind)

    def _checked(self, prepared: _Found, written: Written, name: str) -> Answer:
        """The answer that is left of a draft; quotes where nothing is."""
        if written.claims:
            answer = self._answer(prepared, written.text, written.claims, written.sources)
        else:
            answer = self._not_found(prepared) if written.declined else self._quoted(prepared)
        doubts = (_DOUBTED,) if written.claims and not prepared.answers else ()
        audit = answer.audit | written.audit
        for part in ("settings", "timings"):
            audit[part] = answer.audit[part] | written.audit[part]
        notices = (*written.notices, *doubts, *answer.notices)
        return replace(answer, written_by=name if written.claims else None, notices=notices, audit=audit)

    def _answer(
        self,
        prepared: _Found,
        text: str,
        claims: Sequence[Claim],
        sources: Sequence[Source],
    ) -> Answer:
        confidence = date_confidence(
            prepared.meant, sources, prepared.today, self._options.outdated_after_days
        )
        return Answer(
            prepared.question,
            True,
            text,
            tuple(claims),
            tuple(sources),
            confidence,
            self._audit(prepared, claims, sources),
            notices=(
                *prepared.result.notices,
                *(self._decisions.said_of(sources, prepared.turned_down) if prepared.decided else ()),
            ),
            earlier=prepared.earlier,
        )

    def _not_found(self, prepared: _Found) -> Answer:
        audit = self._audit(prepared, (), ()) | {
            "closest": _closest(prepared.result.hits, prepared.candidates)
        }
        confidence = DateConfidence("low", "no source answers the question")
        missing = prepared.evidence.missing
        notices = prepared.result.notices
        if missing:
            notices += (f"What came closest does not speak of {' or '.join(missing)}.",)
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
            "claims": [_checked(claim, sources) for claim in claims],
            "removed": [],
            "support": round(prepared.support, 4),
            "answers_from": ANSWERS_FROM,
            "evidence": prepared.evidence.to_json(),
            "vectors_pending": prepared.result.vectors_pending,
            "model": self._units.model_id,
            "judged_by": self._units.judged_by(prepared.candidates),
            "settings": {"max_sentences": self._options.max_sentences},
            "timings": {
                "search_seconds": round(prepared.search_seconds, 4),
                "answer_seconds": round(time.perf_counter() - prepared.began, 4),
            },
        }


def _past(source: Source) -> str:
    """What a quote from a superseded decision is introduced by."""
    of = source.decision
    numbered = of is not None and of.decision.found.number is not None
    return f"{of.decision.name}, superseded" if of is not None and numbered else "Superseded"


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
    best = sorted(candidates, key=lambda candidate: -candidate.score)
    nearest = [next((c for c in best if c.chunk.chunk_id == hit.chunk.chunk_id), None) for hit in hits]
    return [
        {
            "document_id": candidate.chunk.document_id,
            "path": candidate.chunk.path,
            "title": candidate.chunk.title,
            "locator": locator_to_json(candidate.chunk.locator),
            "text": candidate.text[:300],
            "score": round(candidate.score, 4),
        }
        for candidate in nearest
        if candidate is not None
    ][:3]


log = logging.getLogger(__name__)

_WAIT_SECONDS = 1
"""An answer does not wait longer for its id while another process writes."""


class KeepAnswer:
    """Keeps one organization's answers, or none when `keep` is False."""

    def __init__(self, database: Database, *, keep: bool) -> None:
        self._database = database
        self._keep = keep

    def save_answer(self, answer: Answer, *, filters: Filters = NO_FILTERS, asked_at: datetime) -> Answer:
        """The answer with its id. Where it cannot be kept it comes back without one, and a warning is logged:
        an answer is worth more than its record."""
        if not self._keep:
            return answer
        try:
            with self._database.write(_WAIT_SECONDS) as transaction:
                return rows.save(transaction, answer, filters, asked_at)
        except StoreError as error:
            log.warning("this answer was not saved: %s", error)
            return answer
