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
from typing import TYPE_CHECKING, Any

from bob.core.decision import Correction, Decision, DecisionLink, DecisionStatus, Effective, series_of
from bob.core.errors import NotFoundError, UsageError
from bob.decisions import EXTRACTOR_VERSION, write_rows
from bob.decisions import rows as decision_rows
from bob.decisions.status import Dropped, resolve
from bob.storage.database import Database, Transaction
from bob.text.terms import term_hashes, words_of

if TYPE_CHECKING:
    from bob.decisions.status import Resolved


@dataclass(frozen=True, slots=True)
class DecisionQuery:
    """Which decisions to list: all conditions hold, empty ones are none. `before` is exclusive; all words of
    `about` occur."""

    projects: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    after: date | None = None
    before: date | None = None
    about: str = ""


DecisionPosition = tuple[date | None, int]
"""Where a decision stands in a list: its date and its id."""


@dataclass(frozen=True, slots=True)
class Listed:
    """Decisions, the newest first, with the links between all; what users said of decisions that are gone;
    and the links of the listed ones that lead nowhere."""

    decisions: list[Decision]
    links: list[DecisionLink]
    lost: list[Correction]
    dropped: list[Dropped]

    def page(self, after: DecisionPosition | None, limit: int) -> tuple[Listed, DecisionPosition | None]:
        """At most `limit` of the decisions that come after this one, and where the following page begins."""
        rest = self.decisions
        if after is not None:
            rest = [each for each in rest if _place(_position(each)) > _place(after)]
        shown = rest[:limit]
        ids = {each.decision_id for each in shown}
        dropped = [each for each in self.dropped if each.decision_id in ids]
        following = _position(shown[-1]) if len(rest) > limit else None
        return Listed(shown, self.links, self.lost, dropped), following

    def to_json(self) -> dict[str, Any]:
        """The list as `bob decisions --json` prints it."""
        return {
            "decisions": [decision.to_json() | _linked(decision, self.links) for decision in self.decisions],
            "unresolved_links": [_dropped_json(each) for each in self.dropped],
            "lost_corrections": [
                {"project": each.project, "key": each.key} | each.to_json() for each in self.lost
            ],
        }


def _position(decision: Decision) -> DecisionPosition:
    return decision.date, decision.decision_id


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
            "later": [_branch_json(each, "later") for each in self.later],
            "earlier": [_branch_json(each, "earlier") for each in self.earlier],
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
            "unresolved_links": [_dropped_json(each) for each in dropped],
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


def _linked(each: Decision, links: Iterable[DecisionLink]) -> dict[str, Any]:
    own = each.decision_id
    return {
        "superseded_by": [link.later for link in links if link.earlier == own and link.kind == "supersedes"],
        "supersedes": [link.earlier for link in links if link.later == own and link.kind == "supersedes"],
    }


def _dropped_json(dropped: Dropped) -> dict[str, Any]:
    return {"id": dropped.decision_id, "target": dropped.target, "reason": dropped.reason}


