"""The encoder that Bob ships with a few more outputs: how it is trained on pairs of texts, and exported.

`tools/train_reader.py` and `tools/train_verifier.py` say what is trained on and what the outputs mean. The
embeddings and the lowest layers stay as they are: they hold what words mean, and training them would cost
half of the time.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import build_model
import numpy as np
import onnx
import torch
from manifest import write_manifest
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

Floats = build_model.Floats

MODELS = Path(__file__).parents[1] / "src" / "bob" / "models"

LAYERS, HEADS, DIMENSION = 6, 12, 384
WARM = 0.06
_PARTS = 3
"""In so many parts, of pairs of about the same length, a batch is read."""


@dataclass(frozen=True)
class Run:
    """How long a network is trained and how fast it learns, `frozen` layers staying as they are; from the
    encoder, or from the mean of the networks in `begins`, of which in the end the share `kept` remains."""

    steps: int
    seed: int
    rate: float = 2e-4
    frozen: int = 2
    begins: tuple[Path, ...] = ()
    kept: float = 0.5

    def to_json(self) -> dict[str, Any]:
        """What a manifest says of it, but for the steps that were done."""
        begins: dict[str, Any] = {}
        if self.begins:
            begins = {"begins_sha256": [build_model.sha256(file) for file in self.begins], "kept": self.kept}
        return {"seed": self.seed, "rate": self.rate, "frozen_layers": self.frozen, **begins}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts as the network reads them: `[CLS]`, the first, `[SEP]`, the second, `[SEP]`.

    `second` is where the second begins, and `labels` are what the outputs are to say."""

    ids: list[int]
    second: int
    labels: tuple[int, ...]


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
        self.drop = nn.Dropout(0.1)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """States of (batch, tokens, dimension); `mask` is true where tokens are."""
        batch, tokens, _ = states.shape
        heads = self.qkv(states).view(batch, tokens, 3, HEADS, DIMENSION // HEADS).permute(2, 0, 3, 1, 4)
        attended = nn.functional.scaled_dot_product_attention(
            heads[0], heads[1], heads[2], attn_mask=mask[:, None, None, :]
        )
        states = self.norm1(
            states + self.drop(self.out(attended.transpose(1, 2).reshape(batch, tokens, DIMENSION)))
        )
        return self.norm2(states + self.drop(self.down(nn.functional.gelu(self.up(states)))))


class Encoder(nn.Module):
    """The encoder of all-MiniLM-L6-v2 with `outputs` numbers a token; with 0 of them, its states."""

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
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
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

    def freeze(self, layers: int) -> None:
        """Leave the embeddings and the lowest layers as they are."""
        for part in (self.norm, *self.layers[:layers]):
            for parameter in part.parameters():
                parameter.requires_grad = False
        self.frozen = layers

    frozen = 0

    def load_networks(self, files: Sequence[Path]) -> None:
        """Take the mean of the weights of networks that `export` wrote and that learned from one another:
        it judges better than each (Wortsman et al., "Model soups", 2022)."""
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
        mask = ids != 0
        with torch.no_grad():
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


def batches_of(
    rows: Sequence[Any], pair_of: Callable[[Any, random.Random], Pair], size: int, seed: int, steps: int
) -> Iterator[list[Pair]]:
    """Batches of pairs of about the same length, `steps` of them, over as many epochs as that takes; the same
    from the same seed."""
    rng = random.Random(seed)
    given = 0
    while given < steps:
        shuffled = rng.sample(rows, len(rows))
        for first in range(0, len(shuffled), size * 50):
            pairs = [pair_of(row, rng) for row in shuffled[first : first + size * 50]]
            pairs.sort(key=lambda pair: len(pair.ids))
            batches = [pairs[start : start + size] for start in range(0, len(pairs), size)]
            rng.shuffle(batches)
            for batch in batches:
                if given == steps:
                    return
                yield batch
                given += 1


def drawn(rows: Iterable[dict[str, Any]], shares: dict[str, float], seed: int) -> list[dict[str, Any]]:
    """The rows of an epoch: of each source, by its name or the part of it before the colon, its share."""
    kept = []
    for row in rows:
        share = shares.get(row["source"], shares.get(row["source"].partition(":")[0], 0.0))
        number = int(hashlib.sha256(f"{seed} {row['id']}".encode()).hexdigest()[:8], 16) / 2**32
        if number < share:
            kept.append(row)
    return kept


def rows_of(folder: Path, files: Sequence[str], split: str) -> Iterator[dict[str, Any]]:
    """The rows of one split, in the order of the files."""
    for name in files:
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            yield from (row for row in map(json.loads, lines) if row["split"] == split)


Loss = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
"""The loss of outputs, ids, types and labels."""


def train(
    weights: Path,
    outputs: int,
    batches: Iterator[list[Pair]],
    loss_of: Loss,
    work: Path,
    run: Run,
) -> None:
    """Train to the last step, from the last checkpoint in `work` where there is one."""
    work.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(run.seed)
    model = Encoder(weights / "model.safetensors", outputs)
    if run.begins:
        model.load_networks(run.begins)
    model.freeze(run.frozen)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=run.rate, weight_decay=0.01)
    # A processor without these instructions takes twenty times as long for bfloat16.
    halved = "512" in torch.backends.cpu.get_cpu_capability()
    done = 0
    checkpoint = work / "checkpoint.pt"
    if checkpoint.exists():
        state = torch.load(checkpoint)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        done = state["steps"]
        print(f"on from step {done}", flush=True)
        if done == run.steps:
            return
    began, losses, tokens = time.monotonic(), [], 0
    for step, pairs in enumerate(batches):
        if step < done:
            continue
        torch.manual_seed(run.seed * 1_000_003 + step)
        warm = min(1.0, (step + 1) / (WARM * run.steps))
        for group in optimizer.param_groups:
            group["lr"] = run.rate * warm * max(0.0, 1 - step / run.steps)
        ids, types, labels = batch_of(pairs)
        model.train()
        with torch.autocast("cpu", torch.bfloat16, enabled=halved):
            found = _read_by_length(model, ids, types)
        loss = loss_of(found, ids, types, labels)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        losses.append(loss.item())
        tokens += ids.numel()
        if (step + 1) % 50 == 0:
            rate = tokens / (time.monotonic() - began)
            print(
                f"step {step + 1} of {run.steps}, loss {np.mean(losses[-50:]):.3f}, {rate:,.0f} tokens/s",
                flush=True,
            )
        if (step + 1) % 100 == 0 or step + 1 == run.steps:
            _save(work, model.state_dict(), optimizer, step + 1, run)
    if run.begins and run.kept:
        # A part of what it was: it learns the new without forgetting the old (Wortsman et al., "Robust
        # fine-tuning of zero-shot models", 2022).
        before = Encoder(weights / "model.safetensors", outputs)
        before.load_networks(run.begins)
        held = before.state_dict()
        mean = {
            name: (1 - run.kept) * value + run.kept * held[name] for name, value in model.state_dict().items()
        }
        _save(work, mean, optimizer, run.steps, run)


