"""Has answers tell what holds: a superseded decision only after the one that took its place, and an
alternative that was turned down with its reason and its decision (SPEC F2 to F4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, compress
from typing import TYPE_CHECKING

from bob.answers.answer import Claim, Source
from bob.answers.candidates import Candidate
from bob.answers.choose_candidates import chosen, with_rest_of_lists
from bob.answers.lists_in_part import KEEP_WITHIN, overlap
from bob.answers.question import unit_saying
from bob.answers.quote_candidates import quoted
from bob.answers.score_sentences import ScoreSentences
from bob.answers.units.unit import Unit
from bob.core.decision import Decision, LinkKind, Rejected, Standing
from bob.core.document import LAST_CHANGE
from bob.core.locator import Locator, meets, ranges_meeting
from bob.core.search import NO_FILTERS, Explanation, Filters, FoundChunk, Hit
from bob.decisions.status import Standings
from bob.search.index import chunk_after, chunks_of_document
from bob.search.query import documents_matching
from bob.search.service import SearchResult
from bob.storage.database import Database
from bob.text.stop_words import QUERY_STOP_WORDS, USING_WORDS
from bob.text.words import term_hashes, words_of

if TYPE_CHECKING:
    from bob.answers.write_answer import Written

StandingByPlace = Mapping[tuple[int, int], Standing]
"""The standing of the decision that a unit is part of, by `position_of`; other units are not in it."""

MOST_SUPERSEDED = 2
"""An answer tells of so many superseded decisions."""

_MOST_LEADS = 2
"""Of each decision that holds so many units come first."""

_REVISED: dict[LinkKind, str] = {
    "partly_supersedes": "was superseded in part by",
    "amends": "was amended by",
    "supersedes": "was superseded by",
}


def position_of(candidate: Candidate) -> tuple[int, int]:
    """Where a unit stands: its chunk, and its beginning in it."""
    return candidate.chunk.chunk_id, candidate.unit.start


def state_decisions(
    candidates: Sequence[Candidate],
    standings: StandingByPlace,
    stating: Callable[[Decision], list[Candidate]],
    limit: int,
    question_kind: str,
) -> tuple[list[Candidate], list[Candidate]]:
    """What is to be quoted: at most `limit` candidates of what holds, then those of superseded decisions.

    `stating` gives the units that state a decision. A superseded decision is told of when a unit of it would
    have been quoted.
    """
    old = [candidate for candidate in candidates if _superseded(candidate, standings)]
    if not old:
        return chosen(candidates, limit, question_kind), []
    fresh = [candidate for candidate in candidates if not _superseded(candidate, standings)]
    top = max((candidate.score for candidate in candidates), default=0.0)
    best: dict[int, Candidate] = {}
    for each in sorted(old, key=lambda candidate: (-candidate.score, candidate.order, candidate.unit.start)):
        if each.cosine is not None and each.score >= KEEP_WITHIN * top:
            best.setdefault(standings[position_of(each)].decision.decision_id, each)
    past = list(best.values())[:MOST_SUPERSEDED]
    if not past:
        return chosen(fresh, limit, question_kind), []
    leads: list[Candidate] = []
    for each in past:
        for decision in standings[position_of(each)].current:
            if not any(_is_of(lead, decision, standings) for lead in leads):
                leads += _lead(decision, fresh, standings, stating)
    room = limit - len(leads) - len(past)
    if room <= 0:
        return leads, past
    # Beside decisions only what is as good as what they were found by; what it needs is brought along.
    others = [
        candidate
        if candidate.score >= KEEP_WITHIN * top and not any(overlap(candidate, lead) for lead in leads)
        else replace(candidate, cosine=None)
        for candidate in fresh
    ]
    rest = chosen(others, room, question_kind)
    return leads + [unit for unit in rest if not any(overlap(unit, lead) for lead in leads)], past


def _superseded(candidate: Candidate, standings: StandingByPlace) -> bool:
    standing = standings.get(position_of(candidate))
    return standing is not None and standing.status == "superseded"


def _is_of(candidate: Candidate, decision: Decision, standings: StandingByPlace) -> bool:
    if candidate.chunk.document_id != decision.document_id:
        return False
    standing = standings.get(position_of(candidate))
    return standing is None or standing.decision.decision_id == decision.decision_id


def _lead(
    decision: Decision,
    fresh: Sequence[Candidate],
    standings: StandingByPlace,
    stating: Callable[[Decision], list[Candidate]],
) -> list[Candidate]:
    """The unit that states a decision, after the one that answers better if there is one."""
    answers = [
        candidate
        for candidate in fresh
        if candidate.cosine is not None and _is_of(candidate, decision, standings)
    ]
    statement = max(stating(decision), key=lambda candidate: candidate.score, default=None)
    answering = max(answers, key=lambda candidate: candidate.score, default=None)
    if statement is None or answering is None:
        return [candidate for candidate in (statement, answering) if candidate is not None]
    if answering.score <= statement.score or answering.quote == statement.quote:
        return [statement]
    both = sorted(
        (statement, answering), key=lambda candidate: (candidate.chunk.ordinal, candidate.unit.start)
    )
    return both[:_MOST_LEADS]


def notices(standings: Iterable[Standing]) -> tuple[str, ...]:
    """What is to be said of the decisions that an answer cites; nothing of one that plainly holds."""
    seen: dict[int, Standing] = {standing.decision.decision_id: standing for standing in standings}
    return tuple(line for standing in seen.values() for line in _notice(standing))


def _notice(standing: Standing) -> list[str]:
    name = standing.decision.name
    if standing.status == "superseded":
        if not standing.replaced_by:
            return [f"{name} is superseded; its text does not say which decision superseded it."]
        by = " and ".join(_dated(successor) for successor in standing.replaced_by)
        ends = [decision for decision in standing.current if decision not in standing.replaced_by]
        onward = f"; in force now: {' and '.join(_dated(end) for end in ends)}" if ends else ""
        return [f"{name} was superseded by {by}{onward}."]
    if standing.status == "rejected":
        return [f"{name} was rejected and is not in force."]
    if standing.status == "proposed":
        return [f"{name} is a proposal, not decided yet."]
    if standing.status == "deprecated":
        return [f"{name} is deprecated."]
    return [f"{name} {_REVISED[kind]} {_dated(by)}." for kind, by in standing.revised_by]


def _dated(decision: Decision) -> str:
    """A decision with its day, where more is known than when the file was last changed."""
    if decision.date is None or decision.date_kind in LAST_CHANGE:
        return decision.name
    return f"{decision.name} on {decision.date.isoformat()}"


_MOST_CHUNKS = 3
"""A decision's statement is read from so many chunks."""

