"""Reads sets of claims with evidence and labels, one JSON record a line, and scores verdicts on them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bob.core.errors import UsageError

SUPPORTED = "supported"


@dataclass(frozen=True, slots=True)
class LabelledClaim:
    """A claim, the texts that it is checked against, and whether they support it."""

    id: str
    claim: str
    evidence: tuple[str, ...]
    title: str
    supported: bool


def read_claims(path: Path) -> list[LabelledClaim]:
    """The records of a file: "claim", "evidence" (texts), "label", and perhaps "id" and "title".

    Raises:
        UsageError: the file cannot be read, or a line is no such record; file, line and field are named.
    """
    labelled_claims: list[LabelledClaim] = []
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise UsageError(f"{path}: cannot be read: {reason}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            evidence = record["evidence"]
            texts = (evidence,) if isinstance(evidence, str) else tuple(str(text) for text in evidence)
            labelled_claims.append(
                LabelledClaim(
                    str(record.get("id") or f"{path.stem}:{number}"),
                    str(record["claim"]),
                    texts,
                    str(record.get("title") or ""),
                    record["label"] == SUPPORTED,
                )
            )
        except json.JSONDecodeError as error:
            raise UsageError(f"{path}, line {number}: not valid JSON: {error}") from error
        except KeyError as error:
            raise UsageError(f"{path}, line {number}: the field {error} is missing") from error
        except (TypeError, AttributeError) as error:
            raise UsageError(f"{path}, line {number}: {error}") from error
    if not labelled_claims:
        raise UsageError(f"{path}: has no claims")
    return labelled_claims


def balanced_accuracy(labels: Sequence[bool], verdicts: Sequence[bool]) -> float | None:
    """The mean of the shares of supported and of other claims that were told right; None without both."""
    right = [[v == y for v, y in zip(verdicts, labels, strict=True) if y is side] for side in (True, False)]
    return None if not all(right) else sum(sum(side) / len(side) for side in right) / 2


def f1(labels: Sequence[bool], verdicts: Sequence[bool]) -> float:
    """The harmonic mean of precision and recall of the verdict "supported"; 0 when both are."""
    both = sum(y and v for y, v in zip(labels, verdicts, strict=True))
    return 2 * both / (sum(labels) + sum(verdicts)) if both else 0.0


def auroc(labels: Sequence[bool], scores: Sequence[float]) -> float | None:
    """The chance that a supported claim scores higher than another one, ties counting half (Mann and
    Whitney's U); None without both kinds."""
    ordered = sorted(zip(scores, labels, strict=True), key=lambda pair: pair[0])
    positives = sum(labels)
    negatives = len(labels) - positives
    if not positives or not negatives:
        return None
    rank_sum, start = 0.0, 0
    while start < len(ordered):
        end = start
        while end < len(ordered) and ordered[end][0] == ordered[start][0]:
            end += 1
        rank_sum += (start + 1 + end) / 2 * sum(label for _, label in ordered[start:end])
        start = end
    return (rank_sum - positives * (positives + 1) / 2) / (positives * negatives)
