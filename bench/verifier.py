"""How often the verifier reads a claim beside its evidence rightly: `python bench/verifier.py DATA`.

DATA holds `verifier.jsonl.gz` and `verifier_generated.jsonl.gz`: rows of claim, evidence, label, source and
split. The rows that are reserved as `dev` are judged, at most `--most` of each source, over the labels that
the source has. The baselines know the share of words in common alone, or the cosine of both texts: the
most frequent label in each tenth of it, counted on every other row; all are measured on the rest.
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

from bob.models.networks import OnnxEmbedder
from bob.models.pair_models import OnnxVerifier
from bob.text.words import words_of

FILES = ("verifier.jsonl.gz", "verifier_generated.jsonl.gz")

Row = dict[str, Any]


def main() -> None:
    """Judge, and print a row a source."""
    parser = measure.options(__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--most", type=int, default=1000)
    chosen = parser.parse_args()
    embedder = OnnxEmbedder()
    verifier = OnnxVerifier(embedder)
    by_source: dict[str, list[Row]] = defaultdict(list)
    for row in reserved(chosen.data, FILES):
        by_source[row["source"].partition(":")[0]].append(row)
    lines = []
    for source, every in sorted(by_source.items()):
        rows = random.Random(0).sample(every, min(chosen.most, len(every)))
        labels = sorted({row["label"] for row in rows})
        judged = accuracy(rows[1::2], judgements(verifier, rows[1::2], labels))
        signals = ([words_in_common(row) for row in rows], cosines(embedder, rows))
        baselines = (100 * by_tenths(rows, shares) for shares in signals)
        lines.append([source, len(rows[1::2]), len(labels), 100 * judged, *baselines])
    lines.append(["mean", "", "", *(fmean(line[column] for line in lines) for column in (3, 4, 5))])
    head = ["source", "claims", "labels", "verifier", "words in common", "cosine"]
    measure.show(f"Right, in per cent: {verifier.model_id}", head, lines, as_json=chosen.json)


def reserved(folder: Path, files: Sequence[str]) -> Iterator[Row]:
    """The rows of some files that no training saw."""
    for name in files:
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


def by_tenths(rows: Sequence[Row], shares: Sequence[float]) -> float:
    """The accuracy of a share between 0 and 1 alone on every other row."""
    tenths = [int(10 * max(share, 0.0)) for share in shares]
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for row, tenth in zip(rows[::2], tenths[::2], strict=True):
        counts[tenth][row["label"]] += 1
    usual = sum(counts.values(), Counter()).most_common(1)[0][0]
    judged = [counts[tenth].most_common(1)[0][0] if counts[tenth] else usual for tenth in tenths[1::2]]
    return accuracy(rows[1::2], judged)


def accuracy(rows: Sequence[Row], judged: Sequence[str]) -> float:
    """The share of rows that have the label."""
    return fmean(row["label"] == label for row, label in zip(rows, judged, strict=True))


def words_in_common(row: Row) -> float:
    """The share of the claim's words that its evidence has."""
    claim, evidence = (
        {word.lower() for word in words_of(text)} for text in (row["claim"], " ".join(row["evidence"]))
    )
    return len(claim & evidence) / len(claim) if claim else 0.0


def cosines(embedder: OnnxEmbedder, rows: Sequence[Row]) -> list[float]:
    """How alike each claim and its evidence are."""
    claims = embedder.embed([row["claim"] for row in rows])
    evidence = embedder.embed([" ".join(row["evidence"]) for row in rows])
    return [float(value) for value in (claims * evidence).sum(axis=1)]


if __name__ == "__main__":
    main()
