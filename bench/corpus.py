"""Databases of any size to measure with, made from the sentences of a real tree and kept for the next run.

A chunk is a run of sentences drawn at random, so its words have the frequencies of the tree. Its vector is
that of a real passage (MiniLM), up to as many chunks as passages were embedded; beyond, passages are shifted
by differences of others, which keeps the new ones in the space that real ones fill, near neighbours included.
Rows are written straight into the tables: what is measured is searching, not indexing.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bob.app import Engine
from bob.app.settings import Settings
from bob.search.snapshot import pack
from bob.text.words import postings

Vectors = npt.NDArray[np.float32]

_SENTENCE = re.compile(r"[A-Z`*][^.!?\n]*(?:\n[^.!?\n]+)*[.!?](?=\s|$)")
_SUFFIXES = (".txt", ".rst", ".md")
_SENTENCES_KEPT = 40_000
_SENTENCES_A_CHUNK = 9
_SENTENCES_A_PASSAGE = 3
_CHUNKS_A_DOCUMENT = 12
_PROJECTS = 20
_BATCH = 2_000
_SHIFT = 0.5
"""How far, in differences of two passages, a made vector lies from its passage: a cosine of about 0.8."""

_ORG = "local"


@dataclass(frozen=True, slots=True)
class Material:
    """Sentences of a real tree, and the vectors of passages made of them."""

    sentences: list[str]
    passages: Vectors
    queries: list[str]
    query_vectors: Vectors


def sentences_of(tree: Path) -> list[str]:
    """Different sentences of 6 to 40 words from the tree's text files, always in the same order."""
    found: dict[str, None] = {}
    for path in sorted(tree.rglob("*")):
        if path.suffix in _SUFFIXES and path.is_file():
            for match in _SENTENCE.finditer(path.read_text(encoding="utf-8", errors="replace")):
                sentence = " ".join(match[0].split())
                if 6 <= sentence.count(" ") <= 40:
                    found[sentence] = None
    if len(found) < 50:
        raise SystemExit(f"{tree}: holds too few sentences; name a tree of .rst, .md or .txt files")
    kept = list(found)
    random.Random(1).shuffle(kept)
    return kept[:_SENTENCES_KEPT]


def material(tree: Path, cache: Path, passages: int, queries: int = 200) -> Material:
    """Read the tree and embed what the cache does not hold yet."""
    sentences = sentences_of(tree)
    choose = random.Random(2)
    texts = [" ".join(choose.sample(sentences, _SENTENCES_A_PASSAGE)) for _ in range(passages)]
    asked = [" ".join(choose.choice(sentences).rstrip(".").split()[:8]) for _ in range(queries)]
    return Material(sentences, _embedded(texts, cache), asked, _embedded(asked, cache))


def _embedded(texts: list[str], cache: Path) -> Vectors:
    name = hashlib.sha256("\x1f".join(texts).encode()).hexdigest()[:16]
    kept = cache / f"vectors-{name}.npy"
    if not kept.exists():
        cache.mkdir(parents=True, exist_ok=True)
        np.save(kept, Engine(Settings()).embedder.embed(texts))
    found: Vectors = np.load(kept)
    return found


def vectors(source: Material, count: int, start: int = 0) -> Vectors:
    """The unit vectors of chunks `start` to `start + count`; always the same ones."""
    passages = source.passages
    made = np.random.default_rng([3, start])
    at = np.arange(start, start + count)
    base = passages[at % len(passages)]
    shifted = at >= len(passages)
    other, another = made.integers(0, len(passages), (2, count))
    moved = base + np.float32(_SHIFT) * (passages[other] - passages[another])
    found: Vectors = np.where(shifted[:, np.newaxis], moved, base)
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return found


def all_vectors(source: Material, count: int) -> Vectors:
    """The vectors of a whole database of `count` chunks, shape (count, dimension)."""
    found = np.empty((count, source.passages.shape[1]), np.float32)
    for start in range(0, count, _BATCH):
        size = min(_BATCH, count - start)
        found[start : start + size] = vectors(source, size, start)
    return found


def database(source: Material, cache: Path, size: int) -> Engine:
    """An engine over a database of `size` chunks with vectors; made if the cache has none."""
    path = cache / f"chunks-{size}" / "bob.db"
    engine = Engine(Settings(database=path))
    made = path.with_name("made")
    if not made.exists():
        path.unlink(missing_ok=True)
        engine.database.close()
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous=OFF")
            connection.execute("BEGIN")
            _fill(connection, source, size, engine.embedder.model_id)
            connection.execute("COMMIT")
        made.touch()
    return engine


