"""How decisions stand on a day, and which decision a place is part of.

Reads decisions with their documents and corrections, and follows the links between them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime
from typing import Any

from bob.core.decision import (
    Correction,
    Decision,
    DecisionLink,
    DecisionStatus,
    FoundDecision,
    LinkKind,
    PutAside,
    Rejected,
    Standing,
    StatedLink,
)
from bob.core.locator import Locator, locator_from_json, meets
from bob.core.search import FoundChunk, Hit
from bob.storage.database import Database, Transaction

_SELECT = """
SELECT e.decision_id, e.document_id, d.path, e.project, e.status, e.date, e.date_kind, e.key, e.kind,
       e.number, e.title, e.statement, e.context, e.stated_status, e.stated_date, e.confidence, e.locator,
       e.rejected, e.stated_links, c.changes
FROM decisions e
JOIN documents d ON d.org_id = e.org_id AND d.document_id = e.document_id
LEFT JOIN decision_corrections c ON c.org_id = e.org_id AND c.project = e.project AND c.key = e.key
WHERE e.org_id = :org AND {condition} ORDER BY e.decision_id
"""
_LINKS = """
SELECT later_id, earlier_id, kind, origin FROM decision_links
WHERE org_id = :org AND {condition} ORDER BY later_id, earlier_id, kind
"""
_CORRECTIONS = """
SELECT project, key, changes, given_at FROM decision_corrections WHERE org_id = :org ORDER BY given_at, key
"""


def every(transaction: Transaction, project: str | None = None) -> list[Decision]:
    """All decisions, or those of one project, in the order of their ids."""
    if project is None:
        return _read(transaction, "1 = 1")
    return _read(transaction, "e.project = :project", project=project)


def of_documents(transaction: Transaction, document_ids: Iterable[int]) -> list[Decision]:
    """The decisions that stand in these documents."""
    return _among(transaction, "e.document_id", document_ids)


def by_id(transaction: Transaction, decision_ids: Iterable[int]) -> dict[int, Decision]:
    """The decisions of these ids that there are."""
    return {decision.decision_id: decision for decision in _among(transaction, "e.decision_id", decision_ids)}


@dataclass(frozen=True, slots=True)
class PutAsideIn:
    """A text that was put aside, in its document."""

    path: str
    project: str
    title: str
    text: PutAside

    def to_json(self) -> dict[str, Any]:
        """The text as `bob decisions --json` prints it."""
        document = {"path": self.path, "project": self.project, "title": self.title}
        return document | asdict(self.text)


def put_aside(transaction: Transaction, projects: Sequence[str] = ()) -> list[PutAsideIn]:
    """What looks like a decision record and states no decision, in these projects or all, by path."""
    rows = transaction.execute(
        "SELECT d.path, d.project, d.title, e.put_aside FROM extracted_documents e"
        " JOIN documents d ON d.org_id = e.org_id AND d.document_id = e.document_id"
        " WHERE e.org_id = :org AND CAST(e.put_aside AS TEXT) <> '[]' ORDER BY d.path, d.document_id"
    )
    wanted = {project.lower() for project in projects}
    return [
        PutAsideIn(path, project, title, PutAside(**text))
        for path, project, title, packed in rows
        if not wanted or project.lower() in wanted
        for text in json.loads(packed)
    ]


def with_rejected(transaction: Transaction) -> list[Decision]:
    """The decisions that turned alternatives down."""
    return _read(transaction, "CAST(e.rejected AS TEXT) <> '[]'")


def links_of(transaction: Transaction, decision_ids: Iterable[int]) -> list[DecisionLink]:
    """The links that have one of these decisions at either end."""
    ids = sorted(set(decision_ids))
    links = _links(transaction, "later_id", ids) + _links(transaction, "earlier_id", ids)
    return sorted(set(links), key=lambda link: (link.later, link.earlier, link.kind))


def links_to(transaction: Transaction, decision_ids: Iterable[int]) -> list[DecisionLink]:
    """The links to these decisions from later ones."""
    return _links(transaction, "earlier_id", sorted(set(decision_ids)))


def _links(transaction: Transaction, column: str, ids: Sequence[int]) -> list[DecisionLink]:
    if not ids:
        return []
    rows = transaction.execute(_LINKS.format(condition=f"{column} IN :ids"), {"ids": ids})
    return [DecisionLink(*row) for row in rows]


def corrections(transaction: Transaction) -> list[Correction]:
    """All that users have said, the oldest first."""
    return [
        correction_from(project, key, json.loads(changes), given_at)
        for project, key, changes, given_at in transaction.execute(_CORRECTIONS)
    ]


def correction_from(project: str, key: str, changes: dict[str, Any], given_at: float) -> Correction:
    """A correction from its row; `given_at` is in seconds since 1970."""
    rest = dict(changes)
    dated = rest.pop("date", None)
    moment = datetime.fromtimestamp(given_at, UTC)
    return Correction(
        project, key, given_at=moment, date=None if dated is None else date.fromisoformat(dated), **rest
    )


def _among(transaction: Transaction, column: str, values: Iterable[int]) -> list[Decision]:
    ids = sorted(set(values))
    return _read(transaction, f"{column} IN :ids", ids=ids) if ids else []


def _read(transaction: Transaction, condition: str, **values: Any) -> list[Decision]:
    return [_decision(row) for row in transaction.execute(_SELECT.format(condition=condition), values)]


def _decision(row: tuple[Any, ...]) -> Decision:
    decision_id, document_id, path, project, status, dated, date_kind, *stated, changes = row
    correction = json.loads(changes) if changes else {}
    decision = _found(stated, correction.get("title"))
    return Decision(
        decision_id,
        document_id,
        path,
        project,
        decision,
        status,
        day_of(dated),
        date_kind,
        own_status=correction.get("status") or decision.status,
        fixed="status" in correction,
        corrected=bool(correction),
    )


def _found(stated: Sequence[Any], title: str | None) -> FoundDecision:
    key, kind, number, own_title, statement, context, status, dated, confidence, *parts = stated
    locator, rejected, links = (json.loads(part) for part in parts)
    return FoundDecision(
        key,
        kind,
        number,
        title or own_title,
        statement,
        context,
        status,
        day_of(dated),
        confidence,
        locator_from_json(locator),
        tuple(
            Rejected(alternative["text"], alternative["reason"], locator_from_json(alternative["locator"]))
            for alternative in rejected
        ),
        tuple(StatedLink(link["kind"], link["target"], link["backward"]) for link in links),
    )


def day_of(text: str | None) -> date | None:
    """A day as the database has it."""
    return date.fromisoformat(text) if text else None


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


class Standings:
    """The standings of one organization's decisions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def marked(self, transaction: Transaction, hits: Sequence[Hit], day: date | None) -> list[Hit]:
        """The hits, each with the decisions that it is part of."""
        documents = {hit.chunk.document_id for hit in hits}
        decisions = of_documents(transaction, documents)
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
            decisions = with_rejected(transaction)
            standings = self._standings(transaction, decisions, day) if decisions else {}
        return [
            standings[decision.decision_id]
            for decision in decisions
            if day is None or decision.date is None or decision.date <= day
        ]

    def documents(self, statuses: Sequence[str], day: date | None) -> set[int]:
        """The documents that have a decision of one of the statuses on that day ("any": that have one)."""
        with self._database.read() as transaction:
            decisions = every(transaction)
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
        known = {decision.decision_id: decision for decision in decisions}
        links = self._onward(transaction, known)
        chains = Chains(known, links, day)
        return {decision.decision_id: chains.standing(decision) for decision in decisions}

    def _onward(self, transaction: Transaction, known: dict[int, Decision]) -> list[DecisionLink]:
        """The links to later decisions, and to those after them; the decisions are added to `known`."""
        links: dict[tuple[int, int], DecisionLink] = {}
        frontier: Iterable[int] = list(known)
        while True:
            found_links = links_to(transaction, frontier)
            links |= {(link.later, link.earlier): link for link in found_links}
            unread = {link.later for link in found_links} - known.keys()
            later = by_id(transaction, unread) if unread else {}
            if not later:
                return list(links.values())
            known |= later
            frontier = list(later)


def _of_chunk(chunk: FoundChunk, decisions: Sequence[Decision]) -> list[Decision]:
    of_document = [decision for decision in decisions if decision.document_id == chunk.document_id]
    return decisions_at(of_document, chunk.locator, chunk.heading_path) if of_document else []


def _first(standing: Standing) -> tuple[bool, bool, int]:
    return standing.status != "superseded", standing.status == "active", standing.decision.decision_id
