"""An encoder with a few more outputs, and how it is trained on pairs of texts.

`tools/train_reader.py` and `tools/train_verifier.py` say what is trained on and what the outputs mean. It is
trained on a graphics card where there is one; on processors the lowest layers and the embeddings may stay as
they are, which saves half of the time: they hold what words mean.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import build_model
import numpy as np
import onnx
import torch
from onnx import numpy_helper
from tokenizers import BertWordPieceTokenizer
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

Floats = build_model.Floats

HEADS, DIMENSION = 12, 384
WARM = 0.06
_PARTS, _PAIRS = 6, 64
"""In so many parts, of pairs of about the same length, a batch is read at least, and of so many pairs."""
WORDS = 0.1
"""How fast embeddings learn, if they do: a word is seldom seen, and each time moves by as much."""
SAVED_EVERY = 500
SCORED_AT_ONCE = 128
Row = TypeVar("Row")


@dataclass(frozen=True)
class Run:
    """How long a network is trained and how fast it learns, `frozen` layers staying as they are, and the
    embeddings unless `words`; from the encoder, or from the mean of the networks in `begins`, which is what
    is left without steps. `workers` processes make the batches."""

    steps: int
    seed: int
    rate: float = 2e-4
    frozen: int = 0
    words: bool = False
    begins: tuple[Path, ...] = ()
    workers: int = 0

    def to_json(self) -> dict[str, Any]:
        """What a manifest says of it, but for the steps that were done."""
        begins = {"begins_sha256": [build_model.sha256(file) for file in self.begins]} if self.begins else {}
        learned = {"frozen_layers": self.frozen, "words_learn": self.words}
        return {"seed": self.seed, "rate": self.rate, **learned, **begins}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts as the network reads them: `[CLS]`, the first, `[SEP]`, the second, `[SEP]`.

    `second` is where the second begins, and `labels` are what the outputs are to say."""

    ids: list[int]
    second: int
    labels: tuple[int, ...]


class Vocabulary:
    """Turns texts into ids."""

    def __init__(self, file: Path) -> None:
        self._tokenizer = BertWordPieceTokenizer(str(file), lowercase=True)
        self._cls, self._sep = (self._tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))

    def tokens(self, text: str) -> list[int]:
        """The ids of a text."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)


class Dropout(nn.Module):
    """Leaves one number in ten out by lot, a byte each: on processors what PyTorch draws for it takes five
    times as long."""

    SIDES, OUT = 256, 26

    def forward(self, states: Tensor) -> Tensor:
        """The states, those that are left the larger for it."""
        if not self.training:
            return states
        count, device = states.numel(), states.device
        lots = torch.empty(-(-count // 8), dtype=torch.long, device=device).random_(-(2**63), None)
        kept = lots.view(torch.uint8)[:count].view(states.shape) >= self.OUT
        return states * kept * (self.SIDES / (self.SIDES - self.OUT))


class Layer(nn.Module):
    """One layer of BERT."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(DIMENSION, 3 * DIMENSION)
        self.out = nn.Linear(DIMENSION, DIMENSION)
        self.up = nn.Linear(DIMENSION, 4 * DIMENSION)
        self.down = nn.Linear(4 * DIMENSION, DIMENSION)
        self.norm1 = nn.LayerNorm(DIMENSION, eps=1e-12)
        self.norm2 = nn.LayerNorm(DIMENSION, eps=1e-12)
        self.drop = Dropout()

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """States of (batch, tokens, dimension); `mask`, of (batch, 1, 1, tokens), is added to scores: 0 where
        tokens are."""
        batch, tokens, _ = states.shape
        size = DIMENSION // HEADS
        queries, keys, values = self.qkv(states).view(batch, tokens, 3, HEADS, size).permute(2, 0, 3, 1, 4)
        # Fused attention learns at half the speed on processors, and not the same each time on cards.
        scores = (queries @ keys.transpose(2, 3)) * size**-0.5 + mask
        attended = scores.softmax(-1).to(values.dtype) @ values
        states = self.norm1(
            states + self.drop(self.out(attended.transpose(1, 2).reshape(batch, tokens, DIMENSION)))
        )
        return self.norm2(states + self.drop(self.down(nn.functional.gelu(self.up(states)))))


