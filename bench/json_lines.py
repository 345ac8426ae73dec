"""Reads files of one JSON object a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Record = dict[str, Any]


def records_in(file: Path) -> list[Record]:
    """The records of a file, in its order."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
