"""Fits the model that tells whether evidence bears a claim out: src/bob/answers/claims/grading.json.

    pip install scikit-learn
    python tools/train_grading.py --data DIR [--check] [--cache FILE]

DIR holds `claims/*.jsonl` (claim, evidence, label), `retrieval/scifact/` with `claims_train.jsonl` and
`corpus.jsonl`, and `train/verifier.jsonl.gz` and `train/verifier_generated.jsonl.gz`, of which the rows are
taken that the verifier did not train on; docs/leaderboard.md says where these sets are published. Two models
are fitted on all of it, one with what the verifier says and one without. What they are worth is told by
cross-fitting, which `--check` alone prints: the claims of each set are halved by a hash of their text, the
model is fitted on one half (and SciFact's training part) and measured on the other, both ways around. Each
set of claims about documents weighs the same, the small edits of single sentences less, and within a set the
supported claims as much as all others.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import pickle
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt
from logistic import logistic
from sklearn.ensemble import HistGradientBoostingClassifier

from bob.answers.claims.evidence import HOLDS_FROM, from_json
from bob.app import Engine
from bob.app.settings import Settings
from bob.evaluation.claim_sets import LabelledClaim, auroc, balanced_accuracy, read_claims

WRITTEN = Path(__file__).parents[1] / "src" / "bob" / "answers" / "claims" / "grading.json"
TRAINING_ONLY = "scifact_train"

TREES: dict[str, Any] = {
    "max_iter": 150,
    "learning_rate": 0.04,
    "max_leaf_nodes": 7,
    "min_samples_leaf": 30,
    "l2_regularization": 5,
    "max_features": 0.4,
}
SEEDS = 3
"""Small, slow and few signals at a time: chosen, like the ridge, by five-fold cross-validation within the
first halves."""

RIDGE = 100.0
"""The penalty on standardized weights, against a likelihood that counts each set as 1,000 claims."""

SET_WEIGHT = 1_000.0

EDITED = ("conjnli", "fever-symmetric", "fm2", "gen-wikisplit", "mnli-dev", "negation-mnli")
"""Sources of the verifier's reserved rows: claims that a small edit makes wrong."""

MOST_EDITED = 300
EDITED_SHARE = 0.15
"""So many claims of each are taken, and weigh this share of another set: of 0.15, 0.3, 0.5 and 1 the least,
which takes the least from the sets of claims about documents."""

VERIFIED = frozenset({"entailed", "entailed_by_one", "denied", "denied_by_one"})
"""The signals that the verifier gives; without it the model does without them."""

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Examples:
    """Signals of all claims, shape (claims, signals), with their labels, sets, halves and final verdicts."""

    names: list[str]
    values: Floats
    labels: Bools
    sets: npt.NDArray[np.str_]
    halves: npt.NDArray[np.int64]
    decided: Bools

    def without(self, names: frozenset[str]) -> Examples:
        """The same without some signals."""
        kept = [number for number, name in enumerate(self.names) if name not in names]
        return replace(self, names=[self.names[number] for number in kept], values=self.values[:, kept])

    def of(self, name: str) -> Floats:
        """One signal."""
        return self.values[:, self.names.index(name)]