class Encoder(nn.Module):
    """An encoder like all-MiniLM-L6-v2, of as many layers as its weights have, with `outputs` numbers a
    token; with 0 of them, its states."""

    def __init__(self, weights: Path, outputs: int) -> None:
        super().__init__()
        tensors = {
            name: torch.from_numpy(values.copy())
            for name, values in build_model.read_safetensors(weights).items()
        }
        self.words = nn.Embedding.from_pretrained(tensors["embeddings.word_embeddings.weight"], freeze=True)
        self.positions = nn.Embedding.from_pretrained(
            tensors["embeddings.position_embeddings.weight"], freeze=True
        )
        self.types = nn.Embedding.from_pretrained(
            tensors["embeddings.token_type_embeddings.weight"], freeze=True
        )
        self.norm = nn.LayerNorm(DIMENSION, eps=1e-12)
        layers = sum(name.endswith(".attention.self.query.weight") for name in tensors)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.head: Any = nn.Linear(DIMENSION, outputs) if outputs else nn.Identity()
        if outputs:
            nn.init.normal_(self.head.weight, std=0.02)
            nn.init.zeros_(self.head.bias)
        with torch.no_grad():
            self.norm.weight.copy_(tensors["embeddings.LayerNorm.weight"])
            self.norm.bias.copy_(tensors["embeddings.LayerNorm.bias"])
            for number, layer in enumerate(self.layers):
                self._load(layer, tensors, f"encoder.layer.{number}.")

    @staticmethod
    def _load(layer: Any, tensors: dict[str, Tensor], name: str) -> None:
        for kind in ("weight", "bias"):
            parts = [tensors[f"{name}attention.self.{part}.{kind}"] for part in ("query", "key", "value")]
            getattr(layer.qkv, kind).copy_(torch.cat(parts))
            getattr(layer.out, kind).copy_(tensors[f"{name}attention.output.dense.{kind}"])
            getattr(layer.up, kind).copy_(tensors[f"{name}intermediate.dense.{kind}"])
            getattr(layer.down, kind).copy_(tensors[f"{name}output.dense.{kind}"])
            getattr(layer.norm1, kind).copy_(tensors[f"{name}attention.output.LayerNorm.{kind}"])
            getattr(layer.norm2, kind).copy_(tensors[f"{name}output.LayerNorm.{kind}"])

    def freeze(self, layers: int, *, words: bool = False) -> None:
        """Leave the lowest layers as they are, and the embeddings unless `words`, which learn with no layer
        below them frozen."""
        for part in (self.words, self.positions, self.types, self.norm, *self.layers[:layers]):
            for parameter in part.parameters():
                parameter.requires_grad = words
        self.frozen, self.learns_words = layers, words

    frozen, learns_words = 0, False

    def load_networks(self, files: Sequence[Path]) -> None:
        """Take the mean of the weights of networks that `export` wrote, which began as this encoder did: it
        judges better than each (Wortsman et al., "Model soups", 2022). The embeddings stay the encoder's."""
        total: dict[str, Tensor] = {}
        for file in files:
            self._load_network(file)
            for name, value in self.state_dict().items():
                total[name] = total.get(name, torch.zeros_like(value)) + value / len(files)
        self.load_state_dict(total)

    def _load_network(self, file: Path) -> None:
        """What the int8 values of a network stand for."""
        graph = onnx.load(str(file)).graph
        held = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
        scaled, norms, qkv, biases = [], [], [], []
        for node in graph.node:
            constants = [held[name] for name in node.input if name in held]
            if node.op_type == "DequantizeLinear":
                values, scales = constants[:2]
                block = values.shape[0] // scales.shape[0]
                scaled.append(values.astype(np.float32) * np.repeat(scales, block, 0))
            elif node.op_type == "LayerNormalization":
                norms.append(constants)
            elif node.op_type == "Attention":
                qkv.append(constants[-1])
            elif node.op_type in ("BiasGelu", "Add") and constants:
                biases.append(constants[-1])
            elif node.op_type == "MatMul" and constants:
                head = constants[0]
        with torch.no_grad():
            _copy(self.norm, *norms[0])
            for number, layer in enumerate(self.layers):
                out, up, down = biases[3 * number : 3 * number + 3]
                parts = (layer.qkv, layer.out, layer.up, layer.down)
                weights = scaled[4 * number : 4 * number + 4]
                for part, weight, bias in zip(parts, weights, (qkv[number], out, up, down), strict=True):
                    _copy(part, weight.T, bias)
                for part, values in zip((layer.norm1, layer.norm2), norms[2 * number + 1 :], strict=False):
                    _copy(part, *values)
            _copy(self.head, head.T, biases[-1])

    def forward(self, ids: Tensor, types: Tensor) -> Tensor:
        """Outputs of (batch, tokens, outputs) for ids of (batch, tokens); id 0 is padding."""
        mask = torch.where(ids != 0, 0.0, -1e4)[:, None, None, :]
        with torch.set_grad_enabled(self.learns_words and torch.is_grad_enabled()):
            positions = torch.arange(ids.shape[1], device=ids.device)
            states = self.norm(self.words(ids) + self.positions(positions) + self.types(types))
            for layer in self.layers[: self.frozen]:
                states = layer(states, mask)
        for layer in self.layers[self.frozen :]:
            states = layer(states, mask)
        return self.head(states)


