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
    replacing = [successor for successor in successors if successor.link.kind == "supersedes"]
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
    for decision in decisions:
        by_key[decision.key].append(decision.decision_id)
    found: dict[tuple[int, int], tuple[LinkKind, LinkOrigin]] = {}
    dropped: list[Dropped] = []

    def add(later: int, earlier: int, kind: LinkKind, origin: LinkOrigin) -> None:
        known = found.get((later, earlier))
        if known is None or _rank(kind, origin) < _rank(*known):
            found[later, earlier] = (kind, origin)

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
        said = corrections.get(decision.key)
        if said is not None and said.superseded_by is not None:
            successors = [other for other in by_key[said.superseded_by] if other != decision.decision_id]
            for other in successors:
                add(other, decision.decision_id, "supersedes", "user")
            if not successors:
                dropped.append(Dropped(decision.decision_id, said.superseded_by, "is gone"))
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
                known = self._successors.setdefault(link.earlier, [])
                known.append(Successor(link, later.own_status, later.date))

    def standing(self, decision: Decision) -> Standing:
        """How a decision stands."""
        status = self._status(decision)
        replaced_by = tuple(self._next(decision)) if status == "superseded" else ()
        current = self._ends(decision.decision_id, replaced_by)
        return Standing(decision, status, replaced_by, current, tuple(self._revisions(decision)))

    def _status(self, decision: Decision) -> DecisionStatus:
        known = self._successors.get(decision.decision_id, ())
        return status_on(decision.own_status, known, fixed=decision.fixed, day=self._day)

    def _next(self, decision: Decision) -> Iterator[Decision]:
        known = self._successors.get(decision.decision_id, ())
        replacing = [each for each in known if each.link.kind == "supersedes" and each.there(self._day)]
        # A proposal takes a decision's place only where that one's own text says so.
        for each in [each for each in replacing if each.in_force(self._day)] or replacing:
            yield self._decisions[each.link.later]

    def _ends(self, start: int, first: Sequence[Decision]) -> tuple[Decision, ...]:
        ends: dict[int, Decision] = {}
        seen, waiting = {start}, list(first)
        while waiting:
            at = waiting.pop(0)
            if at.decision_id in seen:
                continue
            seen.add(at.decision_id)
            onward = list(self._next(at)) if self._status(at) == "superseded" else []
            waiting += onward
            if not onward:
                ends[at.decision_id] = at
        return tuple(ends.values())

    def _revisions(self, decision: Decision) -> Iterator[tuple[LinkKind, Decision]]:
        for each in self._successors.get(decision.decision_id, ()):
            if each.link.kind != "supersedes" and each.there(self._day):
                yield each.link.kind, self._decisions[each.link.later]


def decisions_at(
    decisions: Sequence[Decision], locator: Locator, heading_path: Sequence[str]
) -> list[Decision]:
    """Those of a document's decisions that a passage at this place is part of.

    A record is all of its document, or what stands under its title where a document has several; any other
    decision is its own sentence.
    """
    records = [decision for decision in decisions if decision.found.kind == "record"]
    if len(records) > 1:
        titles = [_plain(each) for each in heading_path]
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

    def marked(self, hits: Sequence[Hit], day: date | None) -> list[Hit]:
        """The hits, each with the decisions that it is part of."""
        with self._database.read() as transaction:
            documents = {hit.chunk.document_id for hit in hits}
            found = rows.of_documents(transaction, documents)
            parts = [_of_chunk(hit.chunk, found) for hit in hits]
            standings = self._standings(transaction, [each for part in parts for each in part], day)
        return [
            replace(hit, decisions=tuple(sorted((standings[each.decision_id] for each in part), key=_first)))
            for hit, part in zip(hits, parts, strict=True)
        ]

    def rejecting(self, day: date | None) -> list[Standing]:
        """The decisions that turned alternatives down, as they stand; none that was made after the day."""
        with self._database.read() as transaction:
            found = rows.with_rejected(transaction)
            standings = self._standings(transaction, found, day) if found else {}
        return [
            standings[each.decision_id]
            for each in found
            if day is None or each.date is None or each.date <= day
        ]

    def documents(self, statuses: Sequence[str], day: date | None) -> set[int]:
        """The documents that have a decision of one of the statuses on that day ("any": that have one)."""
        with self._database.read() as transaction:
            found = rows.every(transaction)
            standings = self._standings(transaction, found, day) if found else {}
        wanted = {status.lower() for status in statuses}
        return {
            each.document_id
            for each in found
            if "any" in wanted or standings[each.decision_id].status in wanted
        }

    def _standings(
        self, transaction: Transaction, decisions: Sequence[Decision], day: date | None
    ) -> dict[int, Standing]:
        known = {decision.decision_id: decision for decision in decisions}
        links = self._onward(transaction, known)
        chains = Chains(known, links, day)
        return {decision.decision_id: chains.standing(decision) for decision in decisions}

    def _onward(self, transaction: Transaction, known: dict[int, Decision]) -> list[DecisionLink]:
        """The links to later decisions, and to those after them; the decisions are added to `known`."""
        links: dict[tuple[int, int], DecisionLink] = {}
        at: Iterable[int] = list(known)
        while True:
            found = rows.links_to(transaction, at)
            links |= {(each.later, each.earlier): each for each in found}
            later = rows.at(transaction, {each.later for each in found} - known.keys())
            if not later:
                return list(links.values())
            known |= later
            at = list(later)


def _of_chunk(chunk: FoundChunk, decisions: Sequence[Decision]) -> list[Decision]:
    of_document = [decision for decision in decisions if decision.document_id == chunk.document_id]
    return decisions_at(of_document, chunk.locator, chunk.heading_path) if of_document else []


def _first(standing: Standing) -> tuple[bool, bool, int]:
    return not standing.superseded, standing.status == "active", standing.decision.decision_id