def main() -> None:
    """Gather signals, print the cross-fitted table, and write the model."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--check", action="store_true", help="print the table, write nothing")
    parser.add_argument("--cache", type=Path, help="keep the signals there for the next run")
    chosen = parser.parse_args()
    if chosen.cache and chosen.cache.exists():
        examples = pickle.loads(chosen.cache.read_bytes())
    else:
        examples = gathered(chosen.data)
        if chosen.cache:
            chosen.cache.write_bytes(pickle.dumps(examples))
    print("Rules alone")
    print_table(examples.without(VERIFIED))
    print("With the verifier")
    print_table(examples)
    if not chosen.check:
        everything = np.ones(len(examples.labels), np.bool_)
        written = {
            "rules": fitted(examples.without(VERIFIED), everything),
            "verified": fitted(examples, everything),
        }
        WRITTEN.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")


def gathered(data: Path) -> Examples:
    """The signals of every claim that the verifier reads (it reads English), as Bob itself finds them."""
    sets = {path.stem: read_claims(path) for path in sorted((data / "claims").glob("*.jsonl"))}
    sets |= edited(data / "train")
    sets[TRAINING_ONLY] = scifact_training(data / "retrieval" / "scifact")
    benchmark = Engine(Settings()).evaluation.benchmark_claims
    rows: list[dict[str, float]] = []
    kept: list[tuple[str, LabelledClaim, bool]] = []
    for name, records in sets.items():
        for record, judgement in zip(records, benchmark.judgements(records), strict=True):
            if judgement.signals is not None and judgement.signals.keys() >= VERIFIED:
                rows.append(judgement.signals)
                kept.append((name, record, judgement.decided))
        print(f"{name}: {len(records)} claims", flush=True)
    names = list(rows[0])
    return Examples(
        names,
        np.array([[row[name] for name in names] for row in rows]),
        np.array([record.supported for _, record, _ in kept]),
        np.array([name for name, _, _ in kept]),
        np.array([half(record.claim) for _, record, _ in kept]),
        np.array([decided for _, _, decided in kept]),
    )


def edited(folder: Path) -> dict[str, list[LabelledClaim]]:
    """The verifier's reserved rows by source."""
    rows: dict[str, list[LabelledClaim]] = {source: [] for source in EDITED}
    for name in ("verifier.jsonl.gz", "verifier_generated.jsonl.gz"):
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                source = row["source"].partition(":")[0]
                if row["split"] == "dev" and source in rows:
                    supported = row["label"] == "supported"
                    evidence = tuple(row["evidence"])
                    rows[source].append(LabelledClaim(row["id"], row["claim"], evidence, "", supported))
    rng = random.Random(0)
    return {source: rng.sample(each, min(MOST_EDITED, len(each))) for source, each in rows.items()}


def scifact_training(folder: Path) -> list[LabelledClaim]:
    """The claims of SciFact's training part with the abstracts that they cite."""
    corpus = {
        each["_id"]: each
        for each in map(json.loads, (folder / "corpus.jsonl").read_text("utf-8").splitlines())
    }
    found: list[LabelledClaim] = []
    for each in map(json.loads, (folder / "claims_train.jsonl").read_text("utf-8").splitlines()):
        labels = {str(said["doc_id"]): said["label"] for said in each["evidence"]}
        for cited in map(str, each["cited_doc_ids"]):
            if cited in corpus:
                texts = tuple(re.split(r"(?<=[.!?])\s+(?=[A-Z0-9(])", corpus[cited]["text"]))
                supported = labels.get(cited) == "SUPPORT"
                found.append(
                    LabelledClaim(
                        f"{each['id']}-{cited}", each["claim"], texts, corpus[cited]["title"], supported
                    )
                )
    return found


def half(claim: str) -> int:
    """0 or 1, the same for the same claim whatever evidence stands beside it."""
    return int(hashlib.sha256(claim.encode()).hexdigest(), 16) % 2


def fitted(examples: Examples, use: Bools) -> dict[str, Any]:
    """The model as `bob.answers.claims.evidence` reads it, fitted on these claims."""
    lows, highs = np.quantile(examples.values[use], (0.005, 0.995), axis=0)
    values = np.clip(examples.values, lows, highs)
    weights = balanced(examples, use)
    means, scales = values[use].mean(axis=0), values[use].std(axis=0) + 1e-9
    found, bias = logistic((values[use] - means) / scales, examples.labels[use], weights, RIDGE)
    slopes = found / scales
    trees_bias, trees = boosted(values[use], examples.labels[use], weights)
    return {
        "names": examples.names,
        "ranges": [[_short(low), _short(high)] for low, high in zip(lows, highs, strict=True)],
        "bias": _short(bias - float(slopes @ means)),
        "slopes": [_short(each) for each in slopes],
        "trees_bias": _short(trees_bias),
        "trees": trees,
    }


def boosted(values: Floats, labels: Bools, weights: Floats) -> tuple[float, list[list[list[float]]]]:
    """Boosted trees of several seeds as one sum, and what they all begin with."""
    bias, trees = 0.0, []
    for seed in range(SEEDS):
        model = HistGradientBoostingClassifier(**TREES, random_state=seed)
        model.fit(values, labels, sample_weight=weights / weights.mean())
        bias += float(model._baseline_prediction.ravel()[0]) / SEEDS
        for (predictor,) in model._predictors:
            trees.append([_node(each) for each in predictor.nodes])
    return bias, trees


