"""Trains the verifier: from a claim and evidence to supported, contradicted or not said.

    pip install torch tokenizers onnx               # for this script only; Bob does not need them
    python tools/train_verifier.py train WEIGHTS DATA WORK [--steps 900] [--seed 1]
    python tools/train_verifier.py train WEIGHTS DATA WORK --from MODEL --frozen 3 [--steps 1400] [--seed 2]
    python tools/train_verifier.py score WEIGHTS DATA WORK
    python tools/train_verifier.py export WEIGHTS DATA WORK

WEIGHTS is what `tools/unpack_encoder.py` writes. DATA holds `verifier.jsonl.gz` and
`verifier_generated.jsonl.gz`, from `tools/build_verifier_pairs.py` `verifier_more.jsonl.gz`, and from
`tools/build_written_pairs.py` `verifier_written.jsonl.gz`: rows of claim, evidence, label, source and split.
WORK keeps a checkpoint; a run that was stopped goes on from the last one, and a run from the same seed takes
the same rows in the same order. The first training, from the encoder, is over the public sets alone; what
goes on from a network learns from all rows.

The network is gte-small with three outputs at the first token.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pair_network
from export_network import exporter
from pair_network import Pair, Rows, Run, Vocabulary
from torch import Tensor, nn

PUBLIC = ("verifier.jsonl.gz", "verifier_generated.jsonl.gz", "verifier_more.jsonl.gz")
FILES = (*PUBLIC, "verifier_written.jsonl.gz")
LABELS = ("supported", "contradicted", "not_said")
LONGEST, CLAIM = 128, 60
"""Tokens of a claim with its evidence, and of the claim alone."""
BATCH = 64
FIRST_TIMES = {
    "mnli-dev": 1.0,
    "mnli-train": 1.0,
    "wanli": 1.0,
    "snli-train": 0.5,
    "snli-dev": 0.5,
    "conjnli": 0.5,
    "cad-nli": 1.0,
    "breaking-nli": 0.25,
    "scone": 0.5,
    "help": 0.3,
    "med": 0.5,
    "fm2": 2.0,
    "negation-mnli": 1.0,
    "negation-snli": 1.0,
    "fever-symmetric": 2.0,
    "gen-wikisplit": 0.25,
}
"""How often an epoch of the first training takes each row of a source: of the public sets alone."""

TIMES = {
    "mnli-dev": 0.4,
    "mnli-train": 0.4,
    "snli-train": 0.15,
    "wanli": 0.4,
    "conjnli": 0.4,
    "cad-nli": 0.4,
    "snli-dev": 0.15,
    "breaking-nli": 0.05,
    "scone": 0.5,
    "help": 0.1,
    "med": 0.3,
    "fm2": 1.0,
    "negation-mnli": 0.5,
    "negation-snli": 0.5,
    "fever-symmetric": 1.0,
    "gen-wikisplit": 0.1,
    "written": 0.5,
    "retold": 1.5,
}
"""How often an epoch takes each row of a source: mostly claims about documents, most of all those that are as
people put them, and of the public sets, which the network that it goes on from has seen, enough to keep what
they taught."""

SAME = 0.06
"""The share of rows that are taken once more with their evidence as the claim."""

_WORD = re.compile(r"\w+")


class Claims(Vocabulary):
    """Turns rows into pairs of tokens."""

    def pair(self, row: dict[str, Any]) -> Pair:
        """The claim, then its evidence."""
        claim = self.tokens(row["claim"])[:CLAIM]
        evidence = self.tokens(" ".join(row["evidence"]))
        room = LONGEST - len(claim) - 3
        ids = [self._cls, *claim, self._sep, *evidence[:room], self._sep]
        return Pair(ids, len(claim) + 2, (LABELS.index(row["label"]),))


def loss_of(outputs: Tensor, ids: Tensor, types: Tensor, labels: Tensor) -> Tensor:
    """Cross entropy at the first token."""
    return nn.functional.cross_entropy(outputs[:, 0], labels[:, 0])


def epoch(data: Path, seed: int, *, is_first: bool = False) -> list[dict[str, Any]]:
    """The rows that an epoch takes, some of them once more with their evidence as the claim: what is said in
    the same words is supported."""
    files, times = (PUBLIC, FIRST_TIMES) if is_first else (FILES, TIMES)
    rows = pair_network.drawn(pair_network.rows_of(data, files, "train"), times, seed)
    chosen = random.Random(seed).sample(rows, round(SAME * len(rows)))
    return rows + [
        row | {"claim": row["evidence"][0], "evidence": row["evidence"][:1], "label": "supported"}
        for row in chosen
    ]


class Batches:
    """The pairs of each step."""

    def __init__(self, data: Path, vocabulary: Path, run: Run) -> None:
        rows = epoch(data, run.seed, is_first=not run.begins)
        self._claims, self._rows = Claims(vocabulary), Rows(rows, run.seed)

    def __call__(self, step: int) -> list[Pair]:
        """The pairs of a step."""
        return [self._claims.pair(row) for row in self._rows.of_step(step, BATCH)]


def train(weights: Path, data: Path, work: Path, run: Run) -> None:
    """Train to the last step."""
    batches = Batches(data, weights / "vocab.txt", run)
    pair_network.train(weights, len(LABELS), batches, loss_of, work, run)


def overlap(row: dict[str, Any]) -> float:
    """The share of the claim's words that the evidence has."""
    claim, evidence = (set(_WORD.findall(text.lower())) for text in (row["claim"], " ".join(row["evidence"])))
    return len(claim & evidence) / len(claim) if claim else 0.0


def score(weights: Path, data: Path, work: Path, limit: int) -> None:
    """Accuracy on the reserved part of each source, over the labels that the source has, beside that of the
    words in common."""
    claims = Claims(weights / "vocab.txt")
    model, steps = pair_network.trained_encoder(weights, len(LABELS), work)
    print(f"after {steps} steps")
    by_source: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in pair_network.rows_of(data, FILES, "dev"):
        by_source[row["source"].partition(":")[0]].append(row)
    for source, every in sorted(by_source.items()):
        rows = random.Random(0).sample(every, min(limit, len(every)))
        labels = [label for label in LABELS if any(row["label"] == label for row in rows)]
        columns = [LABELS.index(label) for label in labels]
        outputs = pair_network.outputs_of(model, [claims.pair(row) for row in rows])
        found = [labels[int(np.argmax(each[0].numpy()[columns]))] for each in outputs]
        right = np.mean([label == row["label"] for label, row in zip(found, rows, strict=True)])
        print(f"{source:18} {len(rows):5} verifier {100 * right:.1f}, words {100 * by_words(rows):.1f}")


def by_words(rows: list[dict[str, Any]]) -> float:
    """Accuracy of the most frequent label in each fifth of the words in common, counted on every other row
    and measured on the rest."""
    counts: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in rows[::2]:
        counts[int(5 * overlap(row))][row["label"]] += 1
    right = 0
    for row in rows[1::2]:
        counted = counts.get(int(5 * overlap(row)), {})
        right += bool(counted) and max(counted, key=lambda label: counted[label]) == row["label"]
    return right / max(len(rows[1::2]), 1)


if __name__ == "__main__":
    pair_network.run_command(
        __doc__,
        train,
        score,
        exporter(
            name="gte-verifier",
            made_from="gte-small",
            output="verdict",
            longest=LONGEST,
            longest_first=CLAIM,
            first_token=True,
            files=FILES,
            rows=epoch,
        ),
    )