def _read_by_length(model: Encoder, ids: Tensor, types: Tensor) -> Tensor:
    """The outputs of a batch, short pairs read apart from long ones: padding costs as much as text."""
    lengths = (ids != 0).sum(1)
    parts, rows = lengths.argsort().chunk(_PARTS), []
    for numbers in parts:
        width = int(lengths[numbers].max())
        found = model(ids[numbers, :width], types[numbers, :width]).float()
        rows.append(nn.functional.pad(found, (0, 0, 0, ids.shape[1] - width)))
    return torch.cat(rows)[torch.cat(parts).argsort()]


def _save(work: Path, values: dict[str, Tensor], optimizer: Any, steps: int, run: Run) -> None:
    checkpoint = work / "checkpoint.pt"
    saved = {"model": values, "optimizer": optimizer.state_dict(), "steps": steps, **run.to_json()}
    torch.save(saved, checkpoint.with_suffix(".new"))
    checkpoint.with_suffix(".new").replace(checkpoint)


def trained_encoder(weights: Path, outputs: int, work: Path) -> tuple[Encoder, int]:
    """The network of the last checkpoint, and after how many steps."""
    state = torch.load(work / "checkpoint.pt")
    model = Encoder(weights / "model.safetensors", outputs)
    model.load_state_dict(state["model"])
    model.eval()
    return model, int(state["steps"])


def outputs_of(model: Encoder, pairs: Sequence[Pair]) -> list[Tensor]:
    """The outputs of each pair, of (tokens, outputs), in order."""
    found: dict[int, Tensor] = {}
    order = sorted(range(len(pairs)), key=lambda number: len(pairs[number].ids))
    with torch.no_grad():
        for first in range(0, len(order), 64):
            numbers = order[first : first + 64]
            ids, types, _ = batch_of([pairs[number] for number in numbers])
            for row, number in zip(model(ids, types).float(), numbers, strict=True):
                found[number] = row[: len(pairs[number].ids)]
    return [found[number] for number in range(len(pairs))]


def tensors_of(values: dict[str, Floats]) -> dict[str, Floats]:
    """The tensors of a network as `tools/build_model.py` knows them, without positions and types."""
    tensors = {
        "embeddings.word_embeddings.weight": values["words.weight"],
        "embeddings.LayerNorm.weight": values["norm.weight"],
        "embeddings.LayerNorm.bias": values["norm.bias"],
    }
    names = {
        "out": "attention.output.dense",
        "up": "intermediate.dense",
        "down": "output.dense",
        "norm1": "attention.output.LayerNorm",
        "norm2": "output.LayerNorm",
    }
    for number in range(LAYERS):
        for kind in ("weight", "bias"):
            for part, value in zip(
                ("query", "key", "value"), np.split(values[f"layers.{number}.qkv.{kind}"], 3), strict=True
            ):
                tensors[f"encoder.layer.{number}.attention.self.{part}.{kind}"] = value
            for own, original in names.items():
                tensors[f"encoder.layer.{number}.{original}.{kind}"] = values[f"layers.{number}.{own}.{kind}"]
    return tensors


