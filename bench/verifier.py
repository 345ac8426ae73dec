"""How often the verifier reads a claim beside its evidence rightly: `python bench/verifier.py DATA`.

DATA holds `verifier.jsonl.gz` and `verifier_generated.jsonl.gz`: rows of claim, evidence, label, source and
split. The rows that are reserved as `dev` are judged, at most `--most` of each source, over the labels that
the source has. The baseline knows the words in common alone: the most frequent label in each tenth of that
share, counted on every other row; both are measured on the rest.
"""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import measure

from bob.models.networks import OnnxEmbedder, OnnxVerifier
from bob.text.words import words_of

FILES = ("verifier.jsonl.gz", "verifier_generated.jsonl.gz")

Row = dict[str, Any]


def main() -> None:
    """Judge, and print a row a source."""
    parser = measure.options(__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--most", type=int, default=1000)
    chosen = parser.parse_args()
    verifier = OnnxVerifier(OnnxEmbedder())
    by_source: dict[str, list[Row]] = defaultdict(list)
    for row in reserved(chosen.data):
        by_source[row["source"].partition(":")[0]].append(row)
    lines = []
    for source, every in sorted(by_source.items()):
        rows = random.Random(0).sample(every, min(chosen.most, len(every)))
        labels = sorted({row["label"] for row in rows})
        judged = accuracy(rows[1::2], judgements(verifier, rows[1::2], labels))
        lines.append([source, len(rows[1::2]), len(labels), 100 * judged, 100 * by_words(rows)])
    lines.append(["mean", "", "", fmean(line[3] for line in lines), fmean(line[4] for line in lines)])
    head = ["source", "claims", "labels", "verifier", "words in common"]
    measure.show(f"Right, in per cent: {verifier.model_id}", head, lines, as_json=chosen.json)


def reserved(folder: Path) -> Iterator[Row]:
    """The rows that no training saw."""
    for name in FILES:
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            yield from (row for row in map(json.loads, lines) if row["split"] == "dev")


def judgements(verifier: OnnxVerifier, rows: Sequence[Row], labels: Sequence[str]) -> list[str]:
    """The likeliest of the labels for each row."""
    judged = []
    for supported, contradicted in verifier.judge_pairs(
        [(row["claim"], " ".join(row["evidence"])) for row in rows]
    ):
        shares = {"supported": supported, "contradicted": contradicted}
        shares["not_said"] = 1 - supported - contradicted
        judged.append(max(labels, key=shares.__getitem__))
    return judged


def by_words(rows: Sequence[Row]) -> float:
    """The accuracy of the words in common on every other row."""
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for row in rows[::2]:
        counts[_tenth(row)][row["label"]] += 1
    usual = sum(counts.values(), Counter()).most_common(1)[0][0]
    tests = rows[1::2]
    return accuracy(
        tests, [counts[_tenth(row)].most_common(1)[0][0] if counts[_tenth(row)] else usual for row in tests]
    )


def accuracy(rows: Sequence[Row], judged: Sequence[str]) -> float:
    """The share of rows that have the label."""
    return fmean(row["label"] == label for row, label in zip(rows, judged, strict=True))


def _tenth(row: Row) -> int:
    claim, evidence = (
        {word.lower() for word in words_of(text)} for text in (row["claim"], " ".join(row["evidence"]))
    )
    return int(10 * len(claim & evidence) / len(claim)) if claim else 0


if __name__ == "__main__":
    main()
