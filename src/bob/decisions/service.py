"""What a user can do with decisions: list and read them, walk their history, and put them right (SPEC F4).

What a user says is kept by project and key; what follows of it is worked out at once, for the whole project.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from bob.core.decision import Correction, Decision, DecisionLink, DecisionStatus, Effective, series_of
from bob.core.errors import NotFoundError, UsageError
from bob.decisions import EXTRACTOR_VERSION, write_rows
from bob.decisions import status as decision_status
from bob.decisions.references import plain_number
from bob.decisions.resolve import Dropped, Resolved, resolve
from bob.decisions.status import PutAsideIn
from bob.storage.database import Database, Transaction
from bob.text.words import term_hashes, words_of


@dataclass(frozen=True, slots=True)
class DecisionQuery:
    """Which decisions to list: all conditions hold, empty ones are none. `before` is exclusive; all words of
    `about` occur. `min_confidence` is for how sure it is that a text states a decision, from 0 to 1."""

    projects: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    after: date | None = None
    before: date | None = None
    about: str = ""
    min_confidence: float = 0.0


DecisionPosition = tuple[date | None, int]
"""Where a decision stands in a list: its date and its id."""


@dataclass(frozen=True, slots=True)
class Listed:
    """Decisions, the newest first, with the links between all; what users said of decisions that are gone;
    the links of the listed ones that lead nowhere; and the documents of the projects that look like decision
    records and state no decision."""

    decisions: list[Decision]
    links: list[DecisionLink]
    lost: list[Correction]
    dropped: list[Dropped]
    put_aside: list[PutAsideIn]

    def page(self, after: DecisionPosition | None, limit: int) -> tuple[Listed, DecisionPosition | None]:
        """At most `limit` of the decisions that come after this one, and where the following page begins."""
        rest = self.decisions
        if after is not None:
            rest = [decision for decision in rest if _place(_position(decision)) > _place(after)]
        shown = rest[:limit]
        ids = {decision.decision_id for decision in shown}
        dropped = [link for link in self.dropped if link.decision_id in ids]
        following = _position(shown[-1]) if len(rest) > limit else None
        return Listed(shown, self.links, self.lost, dropped, self.put_aside), following

    def to_json(self) -> dict[str, Any]:
        """The list as `bob decisions --json` prints it."""
        return {
            "decisions": [decision.to_json() | _linked(decision, self.links) for decision in self.decisions],
            "unresolved_links": [_dropped_json(link) for link in self.dropped],
            "lost_corrections": [
                {"project": correction.project, "key": correction.key} | correction.to_json()
                for correction in self.lost
            ],
            "put_aside": [text.to_json() for text in self.put_aside],
        }


def _position(decision: Decision) -> DecisionPosition:
    return decision.day, decision.decision_id


def _place(position: DecisionPosition) -> tuple[int, int]:
    """Something that grows from the top of a list to its end."""
    day, decision_id = position
    return -(day or date.min).toordinal(), decision_id


@dataclass(frozen=True, slots=True)
class Branch:
    """A decision with those that it is linked to in one direction, and so on."""

    decision: Decision
    link: DecisionLink | None
    onward: tuple[Branch, ...]


@dataclass(frozen=True, slots=True)
class History:
    """A decision with what came before it and what came after."""

    decision: Decision
    earlier: tuple[Branch, ...]
    later: tuple[Branch, ...]

    def to_json(self) -> dict[str, Any]:
        """The tree as `bob decisions history --json` prints it."""
        return self.decision.to_json() | {
            "later": [_branch_json(branch, "later") for branch in self.later],
            "earlier": [_branch_json(branch, "earlier") for branch in self.earlier],
        }

    def shown(self, dropped: Sequence[Dropped]) -> dict[str, Any]:
        """The decision with its own links alone, and those that lead nowhere, as `bob decisions show --json`
        prints it."""
        return self.decision.to_json() | {
            "links": [
                {**branch.link.to_json(), "name": branch.decision.name, "status": branch.decision.status}
                for branch in (*self.later, *self.earlier)
                if branch.link is not None
            ],
            "unresolved_links": [_dropped_json(link) for link in dropped],
        }


@dataclass(frozen=True, slots=True)
class Change:
    """What a correction does: the decisions whose status, title or date it changes, before and after."""

    changed: tuple[tuple[Decision, Decision], ...]
    done: bool

    def to_json(self) -> dict[str, Any]:
        """The change as `bob decisions edit --json` prints it."""
        return {
            "done": self.done,
            "changed": [
                {"before": before.to_json(), "after": after.to_json()} for before, after in self.changed
            ],
        }


def _linked(decision: Decision, links: Iterable[DecisionLink]) -> dict[str, Any]:
    own = decision.decision_id
    return {
        "superseded_by": [link.later for link in links if link.earlier == own and link.kind == "supersedes"],
        "supersedes": [link.earlier for link in links if link.later == own and link.kind == "supersedes"],
    }


def _dropped_json(dropped: Dropped) -> dict[str, Any]:
    return {"id": dropped.decision_id, "target": dropped.target, "reason": dropped.reason}


def _branch_json(branch: Branch, direction: str) -> dict[str, Any]:
    decision = branch.decision
    return {
        "id": decision.decision_id,
        "name": decision.name,
        "title": decision.found.title,
        "status": decision.status,
        "date": None if decision.date is None else decision.date.isoformat(),
        "link": None if branch.link is None else branch.link.kind,
        "origin": None if branch.link is None else branch.link.origin,
        direction: [_branch_json(one, direction) for one in branch.onward],
    }


_NAME = re.compile(r"(?:(?P<series>[a-z]{2,8})[\s#-]*)?0*(?P<number>\d{1,9})", re.IGNORECASE)


class Decisions:
    """The registry of one organization."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def matching(self, query: DecisionQuery) -> Listed:
        """The decisions that meet the conditions."""
        with self._database.read() as transaction:
            every = decision_status.every(transaction)
            links = decision_status.links_of(transaction, [decision.decision_id for decision in every])
            corrections = decision_status.corrections(transaction)
            put_aside = decision_status.put_aside(transaction, query.projects)
        keys = {(decision.project, decision.found.key) for decision in every}
        lost = [correction for correction in corrections if (correction.project, correction.key) not in keys]
        decisions = [decision for decision in every if _meets(decision, query)]
        decisions.sort(key=lambda decision: decision.decision_id)
        decisions.sort(key=lambda decision: decision.day or date.min, reverse=True)
        shown = {decision.decision_id for decision in decisions}
        dropped = [
            link
            for project in sorted({decision.project for decision in decisions})
            for link in self._dropped(project)
            if link.decision_id in shown
        ]
        return Listed(decisions, links, lost, dropped, put_aside)

    def by_name(self, name: str) -> Decision:
        """The decision with this id ("12", "id-12") or of this number ("12", "ADR-12").

        Raises:
            NotFoundError: there is none.
            UsageError: there are several.
        """
        match = _NAME.fullmatch(name.strip())
        if match is None:
            raise UsageError(
                f"{name!r} is not a decision; use its id, as bob decisions shows it, or a number such "
                "as ADR-12"
            )
        with self._database.read() as transaction:
            every = decision_status.every(transaction)
        number, series = match["number"], (match["series"] or "").upper()
        by_id = [
            decision for decision in every if series in ("", "ID") and str(decision.decision_id) == number
        ]
        by_number = [
            decision
            for decision in every
            if decision.found.number
            and plain_number(decision.found.number) == number
            and series in ("", series_of(decision.path))
        ]
        decisions = {decision.decision_id: decision for decision in (*by_id, *by_number)}
        if not decisions:
            raise NotFoundError(f"no decision {name}; list the decisions with bob decisions")
        if len(decisions) > 1:
            several = ", ".join(
                f"id-{decision.decision_id} ({decision.name}, {decision.project})"
                for decision in decisions.values()
            )
            raise UsageError(f"{name} could mean several: {several}. Use one of these ids")
        return next(iter(decisions.values()))

    def dropped(self, decision: Decision) -> list[Dropped]:
        """The links that a decision states and that lead nowhere."""
        return [link for link in self._dropped(decision.project) if link.decision_id == decision.decision_id]

    def _dropped(self, project: str) -> list[Dropped]:
        with self._database.read() as transaction:
            stated = [decision for decision, _ in write_rows.stated(transaction, project).values()]
            corrections = write_rows.corrections_of(transaction, project)
        return list(resolve(stated, corrections).dropped)

    def history(self, decision: Decision) -> History:
        """A decision with all that leads to it, and all that it led to."""
        with self._database.read() as transaction:
            decisions = {
                decision.decision_id: decision
                for decision in decision_status.every(transaction, decision.project)
            }
            links = decision_status.links_of(transaction, decisions)
        onward: dict[bool, dict[int, list[DecisionLink]]] = {
            True: defaultdict(list),
            False: defaultdict(list),
        }
        for link in links:
            onward[True][link.earlier].append(link)
            onward[False][link.later].append(link)

        def branches(decision_id: int, later: bool, seen: frozenset[int]) -> tuple[Branch, ...]:
            branches_found = []
            for link in onward[later][decision_id]:
                other = link.later if later else link.earlier
                if other in decisions and other not in seen:
                    branches_found.append(
                        Branch(decisions[other], link, branches(other, later, seen | {other}))
                    )
            return tuple(branches_found)

        start = frozenset({decision.decision_id})
        return History(
            decision,
            branches(decision.decision_id, False, start),
            branches(decision.decision_id, True, start),
        )

    def edit(
        self,
        name: str,
        now: datetime,
        *,
        status: DecisionStatus | None = None,
        title: str | None = None,
        date: date | None = None,
        dry_run: bool = False,
    ) -> Change:
        """Put a decision right; what is None stays as it is. Raises UsageError: see `by_name`."""
        new_values = {"status": status, "title": title, "date": date}
        changes: dict[str, Any] = {field: value for field, value in new_values.items() if value is not None}
        if status is not None:
            changes["superseded_by"] = None
        return self._correct(self.by_name(name), now, changes, dry_run)

    def supersede(self, old: str, new: str, now: datetime, *, dry_run: bool = False) -> Change:
        """Say that one decision took another's place. Raises UsageError: see `by_name`, or they cannot."""
        earlier, later = self.by_name(old), self.by_name(new)
        if earlier.decision_id == later.decision_id:
            raise UsageError(f"{earlier.name} cannot supersede itself")
        if earlier.project != later.project:
            raise UsageError(
                f"{earlier.name} is of the project {earlier.project} and {later.name} of {later.project}: "
                "only decisions of one project can supersede each other"
            )
        return self._correct(earlier, now, {"status": None, "superseded_by": later.found.key}, dry_run)

    def undo(self, name: str, now: datetime, *, dry_run: bool = False) -> Change:
        """Drop all that users said of a decision: its text counts again. Raises UsageError: see `by_name`."""
        decision = self.by_name(name)
        if not decision.corrected:
            raise UsageError(f"there is no correction of {decision.name} to undo")
        nothing = dict.fromkeys(("status", "title", "date", "superseded_by"))
        return self._correct(decision, now, nothing, dry_run)

    def _correct(self, decision: Decision, now: datetime, changes: dict[str, Any], dry_run: bool) -> Change:
        project, key = decision.project, decision.found.key
        opened: Callable[[], AbstractContextManager[Transaction]]
        opened = self._database.read if dry_run else self._database.write
        with opened() as transaction:
            stated = write_rows.stated(transaction, project)
            corrections = write_rows.corrections_of(transaction, project)
            about = f"{decision.name} {decision.found.title}" if decision.found.number else decision.name
            new = replace(
                corrections.get(key) or Correction(project, key, about, now), given_at=now, **changes
            )
            after = {other: correction for other, correction in corrections.items() if other != key}
            if not new.empty:
                after[key] = new
            resolved = resolve([decision for decision, _ in stated.values()], after)
            if new.superseded_by is not None and not any(
                link.earlier == decision.decision_id and link.origin == "user" for link in resolved.links
            ):
                raise UsageError(f"{decision.name} already supersedes that decision; this would be a circle")
            if not dry_run:
                write_rows.correct(transaction, new)
                changed = {
                    n: effective for n, effective in resolved.effective.items() if effective != stated[n][1]
                }
                write_rows.settle(transaction, project, changed, resolved.links)
        touched = {n for n, effective in resolved.effective.items() if effective != stated[n][1]} | {
            decision.decision_id
        }
        return Change(tuple(self._both(touched, stated, resolved.effective, after, corrections)), not dry_run)

    def _both(
        self,
        touched: Iterable[int],
        stated: dict[int, tuple[Any, Effective]],
        effective: dict[int, Effective],
        after: dict[str, Correction],
        before: dict[str, Correction],
    ) -> Sequence[tuple[Decision, Decision]]:
        """The touched decisions as they were and as they are then."""
        with self._database.read() as transaction:
            rows = decision_status.by_id(transaction, touched)
        return [
            (
                _as(row, stated[number][1], before.get(row.found.key), stated[number][0].title),
                _as(row, effective[number], after.get(row.found.key), stated[number][0].title),
            )
            for number, row in sorted(rows.items())
        ]


