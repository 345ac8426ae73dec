"""Trains the question encoder: the embedding model, trained further so that the vector of a question is near
to those of the passages that answer it, in whatever words.

    python tools/build_question_pairs.py FOLDER INDEXES DATA
    python tools/train_question_encoder.py train WEIGHTS DATA WORK --steps 900 --rate 8e-5 --frozen 0
    python tools/train_question_encoder.py score WEIGHTS DATA WORK
    python tools/train_question_encoder.py export WEIGHTS DATA WORK

WEIGHTS, WORK and the environment as for `tools/train_reader.py`. DATA holds `question_pairs.jsonl.gz` and
`question_chunks.npz`.

The vectors of passages stay those of the embedding model, so no index has to be made again. The loss of a
question is the cross entropy over all passages of its corpus and of another one, by their cosines over a
temperature (Karpukhin et al., "Dense passage retrieval", 2020, who had a few passages for each question).
"""

from __future__ import annotations

import random
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any

import build_model
import numpy as np
import onnx
import pair_network
import torch
from export_network import MODELS, tensors_of
from manifest import READING_LICENSES, write_manifest
from pair_network import Pair, Run
from tokenizers import BertWordPieceTokenizer
from torch import Tensor, nn

PAIRS, CHUNKS = "question_pairs.jsonl.gz", "question_chunks.npz"
TEMPERATURE = 0.05
QUESTIONS, CORPORA, LEAST = 32, 2, 8
"""Questions of one corpus in a batch, corpora of a batch, and with how few questions a corpus is in none."""
LONGEST = 128
"""Tokens of a question with its frame."""
MEASURED = (1, 5, 10, 20)


class Data:
    """The questions with their gold passages, and the vectors of all passages, by corpus."""

    def __init__(self, folder: Path, split: str, vocabulary: Path, seed: int = 0) -> None:
        self.rows: dict[str, list[dict[str, Any]]] = {}
        for row in pair_network.rows_of(folder, (PAIRS,), split):
            self.rows.setdefault(row["source"], []).append(row)
        self._folder, self._seed = folder, seed
        self._tokenizer = BertWordPieceTokenizer(str(vocabulary), lowercase=True)

    @cached_property
    def chunks(self) -> dict[str, Tensor]:
        """For each corpus the vectors of its passages, of (passages, dimension)."""
        with np.load(self._folder / CHUNKS) as held:
            return {name: torch.from_numpy(held[name].astype(np.float32)) for name in self.rows}

    def pair(self, corpus: str, number: int) -> Pair:
        """A question with the numbers of its corpus and of itself; there is no second text."""
        ids = self._tokenizer.encode(self.rows[corpus][number]["question"]).ids
        ids = [*ids[: LONGEST - 1], ids[-1]] if len(ids) > LONGEST else ids
        return Pair(ids, len(ids), (list(self.rows).index(corpus), number))

    def __call__(self, step: int) -> list[Pair]:
        """The questions of a step, of some corpora by lot, a corpus the more often the more it has."""
        rng = random.Random(f"{self._seed} {step}")
        sizes = {name: len(rows) for name, rows in self.rows.items() if len(rows) >= LEAST}
        pairs: list[Pair] = []
        for corpus in dict.fromkeys(rng.choices(list(sizes), list(sizes.values()), k=CORPORA)):
            numbers = rng.sample(range(sizes[corpus]), min(QUESTIONS, sizes[corpus]))
            pairs += [self.pair(corpus, number) for number in numbers]
        return pairs

    def loss_of(self, states: Tensor, ids: Tensor, types: Tensor, labels: Tensor) -> Tensor:
        """The mean over the questions of a batch."""
        names = list(self.rows)
        corpora = list(dict.fromkeys(labels[:, 0].tolist()))
        passages = torch.cat([self.chunks[names[corpus]] for corpus in corpora]).to(states.device)
        odds = torch.log_softmax(pooled(states, ids) @ passages.T / TEMPERATURE, 1)
        sizes = [len(self.chunks[names[corpus]]) for corpus in corpora]
        begins = dict(zip(corpora, [0, *accumulate(sizes[:-1])], strict=True))
        gold = torch.zeros(odds.shape, dtype=torch.bool)
        for row, (corpus, number) in zip(gold, labels.tolist(), strict=True):
            row[[begins[corpus] + each for each in self.rows[names[corpus]][number]["gold"]]] = True
        return -odds.masked_fill(~gold.to(odds.device), -1e4).logsumexp(1).mean()


def pooled(states: Tensor, ids: Tensor) -> Tensor:
    """The mean over each text's own tokens, as length 1."""
    mask = (ids != 0)[:, :, None]
    return nn.functional.normalize((states * mask).sum(1), dim=1)


def train(weights: Path, data: Path, work: Path, run: Run) -> None:
    """Train to the last step."""
    held = Data(data, "train", weights / "vocab.txt", run.seed)
    pair_network.train(weights, 0, held, held.loss_of, work, run)


def score(weights: Path, data: Path, work: Path, limit: int) -> None:
    """How often a gold passage is among the nearest, for the questions that nothing was trained on."""
    held = Data(data, "fit", weights / "vocab.txt")
    model, steps = pair_network.trained_encoder(weights, 0, work)
    before = pair_network.Encoder(weights / "model.safetensors", 0).eval().to(pair_network.device())
    for name, network in (("before", before), (f"after {steps} steps", model)):
        ranks = [rank for corpus in held.rows for rank in ranks_of(held, corpus, network)][:limit]
        shares = ", ".join(f"{np.mean([rank < many for rank in ranks]):.4f}" for many in MEASURED)
        print(f"{name}: gold among the nearest {MEASURED} of {len(ranks)} questions: {shares}")


def ranks_of(held: Data, corpus: str, model: pair_network.Encoder) -> list[int]:
    """For each question of a corpus how many passages are nearer than the nearest gold one."""
    pairs = [held.pair(corpus, number) for number in range(len(held.rows[corpus]))]
    rows = torch.stack([state.mean(0) for state in pair_network.outputs_of(model, pairs)])
    cosines = nn.functional.normalize(rows, dim=1) @ held.chunks[corpus].T
    gold = [row["gold"] for row in held.rows[corpus]]
    return [int((row > row[numbers].max()).sum()) for row, numbers in zip(cosines, gold, strict=True)]


def export(weights: Path, data: Path, work: Path) -> None:
    """Write `model.onnx` and `manifest.json`."""
    to = MODELS / "minilm-question"
    state = torch.load(work / "checkpoint.pt", map_location="cpu")
    values = {key: tensor.numpy() for key, tensor in state["model"].items()}
    tensors = build_model.read_safetensors(weights / "model.safetensors") | tensors_of(values)
    to.mkdir(parents=True, exist_ok=True)
    onnx.save(build_model.build(tensors), str(to / "model.onnx"))
    sizes = {"dimension": build_model.DIMENSION, "max_tokens": build_model.POSITIONS}
    sources = (row["source"] for row in pair_network.rows_of(data, (PAIRS,), "train"))
    write_manifest(to, "minilm-question", READING_LICENSES, sizes, state, sources, data, (PAIRS, CHUNKS))


if __name__ == "__main__":
    pair_network.run_command(__doc__, train, score, export)