_UNRANKED = Explanation(0.0, 0.0, 0.0, None, None, None)


@dataclass(frozen=True, slots=True)
class TurnedDown:
    """An alternative that a question asks about, and the decision that turned it down."""

    standing: Standing
    rejected: Rejected


@dataclass(frozen=True, slots=True)
class QuotedDecisions:
    """An answer of quotes, and what a reader should know of the decisions that they are part of; `result` has
    all passages that they are of."""

    text: str
    claims: list[Claim]
    sources: list[Source]
    notices: tuple[str, ...]
    result: SearchResult


class StateDecisions:
    """Knows the decisions of one organization for those who answer."""

    def __init__(self, database: Database, units: ScoreSentences) -> None:
        self._database = database
        self._standings = Standings(database)
        self._units = units

    def turned_down(self, what: str, filters: Filters) -> TurnedDown | None:
        """The alternative that these words name, where a decision turned it down."""
        # Of a word like CockroachDB the whole counts: another database is one too.
        query_terms = [frozenset(term_hashes(word.lower(), "en")) for word in _content_words(what)]
        if not query_terms:
            return None
        best: tuple[int, float, TurnedDown] | None = None
        allowed = self._allowed(filters)
        for standing in self._standings.rejecting(filters.as_of):
            if allowed is not None and standing.decision.document_id not in allowed:
                continue
            decision = standing.decision.found
            title, statement, context = (
                _terms(text) for text in (decision.title, decision.statement, decision.context)
            )
            for rejected in decision.rejected:
                own, reason = _terms(rejected.text), _terms(rejected.reason or "") - statement
                # What was chosen is no alternative, though named beside one. A sentence that turns
                # something down is its own title.
                chose = frozenset() if rejected.text.lower() in decision.title.lower() else title
                named = [terms for terms in query_terms if terms <= own | reason and not terms <= chose]
                all_terms = own | reason | title | statement | context
                if not named or not all(terms <= all_terms for terms in query_terms):
                    continue
                worth = (len(named), decision.confidence, TurnedDown(standing, rejected))
                if best is None or worth[:2] > best[:2]:
                    best = worth
        return None if best is None else best[2]

    def _allowed(self, filters: Filters) -> set[int] | None:
        if filters == NO_FILTERS:
            return None
        with self._database.read() as transaction:
            allowed = set(documents_matching(transaction, filters))
        if filters.decisions:
            allowed &= self._standings.documents(filters.decisions, filters.as_of)
        return allowed

    def quoted(
        self,
        result: SearchResult,
        candidates: Sequence[Candidate],
        turned_down: TurnedDown | None,
        limit: int,
        question_kind: str,
    ) -> QuotedDecisions:
        """An answer of the candidates, and of decisions beside them: first what holds, then, as such, what is
        superseded."""
        holds, superseded, result = self._told(result, candidates, turned_down, limit, question_kind)
        texts, claims, sources = quoted(holds, superseded)
        sources = self.of_sources(sources, result.hits)
        # A superseded decision has a claim of its own, after all others.
        for position, claim in enumerate(reversed(claims[len(claims) - len(superseded) :]), 1):
            past = _past(sources[claim.citations[0] - 1])
            texts[-position] = [f"{past}: {line}" for line in texts[-position]]
        text = chain.from_iterable(texts)
        notices = self.said_of(sources, turned_down)
        return QuotedDecisions("\n\n".join(text), claims, sources, notices, result)

    def _told(
        self,
        result: SearchResult,
        candidates: Sequence[Candidate],
        turned_down: TurnedDown | None,
        limit: int,
        question_kind: str,
    ) -> tuple[list[list[Candidate]], list[Candidate], SearchResult]:
        """What holds, in parts that begin a paragraph each, what is superseded, and the result with all
        passages that they are of."""
        added: dict[int, Hit] = {}

        def candidates_at(decision: Decision, locator: Locator) -> list[Candidate]:
            hits = self._hits(result, decision, locator)
            added.update((hit.chunk.chunk_id, hit) for hit in hits)
            return self._units.score_sentences(replace(result, hits=hits)).candidates

        def stating(decision: Decision) -> list[Candidate]:
            locator = decision.found.locator
            at_locator = candidates_at(decision, locator)
            return [candidate for candidate in at_locator if meets(_place(candidate), locator)] or at_locator

        superseded: list[Candidate] = []
        if turned_down is None:
            standings = _standings(result.hits, candidates)
            units, superseded = state_decisions(candidates, standings, stating, limit, question_kind)
            holds = [with_rest_of_lists(units, self._chunk_after)]
        else:
            place_of, standing = turned_down.rejected.locator, turned_down.standing
            rejection = _rejection(turned_down.rejected, candidates_at(standing.decision, place_of))
            found = [stating(statements) for statements in standing.current or (standing.decision,)]
            best = [max(candidates_of, key=lambda one: one.score) for candidates_of in found if candidates_of]
            holds = [
                rejection,
                [candidate for candidate in best if not any(overlap(candidate, one) for one in rejection)],
            ]
        seen = {hit.chunk.chunk_id for hit in result.hits}
        more = [hit for number, hit in added.items() if number not in seen]
        return holds, superseded, replace(result, hits=[*result.hits, *more]) if more else result

    def _chunk_after(self, chunk: FoundChunk) -> FoundChunk | None:
        with self._database.read() as transaction:
            return chunk_after(transaction, chunk)

    def given(self, result: SearchResult, turned_down: TurnedDown | None) -> SearchResult:
        """What was found, after the passages of the decisions that it turns on: for a language model, which
        is shown passages and not units."""
        about = [turned_down.standing] if turned_down is not None else []
        about += [standing for hit in result.hits for standing in hit.decisions[:1]]
        first: dict[int, Hit] = {}
        if turned_down is not None:
            locator = turned_down.rejected.locator
            hits = self._hits(result, turned_down.standing.decision, locator)
            first.update((hit.chunk.chunk_id, hit) for hit in hits)
        for decision in {decision.decision_id: decision for s in about for decision in s.current}.values():
            hits = self._hits(result, decision, decision.found.locator)
            first.update((hit.chunk.chunk_id, hit) for hit in hits)
        if not first:
            return result
        rest = [hit for hit in result.hits if hit.chunk.chunk_id not in first]
        return replace(result, hits=[*first.values(), *rest])

    def _hits(self, result: SearchResult, decision: Decision, locator: Locator) -> list[Hit]:
        """The passages of a decision's document that hold this place, as they were found if they were."""
        by_chunk = {hit.chunk.chunk_id: hit for hit in result.hits}
        with self._database.read() as transaction:
            of_document = chunks_of_document(transaction, decision.document_id)
            chunks = [chunk for chunk in of_document if meets(chunk.locator, locator)][:_MOST_CHUNKS]
            new = [Hit(0, 0.0, chunk, _UNRANKED) for chunk in chunks if chunk.chunk_id not in by_chunk]
            hits = self._standings.marked(transaction, new, result.query.filters.as_of)
        marked = {hit.chunk.chunk_id: hit for hit in hits}
        return [by_chunk.get(chunk.chunk_id) or marked[chunk.chunk_id] for chunk in chunks]

    def concerns(self, units: Sequence[Candidate], hits: Sequence[Hit]) -> bool:
        """Whether one of the units is part of a decision."""
        return bool(_standings(hits, units))

    def of_sources(self, sources: Sequence[Source], hits: Sequence[Hit]) -> list[Source]:
        """The sources, each with the standing of the decision that its quote is part of."""
        by_chunk = {hit.chunk.chunk_id: hit for hit in hits if hit.decisions}
        return [
            replace(source, decision=_standing(by_chunk[source.chunk.chunk_id], source.locator))
            if source.chunk.chunk_id in by_chunk
            else source
            for source in sources
        ]

    def said_of(self, sources: Sequence[Source], turned_down: TurnedDown | None) -> tuple[str, ...]:
        """What a reader should know of the decisions that an answer cites."""
        warnings = notices(source.decision for source in sources if source.decision is not None)
        if turned_down is None:
            return warnings
        decision = turned_down.standing.decision
        name = decision.name if decision.found.number is None else f"{decision.name} «{decision.found.title}»"
        return (f"Considered and rejected by {name}.", *warnings)

    def statuses(self, hits: Sequence[Hit]) -> dict[int, str]:
        """What a language model is told of passages, by chunk, whose decisions do not plainly hold."""
        warnings = {hit.chunk.chunk_id: " ".join(notices(hit.decisions)) for hit in hits if hit.decisions}
        return {number: text for number, text in warnings.items() if text}

    def checked(self, written: Written, result: SearchResult, writer: str) -> Written:
        """What may stand of a written answer: nothing, where it cites a superseded decision without one that
        holds in its place."""
        sources = self.of_sources(written.sources, result.hits)
        standings = [source.decision for source in sources if source.decision is not None]
        cited = {standing.decision.decision_id for standing in standings}
        for standing in standings:
            if standing.current and not cited & {current.decision_id for current in standing.current}:
                warning = f"it rests on {standing.decision.name}, which is no longer in force"
                notice = f"The draft of {writer} is not shown: {warning}."
                audit = {part: value for part, value in written.audit.items() if part != "claims"}
                return replace(written, text="", claims=(), sources=(), notices=(notice,), audit=audit)
        return replace(written, sources=tuple(sources))


