"""What is asked of the registry of decisions, and what it answers, with its JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from bob.core.decision import Correction, Decision, DecisionLink
from bob.decisions.resolve import Dropped


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
            "decisions": [each.to_json() | _linked(each, self.links) for each in self.decisions],
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