def export(
    work: Path,
    to: Path,
    *,
    output: str,
    longest: int,
    longest_first: int,
    first_token: bool,
    name: str,
    data: Path,
    files: Callable[[bool], Sequence[str]],
    rows: Callable[[Path, int, bool], Iterable[dict[str, Any]]],
    licenses: str = "CC BY-SA 4.0, CC BY 4.0, Apache-2.0, MIT and CC0",
) -> None:
    """Write `model.onnx` with int8 weights and `manifest.json`. With `first_token` the output is that of the
    first token alone. `rows` gives what was trained on, from the data, the seed, and whether the training
    began with a network that was trained before; `files` gives which files that is, under which `licenses`.
    """
    state = torch.load(work / "checkpoint.pt")
    values = {key: tensor.numpy() for key, tensor in state["model"].items()}
    tensors = tensors_of(values)
    graph = build_model.Graph()
    table, scale = build_model.rounded(tensors["embeddings.word_embeddings.weight"], axis=1)
    looked_up = graph.node("Gather", graph.constant(table), "input_ids")
    scales = graph.node("Gather", graph.constant(scale), "input_ids")
    tokens = graph.node("Mul", graph.node("Cast", looked_up, to=TensorProto.FLOAT), scales)
    width = graph.node("Shape", "input_ids", output="width", start=1, end=2)
    places = graph.constant(values["positions.weight"][None, :longest])
    used = graph.node("Slice", places, graph.constant([0]), width, graph.constant([1]))
    types = graph.node("Gather", graph.constant(values["types.weight"]), "token_types")
    total = graph.node("Add", graph.node("Add", tokens, used), types)
    hidden = graph.norm(total, tensors["embeddings.LayerNorm.weight"], tensors["embeddings.LayerNorm.bias"])
    for number in range(LAYERS):
        hidden = build_model.layer(graph, tensors, number, hidden, "")
    if first_token:
        hidden = graph.node("Gather", hidden, graph.constant([0]), axis=1)
        hidden = graph.node("Squeeze", hidden, graph.constant([1]))
    product = graph.node("MatMul", hidden, graph.constant(values["head.weight"].T))
    graph.node("Add", product, graph.constant(values["head.bias"]), output=output)
    value = helper.make_tensor_value_info
    inputs = [
        value("input_ids", TensorProto.INT32, ["batch", "tokens"]),
        value("token_types", TensorProto.INT32, ["batch", "tokens"]),
        value("lengths", TensorProto.INT32, ["batch"]),
    ]
    numbers = values["head.bias"].shape[0]
    shape = ["batch", numbers] if first_token else ["batch", "tokens", numbers]
    outputs = [value(output, TensorProto.FLOAT, shape)]
    proto = helper.make_graph(graph.nodes, output, inputs, outputs, graph.initializers)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid(build_model.FUSED, 1)]
    to.mkdir(parents=True, exist_ok=True)
    onnx.save(
        helper.make_model(proto, opset_imports=opsets, ir_version=10, producer_name="bob"),
        str(to / "model.onnx"),
    )
    further = "begins_sha256" in state
    sources = (row["source"].partition(":")[0] for row in rows(data, state["seed"], further))
    sizes = {"max_tokens": longest, "first_tokens": longest_first}
    write_manifest(to, name, licenses, sizes, state, sources, data, files(further))


Train = Callable[[Path, Path, Path, Run], None]
Score = Callable[[Path, Path, Path, int], None]
Export = Callable[[Path, Path, Path], None]


def exporter(**exported: Any) -> Export:
    """An export to the folder of the network's name; `exported` is what `export` is told."""
    return lambda _, data, work: export(work, MODELS / exported["name"], data=data, **exported)


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
    parser.add_argument("--kept", type=float, default=Run.kept, help="how much of it remains in the end")
    parser.add_argument("--limit", type=int, default=4000, help="rows to score")
    chosen = parser.parse_args()
    if chosen.what == "train":
        run = Run(chosen.steps, chosen.seed, chosen.rate, chosen.frozen, tuple(chosen.begins), chosen.kept)
        train_it(chosen.weights, chosen.data, chosen.work, run)
    elif chosen.what == "score":
        score_it(chosen.weights, chosen.data, chosen.work, chosen.limit)
    else:
        export_it(chosen.weights, chosen.data, chosen.work)
