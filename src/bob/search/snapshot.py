"""The index as searches use it: arrays mapped into memory, beside the database that they are made from.

A *snapshot* is a folder with the postings and vectors of all chunks at one moment. What was committed
since, the *delta*, is read from the database when a search begins, so a search always sees the last
commit. The database is the record: a snapshot that is missing, damaged or of other settings is made anew,
and a new one takes the old one's place by renaming one small file.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bob.core.errors import StoreError
from bob.core.private_files import make_private_file, make_private_folder, write_private_file
from bob.search.ranking import Bm25, Codes, Dense, Floats, Ids, Inverted, encoded, invert
from bob.storage import removals
from bob.storage.database import Database, Transaction

log = logging.getLogger(__name__)

CURRENT = "current"
"""The small file that has the name of the snapshot in force."""

_FETCH = 2_000
_BLOCK = 16_384
_FORGOTTEN_SECONDS = 3_600
_REGISTER_SECONDS = 10
_ARRAYS = (
    *("chunk_ids", "document_ids", "present", "steps", "scales", "losses"),
    *("terms", "offsets", "rows", "impacts"),
)

_POSTINGS = """
SELECT chunk_id, document_id, postings FROM chunk_postings
WHERE org_id = :org AND chunk_id > :after ORDER BY chunk_id
"""
_VECTORS = """
SELECT chunk_id, vector FROM vectors
WHERE org_id = :org AND model = :model AND sequence > :after ORDER BY sequence
"""
_REMOVED = "SELECT chunk_id FROM removed_chunks WHERE org_id = :org AND sequence > :after"
_DELTA_SIZE = """
SELECT (SELECT count(*) FROM chunk_postings WHERE org_id = :org AND chunk_id > :chunk)
     + (SELECT count(*) FROM vectors WHERE org_id = :org AND model = :model AND sequence > :sequence)
     + (SELECT count(*) FROM removed_chunks WHERE org_id = :org AND sequence > :removal)
"""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a snapshot depends on beside the data: if any of it changes, it is made anew."""

    analyzer: str
    model: str
    dimension: int
    bm25: Bm25


@dataclass(frozen=True, slots=True)
class Base:
    """An opened snapshot folder. Everything up to the three last numbers is in it. `is_registered`: the
    database that it was made of knows its name."""

    name: str
    is_registered: bool
    last_chunk_id: int
    last_sequence: int
    last_removal: int
    chunk_ids: Ids
    document_ids: Ids
    inverted: Inverted
    dense: Dense


def folder_of(database: Database) -> Path:
    """Where the organization's snapshots are kept."""
    return database.path.with_name(database.path.name + ".snapshot") / database.org_id


def files_of(database: Database) -> list[Path]:
    """All files of all snapshots beside a database."""
    folder = database.path.with_name(database.path.name + ".snapshot")
    return sorted(path for path in folder.rglob("*") if path.is_file())


def open_base(folder: Path, name: str | None, recipe: Recipe) -> Base | None:
    """The snapshot of this name, or None when there is none that can be used with this recipe."""
    if name is None:
        return None
    try:
        manifest = json.loads((folder / name / "manifest.json").read_text())
        # One that an older Bob made does not say whether a database knows it.
        if manifest["recipe"] != asdict(recipe) or "is_registered" not in manifest:
            return None
        arrays = {each: np.load(folder / name / f"{each}.npy", mmap_mode="r") for each in _ARRAYS}
        matrix = np.load(folder / name / "vectors.npy", mmap_mode="r")
    except (OSError, ValueError, KeyError, TypeError, EOFError) as error:
        # An empty file is an EOFError of NumPy, JSON that is not an object a TypeError.
        log.warning("the snapshot %s cannot be used and will be made again: %s", folder / name, error)
        return None
    inverted = Inverted(
        row_count=len(arrays["chunk_ids"]),
        terms=arrays["terms"],
        offsets=arrays["offsets"],
        rows=arrays["rows"],
        impacts=arrays["impacts"],
    )
    # Plain arrays over the mapped memory: indexing the memmap class itself costs microseconds each time.
    codes = Codes(*(np.asarray(arrays[name]) for name in ("steps", "scales", "losses")))
    dense = Dense(np.asarray(matrix), np.asarray(arrays["present"]), codes)
    return Base(
        name,
        manifest["is_registered"],
        manifest["last_chunk_id"],
        manifest["last_sequence"],
        manifest["last_removal"],
        np.asarray(arrays["chunk_ids"]),
        np.asarray(arrays["document_ids"]),
        inverted,
        dense,
    )


