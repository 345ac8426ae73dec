"""From what decisions say of each other, and what the user says of them, to links, statuses and dates.

Pure, and independent of the order in which decisions are given: what could be meant of two decisions alike
is dropped and told, never guessed.
"""

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
from bob.decisions.references import Catalog

_STRONGEST: tuple[LinkKind, ...] = ("supersedes", "partly_supersedes", "amends")
_TELLS_THE_LAST_CHANGE = frozenset({"git", "mtime"})


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


@dataclass(frozen=True, slots=True)
class Successor:
    """A link to a decision from one that came later, and what is known of that one by itself."""

    link: DecisionLink
    own_status: DecisionStatus
    since: date | None

    def there(self, day: date | None) -> bool:
        """Whether it was made by that day (None: now), and not turned down."""
        late = day is not None and self.since is not None and self.since > day
        return not late and (self.link.origin == "user" or self.own_status != "rejected")

    def in_force(self, day: date | None) -> bool:
        """Whether it alone takes the earlier decision's force, whatever that one's own text says."""
        return self.there(day) and (self.link.origin == "user" or self.own_status != "proposed")


def resolve(stated: Iterable[StatedDecision], corrections: Mapping[str, Correction]) -> Resolved:
    """Link the decisions of one project. `corrections` are by key."""
    decisions = {each.decision_id: each for each in stated}
    dates = {number: _dated(each, corrections) for number, each in decisions.items()}
    links, dropped = _linked(list(decisions.values()), corrections)
    links, cycles = _without_cycles(links, {number: each[0] for number, each in dates.items()})
    for link in cycles:
        other = decisions[link.earlier]
        dropped.append(Dropped(link.later, other.number or other.title, "would make a circle"))
    own = {number: own_status(each, corrections) for number, each in decisions.items()}
    successors: dict[int, list[Successor]] = defaultdict(list)
    for link in links:
        successors[link.earlier].append(Successor(link, own[link.later], dates[link.later][0]))
    effective: dict[int, Effective] = {}
    for number, each in decisions.items():
        said = corrections.get(each.key)
        fixed = said is not None and said.status is not None
        status = status_on(own[number], successors[number], fixed=fixed)
        effective[number] = (status, *dates[number])
    return Resolved(effective, tuple(sorted(links, key=_order)), tuple(sorted(set(dropped))))


def own_status(stated: StatedDecision, corrections: Mapping[str, Correction]) -> DecisionStatus:
    """What the user, else the text, says of a decision alone."""
    said = corrections.get(stated.key)
    return stated.status if said is None or said.status is None else said.status


def status_on(
    own: DecisionStatus, successors: Sequence[Successor], *, fixed: bool, day: date | None = None
) -> DecisionStatus:
    """What counts of a decision on a day (None: now).

    A decision that another supersedes is superseded, whatever its own text still says; one that is superseded
    in part, or amended, goes on. Before its successors' dates a decision held, even where its text, which was
    changed later, says superseded.
    """
    if fixed:
        return own
    replacing = [each for each in successors if each.link.kind == "supersedes"]
    if any(each.in_force(day) for each in replacing):
        return "superseded"
    if own != "superseded" or day is None:
        return own
    since = [each.since for each in replacing if each.since is not None]
    return "active" if since and min(since) > day else own


def _dated(
    each: StatedDecision, corrections: Mapping[str, Correction]
) -> tuple[date | None, DateKind | None]:
    """The day of a decision: the user's, else that its document states, else one in its text, else that of
    the file's last change."""
    said = corrections.get(each.key)
    if said is not None and said.date is not None:
        return said.date, "user"
    last_change = each.source_date is None or each.source_date_kind in _TELLS_THE_LAST_CHANGE
    if last_change and each.stated_date is not None:
        return each.stated_date, "text"
    return each.source_date, None if each.source_date is None else each.source_date_kind


def _linked(
    decisions: Sequence[StatedDecision], corrections: Mapping[str, Correction]
) -> tuple[list[DecisionLink], list[Dropped]]:
    catalog = Catalog(decisions)
    by_key = defaultdict(list)
    for each in decisions:
        by_key[each.key].append(each.decision_id)
    found: dict[tuple[int, int], tuple[LinkKind, LinkOrigin]] = {}
    dropped: list[Dropped] = []

    def add(later: int, earlier: int, kind: LinkKind, origin: LinkOrigin) -> None:
        known = found.get((later, earlier))
        if known is None or _rank(kind, origin) < _rank(*known):
            found[later, earlier] = (kind, origin)

    for each in decisions:
        for stated in each.links:
            other = catalog.find(stated.target, each.decision_id)
            if isinstance(other, str):
                dropped.append(Dropped(each.decision_id, stated.target, other))
                continue
            later, earlier = (other, each.decision_id) if stated.backward else (each.decision_id, other)
            add(later, earlier, stated.kind, "text")
        said = corrections.get(each.key)
        if said is not None and said.superseded_by is not None:
            successors = [other for other in by_key[said.superseded_by] if other != each.decision_id]
            for other in successors:
                add(other, each.decision_id, "supersedes", "user")
            if not successors:
                dropped.append(Dropped(each.decision_id, said.superseded_by, "is gone"))
    return [DecisionLink(*ends, *how) for ends, how in found.items()], dropped


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

    kept, gone = links, []
    for goes in (backdated, lambda link: link.origin == "text", lambda link: True):
        part_of = _circles(kept)
        if not part_of:
            break
        inside = [each for each in kept if _in_one(each, part_of) and goes(each)]
        gone += inside
        kept = [each for each in kept if each not in inside]
    return kept, gone


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
        onward = {each for each in alive if nexts[each] & alive}
        reached = {other for each in onward for other in nexts[each] & onward}
        if onward & reached == alive:
            break
        alive = onward & reached
    reach = {each: set(_reachable(each, nexts, alive)) for each in alive}
    return {
        each: min(other for other in reach[each] if each in reach[other])
        for each in alive
        if each in reach[each]
    }


def _reachable(start: int, nexts: Mapping[int, set[int]], within: set[int]) -> Iterator[int]:
    seen: set[int] = set()
    waiting = list(nexts[start] & within)
    while waiting:
        at = waiting.pop()
        if at not in seen:
            seen.add(at)
            yield at
            waiting += nexts[at] & within
