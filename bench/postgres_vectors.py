"""The nearest passages of one organization in PostgreSQL: how many of the exact ten come back, and how fast.

    python bench/postgres_vectors.py --vectors VECTORS.npy --rows 60000

VECTORS.npy has real vectors, shape (n, 384); each row is one of them with some noise, so that neighbours are
as near as real ones are. Without it, directions are random. One organization has 70 % of the rows, one 1 %,
and the rest belong to a third. Against an exact comparison of the same rows:

- `exact`: the organization's rows through its key, all compared (`nearest_chunks` for few rows);
- `iterative`: HNSW over all organizations, going on until it has enough (`nearest_chunks` for many);
- `filtered`: the same index as the planner takes it by itself.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from measure import options, show, spread
from postgres import server

from bob.search.snapshot import pack
from bob.storage.organizations import ensure_organization
from bob.storage.postgres import PostgresDatabase

QUERIES, K, DIMENSION, BATCH = 50, 10, 384, 2_000
SHARES = {"large": 0.7, "small": 0.01, "others": 0.29}
NOISE = 0.03

NEAREST = "SELECT chunk_id FROM nearest_chunks(%s::halfvec, %s, %s)"
FILTERED = """
SELECT v.chunk_id FROM vectors v
WHERE v.org_id = bob_org() AND v.sequence IS NOT NULL AND vector_dims(v.vector) = 384
ORDER BY v.vector::halfvec(384) <=> %s::halfvec(384) LIMIT %s
"""


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--vectors", type=Path, help="real vectors, a NumPy file")
    parser.add_argument("--rows", type=int, default=60_000)
    arguments = parser.parse_args()
    random = np.random.default_rng(1)
    matrix = made(arguments.vectors, arguments.rows, random)
    with server() as started, tempfile.TemporaryDirectory() as folder:
        address = started.new_database(Path(folder))
        sides, own, seconds = filled(address, Path(folder), matrix)
        started.execute("ANALYZE vectors", url=address)
        rows = []
        for org_id in ("large", "small"):
            queries = noisy(own[org_id][random.integers(0, len(own[org_id]), QUERIES)], random)
            for name, statement, more in (
                ("exact", NEAREST, (K, 10**9)),
                ("iterative", NEAREST, (K, 0)),
                ("filtered", FILTERED, (K,)),
            ):
                rows.append(
                    [
                        org_id,
                        len(own[org_id]),
                        name,
                        *asked(sides[org_id], own[org_id], queries, statement, more),
                    ]
                )
        head = ["organization", "its rows", "search", "rows found", "recall@10", "median_ms", "p95_ms"]
        show("Nearest passages in PostgreSQL", head, rows, as_json=arguments.json, insert_ms=1000 * seconds)


def made(vectors: Path | None, rows: int, random: np.random.Generator) -> np.ndarray:
    """Rows of length 1."""
    if vectors is None:
        base = random.standard_normal((rows, DIMENSION)).astype(np.float32)
    else:
        real = np.load(vectors, mmap_mode="r")
        base = np.asarray(real[random.integers(0, len(real), rows)], dtype=np.float32)
    return noisy(base, random)


def noisy(base: np.ndarray, random: np.random.Generator) -> np.ndarray:
    base = base / np.linalg.norm(base, axis=1, keepdims=True)
    moved = base + NOISE * random.standard_normal(base.shape).astype(np.float32)
    normalized: np.ndarray = moved / np.linalg.norm(moved, axis=1, keepdims=True)
    return normalized


def filled(
    address: str, folder: Path, matrix: np.ndarray
) -> tuple[dict[str, PostgresDatabase], dict[str, np.ndarray], float]:
    """The databases of the organizations, their rows, and the seconds that a row took, its index included."""
    sides, own = {}, {}
    begin, began = 0, time.perf_counter()
    for org_id, share in SHARES.items():
        end = min(begin + max(round(share * len(matrix)), K), len(matrix))
        sides[org_id] = PostgresDatabase(address, org_id, folder)
        ensure_organization(sides[org_id], org_id)
        own[org_id] = (
            np.frombuffer(b"".join(map(pack, matrix[begin:end])), "<f2")
            .astype(np.float32)
            .reshape(-1, DIMENSION)
        )
        insert(sides[org_id], org_id, matrix[begin:end])
        begin = end
    return sides, own, (time.perf_counter() - began) / len(matrix)


def insert(database: PostgresDatabase, org_id: str, rows: np.ndarray) -> None:
    statement = (
        "INSERT INTO vectors (org_id, chunk_id, model, vector, sequence)"
        " VALUES (:org, :chunk, 'm', CAST(:vector AS halfvec), 1)"
    )
    for start in range(0, len(rows), BATCH):
        values = [
            {"chunk": start + at + 1, "vector": literal(row)}
            for at, row in enumerate(rows[start : start + BATCH])
        ]
        with database.write() as connection:
            connection.execute_many(statement, values)


def literal(row: np.ndarray) -> str:
    return "[" + ",".join(f"{each:.5f}" for each in row) + "]"


def asked(
    database: PostgresDatabase, own: np.ndarray, queries: np.ndarray, statement: str, more: tuple[Any, ...]
) -> list[float]:
    """How many rows came back and which share of the exact ten was among them, in the mean; the times."""
    found, right, taken = 0, 0, []
    for query in queries:
        exact = set((np.argsort(-(own @ query), kind="stable")[:K] + 1).tolist())
        with database.read() as connection:
            began = time.perf_counter()
            rows = connection._driver.execute(statement, (literal(query), *more)).fetchall()
            taken.append(time.perf_counter() - began)
        found += len(rows)
        right += len(exact & {row[0] for row in rows})
    times = spread(taken)
    return [found / len(queries), right / (K * len(queries)), times["median_ms"], times["p95_ms"]]


if __name__ == "__main__":
    main()
