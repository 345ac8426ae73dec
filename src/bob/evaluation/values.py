"""A run of the evaluation: what was asked with which settings, and what came out (SPEC N1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """What came out for one question.

    `measures` has those of `bob.evaluation.scoring.MEASURES` that the question has, each between 0 and 1.
    `first_rank` is the rank of the first result from an expected source, from 1, or None. `cited` are path
    and locator of the places that the answer rests on, `claims` and `unsupported` numbers of claims,
    `seconds` the time of the answer.
    """

    id: str
    question: str
    unanswerable: bool
    found: bool
    answer: str
    measures: Mapping[str, float]
    first_rank: int | None
    cited: Sequence[Mapping[str, Any]]
    missing_phrases: Sequence[str]
    said_forbidden: Sequence[str]
    claims: int
    unsupported: int
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """The result as it is stored and printed."""
        measures = {name: round(value, 6) for name, value in self.measures.items()}
        return asdict(self) | {"measures": measures, "seconds": round(self.seconds, 4)}


@dataclass(frozen=True, slots=True)
class EvalRun:
    """One run. `golden` is the set's path and `golden_hash` the SHA-256 of its content; `models` and
    `settings` are what the answers depended on, without secrets; `metrics` are the measures of the whole run;
    `run_id` is None until it is stored."""

    started_at: datetime
    name: str | None
    golden: str
    golden_hash: str
    k: int
    models: Mapping[str, str]
    settings: Mapping[str, Any]
    metrics: Mapping[str, float]
    results: Sequence[QuestionResult] = ()
    run_id: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The run as `bob eval runs --json` lists it: without the results of its questions."""
        return {
            "run_id": self.run_id,
            "name": self.name,
            "started_at": self.started_at.astimezone(UTC).isoformat(timespec="seconds"),
            "golden": self.golden,
            "golden_hash": self.golden_hash,
            "k": self.k,
            "models": dict(self.models),
            "settings": dict(self.settings),
            "metrics": dict(self.metrics),
        }

    def with_results(self) -> dict[str, Any]:
        """The run with the result of each question, as `bob eval run --json` prints it."""
        return self.to_json() | {"results": [result.to_json() for result in self.results]}
