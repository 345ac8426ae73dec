"""Puts what holds before what held: units of superseded decisions follow those of the decisions that took
their place, and what a reader should know of a decision is said in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from bob.answers.selection import KEEP_WITHIN, Candidate, chosen
from bob.core.decision import Decision, LinkKind, Standing

Standings = Mapping[tuple[int, int], Standing]
"""The standing of the decision that a unit is part of, by `place`; units of no decision are not in it."""

MOST_SUPERSEDED = 2
"""An answer tells of so many superseded decisions."""

_MOST_LEADS = 2
"""Of each decision that holds so many units come first."""

_REVISED: dict[LinkKind, str] = {
    "partly_supersedes": "was superseded in part by",
    "amends": "was amended by",
    "supersedes": "was superseded by",
}


def place(each: Candidate) -> tuple[int, int]:
    """Where a unit stands: its chunk, and its beginning in it."""
    return each.chunk.chunk_id, each.unit.start


def told(
    candidates: Sequence[Candidate],
    standings: Standings,
    stating: Callable[[Decision], list[Candidate]],
    limit: int,
    wanted: str,
) -> tuple[list[Candidate], list[Candidate]]:
    """What is to be quoted: at most `limit` candidates of what holds, then those of superseded decisions.

    `stating` gives the units that state a decision. A superseded decision is told of when a unit of it would
    have been quoted.
    """
    old = [each for each in candidates if _superseded(each, standings)]
    if not old:
        return chosen(candidates, limit, wanted), []
    fresh = [each for each in candidates if not _superseded(each, standings)]
    top = max((each.score for each in candidates), default=0.0)
    best: dict[int, Candidate] = {}
    for each in sorted(old, key=lambda each: (-each.score, each.order, each.unit.start)):
        if each.cosine is not None and each.score >= KEEP_WITHIN * top:
            best.setdefault(standings[place(each)].decision.decision_id, each)
    past = list(best.values())[:MOST_SUPERSEDED]
    leads: list[Candidate] = []
    for each in past:
        for decision in standings[place(each)].current:
            if not any(_is_of(lead, decision, standings) for lead in leads):
                leads += _lead(decision, fresh, standings, stating)
    others = [] if limit <= len(leads) + len(past) else chosen(fresh, limit, wanted)
    if past:
        # Beside decisions only what is as good as what they were found by.
        others = [each for each in others if each.score >= KEEP_WITHIN * top]
    known = {place(each) for each in leads}
    rest = [each for each in others if place(each) not in known]
    room = max(limit - len(leads) - len(past), 0)
    return leads + rest[:room], past


def _superseded(each: Candidate, standings: Standings) -> bool:
    standing = standings.get(place(each))
    return standing is not None and standing.superseded


def _is_of(each: Candidate, decision: Decision, standings: Standings) -> bool:
    if each.chunk.document_id != decision.document_id:
        return False
    standing = standings.get(place(each))
    return standing is None or standing.decision.decision_id == decision.decision_id


def _lead(
    decision: Decision,
    fresh: Sequence[Candidate],
    standings: Standings,
    stating: Callable[[Decision], list[Candidate]],
) -> list[Candidate]:
    """The unit that states a decision, after the one that answers better if there is one."""
    found = [each for each in fresh if each.cosine is not None and _is_of(each, decision, standings)]
    statement = max(stating(decision), key=lambda each: each.score, default=None)
    answering = max(found, key=lambda each: each.score, default=None)
    if statement is None or answering is None:
        return [each for each in (statement, answering) if each is not None]
    if answering.score <= statement.score or answering.quote == statement.quote:
        return [statement]
    both = sorted((statement, answering), key=lambda each: (each.chunk.ordinal, each.unit.start))
    return both[:_MOST_LEADS]


def notices(standings: Iterable[Standing]) -> tuple[str, ...]:
    """What is to be said of the decisions that an answer cites; nothing of one that plainly holds."""
    seen: dict[int, Standing] = {each.decision.decision_id: each for each in standings}
    return tuple(line for each in seen.values() for line in _notice(each))


def _notice(standing: Standing) -> list[str]:
    name = standing.decision.name
    if standing.superseded:
        if not standing.replaced_by:
            return [f"{name} is superseded; its text names no decision that took its place."]
        by = " and ".join(_dated(each) for each in standing.replaced_by)
        ends = [each for each in standing.current if each not in standing.replaced_by]
        onward = f"; what holds now is {' and '.join(_dated(each) for each in ends)}" if ends else ""
        return [f"{name} was superseded by {by}{onward}."]
    if standing.status == "rejected":
        return [f"{name} was rejected: it is no decision in force."]
    if standing.status == "proposed":
        return [f"{name} is a proposal that is not decided."]
    if standing.status == "deprecated":
        return [f"{name} is deprecated."]
    return [f"{name} {_REVISED[kind]} {_dated(by)}." for kind, by in standing.revised_by]


def _dated(decision: Decision) -> str:
    """A decision with its day, where more is known than when the file was last changed."""
    if decision.date is None or decision.date_kind == "mtime":
        return decision.name
    return f"{decision.name} on {decision.date.isoformat()}"