def _copy(part: Any, weight: np.ndarray[Any, Any], bias: np.ndarray[Any, Any]) -> None:
    part.weight.copy_(torch.from_numpy(weight.copy()))
    part.bias.copy_(torch.from_numpy(bias.copy()))


def batch_of(pairs: Sequence[Pair]) -> tuple[Tensor, Tensor, Tensor]:
    """Ids and types of (pairs, tokens), and labels of (pairs, labels)."""
    width = max(len(pair.ids) for pair in pairs)
    ids, types = (torch.zeros(len(pairs), width, dtype=torch.long) for _ in range(2))
    for number, pair in enumerate(pairs):
        ids[number, : len(pair.ids)] = torch.tensor(pair.ids)
        types[number, pair.second : len(pair.ids)] = 1
    return ids, types, torch.tensor([pair.labels for pair in pairs])


class Rows(Generic[Row]):
    """Rows in an order by lot, again and again; step by step, the same from the same seed."""

    def __init__(self, rows: Sequence[Row], seed: int) -> None:
        self._rows, self._seed = rows, seed
        self._epoch, self._order = -1, list[int]()

    def of_step(self, step: int, count: int) -> list[Row]:
        """The rows of one step, each of which takes so many."""
        return [self._row(step * count + number) for number in range(count)]

    def _row(self, number: int) -> Row:
        epoch, place = divmod(number, len(self._rows))
        if epoch != self._epoch:
            self._epoch = epoch
            self._order = random.Random(f"{self._seed} {epoch}").sample(
                range(len(self._rows)), len(self._rows)
            )
        return self._rows[self._order[place]]


def drawn(rows: Iterable[dict[str, Any]], times: dict[str, float], seed: int) -> list[dict[str, Any]]:
    """The rows of an epoch: those of each source, by its name or the part of it before the colon, so many
    times."""
    kept = []
    for row in rows:
        whole, part = divmod(times.get(row["source"], times.get(row["source"].partition(":")[0], 0.0)), 1)
        number = int(hashlib.sha256(f"{seed} {row['id']}".encode()).hexdigest()[:8], 16) / 2**32
        kept += [row] * (int(whole) + (number < part))
    return kept


