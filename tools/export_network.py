"""Writes a network of `tools/pair_network.py` as Bob reads it: int8 weights in one ONNX file, a manifest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import build_model
import numpy as np
import onnx
import torch
from manifest import write_manifest
from onnx import TensorProto, helper
from pair_network import Export, Floats

MODELS = Path(__file__).parents[1] / "src" / "bob" / "models"


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
    for number in range(layers_of(values)):
        for kind in ("weight", "bias"):
            for part, value in zip(
                ("query", "key", "value"), np.split(values[f"layers.{number}.qkv.{kind}"], 3), strict=True
            ):
                tensors[f"encoder.layer.{number}.attention.self.{part}.{kind}"] = value
            for own, original in names.items():
                tensors[f"encoder.layer.{number}.{original}.{kind}"] = values[f"layers.{number}.{own}.{kind}"]
    return tensors


def layers_of(values: dict[str, Floats]) -> int:
    """How many layers a network has."""
    return sum(name.endswith(".qkv.weight") for name in values)


LICENSES = "CC BY(-SA) 2.5 to 4.0, Apache-2.0, MIT, BSD, MPL-2.0, Vim and CC0, and in the public domain"
"""Those of the verifier's pairs."""


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
    files: Sequence[str],
    rows: Callable[[Path, int], Iterable[dict[str, Any]]],
    licenses: str = LICENSES,
    made_from: str = "all-MiniLM-L6-v2",
) -> None:
    """Write `model.onnx` with int8 weights and `manifest.json`. With `first_token` the output is that of the
    first token alone. `rows` gives what was trained on, from the data and the seed; `files` are the files of
    that, under which `licenses`.
    """
    state = torch.load(work / "checkpoint.pt", map_location="cpu")
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
    for number in range(layers_of(values)):
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
    sources = (row["source"].partition(":")[0] for row in rows(data, state["seed"]))
    sizes = {"max_tokens": longest, "first_tokens": longest_first}
    write_manifest(to, name, licenses, sizes, state, sources, data, files, made_from)


def exporter(**exported: Any) -> Export:
    """An export to the folder of the network's name; `exported` is what `export` is told."""
    return lambda _, data, work: export(work, MODELS / exported["name"], data=data, **exported)