def snapshot(engine: Engine) -> float:
    """Make the snapshot if there is none for the settings in force; the seconds it took, NaN if there was."""
    began = time.perf_counter()
    made = engine.index.compact()
    # Only a small index is left without one.
    if not made and engine.index.view().base is None:
        made = engine.index.compact(force=True)
    return time.perf_counter() - began if made else float("nan")


def _fill(connection: sqlite3.Connection, source: Material, size: int, model: str) -> None:
    connection.executemany(
        "INSERT INTO documents (org_id, document_id, path, project, title, source_type, parser, language, "
        "source_date, source_date_kind, tags, extra, content_hash, size, mtime_ns, chunk_count) VALUES "
        "(?, ?, ?, ?, ?, 'markdown', 'markdown', 'en', '2025-01-01', 'mtime', '[]', '{}', ?, 1, 1, ?)",
        _documents(size),
    )
    terms = [np.frombuffer(postings(each, [], "en"), np.uint64) for each in source.sentences]
    counts = np.array([len(each) for each in terms])
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    every = np.concatenate(terms)
    for start in range(0, size, _BATCH):
        count = min(_BATCH, size - start)
        drawn = np.random.default_rng([4, start]).integers(0, len(terms), (count, _SENTENCES_A_CHUNK))
        ids = range(start + 1, start + count + 1)
        connection.executemany(
            "INSERT INTO chunks (org_id, chunk_id, document_id, ordinal, text, heading_path, context, "
            "locator, tokens, content_hash) VALUES (?, ?, ?, ?, ?, '[\"Part\"]', '', ?, 250, ?)",
            _chunks(source, ids, drawn),
        )
        rows = vectors(source, count, start)
        packed = _postings(every, starts, counts, drawn)
        connection.executemany(
            "INSERT INTO chunk_postings (org_id, chunk_id, document_id, postings) VALUES (?, ?, ?, ?)",
            ((_ORG, each, _document_of(each), own) for each, own in zip(ids, packed, strict=True)),
        )
        connection.executemany(
            "INSERT INTO vectors (org_id, chunk_id, model, vector, sequence) VALUES (?, ?, ?, ?, 1)",
            ((_ORG, each, model, pack(row)) for each, row in zip(ids, rows, strict=True)),
        )
    connection.execute("INSERT OR IGNORE INTO organizations (org_id, name) VALUES (?, ?)", (_ORG, _ORG))
    connection.executemany(
        "INSERT INTO counters (org_id, name, value) VALUES (?, ?, ?)",
        [(_ORG, "document", _document_of(size)), (_ORG, "chunk", size), (_ORG, "vector", 1)],
    )
    connection.execute(
        "INSERT INTO app_config (org_id, key, value) VALUES (?, 'embedder.model', ?)", (_ORG, model)
    )


def _document_of(chunk_id: int) -> int:
    return (chunk_id - 1) // _CHUNKS_A_DOCUMENT + 1


def _documents(size: int) -> Iterator[tuple[object, ...]]:
    for each in range(1, _document_of(size) + 1):
        project = f"project-{each % _PROJECTS:02}"
        path = f"/notes/{project}/{each}.md"
        yield _ORG, each, path, project, f"Note {each}", f"{each:064}", _CHUNKS_A_DOCUMENT


def _chunks(source: Material, ids: range, drawn: npt.NDArray[np.int64]) -> Iterator[tuple[object, ...]]:
    for each, parts in zip(ids, drawn.tolist(), strict=True):
        ordinal = (each - 1) % _CHUNKS_A_DOCUMENT
        locator = {"kind": "lines", "start_line": 20 * ordinal + 1, "end_line": 20 * ordinal + 19}
        text = "\n".join(source.sentences[part] for part in parts)
        yield _ORG, each, _document_of(each), ordinal, text, json.dumps(locator), f"{each:032}"


def _postings(
    every: npt.NDArray[np.uint64],
    starts: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
    drawn: npt.NDArray[np.int64],
) -> Iterator[bytes]:
    """The postings of chunks that are runs of sentences: those of the sentences, counts added."""
    for parts in drawn:
        together = np.concatenate([every[starts[at] : starts[at] + counts[at]] for at in parts])
        together.sort()
        hashes = together >> np.uint64(12)
        first = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]]))
        total = np.add.reduceat(together & np.uint64(0xFF), first)
        yield ((hashes[first] << np.uint64(12)) | np.minimum(total, np.uint64(0xFF))).tobytes()
