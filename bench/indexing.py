"""How fast a folder becomes searchable, by words and by vectors, and what that takes in memory and disk.

    python bench/indexing.py TREE [--chunks 600]

Words: `bob index --words-only` in a fresh process on a fresh database, against reading the same bytes.
Vectors: Bob's embedding jobs on a sample of documents, against the bare embedder on the same texts sorted by
length; both in turn, a few documents at a time. The ratio of CPU time is steadier on a busy machine.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import measure

from bob.app import Engine
from bob.app.settings import Settings
from bob.search import vector_rows
from bob.storage import jobs

ROUNDS = 4


def read_all(tree: Path) -> tuple[int, int]:
    """Read every file; how many, and how many bytes."""
    paths = [path for path in tree.rglob("*") if path.is_file()]
    return len(paths), sum(len(path.read_bytes()) for path in paths)


def words(tree: Path, database: Path) -> tuple[list[list[object]], int]:
    """Index by words in a fresh process; the rows of the table and the number of chunks."""
    reading: list[float] = []
    with measure.timed(reading):
        files, size = read_all(tree)
    command = [*measure.bob_command(), "index", str(tree), "--words-only", "--quiet"]
    taken, cpu = measure.run_timed([*command, "--database", str(database)])
    engine = Engine(Settings(database=database))
    with engine.database.read() as connection:
        (found,) = connection.execute("SELECT count(*) FROM documents WHERE org_id = :org").fetchone()
        (count,) = connection.execute("SELECT count(*) FROM chunks WHERE org_id = :org").fetchone()
    engine.close()
    stored = sum(each.stat().st_size for each in database.parent.glob(f"{database.name}*") if each.is_file())
    snapshot = measure.tree_bytes(database.with_name(database.name + ".snapshot"))
    rows: list[list[object]] = [
        ["files read", files],
        ["documents", found],
        ["chunks", count],
        ["seconds, whole process", taken],
        ["seconds of CPU, all its processes", cpu],
        ["files a second", files / taken],
        ["MB a second", size / taken / 1e6],
        ["chunks a second", count / taken],
        ["times reading the bytes", taken / reading[0]],
        ["peak memory of one process, MB", measure.peak_megabytes(children=True)],
        ["database, bytes a chunk", stored / max(count, 1)],
        ["snapshot, bytes a chunk", snapshot / max(count, 1)],
    ]
    return rows, count


def sampled(engine: Engine, wanted: int) -> list[list[int]]:
    """Documents of about `wanted` chunks together, in rounds of about as many."""
    with engine.database.read() as connection:
        sizes = connection.execute(
            "SELECT document_id, chunk_count FROM documents WHERE org_id = :org"
        ).fetchall()
    random.Random(5).shuffle(sizes)
    rounds: list[list[int]] = []
    for _ in range(ROUNDS):
        own: list[int] = []
        count = 0
        while sizes and count < wanted / ROUNDS:
            document, size = sizes.pop()
            own.append(document)
            count += size
        rounds.append(own)
    return [each for each in rounds if each]


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of wall clock and of CPU."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def embedding(database: Path, wanted: int) -> list[list[object]]:
    """Embed a sample both ways; the rows of the table."""
    engine = Engine(Settings(database=database))
    model = engine.embedder.model_id
    engine.embedder.embed(["warm"])
    with engine.database.write() as connection:
        connection.execute("DELETE FROM jobs WHERE org_id = :org")
    bare: list[tuple[float, float]] = []
    ours: list[tuple[float, float]] = []
    count = 0
    for at, own in enumerate(sampled(engine, wanted)):
        with engine.database.write() as connection:
            for document in own:
                jobs.enqueue(connection, "embed", document)
        with engine.database.read() as connection:
            texts = [each.text for each in vector_rows.pending(connection, model, own)]
        texts.sort(key=len)
        count += len(texts)

        def alone(texts: list[str] = texts) -> None:
            bare.append(timed(lambda: engine.embedder.embed(texts)))

        def by_jobs() -> None:
            ours.append(timed(engine.embed_pending.embed_chunks))

        for work in (alone, by_jobs) if at % 2 else (by_jobs, alone):
            work()
    engine.close()
    wall = [b[0] / o[0] for b, o in zip(bare, ours, strict=True)]
    cpu = [b[1] / o[1] for b, o in zip(bare, ours, strict=True)]
    return [
        ["chunks", count],
        ["bare embedder, chunks a second", count / sum(each[0] for each in bare)],
        ["Bob's jobs, chunks a second", count / sum(each[0] for each in ours)],
        ["Bob's speed of the bare one", median(wall)],
        ["  by CPU time", median(cpu)],
        ["peak memory, MB", measure.peak_megabytes()],
    ]


def main() -> None:
    """Index the tree and print both tables."""
    parser = measure.options(__doc__)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--chunks", type=int, default=600, help="how many to embed; 0: none")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        database = Path(temporary) / "bob.db"
        rows, _ = words(chosen.tree, database)
        measure.show(f"words of {chosen.tree.name}", ["what", "value"], rows, as_json=chosen.json)
        if chosen.chunks:
            rows = embedding(database, chosen.chunks)
            measure.show("vectors", ["what", "value"], rows, as_json=chosen.json)


if __name__ == "__main__":
    main()
