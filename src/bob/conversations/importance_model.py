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
from bob.conversations.importance_rules import Worth
from bob.conversations.signals import Signals
from bob.core.conversation import LEAST_CONTEXT, LEAST_CRITICAL
from bob.core.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

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
