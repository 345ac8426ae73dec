"""Fits the model that tells whether evidence bears a claim out: src/bob/answers/claims/grading.json.

    pip install scikit-learn
    python tools/train_grading.py --data DIR [--git-dir CORPUS=PATH]... [--check] [--cache FILE]

DIR holds `claims/*.jsonl` (claim, evidence, label), `retrieval/scifact/` with `claims_train.jsonl` and
`corpus.jsonl`, and `train/verifier.jsonl.gz` and `train/verifier_generated.jsonl.gz`, of which the rows are
taken that the verifier did not train on; docs/leaderboard.md says where these sets are published. Besides,
the claims of `bench/data/claims` that the verifier did not train on are checked against the documents that
they are about, as `bob verify` does; these are taken from a git directory where one is given, or else from a
clone. Two models are fitted on all of it, one with what the verifier says and one without. What they are
worth is told by cross-fitting, which `--check` alone prints: the claims of each set are halved by a hash of
their text or passage, the model is fitted on one half (and SciFact's training part) and measured on the
other, both ways around. Each public set of claims about documents weighs the same, our own more, the small
edits of single sentences less, and within a set the supported claims as much as all others.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import pickle
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt
from build_written_pairs import CLAIMS, RETOLD_FROM
from logistic import logistic
from sklearn.ensemble import HistGradientBoostingClassifier

from bob import Bob
from bob.answers.answer import Judgement
from bob.answers.claims.evidence import HOLDS_FROM, from_json
from bob.app import Engine
from bob.app.settings import Settings
from bob.evaluation.claim_sets import LabelledClaim, auroc, balanced_accuracy, read_claims

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

from clones import accept_git_dirs, clone_of, git_dirs_of
from json_lines import records_in

REPOSITORY = Path(__file__).parents[1]
WRITTEN = REPOSITORY / "src" / "bob" / "answers" / "claims" / "grading.json"
TRAINING_ONLY = "scifact_train"
IN_OTHER_WORDS, RETOLD = "in other words", "retold"
ABOUT_DOCUMENTS = (IN_OTHER_WORDS, RETOLD)
"""The claims of `bench/data/claims`: those that were kept away from the words of their source, and those that
were written as a colleague tells what he has read."""

TEXTS = (".md", ".rst", ".txt", ".adoc", ".html")
"""What of a corpus is indexed."""

TREES: dict[str, Any] = {
    "max_iter": 300,
    "learning_rate": 0.04,
    "max_leaf_nodes": 31,
    "min_samples_leaf": 20,
    "l2_regularization": 10,
    "max_features": 0.3,
    "random_state": 0,
}
"""Slow, and few signals at a time; others of about this size come to the same."""

SPEAKS_FOR = {
    *("meaning", "meaning_in_one", "words", "words_in_one", "cosine", "pairs", "order", "weakest_part"),
    *("entailed", "entailed_by_one", "entailed_by_two"),
}
SPEAKS_AGAINST = {
    *("missing_most", "missing", "absent_most", "absent", "unlike"),
    *("number_missing", "date_missing", "name_missing", "contradicted", "question"),
    *("denied_otherwise", "measured_otherwise", "named_otherwise", "opposed_otherwise"),
    *("denied", "denied_by_one", "denied_by_two"),
}
"""Signals of which more never makes a claim less, or more, likely: without this the trees learn by which
values they can tell one set from another."""

RIDGE = 100.0
"""The penalty on the baseline's standardized weights, against a likelihood that counts each set as 1,000
claims."""

SET_WEIGHT = 1_000.0

EDITED = ("conjnli", "fever-symmetric", "fm2", "gen-wikisplit", "mnli-dev", "negation-mnli")
"""Sources of the verifier's reserved rows: claims that a small edit makes wrong."""

MOST_EDITED = 300
EDITED_SHARE = 0.15
"""So many claims of each are taken, and weigh this share of another set: of 0.15, 0.3, 0.5 and 1 the least,
which takes the least from the sets of claims about documents."""

WRITTEN_SHARE = 2.0
"""What drafts claim is said in other words than its source, as here alone. With more weight they are judged
little better and the public sets worse."""

VERIFIED = frozenset({f"{said}{by}" for said in ("entailed", "denied") for by in ("", "_by_one", "_by_two")})
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
    accept_git_dirs(parser)
    chosen = parser.parse_args()
    if chosen.cache and chosen.cache.exists():
        examples = pickle.loads(chosen.cache.read_bytes())
    else:
        examples = gathered(chosen.data, git_dirs_of(chosen))
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
        WRITTEN.write_text(json.dumps(written) + "\n", encoding="utf-8")