def _past(source: Source) -> str:
    """What a quote from a superseded decision is introduced by."""
    of = source.decision
    numbered = of is not None and of.decision.found.number is not None
    return f"{of.decision.name}, superseded" if of is not None and numbered else "Superseded"


def _standings(hits: Sequence[Hit], candidates: Sequence[Candidate]) -> dict[tuple[int, int], Standing]:
    standings: dict[tuple[int, int], Standing] = {}
    for hit in (hit for hit in hits if hit.decisions):
        own = [candidate for candidate in candidates if candidate.chunk.chunk_id == hit.chunk.chunk_id]
        ranges = [(candidate.unit.start, candidate.unit.end) for candidate in own]
        for standing in hit.decisions:
            found, chunk = standing.decision.found, hit.chunk
            # A record is all of its document.
            parts = [True] * len(own)
            if found.kind != "record":
                parts = ranges_meeting(chunk.locator, chunk.text, ranges, found.locator)
            for candidate in compress(own, parts):
                standings.setdefault(position_of(candidate), standing)
    return standings


def _standing(hit: Hit, locator: Locator) -> Standing | None:
    """The first of a passage's decisions that this place in it is part of."""
    for decision in hit.decisions:
        if decision.decision.found.kind == "record" or meets(decision.decision.found.locator, locator):
            return decision
    return None