def _as(row: Decision, effective: Effective, correction: Correction | None, own_title: str) -> Decision:
    status, dated, kind = effective
    title = correction.title if correction is not None and correction.title else own_title
    return replace(
        row,
        status=status,
        date=dated,
        date_kind=kind,
        found=replace(row.found, title=title),
        corrected=correction is not None,
    )


def _meets(decision: Decision, query: DecisionQuery) -> bool:
    projects = {project.lower() for project in query.projects}
    if projects and decision.project.lower() not in projects:
        return False
    if query.statuses and decision.status not in query.statuses:
        return False
    # The day on which a file changed says that the decision is no younger, not that it is so young.
    if query.after is not None and (decision.day is None or decision.day < query.after):
        return False
    if query.before is not None and (decision.date is None or decision.date >= query.before):
        return False
    decision_found = decision.found
    if decision_found.confidence < query.min_confidence:
        return False
    text = " ".join(
        (
            decision_found.title,
            decision_found.statement,
            decision_found.context,
            *(alternative.text for alternative in decision_found.rejected),
        )
    )
    terms = {term for word in words_of(text) for term in term_hashes(word, "en")}
    return all(terms.intersection(term_hashes(word, "en")) for word in words_of(query.about))


_AT_ONCE = 200
"""Documents of one transaction."""