def gathered(data: Path, git_dirs: Mapping[str, str]) -> Examples:
    """The signals of every claim that the verifier reads (it reads English), as Bob itself finds them."""
    sets = {path.stem: read_claims(path) for path in sorted((data / "claims").glob("*.jsonl"))}
    sets |= edited(data / "train")
    sets[TRAINING_ONLY] = scifact_training(data / "retrieval" / "scifact")
    benchmark = Engine(Settings()).evaluation.benchmark_claims
    judged: list[tuple[str, bool, int, Judgement]] = []
    for name, records in sets.items():
        judged += [
            (name, record.supported, half(record.claim), judgement)
            for record, judgement in zip(records, benchmark.judgements(records), strict=True)
        ]
        print(f"{name}: {len(records)} claims", flush=True)
    judged += about_documents(git_dirs)
    kept = [
        (name, supported, part, judgement, judgement.signals)
        for name, supported, part, judgement in judged
        if judgement.signals is not None and judgement.signals.keys() >= VERIFIED
    ]
    names = list(kept[0][4])
    return Examples(
        names,
        np.array([[signals[name] for name in names] for *_, signals in kept]),
        np.array([supported for _, supported, *_ in kept]),
        np.array([name for name, *_ in kept]),
        np.array([part for _, _, part, *_ in kept]),
        np.array([judgement.decided for *_, judgement, _ in kept]),
    )


def about_documents(git_dirs: Mapping[str, str]) -> Iterator[tuple[str, bool, int, Judgement]]:
    """The claims of `bench/data/claims` that are set aside, checked against their whole corpus. Of a
    statement that is taken for several claims the least borne out counts. Twins are in one half."""
    for corpus in json.loads((CLAIMS / "corpora.json").read_text(encoding="utf-8")):
        if corpus["split"] != "test":
            continue
        passages = list(records_in(CLAIMS / f"{corpus['name']}.jsonl"))
        with clone_of(corpus, git_dirs) as git_dir, tempfile.TemporaryDirectory() as folder:
            documents = Path(folder) / "documents"
            write_texts(git_dir, corpus["commit"], {passage["path"] for passage in passages}, documents)
            with Bob(settings=Settings(database=f"{folder}/bob.db")) as bob:
                bob.index(documents)
                for passage in passages:
                    part = half(f"{corpus['name']}-{passage['passage']}")
                    for claim in passage["claims"]:
                        judgements = [each.judgement for each in bob.verify(claim["claim"]).claims]
                        if judgements:
                            worst = min(judgements, key=lambda judgement: judgement.score)
                            name = RETOLD if passage["passage"] >= RETOLD_FROM else IN_OTHER_WORDS
                            yield name, claim["label"] == "supported", part, worst
        print(f"{corpus['name']}: claims about {len(passages)} passages", flush=True)


def write_texts(git_dir: Path, commit: str, claimed: Set[str], folder: Path) -> None:
    """Write the texts of a commit that lie in the same folders of its root as those with claims."""
    git = ("git", "-C", str(git_dir))
    listed = (*git, "ls-tree", "-r", "-z", "--name-only", commit)
    paths = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.split("\0")
    roots = {path.partition("/")[0] for path in claimed}
    texts = [path for path in paths if path.lower().endswith(TEXTS) and path.partition("/")[0] in roots]
    archive = (*git, "archive", commit, "--", *texts)
    archived = subprocess.run(archive, check=True, capture_output=True).stdout
    folder.mkdir()
    subprocess.run(["tar", "-x", "-C", str(folder)], check=True, input=archived)


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
    values = np.clip(examples.values[use], lows, highs)
    weights = balanced(examples, use)
    directions = [(name in SPEAKS_FOR) - (name in SPEAKS_AGAINST) for name in examples.names]
    model = HistGradientBoostingClassifier(**TREES, monotonic_cst=directions)
    model.fit(values, examples.labels[use], sample_weight=weights / weights.mean())
    return {
        "names": examples.names,
        "ranges": [[_short(low), _short(high)] for low, high in zip(lows, highs, strict=True)],
        "bias": _short(float(model._baseline_prediction.ravel()[0])),
        "trees": [[_node(each) for each in predictor.nodes] for (predictor,) in model._predictors],
    }


def _node(node: Any) -> list[float]:
    if node["is_leaf"]:
        return [_short(node["value"])]
    return [int(node["feature_idx"]), _short(node["num_threshold"]), int(node["left"]), int(node["right"])]


def _short(value: float) -> float:
    return float(f"{float(value):.5g}")


def balanced(examples: Examples, use: Bools) -> Floats:
    """Weights by which each set counts the same, and in it each side."""
    weights = np.zeros(len(examples.labels))
    for name in np.unique(examples.sets[use]):
        for side in (True, False):
            own = use & (examples.sets == name) & (examples.labels == side)
            share = EDITED_SHARE if name in EDITED else WRITTEN_SHARE if name in ABOUT_DOCUMENTS else 1.0
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
    public = [name for name in found if name not in (*EDITED, *ABOUT_DOCUMENTS)]
    for names in (public, ABOUT_DOCUMENTS, [name for name in found if name in EDITED]):
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
