"""Trains the reader further, on the candidates that Bob has for questions: which of them answers, or none.

    python tools/build_candidates.py FOLDER INDEXES DATA
    python tools/train_reader_on_candidates.py train WEIGHTS DATA WORK --from MODEL --steps STEPS \\
        --rate 1.3e-4 --frozen 1 --kept 0.3
    python tools/train_reader_on_candidates.py export WEIGHTS DATA WORK

WEIGHTS, WORK and the environment as for `tools/train_reader.py`, which trained MODEL. DATA holds its rows,
`reader_candidates.jsonl.gz` and `reader_contexts.jsonl.gz`.

The reader reads candidates alone, and those of a stretch of text where they stand. A candidate's margin is
the score of the best span in it less that of no answer. The loss of a question is the cross entropy of its
margins beside a zero for "none of them": gold is to be above the others, and all of them below zero where
nothing answers. Beside each batch stand rows of the earlier training, which keep the spans.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import pair_network
import torch
import train_reader
from manifest import READING_LICENSES
from pair_network import Encoder, Pair, Run
from squad import MOST_TOKENS
from torch import Tensor
from train_reader import FURTHER_CUT, FURTHER_LONGEST, Windows

CANDIDATES, CONTEXTS = "reader_candidates.jsonl.gz", "reader_contexts.jsonl.gz"
EARLIER = 0.12
"""The share of the questions of earlier rounds that is learned again, beside all of the newest round."""
ALONE, IN_CONTEXT = 2, 3
"""Questions of a batch: those whose candidates are read alone, and those whose stretches are."""
LISTED, MOST_GOLD = 10, 3
"""Candidates of each of the first, and how many of them may be gold."""
STRETCHES = 3
"""Stretches of each of the others, one of them with gold."""
LONGEST = 256
"""Tokens of a question with a stretch."""
MOST_PARTS = 24
"""So many candidates of a stretch are compared."""
BESIDE = 0.2
"""Rows of the earlier training for each candidate that is read alone, and what their loss counts."""
FLATTENED = 2.0
"""What margins are divided by: they were differences of two logits."""
_BESIDE, _NONE = -1, -1

Part = tuple[int, int, int]
"""Where a candidate begins and ends among tokens, and whether it is gold."""


def epoch(data: Path, seed: int, further: bool = True) -> list[dict[str, Any]]:
    """The questions with their candidates, or with stretches of text."""
    return [*_alone(data, seed), *pair_network.rows_of(data, (CONTEXTS,), "train")]


def _alone(data: Path, seed: int) -> list[dict[str, Any]]:
    rows = list(pair_network.rows_of(data, (CANDIDATES,), "train"))
    newest = max(row["round"] for row in rows)
    earlier = [row for row in rows if row["round"] != newest]
    again = pair_network.drawn(earlier, {row["source"]: EARLIER for row in earlier}, seed)
    return [*again, *(row for row in rows if row["round"] == newest)]


def batches_of(data: Path, vocabulary: Path, run: Run) -> Iterator[list[Pair]]:
    """Batches of pairs, whose labels are the number of the question and the parts that are compared; rows of
    the earlier training belong to no question, and have the tokens where the answer begins and ends."""
    rng = random.Random(run.seed)
    windows = Windows(vocabulary, FURTHER_LONGEST, FURTHER_CUT)
    alone = _endless(_alone(data, run.seed), rng)
    in_context = _endless(list(pair_network.rows_of(data, (CONTEXTS,), "train")), rng)
    beside = _endless(train_reader.epoch(data, run.seed, further=True), rng)
    for _ in range(run.steps):
        pairs: list[Pair] = []
        for number in range(ALONE):
            row = next(alone)
            gold = [n for n, is_gold in enumerate(row["gold"]) if is_gold]
            others = [n for n, is_gold in enumerate(row["gold"]) if not is_gold]
            gold = rng.sample(gold, min(MOST_GOLD, len(gold)))
            others = rng.sample(others, min(LISTED - len(gold), len(others)))
            for n in (*gold, *others):
                ids, second = windows.ids(row["question"], row["passages"][n])
                pairs.append(Pair(ids, second, _labels(number, [(second, len(ids) - 1, int(n in gold))])))
        for _ in range(max(1, int(len(pairs) * BESIDE))):
            pair, _ = windows.row(next(beside), rng)
            pairs.append(Pair(pair.ids, pair.second, _labels(_BESIDE, [(*pair.labels, 0)])))
        for number in range(ALONE, ALONE + IN_CONTEXT):
            row = next(in_context)
            with_gold = [stretch for stretch in row["stretches"] if _has_gold(stretch)]
            without = [stretch for stretch in row["stretches"] if not _has_gold(stretch)]
            drawn = rng.sample(with_gold, min(1, len(with_gold)))
            drawn += rng.sample(without, min(STRETCHES - len(drawn), len(without)))
            for stretch in drawn:
                ids, second, parts = _stretch(windows, row["question"], stretch)
                pairs.append(Pair(ids, second, _labels(number, parts)))
        yield pairs


def _has_gold(stretch: dict[str, Any]) -> bool:
    return any(gold for *_, gold in stretch["parts"])


def _endless(rows: list[dict[str, Any]], rng: random.Random) -> Iterator[dict[str, Any]]:
    while True:
        yield from rng.sample(rows, len(rows))


def _labels(number: int, parts: Sequence[Part]) -> tuple[int, ...]:
    kept = [*parts[:MOST_PARTS], *[(_NONE, _NONE, _NONE)] * (MOST_PARTS - len(parts))]
    return (number, *chain.from_iterable(kept))


def _stretch(windows: Windows, question: str, stretch: dict[str, Any]) -> tuple[list[int], int, list[Part]]:
    """The ids of a question with a stretch, as `bob.models.networks.OnnxReader.score_parts` has them, where
    the stretch begins, and its parts."""
    text = stretch["text"]
    cuts = sorted({0, len(text), *chain.from_iterable(part[:2] for part in stretch["parts"])})
    ids, second = windows.frame(question)
    at = {0: second}
    for begin, end in pairwise(cuts):
        ids += windows.tokens(text[begin:end])
        at[end] = len(ids)
    ids = ids[: LONGEST - 1]
    parts = [(at[begin], min(at[end], len(ids)), int(gold)) for begin, end, gold in stretch["parts"]]
    return [*ids, windows.end], second, [part for part in parts if part[0] < part[1]]


def margins_of(logits: Tensor, owners: Tensor, begins: Tensor, ends: Tensor) -> Tensor:
    """The margins of parts, of (parts): the best span in each, less no answer. `owners` says of which text
    each is."""
    width = logits.shape[1]
    places = torch.arange(width)[None]
    inside = (places >= begins[:, None]) & (places < ends[:, None])
    first, last = (logits[owners, :, side].masked_fill(~inside, -1e4) for side in (0, 1))
    spans = [
        (first[:, : width - length] + last[:, length:]).amax(1) for length in range(min(MOST_TOKENS, width))
    ]
    return torch.stack(spans).amax(0) - logits[owners, 0].sum(1)


def loss_of(logits: Tensor, ids: Tensor, types: Tensor, labels: Tensor) -> Tensor:
    """The mean over the questions, and what the rows that belong to none add."""
    beside = labels[:, 0] == _BESIDE
    parts = labels[:, 1:].reshape(len(labels), MOST_PARTS, 3)
    owners, places = ((parts[:, :, 2] != _NONE) & ~beside[:, None]).nonzero(as_tuple=True)
    begins, ends, golds = parts[owners, places].unbind(1)
    margins = margins_of(logits, owners, begins, ends) / FLATTENED
    numbers = labels[owners, 0]
    losses = []
    for number in numbers.unique():
        own = numbers == number
        odds = torch.log_softmax(torch.cat([margins[own], torch.zeros(1)]), 0)
        gold = golds[own] == 1
        losses.append(-(torch.logsumexp(odds[:-1][gold], 0) if gold.any() else odds[-1]))
    spans = train_reader.loss_of(logits[beside], ids[beside], types[beside], labels[beside, 1:3])
    return torch.stack(losses).mean() + BESIDE * spans


def train(weights: Path, data: Path, work: Path, run: Run) -> None:
    """Train to the last step."""
    pair_network.train(weights, 2, batches_of(data, weights / "vocab.txt", run), loss_of, work, run)


def score(weights: Path, data: Path, work: Path, limit: int) -> None:
    """How often the best candidate is gold; of questions that were trained on."""
    windows = Windows(weights / "vocab.txt", FURTHER_LONGEST)
    model, steps = pair_network.trained_encoder(weights, 2, work)
    rows = [row for row in _alone(data, 0) if any(row["gold"])][:limit]
    first = sum(row["gold"][_best(model, windows, row)] for row in rows)
    print(f"after {steps} steps the best candidate is gold for {first} of {len(rows)} questions")


def _best(model: Encoder, windows: Windows, row: dict[str, Any]) -> int:
    pairs = [Pair(*windows.ids(row["question"], passage), (0,)) for passage in row["passages"]]
    ids, types, _ = pair_network.batch_of(pairs)
    begins = torch.tensor([pair.second for pair in pairs])
    ends = torch.tensor([len(pair.ids) - 1 for pair in pairs])
    with torch.no_grad():
        return int(margins_of(model(ids, types).float(), torch.arange(len(pairs)), begins, ends).argmax())


if __name__ == "__main__":
    pair_network.run_command(
        __doc__,
        train,
        score,
        pair_network.exporter(
            **train_reader.NETWORK | {"longest": LONGEST},
            files=lambda further: (
                *train_reader.FILES,
                train_reader.LANGUAGES,
                CANDIDATES,
                CONTEXTS,
            ),
            rows=epoch,
            licenses=READING_LICENSES,
        ),
    )