def _node(node: Any) -> list[float]:
    if node["is_leaf"]:
        return [_short(node["value"] / SEEDS)]
    return [int(node["feature_idx"]), _short(node["num_threshold"]), int(node["left"]), int(node["right"])]


def _short(value: float) -> float:
    return float(f"{float(value):.5g}")


def balanced(examples: Examples, use: Bools) -> Floats:
    """Weights by which each set counts the same, and in it each side."""
    weights = np.zeros(len(examples.labels))
    for name in np.unique(examples.sets[use]):
        for side in (True, False):
            own = use & (examples.sets == name) & (examples.labels == side)
            share = EDITED_SHARE if name in EDITED else 1.0
            weights[own] = share * SET_WEIGHT / 2 / max(int(own.sum()), 1)
    return weights[use]


def probabilities(model: dict[str, Any], examples: Examples) -> Floats:
    """What Bob says of every claim by this model: findings that decide keep a claim from being supported."""
    grading = from_json(model)
    said = np.array(
        [grading.probability(dict(zip(examples.names, row, strict=True))) for row in examples.values]
    )
    return np.where(examples.decided, np.minimum(said, 0.99 * HOLDS_FROM), said)


def print_table(examples: Examples) -> None:
    """Cross-fitted measures a set, beside single signals with a threshold of their own for each set."""
    measured = examples.sets != TRAINING_ONLY
    crossed = np.zeros(len(examples.labels))
    both = np.zeros(len(examples.labels))
    for part in (0, 1):
        use = (examples.halves == part) | ~measured
        rest = measured & (examples.halves != part)
        crossed[rest] = probabilities(fitted(examples, use), examples)[rest]
        both[rest] = words_and_cosine(examples, use)[rest]
    found = [str(each) for each in np.unique(examples.sets[measured])]
    for names in ([n for n in found if n not in EDITED], [n for n in found if n in EDITED]):
        print_measures(examples, names, crossed, both)


def print_measures(examples: Examples, names: Sequence[str], crossed: Floats, both: Floats) -> None:
    """The measures of some sets."""
    print(f"{'':34} {'balanced accuracy':^{8 * len(names) + 8}} | AUROC")
    rows: list[tuple[str, Floats, Callable[[str, Floats], float]]] = [
        ("Bob, cross-fitted, one threshold", crossed, lambda name, scores: 0.5),
        ("words and cosine, logistic, so too", both, lambda name, scores: 0.5),
    ]
    for signal in ("words", "words_in_one", "meaning", "cosine", "entailed"):
        if signal not in examples.names:
            continue
        rows.append(
            (
                f"{signal}, threshold tuned per set",
                examples.of(signal),
                lambda n, s: best_threshold(examples, n, s),
            )
        )
    for label, scores, threshold in rows:
        accuracies, areas = [], []
        for name in names:
            own = examples.sets == name
            labels = examples.labels[own].tolist()
            accuracies.append(
                balanced_accuracy(labels, (scores[own] >= threshold(name, scores)).tolist()) or 0.0
            )
            areas.append(auroc(labels, scores[own].tolist()) or 0.0)
        print(f"{label:34} {_figures(accuracies)} | {_figures(areas)}")
    print(f"{'':34} mean, then {', '.join(names)}")


def words_and_cosine(examples: Examples, use: Bools) -> Floats:
    """The baseline: overlap of words and cosine of the embedding in a logistic regression."""
    design = np.stack([examples.of("words"), examples.of("cosine")], axis=1)
    means, scales = design[use].mean(axis=0), design[use].std(axis=0)
    weights, bias = logistic(
        (design[use] - means) / scales, examples.labels[use], balanced(examples, use), RIDGE
    )
    found: Floats = 1 / (1 + np.exp(-((design - means) / scales @ weights + bias)))
    return found


def best_threshold(examples: Examples, name: str, scores: Floats) -> float:
    """The threshold with the best balanced accuracy on this very set: more than any rule could know."""
    own = examples.sets == name
    labels = examples.labels[own].tolist()
    tried = np.unique(np.quantile(scores[own], np.linspace(0, 1, 400)))
    return float(
        max(tried, key=lambda each: balanced_accuracy(labels, (scores[own] >= each).tolist()) or 0.0)
    )


def _figures(values: Sequence[float]) -> str:
    return " ".join(f"{each:.4f}" for each in (fmean(values), *values))


if __name__ == "__main__":
    main()
