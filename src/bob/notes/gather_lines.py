"""Gathers what a routine's note is made of, each line with its source (SPEC M2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice

from bob.answers.answer import KeptAnswer, last_answers
from bob.answers.candidates import Candidate
from bob.answers.score_sentences import ScoreSentences
from bob.core.conversation import Memory
from bob.core.decision import Decision
from bob.core.locator import LineLocator
from bob.core.search import Filters, FoundChunk, Query
from bob.notes import task_rows
from bob.notes.digest import Line, line_at, one_line
from bob.search.index import found_chunks
from bob.search.service import Search, SearchResult
from bob.storage.database import Database
from bob.text.tasks import is_open, open_tasks
from bob.text.words import words_of

_CHUNKS_WITH_TASKS = 500
_HITS = 20
_FEWEST_WORDS = 3
_GAP_DAYS = 7
_ANSWERS = 1_000
"""A week of questions is looked for in so many of the last answers."""

_PROPOSED_DAYS = 7
"""A proposal that nobody decided on in so many days is due another look."""


@dataclass(frozen=True, slots=True)
class GatherOptions:
    """How much is gathered: `most` lines of a kind, `passages` of files; older decisions are looked at
    again (`outdated_after_days`)."""

    most: int
    passages: int
    outdated_after_days: int


class GatherLines:
    """What is open, decided, known and not known in one organization; `decisions` and `memories` give those
    of a project, or all."""

    def __init__(
        self,
        database: Database,
        search: Search,
        units: ScoreSentences,
        decisions: Callable[[str | None], Sequence[Decision]],
        memories: Callable[[str | None], Sequence[Memory]],
        options: GatherOptions,
    ) -> None:
        self._database = database
        self._search = search
        self._units = units
        self._decisions = decisions
        self._memories = memories
        self._options = options

    def open_loops(self, project: str | None) -> list[Line]:
        """Tasks that are not ticked, those of the newest files first, then memories that ask or promise."""
        hits = [
            *islice(self._tasks(project), self._options.most),
            *(_of_memory(memory) for memory in self._memories(project) if is_open(memory.summary)),
        ]
        return hits[: self._options.most]

    def _tasks(self, project: str | None) -> Iterator[Line]:
        with self._database.read() as transaction:
            numbers = task_rows.chunks_with_boxes(transaction, project, _CHUNKS_WITH_TASKS)
            chunks = found_chunks(transaction, numbers)
        for chunk in (chunks[number] for number in numbers if number in chunks):
            for start, end in open_tasks(chunk.text):
                yield line_at(
                    chunk.text[start:end], chunk.path, chunk.locator.narrowed(chunk.text, start, end)
                )

    def on(self, topic: str, project: str | None) -> tuple[list[Line], list[Line]]:
        """What was decided and turned down on a topic, and what files say of it."""
        filters = Filters(projects=(project,) if project else ())
        result = self._search.search_chunks(Query(topic, filters=filters), _HITS, evidence_only=True)
        # What shares no word with the topic would be a guess.
        chunks = [hit.chunk for hit in result.hits if hit.explain.words_rank is not None]
        about = [
            decision
            for decision in self._decisions(project)
            if any(_is_at(decision, chunk) for chunk in chunks)
        ]
        decided = [line for decision in about for line in _of_decision(decision)]
        return decided[: self._options.most], self._passages(result)

    def _passages(self, result: SearchResult) -> list[Line]:
        candidates = self._units.score_sentences(result).candidates
        best = sorted(candidates, key=lambda candidate: -candidate.score)
        telling = [
            candidate
            for candidate in best
            if candidate.coverage and len(words_of(candidate.text)) >= _FEWEST_WORDS
        ]
        texts = dict.fromkeys(candidate.text for candidate in telling)
        once = [next(candidate for candidate in telling if candidate.text == text) for text in texts]
        return [_of_candidate(candidate) for candidate in once[: self._options.passages]]

    def stale_decisions(self, project: str | None, today: date) -> list[Line]:
        """Decisions that still count and are old, and proposals that nobody decided on; the oldest first."""
        aged = [
            (decision.date, decision) for decision in self._decisions(project) if decision.date is not None
        ]
        limits = {"active": self._options.outdated_after_days, "proposed": _PROPOSED_DAYS}
        stale = [
            decision
            for day, decision in sorted(aged, key=lambda pair: (pair[0], pair[1].decision_id))
            if decision.status in limits and (today - day).days > limits[decision.status]
        ]
        return [next(_of_decision(decision)) for decision in stale][: self._options.most]

    def gaps(self, project: str | None, today: date) -> list[Line]:
        """Questions of the last 7 days that no source answered, nor did since; the most asked first."""
        with self._database.read() as transaction:
            recent = last_answers(transaction, _ANSWERS)
        since = today - timedelta(days=_GAP_DAYS)
        by_question: dict[str, list[KeptAnswer]] = {}
        for answer in recent:
            if answer.asked_at.date() >= since and _concerns(answer, project):
                by_question.setdefault(" ".join(answer.question.casefold().split()), []).append(answer)
        # Newest first: a question whose last answer was found is no gap any more.
        open_ones = [answers for answers in by_question.values() if not answers[0].found]
        open_ones.sort(key=len, reverse=True)
        return [_of_answers(open_one) for open_one in open_ones][: self._options.most]


def _of_memory(memory: Memory) -> Line:
    return Line(one_line(memory.summary), f"memory {memory.memory_id}, {memory.valid_from:%Y-%m-%d}")


def _of_decision(decision: Decision) -> Iterator[Line]:
    """The decision, then what was turned down with it."""
    decided = decision.found
    name = f"Decision {decided.number}: {decided.title}" if decided.number else decided.title
    statement = decided.statement if decided.statement != decided.title else ""
    day = f", {decision.date}" if decision.date else ""
    yield line_at(
        f"{name} ({decision.status}{day}){': ' if statement else ''}{statement}",
        decision.path,
        decided.locator,
    )
    for alternative in decided.rejected:
        reason = f": {alternative.reason}" if alternative.reason else ""
        yield line_at(f"Turned down: {alternative.text}{reason}", decision.path, alternative.locator)


def _of_candidate(candidate: Candidate) -> Line:
    chunk = candidate.chunk
    return line_at(
        candidate.text, chunk.path, chunk.locator.narrowed(chunk.text, candidate.start, candidate.unit.end)
    )


def _is_at(decision: Decision, chunk: FoundChunk) -> bool:
    """Whether a chunk speaks of a decision: it is in the record of it, or shares lines with it."""
    if chunk.document_id != decision.document_id:
        return False
    decision_locator, chunk_locator = decision.found.locator, chunk.locator
    if decision.found.kind == "record" or not isinstance(decision_locator, LineLocator):
        return True
    return isinstance(chunk_locator, LineLocator) and (
        chunk_locator.start_line <= decision_locator.end_line
        and decision_locator.start_line <= chunk_locator.end_line
    )


def _concerns(answer: KeptAnswer, project: str | None) -> bool:
    limited = [str(project).casefold() for project in answer.filters.get("projects", ())]
    return project is None or not limited or project.casefold() in limited


def _of_answers(answers: Sequence[KeptAnswer]) -> Line:
    times = f"asked {len(answers)} times, " if len(answers) > 1 else ""
    last = answers[0]
    return Line(one_line(last.question), f"{times}answer {last.answer_id}, {last.asked_at:%Y-%m-%d}")
