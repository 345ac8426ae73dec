"""Trains the reader of stretches: which of the candidates that stand in some text answers a question, if any.

    pip install torch tokenizers onnx               # for this script only; Bob does not need them
    python tools/train_stretch_reader.py train WEIGHTS DATA WORK --from MODEL --frozen 3 [--steps 900]
    python tools/train_stretch_reader.py score WEIGHTS DATA WORK
    python tools/train_stretch_reader.py export WEIGHTS DATA WORK

WEIGHTS is what `tools/unpack_encoder.py` writes, and MODEL the verifier's network, which has learned already
to lay one text beside another. DATA holds `reader_candidates.jsonl.gz`, which `tools/build_candidates.py`
writes. WORK keeps a checkpoint; a run that was stopped goes on from it, and a run from the same seed takes
the same questions in the same order.

The network and its loss are those of `tools/train_reader.py`, twice as deep: of some thirty candidates the
reader reads each alone, and the best of them are read once more where they stand, by this one.
"""

from __future__ import annotations

import random
from pathlib import Path

import pair_network
import train_reader
from export_network import exporter
from manifest import READING_LICENSES
from pair_network import Pair, Rows, Run
from reader_rows import LONGEST, QUESTION, Windows
from train_reader import CANDIDATES, Questions, Row

QUESTIONS = 16
"""Questions of a batch."""


class Batches:
    """The stretches of each step."""

    def __init__(self, data: Path, vocabulary: Path, seed: int) -> None:
        self._seed, self._windows = seed, Windows(vocabulary)
        self._questions = Questions(data, "train")
        self._rows = Rows(self._questions.in_context, seed)

    def __call__(self, step: int) -> list[Pair]:
        """The pairs of a step."""
        rng = random.Random(f"{self._seed} {step}")
        return [
            pair
            for number, row in enumerate(self._rows.of_step(step, QUESTIONS))
            for pair in train_reader.pairs_in_context(self._questions, self._windows, number, row, rng)
        ]


def epoch(data: Path, seed: int) -> list[Row]:
    """All questions that are learned from; `seed` draws none of them."""
    return Questions(data, "train").in_context


def train(weights: Path, data: Path, work: Path, run: Run) -> None:
    """Train to the last step."""
    batches = Batches(data, weights / "vocab.txt", run.seed)
    pair_network.train(weights, 2, batches, train_reader.loss_of_parts, work, run)


def score(weights: Path, data: Path, work: Path, limit: int) -> None:
    """What no training saw: of the questions of the part "fit", how often the best candidate is gold, and how
    well its margin tells whether any is."""
    model, steps = pair_network.trained_encoder(weights, 2, work)
    print(f"after {steps} steps")
    windows = Windows(weights / "vocab.txt")
    train_reader.score_questions(model, windows, Questions(data, "fit"), limit, alone=False)


if __name__ == "__main__":
    pair_network.run_command(
        __doc__,
        train,
        score,
        exporter(
            name="gte-reader",
            made_from="gte-small",
            output="spans",
            longest=LONGEST,
            longest_first=QUESTION,
            first_token=False,
            files=(CANDIDATES,),
            rows=epoch,
            licenses=READING_LICENSES,
        ),
    )
