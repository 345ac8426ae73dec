"""What an answer costs in processor time, and the reader's share of it: `python bench/answering.py TREE`.

The documents' headings are asked for ("What is said of …?"), over an index of TREE that is kept in the cache.
The baseline is the same question by rules alone, in the same run. Vectors are made before anything is
measured.
"""

from __future__ import annotations

import random
import time
from pathlib import Path

import measure
import numpy as np

from bob import Bob
from bob.app.settings import Settings
from bob.search.query import chunk_headings


def main() -> None:
    """Ask, and print."""
    parser = measure.options(__doc__)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--cache", type=Path, default=measure.DEFAULT_CACHE)
    parser.add_argument("--questions", type=int, default=100)
    given = parser.parse_args()
    given.cache.mkdir(parents=True, exist_ok=True)
    database = str(given.cache / f"answering-{given.tree.name}.db")
    spent: dict[str, list[float]] = {}
    chunks, questions = 0, []
    for judge in ("rules", "model"):
        settings = Settings.model_validate({"database": database, "answer": {"judge": judge, "keep": False}})
        with Bob(settings=settings) as memory:
            if not questions:
                memory.index(given.tree)
                chunks = memory.status()["chunks"]
                with memory._engine.database.read() as transaction:
                    headings = {row[-1][-1] for row in chunk_headings(transaction) if row[-1]}
                questions = random.Random(1).sample(sorted(headings), min(given.questions, len(headings)))
            memory.ask("What is this about?")
            for heading in questions:
                began = time.process_time()
                memory.ask(f"What is said of {heading}?")
                spent.setdefault(judge, []).append(time.process_time() - began)
    rows = [
        [judge, len(times), *(f"{1000 * value:.0f}" for value in np.quantile(times, (0.5, 0.95)))]
        for judge, times in spent.items()
    ]
    head = ["judge", "questions", "CPU ms, median", "p95"]
    measure.show(f"Answers over {chunks:,} chunks", head, rows, as_json=given.json)


if __name__ == "__main__":
    main()
