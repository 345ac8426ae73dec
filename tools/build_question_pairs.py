"""Writes what the question encoder learns from: questions with the passages that answer them.

    python bench/judgement.py build FOLDER --set reading
    python tools/build_question_pairs.py FOLDER WORK DATA

`DATA/question_pairs.jsonl.gz` has a row for each answerable question of `bench/data/reading` whose answer
stands in a passage; `DATA/question_chunks.npz` has the vectors of the passages of each corpus. WORK keeps
the indexes.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from asked_questions import given_paths, judgement

from bob import Bob

Vectors = npt.NDArray[np.float16]


def main() -> None:
    """Index every corpus, and write down its questions and vectors."""
    folder, work, data = given_paths(__doc__, "folder", "work", "data")
    work.mkdir(parents=True, exist_ok=True)
    vectors: dict[str, Vectors] = {}
    with gzip.GzipFile(data / "question_pairs.jsonl.gz", "wb", mtime=0) as file:
        for corpus in judgement.corpora("reading"):
            with Bob(work / f"{corpus}.db") as bob:
                bob.index(folder / corpus)
                chunks, vectors[corpus] = chunks_of(bob)
            count = 0
            for row in pairs_of(folder / corpus, corpus, chunks):
                file.write((json.dumps(row, ensure_ascii=False) + "\n").encode())
                count += 1
            print(f"{corpus}: {count} questions, {len(chunks)} passages", flush=True)
    np.savez(data / "question_chunks.npz", **vectors)


def chunks_of(bob: Bob) -> tuple[list[tuple[str, str]], Vectors]:
    """Path and text of each passage, and the vectors of all, of (passages, dimension)."""
    with bob._engine.database.read() as transaction:
        rows = transaction.execute(
            "SELECT d.path, c.text, v.vector FROM chunks c"
            " JOIN documents d ON d.org_id = c.org_id AND d.document_id = c.document_id"
            " JOIN vectors v ON v.org_id = c.org_id AND v.chunk_id = c.chunk_id"
            " WHERE c.org_id = :org ORDER BY d.path, c.ordinal",
            {},
        ).fetchall()
    vectors = [np.frombuffer(bytes(vector), np.float16) for _, _, vector in rows]
    return [(path, text) for path, text, _ in rows], np.stack(vectors)


def pairs_of(folder: Path, corpus: str, chunks: list[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    """The answerable questions, with the numbers of the passages where the answer stands."""
    for record in judgement.questions(corpus):
        quotes = [(gold["path"], judgement.quote(folder, gold)) for gold in record.get("gold", ())]
        gold = [
            number
            for number, (path, text) in enumerate(chunks)
            if any(path.endswith(f"/{place}") and quote in text for place, quote in quotes)
        ]
        if gold:
            yield {
                "id": record["id"],
                "source": corpus,
                "split": record["split"],
                "question": " ".join((*record.get("turns", ()), record["question"])),
                "gold": gold,
            }


if __name__ == "__main__":
    main()
