"""Compares Bob's word index with SQLite's FTS5 on the same made-up texts (docs/adr/0001).

    python tools/compare_word_indexes.py [--chunks 20000]

Words are drawn by Zipf's law. Both rank by BM25 and give the best ten of a query of eight words, any of which
may match. Times are medians of processor seconds, taken in turn.
"""

from __future__ import annotations

import argparse
import sqlite3
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

from bob.search.ranking import Bm25, best, bm25_scores, invert
from bob.text.words import postings, query_terms

WORDS_A_CHUNK = 200
VOCABULARY = 50_000
QUERIES = 30


def texts(count: int) -> list[str]:
    """Chunks of words by Zipf's law; the same for the same count."""
    random = np.random.default_rng(7)
    drawn = random.zipf(1.1, (count, WORDS_A_CHUNK)) % VOCABULARY
    return [" ".join(f"w{number}x" for number in row) for row in drawn]


def seconds(work: Callable[[Any], object], query: Any) -> float:
    """Processor seconds of one call."""
    began = time.process_time()
    work(query)
    return time.process_time() - began


def main() -> None:
    """Build both, ask both, print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--chunks", type=int, default=20_000)
    corpus = texts(parser.parse_args().chunks)
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize='porter unicode61')")
    database.executemany("INSERT INTO words(rowid, text) VALUES (?, ?)", enumerate(corpus, 1))
    database.execute("INSERT INTO words(words) VALUES ('optimize')")
    index = invert([postings(text, [], "en") for text in corpus], Bm25(0.9, 0.4, 1.0))

    sql = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words) LIMIT 10"
    random = np.random.default_rng(8)
    theirs: list[float] = []
    ours: list[float] = []
    for _ in range(QUERIES):
        words = random.choice(corpus[random.integers(len(corpus))].split(), 8, replace=False).tolist()
        matched = " OR ".join(words)
        theirs.append(seconds(lambda of: database.execute(sql, (of,)).fetchall(), matched))
        ours.append(seconds(lambda of: best(bm25_scores([index], query_terms(" ".join(of)))[0], 10), words))
    print(f"{len(corpus):,} chunks of {WORDS_A_CHUNK} words, median of {QUERIES} queries of 8 words")
    print(f"FTS5        {median(theirs) * 1000:8.2f} ms")
    print(f"Bob's index {median(ours) * 1000:8.2f} ms")


if __name__ == "__main__":
    main()
