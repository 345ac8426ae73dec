"""How decisions stand on a day, which decision a place is part of, and the same for hits of a search."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from bob.core.decision import (
    Correction,
    DateKind,
    Decision,
    DecisionLink,
    DecisionStatus,
    Effective,
    LinkKind,
    LinkOrigin,
    Standing,
    StatedDecision,
)
from bob.core.hit import FoundChunk, Hit
from bob.core.locator import LineLocator, Locator
from bob.decisions import rows
from bob.decisions.references import Catalog
from bob.storage.database import Database, Transaction

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
    replacing = [successor for successor in successors if successor.link.kind == "supersedes"]
    if any(successor.in_force(day) for successor in replacing):
        return "superseded"
    if own != "superseded" or day is None:
        return own
    since = [successor.since for successor in replacing if successor.since is not None]
    return "active" if since and min(since) > day else own


def _dated(
    decision: StatedDecision, corrections: Mapping[str, Correction]
) -> tuple[date | None, DateKind | None]:
    """The day of a decision: the user's, else that its document states, else one in its text, else that of
    the file's last change."""
    correction = corrections.get(decision.key)
    if correction is not None and correction.date is not None:
        return correction.date, "user"
    last_change = decision.source_date is None or decision.source_date_kind in _TELLS_THE_LAST_CHANGE
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


class Chains:
    """Decisions and the links between them, walked from the earlier to the later."""

    def __init__(
        self, decisions: Mapping[int, Decision], links: Iterable[DecisionLink], day: date | None = None
    ) -> None:
        self._decisions = decisions
        self._day = day
        self._successors: dict[int, list[Successor]] = {}
        for link in links:
            if link.later in decisions and link.earlier in decisions:
                later = decisions[link.later]
                successors = self._successors.setdefault(link.earlier, [])
                successors.append(Successor(link, later.own_status, later.date))

    def standing(self, decision: Decision) -> Standing:
        """How a decision stands."""
        status = self._status(decision)
        replaced_by = tuple(self._next(decision)) if status == "superseded" else ()
        current = self._ends(decision.decision_id, replaced_by)
        return Standing(decision, status, replaced_by, current, tuple(self._revisions(decision)))

    def _status(self, decision: Decision) -> DecisionStatus:
        successors = self._successors.get(decision.decision_id, ())
        return status_on(decision.own_status, successors, fixed=decision.fixed, day=self._day)

    def _next(self, decision: Decision) -> Iterator[Decision]:
        successors = self._successors.get(decision.decision_id, ())
        replacing = [
            successor
            for successor in successors
            if successor.link.kind == "supersedes" and successor.there(self._day)
        ]
        # A proposal takes a decision's place only where that one's own text says so.
        for successor in [successor for successor in replacing if successor.in_force(self._day)] or replacing:
            yield self._decisions[successor.link.later]

    def _ends(self, start: int, first: Sequence[Decision]) -> tuple[Decision, ...]:
        ends: dict[int, Decision] = {}
        seen, waiting = {start}, list(first)
        while waiting:
            decision_id = waiting.pop(0)
            if decision_id.decision_id in seen:
                continue
            seen.add(decision_id.decision_id)
            onward = list(self._next(decision_id)) if self._status(decision_id) == "superseded" else []
            waiting += onward
            if not onward:
                ends[decision_id.decision_id] = decision_id
        return tuple(ends.values())

    def _revisions(self, decision: Decision) -> Iterator[tuple[LinkKind, Decision]]:
        for successor in self._successors.get(decision.decision_id, ()):
            if successor.link.kind != "supersedes" and successor.there(self._day):
                yield successor.link.kind, self._decisions[successor.link.later]


def decisions_at(
    decisions: Sequence[Decision], locator: Locator, heading_path: Sequence[str]
) -> list[Decision]:
    """Those of a document's decisions that a passage at this place is part of.

    A record is all of its document, or what stands under its title where a document has several; any other
    decision is its own sentence.
    """
    records = [decision for decision in decisions if decision.found.kind == "record"]
    if len(records) > 1:
        titles = [_plain(heading) for heading in heading_path]
        titled = [
            record for record in records if any(_ends_with(t, _plain(record.found.title)) for t in titles)
        ]
        records = titled or [record for record in records if meets(locator, record.found.locator)]
    return records[:1] or [decision for decision in decisions if meets(locator, decision.found.locator)]


