"""What rules alone say of a sentence's worth; `bob.conversations.importance_model` has the last word."""

from __future__ import annotations

from dataclasses import dataclass

from bob.conversations.signals import Signals
from bob.core.conversation import MessageType

# Seed 004's bands: a permanent constraint or an architecture decision is critical (71 to 100), a preference
# or a project's detail context (31 to 70), what passes temporary (1 to 30).
HEALTH, BINDING, DECIDED, PREFERRED, FACT, PASSING = 92, 85, 80, 60, 50, 15

_SPECIFIC = 5
"""What a figure or a name adds: such a sentence says more."""


@dataclass(frozen=True, slots=True)
class Worth:
    """What one sentence is worth, 0 to 100, and why; `pointing` when it leans on one before it."""

    importance: int
    message_type: MessageType
    sentence: str
    reason: str
    pointing: bool = False

    @property
    def rank(self) -> tuple[int, bool]:
        """The greater, the better it sums up its message."""
        return self.importance, not self.pointing


def worth_of(importance: int, kind: MessageType, sentence: str, reason: str, signals: Signals) -> Worth:
    """A worth with what a figure or a name adds to it."""
    specific = _SPECIFIC if importance >= FACT and (signals.figures or signals.names) else 0
    return Worth(importance + specific, kind, sentence, reason, signals.pointing)


def by_rules(sentence: str, signals: Signals) -> Worth | None:
    """What the rules say of a sentence; None when they are silent."""

    def worth(importance: int, kind: MessageType, reason: str) -> Worth:
        return worth_of(importance, kind, sentence, reason, signals)

    states = not (signals.supposed or signals.requests)
    if signals.asks and signals.own and (signals.figures or signals.passing) and states:
        return worth(PASSING, "chat", "asks about the user's own situation")
    if signals.says_nothing:
        return worth(0, "chat", "asks, requests or supposes")
    if signals.health and signals.own:
        return worth(HEALTH, "fact", "the user's or a relative's health")
    if signals.passing:
        kind: MessageType = "decision" if signals.decided else "chat"
        return worth(PASSING, kind, "soon passes")
    if signals.preferred:
        return worth(PREFERRED, "preference", "a preference")
    if signals.decided:
        return worth(DECIDED, "decision", "a decision")
    if signals.binding:
        return worth(BINDING, "decision", "a binding rule")
    if signals.feels:
        return worth(0, "chat", "a mood or a guess")
    if signals.own:
        return worth(FACT, "fact", "a fact about the user")
    if signals.generic:
        return worth(0, "chat", "general knowledge")
    if signals.figures and (signals.names or signals.definite):
        return worth(FACT, "fact", "a fact with a figure")
    return None