def build(database: Database, recipe: Recipe, replaced: str | None) -> None:
    """Make a new snapshot of all that is committed, put it in force, and remove the one that it replaced."""
    folder = folder_of(database)
    name = uuid.uuid4().hex
    made = folder / name
    make_private_folder(made)
    with database.read() as transaction:
        manifest = _write(transaction, recipe, made)
    manifest["is_registered"] = _register(database, name, manifest["last_removal"])
    write_private_file(made / "manifest.json", json.dumps(manifest))
    _sync_folder(made)
    marker = folder / f"{name}.tmp"
    write_private_file(marker, name)
    marker.replace(folder / CURRENT)
    _sync_folder(folder)
    _sweep(database, folder, replaced)


def _register(database: Database, name: str, last_removal: int) -> bool:
    """Make a snapshot known to its database; whether that is so now."""
    try:
        with database.write(_REGISTER_SECONDS) as transaction:
            removals.register(transaction, name, last_removal, time.time())
    except StoreError as error:
        # Searches are right without it: a snapshot that is too old is noticed.
        log.warning("the snapshot %s could not be registered: %s", name, error)
        return False
    return True


def _sync_folder(folder: Path) -> None:
    """Have the system keep which files are in a folder; Windows does so by itself."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _write(transaction: Transaction, recipe: Recipe, made: Path) -> dict[str, Any]:
    """Write the arrays of a snapshot, and give what its manifest says of them."""
    last_removal = removals.last(transaction)
    last_chunk_id = _last_id(transaction, "chunk")
    last_sequence = _last_id(transaction, "vector")
    ids: list[int] = []
    documents_: list[int] = []
    packed: list[bytes] = []
    for chunk_id, document_id, postings in transaction.execute(_POSTINGS, {"after": 0}):
        ids.append(chunk_id)
        documents_.append(document_id)
        packed.append(postings)
    chunk_ids = np.array(ids, dtype=np.int64)
    document_ids = np.array(documents_, dtype=np.int64)
    # A project's rows stand together, so that a search within it reads one stretch of memory.
    order = np.lexsort((chunk_ids, _project_ranks(transaction, document_ids)))
    inverted = invert(_taken(packed, order), recipe.bm25)
    row_of = np.empty(len(order), dtype=np.int64)
    row_of[order] = np.arange(len(order))
    arrays: dict[str, npt.NDArray[Any]] = {
        "chunk_ids": chunk_ids[order],
        "document_ids": document_ids[order],
        "terms": inverted.terms,
        "offsets": inverted.offsets,
        "rows": inverted.rows,
        "impacts": inverted.impacts,
    }
    make_private_file(made / "vectors.npy")
    matrix = np.lib.format.open_memmap(
        made / "vectors.npy", mode="w+", dtype=np.float32, shape=(len(order), recipe.dimension)
    )
    present = np.zeros(len(order), dtype=np.bool_)
    for block_ids, block in _vector_blocks(transaction, recipe, 0):
        positions = np.searchsorted(chunk_ids, block_ids)
        is_present = (positions < len(chunk_ids)) & (
            chunk_ids[np.minimum(positions, len(chunk_ids) - 1)] == block_ids
        )
        rows = row_of[positions[is_present]]
        matrix[rows] = block[is_present]
        present[rows] = True
    parts = [encoded(matrix[start : start + _BLOCK]) for start in range(0, max(len(order), 1), _BLOCK)]
    matrix.flush()
    arrays |= {
        "present": present,
        "steps": np.concatenate([part.steps for part in parts]),
        "scales": np.concatenate([part.scales for part in parts]),
        "losses": np.concatenate([part.losses for part in parts]),
    }
    _sync(made / "vectors.npy")
    for name, array in arrays.items():
        make_private_file(made / f"{name}.npy")
        np.save(made / f"{name}.npy", array)
        _sync(made / f"{name}.npy")
    return {
        "recipe": asdict(recipe),
        "last_chunk_id": last_chunk_id,
        "last_sequence": last_sequence,
        "last_removal": last_removal,
    }


def _sync(path: Path) -> None:
    """Have the system keep a file that was written: after a loss of power it would be empty."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _taken(packed: list[bytes], order: Ids) -> Iterator[bytes]:
    """The postings in order; each is let go as it is taken, to make room for what is made of them."""
    for row in order.tolist():
        yield packed[row]
        packed[row] = b""


def _project_ranks(transaction: Transaction, document_ids: Ids) -> Ids:
    rows = transaction.execute(
        "SELECT document_id, project FROM documents WHERE org_id = :org ORDER BY document_id"
    ).fetchall()
    if not rows:
        return np.zeros(len(document_ids), dtype=np.int64)
    known_ids = np.array([row[0] for row in rows], dtype=np.int64)
    names = {name: rank for rank, name in enumerate(sorted({row[1] for row in rows}))}
    ranks = np.array([names[row[1]] for row in rows], dtype=np.int64)
    return ranks[np.minimum(np.searchsorted(known_ids, document_ids), len(known_ids) - 1)]


