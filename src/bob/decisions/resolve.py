"""Links the decisions of a project by what their texts and users say, and settles what counts of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from bob.core.decision import (
    Correction,
    DateKind,
    DecisionLink,
    DecisionStatus,
    Effective,
    LinkKind,
    LinkOrigin,
    StatedDecision,
)
from bob.core.document import LAST_CHANGE
from bob.decisions.references import Catalog
from bob.decisions.status import Successor, status_on

_STRONGEST: tuple[LinkKind, ...] = ("supersedes", "partly_supersedes", "amends")


@dataclass(frozen=True, slots=True, order=True)
class Dropped:
    """A link that a decision states and that leads nowhere, with the reason in words."""

    decision_id: int
    target: str
    reason: str


@dataclass(frozen=True, slots=True)
class Resolved:
    """The outcome for one project; `effective` is by decision."""

    effective: dict[int, Effective]
    links: tuple[DecisionLink, ...]
    dropped: tuple[Dropped, ...]


def resolve(stated: Iterable[StatedDecision], corrections: Mapping[str, Correction]) -> Resolved:
    """Link the decisions of one project. `corrections` are by key."""
    decisions = {decision.decision_id: decision for decision in stated}
    dates = {number: _dated(decision, corrections) for number, decision in decisions.items()}
    links, dropped = _linked(list(decisions.values()), corrections)
    links, cycles = _without_cycles(
        links, {number: decision_date[0] for number, decision_date in dates.items()}
    )
    for link in cycles:
        other = decisions[link.earlier]
        dropped.append(Dropped(link.later, other.number or other.title, "would make a circle"))
    own = {number: own_status(decision, corrections) for number, decision in decisions.items()}
    successors: dict[int, list[Successor]] = defaultdict(list)
    for link in links:
        successors[link.earlier].append(Successor(link, own[link.later], dates[link.later][0]))
    effective: dict[int, Effective] = {}
    for number, decision in decisions.items():
        correction = corrections.get(decision.key)
        fixed = correction is not None and correction.status is not None
        status = status_on(own[number], successors[number], fixed=fixed)
        effective[number] = (status, *dates[number])
    return Resolved(effective, tuple(sorted(links, key=_order)), tuple(sorted(set(dropped))))


def own_status(stated: StatedDecision, corrections: Mapping[str, Correction]) -> DecisionStatus:
    """What the user, else the text, says of a decision alone."""
    correction = corrections.get(stated.key)
    return stated.status if correction is None or correction.status is None else correction.status


def _dated(
    decision: StatedDecision, corrections: Mapping[str, Correction]
) -> tuple[date | None, DateKind | None]:
    """The day of a decision: the user's, else that its document states, else one in its text, else that of
    the file's last change."""
    correction = corrections.get(decision.key)
    if correction is not None and correction.date is not None:
        return correction.date, "user"
    last_change = decision.source_date is None or decision.source_date_kind in LAST_CHANGE
    if last_change and decision.stated_date is not None:
        return decision.stated_date, "text"
    return decision.source_date, None if decision.source_date is None else decision.source_date_kind


def _linked(
    decisions: Sequence[StatedDecision], corrections: Mapping[str, Correction]
) -> tuple[list[DecisionLink], list[Dropped]]:
    catalog = Catalog(decisions)
    by_key = defaultdict(list)
    for decision in decisions:
        by_key[decision.key].append(decision.decision_id)
    links: dict[tuple[int, int], tuple[LinkKind, LinkOrigin]] = {}
    dropped: list[Dropped] = []

    def add(later: int, earlier: int, kind: LinkKind, origin: LinkOrigin) -> None:
        link_before = links.get((later, earlier))
        if link_before is None or _rank(kind, origin) < _rank(*link_before):
            links[later, earlier] = (kind, origin)

    for decision in decisions:
        for stated in decision.links:
            other = catalog.find(stated.target, decision.decision_id)
            if isinstance(other, str):
                dropped.append(Dropped(decision.decision_id, stated.target, other))
                continue
            later, earlier = (
                (other, decision.decision_id) if stated.backward else (decision.decision_id, other)
            )
            add(later, earlier, stated.kind, "text")
        correction = corrections.get(decision.key)
        if correction is not None and correction.superseded_by is not None:
            successors = [
                other for other in by_key[correction.superseded_by] if other != decision.decision_id
            ]
            for other in successors:
                add(other, decision.decision_id, "supersedes", "user")
            if not successors:
                dropped.append(Dropped(decision.decision_id, correction.superseded_by, "is gone"))
    return [DecisionLink(*ends, *how) for ends, how in links.items()], dropped


def _rank(kind: LinkKind, origin: LinkOrigin) -> tuple[bool, int]:
    return origin != "user", _STRONGEST.index(kind)


def _order(link: DecisionLink) -> tuple[int, int, str, str]:
    return link.later, link.earlier, link.kind, link.origin


def _without_cycles(
    links: list[DecisionLink], dates: Mapping[int, date | None]
) -> tuple[list[DecisionLink], list[DecisionLink]]:
    """The links without those that make a circle, and those. Of a circle first what contradicts the dates
    goes, then what texts say, then the rest."""

    def backdated(link: DecisionLink) -> bool:
        later, earlier = dates[link.later], dates[link.earlier]
        return link.origin == "text" and later is not None and earlier is not None and later < earlier

    remaining, gone = links, []
    for goes in (backdated, lambda link: link.origin == "text", lambda link: True):
        part_of = _circles(remaining)
        if not part_of:
            break
        inside = [link for link in remaining if _in_one(link, part_of) and goes(link)]
        gone += inside
        remaining = [link for link in remaining if link not in inside]
    return remaining, gone


def _in_one(link: DecisionLink, part_of: Mapping[int, int]) -> bool:
    return link.later in part_of and part_of[link.later] == part_of.get(link.earlier)


def _circles(links: Sequence[DecisionLink]) -> dict[int, int]:
    """Which decisions can be reached from themselves, each with the least of those in its circle."""
    nexts: dict[int, set[int]] = defaultdict(set)
    for link in links:
        nexts[link.later].add(link.earlier)
    # What has no way on, or no way to it, is in no circle; what is left of a sound history is nothing.
    alive = {link.later for link in links} & {link.earlier for link in links}
    while True:
        onward = {number for number in alive if nexts[number] & alive}
        reached = {other for number in onward for other in nexts[number] & onward}
        if onward & reached == alive:
            break
        alive = onward & reached
    reach = {number: set(_reachable(number, nexts, alive)) for number in alive}
    return {
        number: min(other for other in reach[number] if number in reach[other])
        for number in alive
        if number in reach[number]
    }


def _reachable(start: int, nexts: Mapping[int, set[int]], within: set[int]) -> Iterator[int]:
    seen: set[int] = set()
    waiting = list(nexts[start] & within)
    while waiting:
        number = waiting.pop()
        if number not in seen:
            seen.add(number)
            yield number
            waiting += nexts[number] & within
