"""Counts what escapes from its place in a prompt: a Markdown table of hostile texts by kinds of prompts.

    python tools/containment_table.py

Each text is sent in every kind of prompt to a server on loopback that records it; tests/recorded_prompts.py
says what an escape is. The last column says how many escape when nothing is neutralized: what the
others would look like if the counting saw nothing.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from hostile_texts import FAMILIES
from recorded_prompts import KINDS, count_escapes, nothing_neutralized

Cell = tuple[int, list[Any]]
"""How many texts were sent, and those that escaped."""


def main() -> int:
    """Print the table; 1 where a text escaped."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        counts = count_escapes(Path(folder))
        with nothing_neutralized():
            without = count_escapes(Path(other))
    print("| texts that escaped of those sent |", *(f"{kind} |" for kind in KINDS), "nothing neutralized |")
    print("| --- |", *("---: |" for _ in KINDS), "---: |")
    for family in FAMILIES:
        print(f"| {family} |", *_cells(counts[family]), _share(without[family].values()))
    columns = {kind: [row[kind] for row in counts.values()] for kind in KINDS}
    everything = [cell for row in without.values() for cell in row.values()]
    print("| all |", *(_share(cells) for cells in columns.values()), _share(everything))
    escaped = [(kind, *each) for row in counts.values() for kind, (_, found) in row.items() for each in found]
    for kind, text, why in escaped:
        print(f"{kind}: {text!a}: {'; '.join(why)}", file=sys.stderr)
    return int(bool(escaped))


def _cells(row: Mapping[str, Cell]) -> list[str]:
    return [_share([cell]) for cell in row.values()]


def _share(cells: Iterable[Cell]) -> str:
    cells = list(cells)
    return f"{sum(len(found) for _, found in cells)} of {sum(sent for sent, _ in cells):,} |"


if __name__ == "__main__":
    sys.exit(main())
