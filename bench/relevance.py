"""Fits the score by which work items are found, and prints what each floor keeps and lets through.

    python bench/relevance.py DATA/gitbugs-seamonkey DATA/cranfield DATA/medline DATA/cacm DATA/adi \\
        --off-topic DATA/scifact

Each folder is a set in BEIR's form, kept as work items. Its own queries belong; those of all other folders do
not (some do: the sets on computing know each other's subjects). One half of the queries, by a hash of their
ids, fits slope and bias; the table is of the other half. `keep`: of the queries with a judged item among the
first five, how many still have it there; `none`: how many of the others' queries find nothing.
"""

from __future__ import annotations

import argparse
import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bob.app import Engine
from bob.app.settings import load_settings
from bob.evaluation import beir
from bob.search.fusion import BIAS, COSINE, COVERAGE, TITLE_COSINE, WORDS
from bob.work.resource_rows import Relevance

RATIO = np.array([TITLE_COSINE, COSINE, WORDS, COVERAGE])
FLOORS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 0.9)


@dataclass(frozen=True, slots=True)
class Asked:
    """A query's first ten with their features, shape (found, 4), and which of them are judged to belong."""

    corpus: str
    belongs: bool
    fitting: bool
    features: np.ndarray
    judged: np.ndarray


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folders", type=Path, nargs="+")
    arguments.add_argument("--off-topic", type=Path, nargs="*", default=[])
    chosen = arguments.parse_args()
    asked = [each for folder in chosen.folders for each in ask_all(folder, chosen)]
    slope, bias = fitted([each for each in asked if each.fitting])
    weights = ", ".join(f"{slope * weight:.2f}" for weight in RATIO)
    print(f"fitted: {weights}, {bias:.2f}; in force: {', '.join(map(str, RATIO))}, {BIAS}")
    print("floor | " + " | ".join(f"{folder.name} keep, none" for folder in chosen.folders))
    for floor in FLOORS:
        cells = [shares(asked, folder.name, floor) for folder in chosen.folders]
        print(f"{floor} | " + " | ".join(f"{keep:.3f}, {none:.3f}" for keep, none in cells))


def ask_all(folder: Path, chosen: argparse.Namespace) -> list[Asked]:
    engine = Engine(load_settings().settings)
    service = engine.evaluation.duplicates(folder)
    names, hippocampus = service.keep_corpus(None), service.hippocampus
    collection = hippocampus.collection(f"org:{engine.settings.organization}")[0]
    # A tracker asks with titles of its own items; elsewhere the ids of queries and documents are unrelated.
    known = {each.id: each.title for each in beir.corpus(folder)}
    found = []
    for source in (*chosen.folders, *chosen.off_topic):
        relevant = beir.qrels(folder, "test") if source == folder else {}
        for query, text in beir.queries(source).items():
            if source == folder and query not in relevant:
                continue
            results = hippocampus.search(text, collection.collection_id, collection.name, 11)
            own = source == folder and known.get(query) == text
            results = [each for each in results if not (own and names[each.resource_id] == query)][:10]
            judged = [relevant.get(query, {}).get(names[each.resource_id], 0) > 0 for each in results]
            features = np.array([numbers(each) for each in results]).reshape(-1, 4)
            half = hashlib.sha256(query.encode()).digest()[0] % 2 == 0
            found.append(Asked(folder.name, source == folder, half, features, np.array(judged, bool)))
    return found


def numbers(found: Relevance) -> tuple[float, float, float, float]:
    return found.title_cosine, found.cosine, found.words, found.coverage


def fitted(asked: list[Asked]) -> tuple[float, float]:
    """Slope and bias of a logistic over the weighed features: the first three that belong against the first
    two of what does not, every set and both sides weighing the same."""
    values, labels, weights = [], [], []
    for corpus in {each.corpus for each in asked}:
        for belongs in (True, False):
            some = [each for each in asked if each.corpus == corpus and each.belongs == belongs]
            rows = [each.features[each.judged][:3] if belongs else each.features[:2] for each in some]
            mine = np.concatenate(rows) @ RATIO
            values.append(mine)
            labels.append(np.full(len(mine), belongs))
            weights.append(np.full(len(mine), 1 / max(len(mine), 1)))
    x, y, w = np.concatenate(values), np.concatenate(labels), np.concatenate(weights)
    design, solution = np.stack([x, np.ones_like(x)], axis=1), np.array([1.0, BIAS])
    for _ in range(50):
        p = 1 / (1 + np.exp(-design @ solution))
        gradient = design.T @ (w * (p - y))
        hessian = (design * (w * p * (1 - p))[:, None]).T @ design
        solution -= np.linalg.solve(hessian + 1e-9 * np.eye(2), gradient)
    return float(solution[0]), float(solution[1])


def shares(asked: list[Asked], corpus: str, floor: float) -> tuple[float, float]:
    mine = [each for each in asked if each.corpus == corpus and not each.fitting]
    kept = [
        bool((score(each)[:5][each.judged[:5]] >= floor).any())
        for each in mine
        if each.belongs and each.judged[:5].any()
    ]
    silent = [not (score(each) >= floor).any() for each in mine if not each.belongs]
    return float(np.mean(kept)), float(np.mean(silent))


def score(asked: Asked) -> np.ndarray:
    return 1 / (1 + np.exp(-(asked.features @ RATIO + BIAS)))


if __name__ == "__main__":
    main()
