"""The embeddings of a corpus in a JSON file beside it (SPEC J2).

The file is derived: it can be deleted at any time. Whatever is odd about it makes it none.
"""

from __future__ import annotations

import base64
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bob.personas.values import CorpusPart

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

CACHE_NAME = "corpus.embeddings.json"

_FORMAT = 1
"""Counts up when other texts are embedded, or the file changes."""

_TOLERANCE = 1e-3
"""How far from 1 the length of a vector may be."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What the disk tells of a file without reading it. `ctime_ns` changes with every write, also where
    somebody puts an old `mtime_ns` back."""

    size: int
    mtime_ns: int
    ctime_ns: int

    @classmethod
    def of(cls, path: Path) -> Stamp:
        """That of the file as it is now. Raises OSError."""
        found = path.stat()
        return cls(found.st_size, found.st_mtime_ns, found.st_ctime_ns)


@dataclass(frozen=True, slots=True)
class KeptEmbeddings:
    """What a cache file holds: `vectors` has a row a place. `written_ns` is when the file was written."""

    stamp: Stamp
    content_hash: str
    places: tuple[tuple[int, int], ...]
    vectors: npt.NDArray[np.float32]
    written_ns: int

    def is_of(self, stamp: Stamp) -> bool:
        """Whether the corpus is surely as it was, by the looks of it.

        A corpus written in the same tick of the clock as the cache may have changed after it was read.
        """
        return self.stamp == stamp and stamp.ctime_ns < self.written_ns


def read_cache(path: Path, model_id: str) -> KeptEmbeddings | None:
    """The embeddings in the file; None when there are none of this model, or the file is damaged."""
    try:
        written_ns = path.stat().st_mtime_ns
        kept = json.loads(path.read_bytes())
        if kept["format"] != _FORMAT or kept["model"] != model_id:
            return None
        stamp = Stamp(*(int(kept["stamp"][name]) for name in ("size", "mtime_ns", "ctime_ns")))
        rows = [_row(each["vector"]) for each in kept["parts"]]
        places = tuple((int(each["start_line"]), int(each["end_line"])) for each in kept["parts"])
        return KeptEmbeddings(stamp, str(kept["content_hash"]), places, _stacked(rows), written_ns)
    except (OSError, ValueError, KeyError, TypeError, RecursionError, OverflowError):
        return None


def write_cache(
    path: Path,
    model_id: str,
    stamp: Stamp,
    content_hash: str,
    parts: Sequence[CorpusPart],
    vectors: npt.NDArray[np.float32],
) -> None:
    """Puts the file in place as a whole. Raises OSError: it cannot be written there."""
    kept: dict[str, Any] = {
        "format": _FORMAT,
        "model": model_id,
        "stamp": asdict(stamp),
        "content_hash": content_hash,
        "parts": [
            {
                "heading_path": list(part.heading_path),
                "start_line": part.start_line,
                "end_line": part.end_line,
                "vector": base64.b64encode(row.astype("<f4").tobytes()).decode("ascii"),
            }
            for part, row in zip(parts, vectors, strict=True)
        ],
    }
    handle, made = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(kept, file, ensure_ascii=False, indent=1)
        Path(made).replace(path)
    except OSError:
        Path(made).unlink(missing_ok=True)
        raise


def _row(encoded: str) -> npt.NDArray[np.float32]:
    """Raises ValueError: this is no array in base 64."""
    import numpy as np

    return np.frombuffer(base64.b64decode(encoded, validate=True), "<f4").astype(np.float32)


def _stacked(rows: Sequence[npt.NDArray[np.float32]]) -> npt.NDArray[np.float32]:
    """The rows as one array. Raises ValueError: they differ in length, or are no embeddings."""
    import numpy as np

    found = np.stack(rows)
    if not np.all(np.abs(np.linalg.norm(found.astype(np.float64), axis=1) - 1) < _TOLERANCE):
        raise ValueError("a vector has not the length 1")
    return found
