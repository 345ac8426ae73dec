"""Trains the reader further, on the candidates that Bob has for questions: which of them answers, or none.

    python tools/build_candidates.py FOLDER INDEXES DATA/reader_candidates.jsonl.gz
    python tools/train_reader_on_candidates.py train WEIGHTS DATA WORK --from MODEL --steps STEPS \\
        --rate 1.3e-4 --frozen 1 --kept 0.3
    python tools/train_reader_on_candidates.py export WEIGHTS DATA WORK

WEIGHTS, WORK and the environment as for `tools/train_reader.py`, which trained MODEL. DATA holds its rows
and `reader_candidates.jsonl.gz`.

A candidate's margin is the score of its best span less that of no answer. The loss of a question is the cross
entropy of its margins beside a zero for "none of them": gold is to be above the others, and all of them below
zero where nothing answers. Beside each batch stand rows of the earlier training, which keep the spans.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
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

CANDIDATES = "reader_candidates.jsonl.gz"
EARLIER = 0.12
"""The share of the questions of earlier rounds that is learned again, beside all of the newest round."""
QUESTIONS, LISTED, MOST_GOLD = 4, 10, 3
"""Questions of a batch, candidates of each, and how many of them may be gold."""
BESIDE = 0.2
"""Rows of the earlier training for each candidate, and what their loss counts."""
FLATTENED = 2.0
"""What margins are divided by: they were differences of two logits."""
_ALONE = -1


def epoch(data: Path, seed: int, further: bool = True) -> list[dict[str, Any]]:
    """The questions with their candidates."""
    rows = list(pair_network.rows_of(data, (CANDIDATES,), "train"))
    newest = max(row["round"] for row in rows)
    earlier = [row for row in rows if row["round"] != newest]
    again = pair_network.drawn(earlier, {row["source"]: EARLIER for row in earlier}, seed)
    return [*again, *(row for row in rows if row["round"] == newest)]


def batches_of(data: Path, vocabulary: Path, run: Run) -> Iterator[list[Pair]]:
    """Batches of pairs, whose labels are the number of the question, whether the candidate is gold, and where
    the span begins and ends; rows of the earlier training belong to no question."""
    rng = random.Random(run.seed)
    windows = Windows(vocabulary, FURTHER_LONGEST, FURTHER_CUT)
    rows = epoch(data, run.seed)
    earlier = train_reader.epoch(data, run.seed, further=True)
    rng.shuffle(earlier)
    left: list[dict[str, Any]] = []
    taken = 0
    for _ in range(run.steps):
        if len(left) < QUESTIONS:
            left = rng.sample(rows, len(rows))
        pairs: list[Pair] = []
        for number in range(QUESTIONS):
            row = left.pop()
            gold = [n for n, is_gold in enumerate(row["gold"]) if is_gold]
            others = [n for n, is_gold in enumerate(row["gold"]) if not is_gold]
            gold = rng.sample(gold, min(MOST_GOLD, len(gold)))
            others = rng.sample(others, min(LISTED - len(gold), len(others)))
            for n in (*gold, *others):
                ids, second = windows.ids(row["question"], row["passages"][n])
                pairs.append(Pair(ids, second, (number, int(n in gold), 0, 0)))
        for _ in range(max(1, int(len(pairs) * BESIDE))):
            pair, _ = windows.row(earlier[taken % len(earlier)], rng)
            pairs.append(Pair(pair.ids, pair.second, (_ALONE, 0, *pair.labels)))
            taken += 1
        yield pairs


def margins_of(logits: Tensor, ids: Tensor, types: Tensor) -> Tensor:
    """The margin of each pair: the best span of the second text, without its last token, less no answer."""
    last = (ids != 0).sum(1) - 1
    inside = (types == 1) & (torch.arange(ids.shape[1])[None] < last[:, None])
    begins, ends = (logits[:, :, side].masked_fill(~inside, -1e4) for side in (0, 1))
    width = ids.shape[1]
    spans = [
        (begins[:, : width - length] + ends[:, length:]).amax(1) for length in range(min(MOST_TOKENS, width))
    ]
    return torch.stack(spans).amax(0) - logits[:, 0].sum(1)


def loss_of(logits: Tensor, ids: Tensor, types: Tensor, labels: Tensor) -> Tensor:
    """The mean over the questions, and what the rows that belong to none add."""
    alone = labels[:, 0] == _ALONE
    margins = margins_of(logits, ids, types) / FLATTENED
    losses = []
    for number in range(int(labels[:, 0].max()) + 1):
        own = labels[:, 0] == number
        odds = torch.log_softmax(torch.cat([margins[own], torch.zeros(1)]), 0)
        gold = labels[own, 1] == 1
        losses.append(-(torch.logsumexp(odds[:-1][gold], 0) if gold.any() else odds[-1]))
    spans = train_reader.loss_of(logits[alone], ids[alone], types[alone], labels[alone, 2:])
    return torch.stack(losses).mean() + BESIDE * spans


def train(weights: Path, data: Path, work: Path, run: Run) -> None:
    """Train to the last step."""
    pair_network.train(weights, 2, batches_of(data, weights / "vocab.txt", run), loss_of, work, run)


def score(weights: Path, data: Path, work: Path, limit: int) -> None:
    """How often the best candidate is gold; of questions that were trained on."""
    windows = Windows(weights / "vocab.txt", FURTHER_LONGEST)
    model, steps = pair_network.trained_encoder(weights, 2, work)
    rows = [row for row in epoch(data, 0) if any(row["gold"])][:limit]
    first = sum(row["gold"][_best(model, windows, row)] for row in rows)
    print(f"after {steps} steps the best candidate is gold for {first} of {len(rows)} questions")


def _best(model: Encoder, windows: Windows, row: dict[str, Any]) -> int:
    pairs = [Pair(*windows.ids(row["question"], passage), (0,)) for passage in row["passages"]]
    ids, types, _ = pair_network.batch_of(pairs)
    with torch.no_grad():
        return int(margins_of(model(ids, types).float(), ids, types).argmax())


if __name__ == "__main__":
    pair_network.run_command(
        __doc__,
        train,
        score,
        pair_network.exporter(
            **train_reader.NETWORK,
            files=lambda further: (*train_reader.FILES, train_reader.LANGUAGES, CANDIDATES),
            rows=epoch,
            licenses=READING_LICENSES,
        ),
    )
