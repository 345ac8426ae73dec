"""Fits the model by which the judge weighs sentences, and writes src/bob/conversations/weights.json.

    python tools/train_judge.py [--check]

It learns from tests/data/memory: the sentences of `examples.jsonl` and the users' messages of the dev halves
of `messages.jsonl` and `others.jsonl`; the held halves teach nothing. `--check` writes nothing and prints how
often the band of a sentence is found by a model that was fitted without its fifth of the data. The same data
give the same weights.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bob.conversations.judge import LEVELS, WEIGHTS, Weights, features, first_clause, own_words, statements
from bob.conversations.signals import by_rules, signals_of
from bob.models.networks import OnnxEmbedder
from bob.text.sentences import looks_like_code, without_code

DATA = Path(__file__).parents[1] / "tests" / "data" / "memory"
SETS = ("messages", "others", "examples")
RIDGE = 1.0
"""The penalty on the slopes; with `bob.conversations.judge.VECTOR_SCALE` chosen by `--check`."""
STEPS = 400
FOLDS = 5

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Labelled:
    """One sentence with the band of its message."""

    sentence: str
    level: str
    message: str
    name: str


def main() -> None:
    """Print the cross-validated agreement; write the weights."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="print the agreement, write nothing")
    chosen = parser.parse_args()
    embedder = OnnxEmbedder(threads=1)
    labelled = [each for name in SETS for each in read(name)]
    design = design_of(labelled, embedder)
    levels = np.array([LEVELS.index(each.level) for each in labelled])  # type: ignore[arg-type]
    if chosen.check:
        print_agreement(labelled, design, levels, embedder.model_id)
        return
    found = fitted(design, levels, embedder.model_id)
    WEIGHTS.write_text(json.dumps(found, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{len(labelled)} sentences, {design.shape[1]} features: {WEIGHTS}")


def read(name: str) -> Iterator[Labelled]:
    """The statements of one file whose band is known: all of a trivial message, one that stands alone."""
    for each in map(json.loads, (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()):
        text = each["text"]
        if each.get("part") == "held" or each.get("role") == "assistant" or looks_like_code(text):
            continue
        said = statements(own_words(without_code(text)))
        if len(said) == 1 or each["importance"] == "trivial":
            for sentence in said:
                yield Labelled(sentence, each["importance"], text, name)


def design_of(labelled: list[Labelled], embedder: OnnxEmbedder) -> Floats:
    """The features of all sentences, shape (sentences, features)."""
    vectors = embedder.embed([first_clause(each.sentence) for each in labelled])
    rows = []
    for each, vector in zip(labelled, vectors, strict=True):
        signals = signals_of(first_clause(each.sentence))
        rows.append(features(each.sentence, signals, by_rules(each.sentence, signals), vector))
    return np.stack(rows)


def fitted(design: Floats, levels: Numbers, model_id: str) -> dict[str, Any]:
    """The model as `bob.conversations.judge.Weights` reads it."""
    found = logistic(design, np.eye(len(LEVELS))[levels]).round(4)
    return {"model_id": model_id, "bias": found[-1].tolist(), "slopes": found[:-1].tolist()}


def logistic(design: Floats, targets: Floats) -> Floats:
    """Ridge-penalized multinomial logistic regression by accelerated gradient descent (Nesterov, 1983); shape
    (features + 1, bands), the last row the bias, which is hardly penalized."""
    full = np.column_stack([design, np.ones(len(design))])
    penalty = np.append(np.full(design.shape[1], RIDGE), 1e-6)[:, np.newaxis]
    steepest = 0.5 * float(np.linalg.norm(full, 2)) ** 2 + RIDGE
    found = ahead = np.zeros((full.shape[1], targets.shape[1]))
    pace = 1.0
    for _ in range(STEPS):
        scores = np.exp(full @ ahead - (full @ ahead).max(axis=1, keepdims=True))
        said = scores / scores.sum(axis=1, keepdims=True)
        stepped = ahead - (full.T @ (said - targets) + penalty * ahead) / steepest
        faster = (1 + np.sqrt(1 + 4 * pace**2)) / 2
        ahead = stepped + (pace - 1) / faster * (stepped - found)
        found, pace = stepped, faster
    return found


def print_agreement(labelled: list[Labelled], design: Floats, levels: Numbers, model_id: str) -> None:
    """How often the band is found, a file; sentences of one message are in one fold."""
    folds = np.array([int(hashlib.sha256(each.message.encode()).hexdigest()[:8], 16) for each in labelled])
    folds %= FOLDS
    right = np.zeros(len(levels), np.bool_)
    for fold in range(FOLDS):
        model = Weights.from_json(fitted(design[folds != fold], levels[folds != fold], model_id))
        said = model.levels(list(design[folds == fold]))
        right[folds == fold] = [LEVELS.index(each) for each in said] == levels[folds == fold]
    for name in SETS:
        own = np.array([each.name == name for each in labelled])
        print(f"{name}: {right[own].mean():.3f} of {own.sum()} sentences")


if __name__ == "__main__":
    main()