@dataclass(frozen=True, slots=True)
class ExtractReport:
    """What a run did: how many documents it read, and the projects that it resolved again."""

    documents: int
    projects: tuple[str, ...]


class ExtractDecisions:
    """Extracts and resolves one organization's decisions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def extract_decisions(self, *, rebuild: bool = False) -> ExtractReport:
        """Read what was not read yet, or everything; a run that is cut short goes on the next time."""
        if rebuild:
            with self._database.write() as transaction:
                write_rows.forget_extraction(transaction)
        with self._database.read() as transaction:
            waiting = write_rows.unread_ids(transaction, EXTRACTOR_VERSION)
        for start in range(0, len(waiting), _AT_ONCE):
            self._read(waiting[start : start + _AT_ONCE])
        with self._database.read() as transaction:
            projects = write_rows.unresolved(transaction)
        if projects:
            with self._database.write() as transaction:
                projects |= write_rows.unresolved(transaction)
                write_rows.tidy(transaction)
                for project in sorted(projects):
                    resolve_project(transaction, project)
        return ExtractReport(len(waiting), tuple(sorted(projects)))

    def _read(self, document_ids: Sequence[int]) -> None:
        # Its patterns take a tenth of the time of a command that finds nothing new.
        from bob.decisions.extract import extract

        with self._database.read() as transaction:
            documents = write_rows.unread(transaction, document_ids)
        extracted = [(document, extract(document.document, document.passages)) for document in documents]
        with self._database.write() as transaction:
            write_rows.save(transaction, extracted, EXTRACTOR_VERSION)


def resolve_project(transaction: Transaction, project: str) -> Resolved:
    """Resolve the decisions of a project with the corrections as they are now, and write what changed."""
    stated = write_rows.stated(transaction, project)
    corrections = write_rows.corrections_of(transaction, project)
    resolved = resolve([decision for decision, _ in stated.values()], corrections)
    changed = {number: counts for number, counts in resolved.effective.items() if counts != stated[number][1]}
    write_rows.settle(transaction, project, changed, resolved.links)
    return resolved