def rows_of(folder: Path, files: Sequence[str], split: str) -> Iterator[dict[str, Any]]:
    """The rows of one split, in the order of the files."""
    for name in files:
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            yield from (row for row in map(json.loads, lines) if row["split"] == split)


Batch = Callable[[int], list[Pair]]
"""The pairs of a step; the same for the same step."""

Loss = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
"""The loss of outputs, ids, types and labels."""


def train(weights: Path, outputs: int, batch: Batch, loss_of: Loss, work: Path, run: Run) -> None:
    """Train to the last step, from the last checkpoint in `work` where there is one; on a graphics card where
    there is one."""
    work.mkdir(parents=True, exist_ok=True)
    card = device()
    _same_each_time()
    torch.manual_seed(run.seed)
    model = Encoder(weights / "model.safetensors", outputs)
    if run.begins:
        model.load_networks(run.begins)
    model.freeze(run.frozen, words=run.words)
    model.to(card)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    words = [part.weight for part in (model.words, model.positions, model.types)] if run.words else []
    others = [parameter for parameter in trained if not any(parameter is word for word in words)]
    rates = [{"params": others, "rate": run.rate}, {"params": words, "rate": run.rate * WORDS}]
    optimizer = torch.optim.AdamW([group for group in rates if group["params"]], weight_decay=0.01)
    # A processor without these instructions takes twenty times as long for bfloat16.
    halved = card == "cuda" or "512" in torch.backends.cpu.get_cpu_capability()
    done = 0
    checkpoint = work / "checkpoint.pt"
    if checkpoint.exists():
        state = torch.load(checkpoint, map_location=card)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        done = state["steps"]
        print(f"on from step {done}", flush=True)
    began, losses, tokens = time.monotonic(), list[Tensor](), 0
    batches: Iterable[_Batch] = DataLoader(
        _Steps(batch, done, run.steps),
        batch_size=None,
        num_workers=run.workers,
        prefetch_factor=4 if run.workers else None,
    )
    model.train()
    for step, (parts, order, labels) in enumerate(batches, done):
        torch.manual_seed(run.seed * 1_000_003 + step)
        warm = min(1.0, (step + 1) / (WARM * run.steps))
        for group in optimizer.param_groups:
            group["lr"] = group["rate"] * warm * max(0.0, 1 - step / run.steps)
        with torch.autocast(card, torch.bfloat16, enabled=halved):
            found, ids, types = _read_parts(
                model, [tuple(part.to(card) for part in both) for both in parts], order.to(card)
            )
        loss = loss_of(found, ids, types, labels.to(card))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        losses.append(loss.detach())
        tokens += sum(own.numel() for own, _ in parts)
        if (step + 1) % 50 == 0:
            rate = tokens / (time.monotonic() - began)
            mean = torch.stack(losses[-50:]).mean().item()
            print(f"step {step + 1} of {run.steps}, loss {mean:.3f}, {rate:,.0f} tokens/s", flush=True)
        if (step + 1) % SAVED_EVERY == 0:
            _save(work, model.state_dict(), optimizer, step + 1, run)
    _save(work, model.state_dict(), optimizer, run.steps, run)


def _same_each_time() -> None:
    """The same weights from the same seed, on a graphics card too."""
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True)


_Batch = tuple[list[tuple[Tensor, Tensor]], Tensor, Tensor]
"""Ids and types of parts of about the same length, the places of the pairs among them, and their labels."""


