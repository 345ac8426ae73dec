"""Compares two runs question by question: what got worse, what better, and what only changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from bob.evaluation.scoring import LESS_IS_BETTER, summary
from bob.evaluation.values import EvalRun, QuestionResult

Kind = Literal["regressed", "improved", "changed", "added", "removed", "same"]
KINDS: tuple[Kind, ...] = ("regressed", "improved", "changed", "added", "removed", "same")
"""In the order in which they are shown."""

SMALLEST_CHANGE = 1e-6
"""Measures are stored with six digits: a smaller difference is none."""


@dataclass(frozen=True, slots=True)
class Change:
    """A value before and after; `gain` is how much better it got, negative for worse."""

    before: float
    after: float
    gain: float


@dataclass(frozen=True, slots=True)
class Drift:
    """What happened to one question. `measures` are those that changed, `found` and `first_rank` before and
    after where they differ; sources are the paths of files."""

    id: str
    question: str
    kind: Kind
    measures: Mapping[str, Change] = field(default_factory=dict)
    found: tuple[bool, bool] | None = None
    first_rank: tuple[int | None, int | None] | None = None
    sources_lost: Sequence[str] = ()
    sources_gained: Sequence[str] = ()
    phrases_lost: Sequence[str] = ()
    phrases_gained: Sequence[str] = ()

    def to_json(self) -> dict[str, Any]:
        """The drift as JSON; pairs are before and after."""
        return {
            "id": self.id,
            "question": self.question,
            "kind": self.kind,
            "measures": {name: [change.before, change.after] for name, change in self.measures.items()},
            "found": self.found and list(self.found),
            "first_rank": self.first_rank and list(self.first_rank),
            "sources_lost": list(self.sources_lost),
            "sources_gained": list(self.sources_gained),
            "phrases_lost": list(self.phrases_lost),
            "phrases_gained": list(self.phrases_gained),
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs: `measures` over the questions that both asked, `drifts` with regressions first, `settings`
    and models that differ as pairs of before and after."""

    before: EvalRun
    after: EvalRun
    measures: Mapping[str, Change]
    drifts: Sequence[Drift]
    settings: Mapping[str, tuple[Any, Any]]

    @property
    def golden_changed(self) -> bool:
        """Whether the golden set was edited between the runs."""
        return self.before.golden_hash != self.after.golden_hash

    def of(self, kind: Kind) -> list[Drift]:
        """The questions that this happened to."""
        return [drift for drift in self.drifts if drift.kind == kind]

    def to_json(self) -> dict[str, Any]:
        """The comparison as `bob eval compare --json` prints it."""
        return {
            "before": self.before.to_json(),
            "after": self.after.to_json(),
            "golden_changed": self.golden_changed,
            "settings": {key: list(pair) for key, pair in self.settings.items()},
            "measures": {name: [change.before, change.after] for name, change in self.measures.items()},
            "counts": {kind: len(self.of(kind)) for kind in KINDS},
            "drifts": [drift.to_json() for drift in self.drifts],
        }


def compare(before: EvalRun, after: EvalRun) -> Comparison:
    """What changed from one run to the other."""
    old = {result.id: result for result in before.results}
    new = {result.id: result for result in after.results}
    common = [key for key in new if key in old]
    drifts = [_drift(old[key], new[key]) for key in common]
    drifts += [Drift(key, new[key].question, "added") for key in new if key not in old]
    drifts += [Drift(key, old[key].question, "removed") for key in old if key not in new]
    means: dict[str, Change] = {}
    if common:
        was, now = summary([old[key] for key in common]), summary([new[key] for key in common])
        means = {name: _change(name, was[name], now[name]) for name in now if name in was}
    return Comparison(
        before,
        after,
        means,
        sorted(drifts, key=lambda drift: (KINDS.index(drift.kind), _worst(drift))),
        dict(_differences(before, after)),
    )


def _drift(before: QuestionResult, after: QuestionResult) -> Drift:
    changes = {
        name: _change(name, before.measures[name], after.measures[name])
        for name in after.measures
        if name in before.measures
    }
    measures = {name: change for name, change in changes.items() if abs(change.gain) > SMALLEST_CHANGE}
    cited_before, cited_after = ({source["path"] for source in run.cited} for run in (before, after))
    return Drift(
        id=after.id,
        question=after.question,
        kind=_kind(measures, before, after),
        measures=measures,
        found=(before.found, after.found) if before.found != after.found else None,
        first_rank=(before.first_rank, after.first_rank) if before.first_rank != after.first_rank else None,
        sources_lost=sorted(cited_before - cited_after),
        sources_gained=sorted(cited_after - cited_before),
        phrases_lost=[
            missing_phrase
            for missing_phrase in after.missing_phrases
            if missing_phrase not in before.missing_phrases
        ],
        phrases_gained=[
            missing_phrase
            for missing_phrase in before.missing_phrases
            if missing_phrase not in after.missing_phrases
        ],
    )


def _kind(measures: Mapping[str, Change], before: QuestionResult, after: QuestionResult) -> Kind:
    if any(measure.gain < 0 for measure in measures.values()):
        return "regressed"
    if measures:
        return "improved"
    return "same" if (before.answer, before.cited) == (after.answer, after.cited) else "changed"


def _change(name: str, before: float, after: float) -> Change:
    gain = before - after if name in LESS_IS_BETTER else after - before
    return Change(before, after, round(gain, 6))


def _worst(drift: Drift) -> float:
    return min((measure.gain for measure in drift.measures.values()), default=0.0)


def _differences(before: EvalRun, after: EvalRun) -> Iterator[tuple[str, tuple[Any, Any]]]:
    was = {
        "k": before.k,
        **{f"model.{key}": value for key, value in before.models.items()},
        **before.settings,
    }
    now = {"k": after.k, **{f"model.{key}": value for key, value in after.models.items()}, **after.settings}
    for key in was | now:
        if was.get(key) != now.get(key):
            yield key, (was.get(key), now.get(key))