def _sweep(database: Database, folder: Path, replaced: str | None) -> None:
    """Remove the snapshot that was replaced, and what builds that were killed have left behind.

    A folder that is not an hour old may be another process's build; one that another process still maps
    stays readable to it, or cannot be removed yet, depending on the system.
    """
    current = (folder / CURRENT).read_text()
    for path in folder.iterdir():
        if not path.is_dir() or path.name == current:
            continue
        try:
            forgotten = time.time() - path.stat().st_mtime > _FORGOTTEN_SECONDS
        except FileNotFoundError:
            continue
        if path.name == replaced or forgotten:
            shutil.rmtree(path, ignore_errors=True)
            _unregister(database, path.name)


def _unregister(database: Database, name: str) -> None:
    try:
        with database.write(_REGISTER_SECONDS) as transaction:
            removals.unregister(transaction, name)
    except StoreError as error:
        log.warning("the snapshot %s is still registered: %s", name, error)


@dataclass(frozen=True, slots=True)
class Delta:
    """What was committed after the base: new chunks, vectors of new and of old chunks, removed chunks."""

    chunk_ids: Ids
    document_ids: Ids
    inverted: Inverted
    vector_chunk_ids: Ids
    vectors: Floats
    removed: Ids


def read_delta(transaction: Transaction, recipe: Recipe, base: Base | None) -> Delta:
    """Read the delta in the caller's transaction."""
    after = 0 if base is None else base.last_chunk_id
    removal = 0 if base is None else base.last_removal
    rows = transaction.execute(_POSTINGS, {"after": after}).fetchall()
    blocks = list(_vector_blocks(transaction, recipe, 0 if base is None else base.last_sequence))
    return Delta(
        chunk_ids=np.array([row[0] for row in rows], dtype=np.int64),
        document_ids=np.array([row[1] for row in rows], dtype=np.int64),
        inverted=invert([row[2] for row in rows], recipe.bm25),
        vector_chunk_ids=np.concatenate([ids for ids, _ in blocks] or [np.empty(0, np.int64)]),
        vectors=np.concatenate(
            [block for _, block in blocks] or [np.empty((0, recipe.dimension), np.float32)]
        ),
        removed=np.array(
            [row[0] for row in transaction.execute(_REMOVED, {"after": removal})], dtype=np.int64
        ),
    )


def is_outdated(transaction: Transaction, base: Base) -> bool:
    """Whether the delta of this snapshot is not known any more, or the snapshot is not of this state of the
    database, so that it must not be used."""
    return (base.is_registered and not removals.is_registered(transaction, base.name)) or not (
        removals.is_complete_after(transaction, base.last_removal)
        and base.last_chunk_id <= _last_id(transaction, "chunk")
    )


def delta_size(transaction: Transaction, recipe: Recipe, base: Base | None) -> int:
    """How many rows a search has to read from the database before it can begin."""
    since = {
        "model": recipe.model,
        "chunk": 0 if base is None else base.last_chunk_id,
        "sequence": 0 if base is None else base.last_sequence,
        "removal": 0 if base is None else base.last_removal,
    }
    return int(transaction.execute(_DELTA_SIZE, since).fetchone()[0])


def _last_id(transaction: Transaction, name: str) -> int:
    """The last id of a kind that was taken; 0 when there is none."""
    row = transaction.execute(
        "SELECT value FROM counters WHERE org_id = :org AND name = :name", {"name": name}
    ).fetchone()
    return 0 if row is None else int(row[0])


def _vector_blocks(transaction: Transaction, recipe: Recipe, after: int) -> Iterator[tuple[Ids, Floats]]:
    rows = transaction.execute(_VECTORS, {"model": recipe.model, "after": after})
    while batch := rows.fetchmany(_FETCH):
        yield np.array([row[0] for row in batch], dtype=np.int64), unpack([row[1] for row in batch])


def pack(vector: Floats) -> bytes:
    """A vector as it is stored: half precision, little-endian; the cosine changes by less than 0.0005."""
    return vector.astype("<f2").tobytes()


def unpack(stored: Sequence[bytes]) -> Floats:
    """The inverse of `pack` for many: shape (len(stored), dimension), lengths made 1 again."""
    flat = np.frombuffer(b"".join(stored), dtype="<f2").astype(np.float32)
    matrix = flat.reshape(len(stored), -1)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    normalized: Floats = np.divide(matrix, lengths, out=np.zeros_like(matrix), where=lengths > 0)
    return normalized
