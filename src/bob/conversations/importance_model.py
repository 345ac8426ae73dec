"""Which band of importance a sentence falls into: a multinomial logistic regression over its vector, its
signals, its cues and what the rules say. `tools/train_judge.py` fits it; 425 products a band run it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from bob.conversations.clauses import first_clause
from bob.conversations.cues import cues_of
from bob.conversations.signals import Signals
from bob.core.conversation import LEAST_CONTEXT, LEAST_CRITICAL, MessageType
from bob.core.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

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


Level = Literal["trivial", "temporary", "context", "critical"]
LEVELS: tuple[Level, ...] = get_args(Level)

WEIGHTS = Path(__file__).with_name("weights.json")

VECTOR_SCALE = 1.5
"""A vector has length 1 over hundreds of components, a signal is 0 or 1: scaled like this, both are heard
under one penalty. Chosen by cross-validation on the dev halves."""


def level_of(importance: int) -> Level:
    """The band that an importance from 0 to 100 lies in."""
    if importance >= LEAST_CRITICAL:
        return "critical"
    if importance >= LEAST_CONTEXT:
        return "context"
    return "temporary" if importance else "trivial"


def features(
    sentence: str, signals: Signals, ruled: Worth | None, vector: npt.NDArray[np.float32]
) -> npt.NDArray[np.float64]:
    """What is weighed, shape (features,): the vector of the first clause first."""
    import numpy as np

    level = None if ruled is None else level_of(ruled.importance)
    said = [float(level == each) for each in (*LEVELS, None)]
    plain = [*map(float, astuple(signals)), *said, *cues_of(first_clause(sentence))]
    return np.concatenate([VECTOR_SCALE * vector.astype(np.float64), plain])


@dataclass(frozen=True)
class Weights:
    """The fitted model: `slopes` has the shape (features, bands), `bias` (bands,). `model_id` names the
    embedding model that it was fitted with, and means nothing with another."""

    model_id: str
    slopes: npt.NDArray[np.float64]
    bias: npt.NDArray[np.float64]

    @classmethod
    def from_json(cls, read: dict[str, Any]) -> Weights:
        """As `tools/train_judge.py` writes it: a row of `slopes` a feature."""
        import numpy as np

        return cls(str(read["model_id"]), np.array(read["slopes"]), np.array(read["bias"]))

    @classmethod
    def load(cls) -> Weights:
        """The ones that are shipped. Raises ModelError."""
        try:
            return cls.from_json(json.loads(WEIGHTS.read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError) as error:
            raise ModelError(f"the judge's weights are damaged: {WEIGHTS}: {error}") from error

    def levels(self, weighed: Sequence[npt.NDArray[np.float64]]) -> list[Level]:
        """The likeliest band of each row of features."""
        import numpy as np

        scores = np.stack(weighed) @ self.slopes + self.bias
        return [LEVELS[int(each)] for each in scores.argmax(axis=1)]
