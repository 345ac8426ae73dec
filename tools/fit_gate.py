"""Fits the weights by which an answer is given or refused, on questions of `bench/data/judgement`.

    python tools/fit_gate.py FOLDER WORK        # FOLDER as `bench/judgement.py build` makes it

WORK keeps an index of each corpus. Prints how many questions are answered with the weights of
`bob.answers.score_sentences`, and with such as are fitted without the corpus that is asked; then the weights
that are fitted on all of them, to be put there by hand. Only the development part is asked.

A question counts 1 where the best candidate is gold. It counts 0 where it has no answer, and at half the
weight where another candidate is the best: the answer is wrong then, but gold may be quoted beside it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np
import numpy.typing as npt
from logistic import logistic

from bob import Bob
from bob.answers import score_sentences
from bob.answers.candidates import embedded_best_first
from bob.core.locator import locator_to_json
from bob.core.search import NO_FILTERS

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

import judgement

Floats = npt.NDArray[np.float64]

SIGNALS = tuple(score_sentences._AHEAD_WEIGHTS)
RIDGE = 0.1
"""The penalty on weights: it holds them where few questions tell."""
MOST_ANSWERED = 11
"""So many questions without an answer may be answered; the bias is moved to that."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its signals, in the order of SIGNALS, and whether the best candidate is gold."""

    corpus: str
    answerable: bool
    gold: bool
    signals: tuple[float, ...]

    @property
    def weight(self) -> float:
        """How much it counts."""
        return 0.5 if self.answerable and not self.gold else 1.0


def ask(folder: Path, corpus: str, work: Path) -> list[Asked]:
    """The questions of a corpus' development part that anything was found for."""
    asked = []
    with Bob(work / f"{corpus}.db") as bob:
        bob.index(folder / corpus)
        for record in judgement.questions(corpus):
            if record["split"] != "dev":
                continue
            earlier = tuple(record.get("turns", ()))
            found = bob._engine.ask._find(record["question"], earlier, NO_FILTERS, date.today())
            ranked = embedded_best_first(found.scored.candidates)
            if not ranked:
                continue
            evidence = found.scored.evidence
            if evidence.unit_lead is None or evidence.chunk_lead is None:
                continue
            signals = tuple(float(getattr(evidence, name)) for name in SIGNALS)
            answerable = not record["unanswerable"]
            best = ranked[0]
            place = best.chunk.locator.narrowed(best.chunk.text, best.start, best.unit.end)
            path = str(Path(best.chunk.path).relative_to((folder / corpus).resolve()))
            gold = answerable and judgement.is_gold(record, path, locator_to_json(place))
            asked.append(Asked(corpus, answerable, gold, signals))
    return asked


def fit(asked: Sequence[Asked]) -> Floats:
    """The weights and, last, the bias."""
    slopes, bias = logistic(
        np.array([each.signals for each in asked]),
        np.array([each.gold for each in asked]),
        np.array([each.weight for each in asked]),
        RIDGE,
    )
    return np.append(slopes, bias)


def scores(asked: Sequence[Asked], weights: Floats) -> Floats:
    """How far each question is above the threshold, as a logit."""
    return np.array([(*each.signals, 1.0) for each in asked]) @ weights


def threshold(asked: Sequence[Asked], scored: Floats) -> float:
    """Above it as many questions without an answer are answered as may be."""
    without = sorted(
        (score for each, score in zip(asked, scored, strict=True) if not each.answerable), reverse=True
    )
    return float(np.mean(without[MOST_ANSWERED - 1 : MOST_ANSWERED + 1]))


def counted(asked: Sequence[Asked], scored: Floats, above: float) -> str:
    """How many of each kind are answered."""

    def share(kept: Sequence[bool]) -> str:
        answered = sum(score > above for score, keep in zip(scored, kept, strict=True) if keep)
        return f"{answered} of {sum(kept)}"

    gold = share([each.gold for each in asked])
    other = share([each.answerable and not each.gold for each in asked])
    return f"best is gold {gold}, is another {other}, unanswerable {share([not e.answerable for e in asked])}"


def main() -> None:
    """Ask, fit and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("work", type=Path)
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    names = [name for name in judgement.corpora() if name not in judgement.HELD_OUT]
    asked = [each for name in names for each in ask(given.folder, name, given.work)]
    shipped = np.array([*score_sentences._AHEAD_WEIGHTS.values(), score_sentences._AHEAD_BIAS])
    print(f"as shipped: {counted(asked, scores(asked, shipped), 0.0)}")
    held_out = np.zeros(len(asked))
    for name in names:
        weights = fit([each for each in asked if each.corpus != name])
        own = [number for number, each in enumerate(asked) if each.corpus == name]
        held_out[own] = scores([asked[number] for number in own], weights)
    print(f"fitted without the corpus: {counted(asked, held_out, threshold(asked, held_out))}")
    weights = fit(asked)
    weights[-1] -= threshold(asked, scores(asked, weights))
    for name, weight in zip((*SIGNALS, "bias"), weights, strict=True):
        print(f"{name}: {weight:.2f}")


if __name__ == "__main__":
    main()