def _ends_with(heading: str, title: str) -> bool:
    return bool(title) and (heading == title or heading.endswith(f" {title}"))


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def meets(one: Locator, other: Locator) -> bool:
    """Whether two places of a document have something in common."""
    if isinstance(one, LineLocator) or isinstance(other, LineLocator):
        if not (isinstance(one, LineLocator) and isinstance(other, LineLocator)):
            return False
        if one.start_line > other.end_line or other.start_line > one.end_line:
            return False
        if one.start_line != one.end_line or (other.start_line, other.end_line) != (one.start_line,) * 2:
            return True
        return (one.start_column or 0) < _end(other) and (other.start_column or 0) < _end(one)
    return one.part == other.part and one.start_char < other.end_char and other.start_char < one.end_char


def _end(locator: LineLocator) -> float:
    return float("inf") if locator.end_column is None else locator.end_column


class Standings:
    """The standings of one organization's decisions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def marked(self, transaction: Transaction, hits: Sequence[Hit], day: date | None) -> list[Hit]:
        """The hits, each with the decisions that it is part of."""
        documents = {hit.chunk.document_id for hit in hits}
        decisions = rows.of_documents(transaction, documents)
        parts = [_of_chunk(hit.chunk, decisions) for hit in hits]
        standings = self._standings(transaction, [decision for part in parts for decision in part], day)
        return [
            replace(
                hit,
                decisions=tuple(sorted((standings[decision.decision_id] for decision in part), key=_first)),
            )
            for hit, part in zip(hits, parts, strict=True)
        ]

    def rejecting(self, day: date | None) -> list[Standing]:
        """The decisions that turned alternatives down, as they stand; none that was made after the day."""
        with self._database.read() as transaction:
            decisions = rows.with_rejected(transaction)
            standings = self._standings(transaction, decisions, day) if decisions else {}
        return [
            standings[decision.decision_id]
            for decision in decisions
            if day is None or decision.date is None or decision.date <= day
        ]

    def documents(self, statuses: Sequence[str], day: date | None) -> set[int]:
        """The documents that have a decision of one of the statuses on that day ("any": that have one)."""
        with self._database.read() as transaction:
            decisions = rows.every(transaction)
            standings = self._standings(transaction, decisions, day) if decisions else {}
        lowered = {status.lower() for status in statuses}
        return {
            decision.document_id
            for decision in decisions
            if "any" in lowered or standings[decision.decision_id].status in lowered
        }

    def _standings(
        self, transaction: Transaction, decisions: Sequence[Decision], day: date | None
    ) -> dict[int, Standing]:
        by_id = {decision.decision_id: decision for decision in decisions}
        links = self._onward(transaction, by_id)
        chains = Chains(by_id, links, day)
        return {decision.decision_id: chains.standing(decision) for decision in decisions}

    def _onward(self, transaction: Transaction, by_id: dict[int, Decision]) -> list[DecisionLink]:
        """The links to later decisions, and to those after them; the decisions are added to `by_id`."""
        links: dict[tuple[int, int], DecisionLink] = {}
        frontier: Iterable[int] = list(by_id)
        while True:
            found_links = rows.links_to(transaction, frontier)
            links |= {(link.later, link.earlier): link for link in found_links}
            unread = {link.later for link in found_links} - by_id.keys()
            later = rows.by_id(transaction, unread) if unread else {}
            if not later:
                return list(links.values())
            by_id |= later
            frontier = list(later)


def _of_chunk(chunk: FoundChunk, decisions: Sequence[Decision]) -> list[Decision]:
    of_document = [decision for decision in decisions if decision.document_id == chunk.document_id]
    return decisions_at(of_document, chunk.locator, chunk.heading_path) if of_document else []


def _first(standing: Standing) -> tuple[bool, bool, int]:
    return standing.status != "superseded", standing.status == "active", standing.decision.decision_id
