"""Writes `tests/surface/golden`: what commands, routes, tools and verbs answer today.

    python tools/write_surface.py [NAME ...]

Read the difference before you commit it: each line is something that a person or a program sees.
"""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "surface")]

from record import RECORDS  # noqa: E402 - the line above makes it importable


def main() -> None:
    """Write the files that are named, or all."""
    for names, record in RECORDS.items():
        if sys.argv[1:] and not set(sys.argv[1:]) & set(names.split()):
            continue
        with tempfile.TemporaryDirectory() as folder:
            for name, text in zip(names.split(), record(Path(folder)), strict=True):
                (ROOT / "tests" / "surface" / "golden" / name).write_text(text, encoding="utf-8")
                print(f"{name}: {len(text.splitlines())} lines")


if __name__ == "__main__":
    main()