def _place(candidate: Candidate) -> Locator:
    return candidate.chunk.locator.narrowed(candidate.chunk.text, candidate.unit.start, candidate.unit.end)


def _rejection(rejected: Rejected, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The units that turn an alternative down, the reason included."""
    found: list[Candidate] = []
    for chunk in {candidate.chunk.chunk_id: candidate.chunk for candidate in candidates}.values():

        def at_place(start: int, end: int, chunk: FoundChunk = chunk) -> bool:
            return meets(chunk.locator.narrowed(chunk.text, start, end), rejected.locator)

        unit = unit_saying(chunk.text, rejected.text, at_place)
        if unit is None:
            continue
        found.append(_candidate(chunk, unit, candidates))

        def after(start: int, end: int, least: int = unit.start) -> bool:
            return least <= start < end

        reason = unit_saying(chunk.text, rejected.reason or "", after)
        if reason is not None and reason.start >= unit.end:
            found.append(_candidate(chunk, reason, candidates))
        break
    return found


def _candidate(chunk: FoundChunk, unit: Unit, candidates: Sequence[Candidate]) -> Candidate:
    for candidate in candidates:
        if candidate.chunk.chunk_id == chunk.chunk_id and candidate.unit == unit:
            return replace(candidate, cosine=candidate.cosine or 0.0, term=None)
    return Candidate(chunk, unit, 0, 0, 0.0, 0.0, 0.0, 1.0)


def _content_words(text: str) -> list[str]:
    return [
        standing
        for standing in words_of(text)
        if standing.lower() not in QUERY_STOP_WORDS and standing.lower() not in USING_WORDS
    ]


def _terms(text: str) -> frozenset[int]:
    return frozenset(term for word in words_of(text) for term in term_hashes(word, "en"))
