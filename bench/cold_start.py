"""How long whole commands take from a cold process, against a Python that does nothing.

python bench/cold_start.py TREE [--size 10000] [--cache DIR] [--repeat 5]
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

import corpus
import measure


def main() -> None:
    """Run each command in turn, several times over, and print medians."""
    parser = measure.options(__doc__)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--size", type=int, default=10_000, help="chunks in the database")
    parser.add_argument("--cache", type=Path, default=measure.DEFAULT_CACHE)
    parser.add_argument("--passages", type=int, default=4_000, help="real vectors to begin with")
    parser.add_argument("--repeat", type=int, default=5)
    chosen = parser.parse_args()
    source = corpus.material(chosen.tree, chosen.cache, chosen.passages)
    engine = corpus.database(source, chosen.cache, chosen.size)
    corpus.snapshot(engine)
    database = ["--database", str(engine.settings.database_path)]
    engine.close()
    bob = measure.bob_command()
    query = "how are open files closed"
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "python, numpy, onnxruntime": [sys.executable, "-c", "import numpy, onnxruntime"],
        "bob --help": [*bob, "--help"],
        "bob search": [*bob, "search", query, *database],
        "bob search --mode words": [*bob, "search", query, "--mode", "words", *database],
        "bob ask": [*bob, "ask", query, *database],
        "bob status": [*bob, "status", *database],
    }
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(chosen.repeat):
        for name, command in commands.items():
            taken[name].append(measure.run_timed(command))
    wall = {name: median(each[0] for each in own) for name, own in taken.items()}
    cpu = {name: median(each[1] for each in own) for name, own in taken.items()}
    bare = "python -c pass"
    rows = [
        [name, 1000 * wall[name], 1000 * min(own)[0], 1000 * cpu[name], wall[name] / wall[bare]]
        for name, own in taken.items()
    ]
    head = ["command", "median ms", "best ms", "CPU ms", "times python"]
    measure.show(f"cold start, {chosen.size:,} chunks", head, rows, as_json=chosen.json)


if __name__ == "__main__":
    main()