def _branch_json(branch: Branch, direction: str) -> dict[str, Any]:
    each = branch.decision
    return {
        "id": each.decision_id,
        "name": each.name,
        "title": each.found.title,
        "status": each.status,
        "date": None if each.date is None else each.date.isoformat(),
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
            every = decision_rows.every(transaction)
            links = decision_rows.links_of(transaction, [each.decision_id for each in every])
            said = decision_rows.corrections(transaction)
        keys = {(each.project, each.found.key) for each in every}
        lost = [each for each in said if (each.project, each.key) not in keys]
        found = [each for each in every if _meets(each, query)]
        found.sort(key=lambda each: each.decision_id)
        found.sort(key=lambda each: each.date or date.min, reverse=True)
        shown = {each.decision_id for each in found}
        dropped = [
            each
            for project in sorted({each.project for each in found})
            for each in self._dropped(project)
            if each.decision_id in shown
        ]
        return Listed(found, links, lost, dropped)

    def at(self, name: str) -> Decision:
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
            every = decision_rows.every(transaction)
        number, series = match["number"], (match["series"] or "").upper()
        by_id = [each for each in every if series in ("", "ID") and str(each.decision_id) == number]
        by_number = [
            each
            for each in every
            if (each.found.number or "").lstrip("0") == number and series in ("", series_of(each.path))
        ]
        found = {each.decision_id: each for each in (*by_id, *by_number)}
        if not found:
            raise NotFoundError(f"no decision {name}; list the decisions with bob decisions")
        if len(found) > 1:
            several = ", ".join(
                f"id-{each.decision_id} ({each.name}, {each.project})" for each in found.values()
            )
            raise UsageError(f"{name} could mean several: {several}. Use one of these ids")
        return next(iter(found.values()))

    def dropped(self, decision: Decision) -> list[Dropped]:
        """The links that a decision states and that lead nowhere."""
        return [each for each in self._dropped(decision.project) if each.decision_id == decision.decision_id]

    def _dropped(self, project: str) -> list[Dropped]:
        with self._database.read() as transaction:
            stated = [each for each, _ in write_rows.stated(transaction, project).values()]
            said = write_rows.corrections_of(transaction, project)
        return list(resolve(stated, said).dropped)

    def history(self, decision: Decision) -> History:
        """A decision with all that leads to it, and all that it led to."""
        with self._database.read() as transaction:
            known = {each.decision_id: each for each in decision_rows.every(transaction, decision.project)}
            links = decision_rows.links_of(transaction, known)
        onward: dict[bool, dict[int, list[DecisionLink]]] = {
            True: defaultdict(list),
            False: defaultdict(list),
        }
        for link in links:
            onward[True][link.earlier].append(link)
            onward[False][link.later].append(link)

        def branches(at: int, later: bool, seen: frozenset[int]) -> tuple[Branch, ...]:
            found = []
            for link in onward[later][at]:
                other = link.later if later else link.earlier
                if other in known and other not in seen:
                    found.append(Branch(known[other], link, branches(other, later, seen | {other})))
            return tuple(found)

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
        """Put a decision right; what is None stays as it is. Raises UsageError: see `at`."""
        given = {"status": status, "title": title, "date": date}
        changes: dict[str, Any] = {field: value for field, value in given.items() if value is not None}
        if status is not None:
            changes["superseded_by"] = None
        return self._correct(self.at(name), now, changes, dry_run)

    def supersede(self, old: str, new: str, now: datetime, *, dry_run: bool = False) -> Change:
        """Say that one decision took another's place. Raises UsageError: see `at`, or they cannot."""
        earlier, later = self.at(old), self.at(new)
        if earlier.decision_id == later.decision_id:
            raise UsageError(f"{earlier.name} cannot supersede itself")
        if earlier.project != later.project:
            raise UsageError(
                f"{earlier.name} is of the project {earlier.project} and {later.name} of {later.project}: "
                "only decisions of one project can supersede each other"
            )
        return self._correct(earlier, now, {"status": None, "superseded_by": later.found.key}, dry_run)

    def undo(self, name: str, now: datetime, *, dry_run: bool = False) -> Change:
        """Drop all that users said of a decision: its text counts again. Raises UsageError: see `at`."""
        decision = self.at(name)
        if not decision.corrected:
            raise UsageError(f"there is no correction of {decision.name} to undo")
        nothing = dict.fromkeys(("status", "title", "date", "superseded_by"))
        return self._correct(decision, now, nothing, dry_run)

    def _correct(self, decision: Decision, now: datetime, changes: dict[str, Any], dry_run: bool) -> Change:
        project, key = decision.project, decision.found.key
        opened: Callable[[], AbstractContextManager[Transaction]]
        opened = self._database.read if dry_run else self._database.write
        with opened() as transaction:
            known = write_rows.stated(transaction, project)
            said = write_rows.corrections_of(transaction, project)
            about = f"{decision.name} {decision.found.title}" if decision.found.number else decision.name
            new = replace(said.get(key) or Correction(project, key, about, now), given_at=now, **changes)
            after = {other: each for other, each in said.items() if other != key}
            if not new.empty:
                after[key] = new
            resolved = resolve([each for each, _ in known.values()], after)
            if new.superseded_by is not None and not any(
                link.earlier == decision.decision_id and link.origin == "user" for link in resolved.links
            ):
                raise UsageError(f"{decision.name} already supersedes that decision; this would be a circle")
            if not dry_run:
                write_rows.correct(transaction, new)
                changed = {n: each for n, each in resolved.effective.items() if each != known[n][1]}
                write_rows.settle(transaction, project, changed, resolved.links)
        touched = {n for n, each in resolved.effective.items() if each != known[n][1]} | {
            decision.decision_id
        }
        return Change(tuple(self._both(touched, known, resolved.effective, after, said)), not dry_run)

    def _both(
        self,
        touched: Iterable[int],
        known: dict[int, tuple[Any, Effective]],
        effective: dict[int, Effective],
        after: dict[str, Correction],
        before: dict[str, Correction],
    ) -> Sequence[tuple[Decision, Decision]]:
        """The touched decisions as they were and as they are then."""
        with self._database.read() as transaction:
            rows = decision_rows.at(transaction, touched)
        return [
            (
                _as(row, known[number][1], before.get(row.found.key), known[number][0].title),
                _as(row, effective[number], after.get(row.found.key), known[number][0].title),
            )
            for number, row in sorted(rows.items())
        ]


def _as(row: Decision, effective: Effective, said: Correction | None, own_title: str) -> Decision:
    status, dated, kind = effective
    title = said.title if said is not None and said.title else own_title
    return replace(
        row,
        status=status,
        date=dated,
        date_kind=kind,
        found=replace(row.found, title=title),
        corrected=said is not None,
    )


def _meets(decision: Decision, query: DecisionQuery) -> bool:
    projects = {project.lower() for project in query.projects}
    if projects and decision.project.lower() not in projects:
        return False
    if query.statuses and decision.status not in query.statuses:
        return False
    if query.after is not None and (decision.date is None or decision.date < query.after):
        return False
    if query.before is not None and (decision.date is None or decision.date >= query.before):
        return False
    found = decision.found
    said = " ".join((found.title, found.statement, found.context, *(each.text for each in found.rejected)))
    terms = {term for word in words_of(said) for term in term_hashes(word, "en")}
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
        found = [(document, extract(document.document, document.passages)) for document in documents]
        with self._database.write() as transaction:
            write_rows.save(transaction, found, EXTRACTOR_VERSION)


def resolve_project(transaction: Transaction, project: str) -> Resolved:
    """Resolve the decisions of a project with the corrections as they are now, and write what changed."""
    from bob.decisions.status import resolve

    known = write_rows.stated(transaction, project)
    corrections = write_rows.corrections_of(transaction, project)
    resolved = resolve([each for each, _ in known.values()], corrections)
    changed = {number: counts for number, counts in resolved.effective.items() if counts != known[number][1]}
    write_rows.settle(transaction, project, changed, resolved.links)
    return resolved
