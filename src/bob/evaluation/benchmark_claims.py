"""Measures verdicts on public sets of claims (SPEC N2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from bob.answers.answer import Judgement
from bob.answers.claims.alignment import tokens_of
from bob.answers.claims.judge_claims import JudgeClaims
from bob.answers.claims.word_rarity import Rarity, idf_share
from bob.core.locator import LineLocator
from bob.core.protocols import Verifier, WordEmbedder
from bob.core.search import FoundChunk
from bob.evaluation.claim_sets import LabelledClaim, auroc, balanced_accuracy, f1, read_claims
from bob.text.words import stem

_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class ClaimsResult:
    """The measures over one set; None where a set has only one kind of claim."""

    balanced_accuracy: float | None
    auroc: float | None
    f1: float
    n: int

    def to_json(self) -> dict[str, Any]:
        """The measures as JSON."""
        return {
            "balanced_accuracy": self.balanced_accuracy,
            "auroc": self.auroc,
            "f1": self.f1,
            "n": self.n,
        }


class BenchmarkClaims:
    """Judges the claims of files against the evidence that stands beside them."""

    def __init__(self, embedder: WordEmbedder, verifier: Verifier | None) -> None:
        self._embedder = embedder
        self._verifier = verifier

    def measure_verdicts(
        self, paths: Sequence[Path], report: Callable[[int, int], None]
    ) -> dict[str, ClaimsResult]:
        """The measures by file. `report` is told how many claims are done, of how many."""
        sets = {str(path): read_claims(path) for path in paths}
        total, done = sum(map(len, sets.values())), 0
        results: dict[str, ClaimsResult] = {}
        for name, records in sets.items():
            judgements = self.judgements(records, partial(_add, report, done, total))
            done += len(records)
            labels = [record.supported for record in records]
            verdicts = [judgement.holds for judgement in judgements]
            results[name] = ClaimsResult(
                balanced_accuracy(labels, verdicts),
                auroc(labels, [judgement.score for judgement in judgements]),
                f1(labels, verdicts),
                len(records),
            )
        return results

    def judgements(
        self, records: Sequence[LabelledClaim], report: Callable[[int], None] = lambda count: None
    ) -> list[Judgement]:
        """A judgement a record; how rare a word is, the evidence of all records tells."""
        rarity = rarity_among(records)
        judge = JudgeClaims(self._embedder, self._verifier, lambda: rarity)
        judgements: list[Judgement] = []
        for start in range(0, len(records), _AT_ONCE):
            part = records[start : start + _AT_ONCE]
            judgements += judge.judge_claims([(labelled.claim, _chunks(labelled)) for labelled in part])
            report(len(judgements))
        return judgements


def _add(report: Callable[[int, int], None], before: int, total: int, count: int) -> None:
    report(before + count, total)


def means(results: dict[str, ClaimsResult]) -> dict[str, Any]:
    """The means over sets, the number of all claims, and the measures by file."""

    def mean(values: Sequence[float | None]) -> float | None:
        measured = [value for value in values if value is not None]
        return fmean(measured) if measured else None

    every = list(results.values())
    return {
        "balanced_accuracy": mean([result.balanced_accuracy for result in every]),
        "auroc": mean([result.auroc for result in every]),
        "f1": mean([result.f1 for result in every]),
        "n": sum(result.n for result in every),
        "by_file": {name: result.to_json() for name, result in results.items()},
    }


def rarity_among(records: Sequence[LabelledClaim]) -> Rarity:
    """How rare a word is among the texts of the evidence."""
    texts = {text for record in records for text in record.evidence}
    frequency = Counter(stem for text in texts for stem in set(tokens_of(text).stems))
    return lambda word: idf_share(len(texts), frequency[stem(word)])


def _chunks(record: LabelledClaim) -> list[FoundChunk]:
    return [
        FoundChunk(
            chunk_id=index,
            document_id=0,
            ordinal=index,
            path=record.id,
            title=record.title,
            project="",
            source_type="text",
            language="en",
            source_date=None,
            source_date_kind=None,
            heading_path=(),
            context="",
            locator=LineLocator(start_line=1, end_line=1),
            text=text,
            content_hash="",
        )
        for index, text in enumerate(record.evidence)
    ]
