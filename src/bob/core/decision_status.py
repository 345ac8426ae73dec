"""How a decision stands, now or on a day: what answers and hits tell of the decision that they rest on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bob.core.decision import Decision, DecisionStatus, LinkKind


@dataclass(frozen=True, slots=True)
class Standing:
    """A decision with what has taken its place.

    `replaced_by` are the decisions that supersede it themselves, `current` those at the ends of the chains
    that begin with them; both are empty unless `status` is "superseded", and may be empty then: a text can
    say that it is superseded and not by what. `revised_by` supersede it in part, or amend it.
    """

    decision: Decision
    status: DecisionStatus
    replaced_by: tuple[Decision, ...] = ()
    current: tuple[Decision, ...] = ()
    revised_by: tuple[tuple[LinkKind, Decision], ...] = ()

    @property
    def superseded(self) -> bool:
        """Whether it no longer holds since another holds in its place."""
        return self.status == "superseded"

    def to_json(self) -> dict[str, Any]:
        """The standing as hits and answers carry it."""
        return _named(self.decision) | {
            "status": self.status,
            "superseded_by": [_named(each) for each in self.replaced_by],
        }


def _named(decision: Decision) -> dict[str, Any]:
    return {
        "id": decision.decision_id,
        "name": decision.name,
        "title": decision.found.title,
        "date": None if decision.date is None else decision.date.isoformat(),
    }
