"""How decisions stand on a day, which decision a place is part of, and the same for hits of a search."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date

from bob.core.decision import Decision, DecisionLink, DecisionStatus, LinkKind, Standing
from bob.core.hit import FoundChunk, Hit
from bob.core.locator import LineLocator, Locator
from bob.decisions import rows
from bob.decisions.resolve import Successor, status_on
from bob.storage.database import Database, DriverConnection


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
    records = [each for each in decisions if each.found.kind == "record"]
    if len(records) > 1:
        titles = [_plain(each) for each in heading_path]
        titled = [each for each in records if any(_ends_with(t, _plain(each.found.title)) for t in titles)]
        records = titled or [each for each in records if meets(locator, each.found.locator)]
    return records[:1] or [each for each in decisions if meets(locator, each.found.locator)]


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

    def __init__(self, database: Database, org_id: str) -> None:
        self._database = database
        self._org_id = org_id

    def marked(self, hits: Sequence[Hit], day: date | None) -> list[Hit]:
        """The hits, each with the decisions that it is part of."""
        with self._database.search() as connection:
            documents = {hit.chunk.document_id for hit in hits}
            found = rows.of_documents(connection, self._org_id, documents)
            parts = [_of_chunk(hit.chunk, found) for hit in hits]
            standings = self._standings(connection, [each for part in parts for each in part], day)
        return [
            replace(hit, decisions=tuple(sorted((standings[each.decision_id] for each in part), key=_first)))
            for hit, part in zip(hits, parts, strict=True)
        ]

    def rejecting(self, day: date | None) -> list[Standing]:
        """The decisions that turned alternatives down, as they stand; none that was made after the day."""
        with self._database.search() as connection:
            found = rows.with_rejected(connection, self._org_id)
            standings = self._standings(connection, found, day) if found else {}
        return [
            standings[each.decision_id]
            for each in found
            if day is None or each.date is None or each.date <= day
        ]

    def documents(self, statuses: Sequence[str], day: date | None) -> set[int]:
        """The documents that have a decision of one of the statuses on that day ("any": that have one)."""
        with self._database.search() as connection:
            found = rows.every(connection, self._org_id)
            standings = self._standings(connection, found, day) if found else {}
        wanted = {each.lower() for each in statuses}
        return {
            each.document_id
            for each in found
            if "any" in wanted or standings[each.decision_id].status in wanted
        }

    def _standings(
        self, connection: DriverConnection, decisions: Sequence[Decision], day: date | None
    ) -> dict[int, Standing]:
        known = {each.decision_id: each for each in decisions}
        links = self._onward(connection, known)
        chains = Chains(known, links, day)
        return {each.decision_id: chains.standing(each) for each in decisions}

    def _onward(self, connection: DriverConnection, known: dict[int, Decision]) -> list[DecisionLink]:
        """The links to later decisions, and to those after them; the decisions are added to `known`."""
        links: dict[tuple[int, int], DecisionLink] = {}
        at: Iterable[int] = list(known)
        while True:
            found = rows.links_to(connection, self._org_id, at)
            links |= {(each.later, each.earlier): each for each in found}
            later = rows.at(connection, self._org_id, {each.later for each in found} - known.keys())
            if not later:
                return list(links.values())
            known |= later
            at = list(later)


def _of_chunk(chunk: FoundChunk, decisions: Sequence[Decision]) -> list[Decision]:
    of_document = [each for each in decisions if each.document_id == chunk.document_id]
    return decisions_at(of_document, chunk.locator, chunk.heading_path) if of_document else []


def _first(standing: Standing) -> tuple[bool, bool, int]:
    return not standing.superseded, standing.status == "active", standing.decision.decision_id
