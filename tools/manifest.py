"""What the manifest of a trained network says; run by none of its own."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import build_model

READING_LICENSES = "CC BY(-SA) 3.0 and 4.0, Apache-2.0, MIT, BSD, MPL-2.0 and CC0, and in the public domain"
"""Those of `bench/data/reading`, and of what was trained on before."""


_LICENSES_OF = {"all-MiniLM-L6-v2": "Apache-2.0", "gte-small": "MIT"}
"""Those of the encoders that networks are made from."""


def write_manifest(
    to: Path,
    name: str,
    licenses: str,
    sizes: dict[str, int],
    state: dict[str, Any],
    sources: Iterable[str],
    data: Path,
    files: Iterable[str],
    made_from: str = "all-MiniLM-L6-v2",
) -> None:
    """Write `manifest.json` beside `model.onnx`: what the network is, how it was trained, on how many rows of
    which sources, and the hashes of the data and of itself."""
    manifest = {
        "name": name,
        "made_from": made_from,
        "license": f"{_LICENSES_OF[made_from]}; trained on data under {licenses}",
        **sizes,
        "weights": f"int8 in blocks of {build_model.BLOCK}, float32 arithmetic",
        "training": {
            **{key: value for key, value in state.items() if key not in ("model", "optimizer")},
            "rows": dict(sorted(Counter(sources).items())),
            "data_sha256": {file: build_model.sha256(data / file) for file in files},
        },
        "sha256": {"model.onnx": build_model.sha256(to / "model.onnx")},
    }
    (to / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