class _Steps(Dataset[_Batch]):
    """The batches of the steps from one to another, ready to be read."""

    def __init__(self, batch: Batch, first: int, last: int) -> None:
        self._batch, self._first, self._last = batch, first, last

    def __len__(self) -> int:
        return self._last - self._first

    def __getitem__(self, number: int) -> _Batch:
        pairs = self._batch(self._first + number)
        order = torch.tensor([len(pair.ids) for pair in pairs]).argsort(stable=True)
        parts = order.chunk(max(_PARTS, len(pairs) // _PAIRS))
        read = [batch_of([pairs[number] for number in part])[:2] for part in map(Tensor.tolist, parts)]
        return read, order.argsort(), torch.tensor([pair.labels for pair in pairs])


def _read_parts(
    model: Encoder, parts: Sequence[tuple[Tensor, ...]], order: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """The outputs, ids and types of a batch, short pairs read apart from long ones: padding costs as much as
    text."""
    width = max(ids.shape[1] for ids, _ in parts)
    found = [
        nn.functional.pad(model(ids, types).float(), (0, 0, 0, width - ids.shape[1])) for ids, types in parts
    ]
    read = [[nn.functional.pad(each, (0, width - each.shape[1])) for each in part] for part in parts]
    return torch.cat(found)[order], *(torch.cat([both[side] for both in read])[order] for side in (0, 1))


def _save(work: Path, values: dict[str, Tensor], optimizer: Any, steps: int, run: Run) -> None:
    checkpoint = work / "checkpoint.pt"
    saved = {"model": values, "optimizer": optimizer.state_dict(), "steps": steps, **run.to_json()}
    torch.save(saved, checkpoint.with_suffix(".new"))
    checkpoint.with_suffix(".new").replace(checkpoint)


def trained_encoder(weights: Path, outputs: int, work: Path) -> tuple[Encoder, int]:
    """The network of the last checkpoint, and after how many steps."""
    state = torch.load(work / "checkpoint.pt", map_location="cpu")
    model = Encoder(weights / "model.safetensors", outputs)
    model.load_state_dict(state["model"])
    model.eval()
    return model.to(device()), int(state["steps"])


def device() -> str:
    """A graphics card where there is one."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def outputs_of(model: Encoder, pairs: Sequence[Pair]) -> list[Tensor]:
    """The outputs of each pair, of (tokens, outputs), in order."""
    found: dict[int, Tensor] = {}
    order = sorted(range(len(pairs)), key=lambda number: len(pairs[number].ids))
    with torch.no_grad():
        for first in range(0, len(order), SCORED_AT_ONCE):
            numbers = order[first : first + SCORED_AT_ONCE]
            ids, types, _ = batch_of([pairs[number] for number in numbers])
            outputs = model(ids.to(device()), types.to(device())).float().cpu()
            for row, number in zip(outputs, numbers, strict=True):
                found[number] = row[: len(pairs[number].ids)]
    return [found[number] for number in range(len(pairs))]


Train = Callable[[Path, Path, Path, Run], None]
Score = Callable[[Path, Path, Path, int], None]
Export = Callable[[Path, Path, Path], None]


def run_command(description: str | None, train_it: Train, score_it: Score, export_it: Export) -> None:
    """Train, score or export, as the command line says."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["train", "score", "export"])
    parser.add_argument("weights", type=Path, help="the folder of model.safetensors and vocab.txt")
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--from", dest="begins", type=Path, nargs="+", default=[], help="model.onnx to go on from their mean"
    )
    parser.add_argument("--rate", type=float, default=Run.rate)
    parser.add_argument("--frozen", type=int, default=Run.frozen, help="layers that stay as they are")
    parser.add_argument("--words", action="store_true", help="the embeddings learn, too")
    parser.add_argument("--workers", type=int, default=Run.workers, help="processes that make batches")
    parser.add_argument("--limit", type=int, default=4000, help="rows to score")
    chosen = parser.parse_args()
    if chosen.what == "train":
        run = Run(
            chosen.steps,
            chosen.seed,
            chosen.rate,
            chosen.frozen,
            chosen.words,
            tuple(chosen.begins),
            chosen.workers,
        )
        train_it(chosen.weights, chosen.data, chosen.work, run)
    elif chosen.what == "score":
        score_it(chosen.weights, chosen.data, chosen.work, chosen.limit)
    else:
        export_it(chosen.weights, chosen.data, chosen.work)
