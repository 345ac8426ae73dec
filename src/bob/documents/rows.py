"""Documents and their chunks: saved whole or not at all, with the job that embeds them (SPEC A5, C3, C4)."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bob.core.document import Chunk, SourceDate
from bob.core.locator import locator_to_json
from bob.documents import failure_rows, past_rows
from bob.documents.disk_rows import ONE_DISK
from bob.search.vector_rows import EMBED
from bob.storage import jobs, removals
from bob.storage.database import HalfVector, Transaction
from bob.storage.paths import BELOW, path_values

READING = 7
"""The version of what is made of a file. It goes up by one whenever a parser, the chunker or the words of a
chunk make something else of the same file; documents of an older one are read again by the next run."""


@dataclass(frozen=True, slots=True)
class KnownFile:
    """What the index last saw of a file."""

    document_id: int
    size: int
    mtime_ns: int
    content_hash: str
    reading: int


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A document about to be saved; `document_id` is that of the version it replaces, if any."""

    path: str
    project: str
    title: str
    source_type: str
    parser: str
    language: str | None
    source_date: SourceDate | None
    tags: tuple[str, ...]
    extra: dict[str, str]
    content_hash: str
    size: int
    mtime_ns: int
    document_id: int | None = None
    disk_id: str = ""
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk with its packed postings (`bob.text.words.postings`)."""

    chunk: Chunk
    content_hash: str
    postings: bytes


@dataclass(frozen=True, slots=True)
class Saved:
    """What saving a document did."""

    document_id: int
    chunks_added: int
    chunks_kept: int
    chunks_removed: int
    pending_vectors: int


def known_files(
    transaction: Transaction, folder: str, disks: Collection[str] = ONE_DISK
) -> dict[str, KnownFile]:
    """The documents in a folder of these disks (or the one document at that path), by path."""
    rows = transaction.execute(
        f"SELECT path, document_id, size, mtime_ns, content_hash, reading FROM documents d WHERE {IN_FOLDER}",
        in_folder(folder, disks),
    )
    return {path: KnownFile(*rest) for path, *rest in rows}


def read_by_older(
    transaction: Transaction, folder: str | None = None, disks: Collection[str] = ONE_DISK
) -> int:
    """How many documents an older reading made: all of them, or those in a folder of these disks."""
    where, values = ("d.org_id = :org", {}) if folder is None else (IN_FOLDER, in_folder(folder, disks))
    rows = transaction.execute(
        f"SELECT count(*) FROM documents d WHERE {where} AND d.reading < :reading",
        {**values, "reading": READING},
    )
    return int(rows.fetchone()[0])


IN_FOLDER = f"d.org_id = :org AND {BELOW.format(column='d.path')} AND d.disk_id IN :disks"
"""Of documents named `d`: they are in a folder of some disks, with the values of `in_folder`."""


def in_folder(folder: str, disks: Collection[str]) -> dict[str, Any]:
    """The values of `IN_FOLDER`."""
    return {**path_values(folder), "disks": disks}


def all_paths(transaction: Transaction) -> set[str]:
    """The paths of all documents."""
    return {path for (path,) in transaction.execute("SELECT path FROM documents WHERE org_id = :org")}


def save(
    transaction: Transaction, record: DocumentRecord, indexed: Sequence[IndexedChunk], model: str
) -> Saved:
    """Save a document in place of its older version, keeping the chunks that have the same text and words. A
    new title or date gives equal text other words, and a chunk of other words is another: snapshots of the
    index have the words of a chunk by its id.

    Vectors of equal text that the index already has are reused; for the others a job is queued in the same
    transaction.
    """
    known_id = _known(transaction, record)
    document_id = known_id or transaction.take_ids("document", 1)[0]
    previous = _by_content(transaction, document_id) if known_id else {}
    added: list[tuple[int, IndexedChunk]] = []
    moved: list[dict[str, Any]] = []
    for indexed_chunk in indexed:
        same = previous.get((indexed_chunk.content_hash, indexed_chunk.postings))
        if same:
            moved.append(
                {
                    "chunk_id": same.popleft(),
                    "ordinal": indexed_chunk.chunk.ordinal,
                    "locator": json.dumps(locator_to_json(indexed_chunk.chunk.locator)),
                }
            )
        else:
            added.append((0, indexed_chunk))
    ids = transaction.take_ids("chunk", len(added)) if added else range(0)
    added = [(chunk_id, indexed_chunk) for chunk_id, (_, indexed_chunk) in zip(ids, added, strict=True)]
    gone = [chunk_id for left in previous.values() for chunk_id in left]
    # Before anything is removed: what is found by other words may well be the same text.
    vectors = _vectors_of_equal_text(transaction, added, model)
    _save_record(transaction, document_id, record, len(indexed), new=known_id is None)
    _remove_chunks(transaction, gone)
    _move_chunks(transaction, moved)
    _insert_chunks(transaction, document_id, added)
    pending = _reuse_vectors(transaction, added, vectors, model)
    if pending:
        jobs.enqueue(transaction, EMBED, document_id)
    failure_rows.forget(transaction, [record.path], (record.disk_id,))
    return Saved(document_id, len(added), len(moved), len(gone), pending)


def _known(transaction: Transaction, record: DocumentRecord) -> int | None:
    """The id of the document that the record replaces: the one at its path, else the one it names.

    It is looked up now, since another process may have saved or removed the file since it was read.
    """
    rows = transaction.execute(
        "SELECT path, document_id FROM documents WHERE org_id = :org AND disk_id = :disk_id"
        " AND (path = :path OR document_id = :document_id)",
        {"disk_id": record.disk_id, "path": record.path, "document_id": record.document_id},
    )
    known: dict[str, int] = dict(rows)
    return known.get(record.path) or next(iter(known.values()), None)


def _by_content(transaction: Transaction, document_id: int) -> dict[tuple[str, bytes], deque[int]]:
    """The chunks of a document by the hash of their text and by their postings."""
    by_content: dict[tuple[str, bytes], deque[int]] = defaultdict(deque)
    postings = (
        "(SELECT p.postings FROM chunk_postings p WHERE p.org_id = c.org_id AND p.chunk_id = c.chunk_id)"
    )
    rows = transaction.execute(
        f"SELECT content_hash, {postings}, chunk_id FROM chunks c"
        " WHERE org_id = :org AND document_id = :document_id ORDER BY ordinal",
        {"document_id": document_id},
    )
    for content_hash, words, chunk_id in rows:
        by_content[content_hash, bytes(words or b"")].append(chunk_id)
    return by_content


def _save_record(
    transaction: Transaction,
    document_id: int,
    record: DocumentRecord,
    chunk_count: int,
    *,
    new: bool,
) -> None:
    values = {
        "path": record.path,
        "project": record.project,
        "title": record.title,
        "source_type": record.source_type,
        "parser": record.parser,
        "language": record.language,
        "source_date": record.source_date.value.isoformat() if record.source_date else None,
        "source_date_kind": record.source_date.kind if record.source_date else None,
        "tags": json.dumps(list(record.tags)),
        "extra": json.dumps(record.extra),
        "content_hash": record.content_hash,
        "size": record.size,
        "mtime_ns": record.mtime_ns,
        "reading": READING,
        "chunk_count": chunk_count,
        "disk_id": record.disk_id,
        "left_out": json.dumps(list(record.left_out)),
    }
    if new:
        transaction.insert("documents", {"document_id": document_id} | values)
    else:
        transaction.update("documents", {"document_id": document_id}, values)


def _move_chunks(transaction: Transaction, moved: list[dict[str, Any]]) -> None:
    if moved:
        transaction.execute_many(
            "UPDATE chunks SET ordinal = :ordinal, locator = :locator"
            " WHERE org_id = :org AND chunk_id = :chunk_id",
            moved,
        )


def _insert_chunks(
    transaction: Transaction, document_id: int, added: Sequence[tuple[int, IndexedChunk]]
) -> None:
    transaction.insert(
        "chunks",
        *(
            {
                "chunk_id": chunk_id,
                "document_id": document_id,
                "ordinal": indexed_chunk.chunk.ordinal,
                "text": indexed_chunk.chunk.text,
                "heading_path": json.dumps(list(indexed_chunk.chunk.heading_path)),
                "context": indexed_chunk.chunk.context,
                "locator": json.dumps(locator_to_json(indexed_chunk.chunk.locator)),
                "tokens": indexed_chunk.chunk.tokens,
                "content_hash": indexed_chunk.content_hash,
            }
            for chunk_id, indexed_chunk in added
        ),
    )
    transaction.insert(
        "chunk_postings",
        *(
            {"chunk_id": chunk_id, "document_id": document_id, "postings": indexed_chunk.postings}
            for chunk_id, indexed_chunk in added
        ),
    )


def _vectors_of_equal_text(
    transaction: Transaction, added: Sequence[tuple[int, IndexedChunk]], model: str
) -> dict[str, bytes]:
    """The vectors that the index has of the texts of new chunks, by their hash."""
    rows = transaction.execute(
        "SELECT c.content_hash, v.vector FROM chunks c"
        " JOIN vectors v ON v.org_id = :org AND v.chunk_id = c.chunk_id AND v.model = :model"
        " WHERE c.org_id = :org AND c.content_hash IN :hashes",
        {"model": model, "hashes": sorted({indexed_chunk.content_hash for _, indexed_chunk in added})},
    )
    return dict(rows)


def _reuse_vectors(
    transaction: Transaction,
    added: Sequence[tuple[int, IndexedChunk]],
    vectors: dict[str, bytes],
    model: str,
) -> int:
    """Give new chunks the vectors of equal text; the number of chunks that are left without one."""
    ready = [
        (chunk_id, vectors[indexed_chunk.content_hash])
        for chunk_id, indexed_chunk in added
        if indexed_chunk.content_hash in vectors
    ]
    complete = len(ready) == len(added)
    sequence = transaction.take_ids("vector", 1)[0] if ready and complete else None
    transaction.insert(
        "vectors",
        *(
            {"chunk_id": chunk_id, "model": model, "vector": HalfVector(vector), "sequence": sequence}
            for chunk_id, vector in ready
        ),
    )
    return len(added) - len(ready)


def _remove_chunks(transaction: Transaction, chunk_ids: Sequence[int]) -> None:
    if chunk_ids:
        for table in ("chunks", "chunk_postings", "vectors"):
            transaction.execute(
                f"DELETE FROM {table} WHERE org_id = :org AND chunk_id IN :ids", {"ids": chunk_ids}
            )
        removals.record(transaction, chunk_ids)


def remove(transaction: Transaction, document_ids: Iterable[int]) -> None:
    """Remove documents with all that was derived from them; their decisions are not found any more, and go
    when their projects are resolved again (`bob.decisions.write_rows`)."""
    ids = list(document_ids)
    if not ids:
        return
    rows = transaction.execute(
        "SELECT chunk_id FROM chunks WHERE org_id = :org AND document_id IN :ids", {"ids": ids}
    )
    _remove_chunks(transaction, [chunk_id for (chunk_id,) in rows])
    jobs.drop(transaction, EMBED, ids)
    past_rows.forget(transaction, ids)
    for table in ("documents", "extracted_documents"):
        transaction.execute(f"DELETE FROM {table} WHERE org_id = :org AND document_id IN :ids", {"ids": ids})


def set_project(
    transaction: Transaction, folder: str, project: str, disks: Collection[str] = ONE_DISK
) -> None:
    """Move all documents of a folder of these disks to a project."""
    transaction.execute(
        f"UPDATE documents AS d SET project = :project WHERE {IN_FOLDER}",
        {"project": project, **in_folder(folder, disks)},
    )


def touch(transaction: Transaction, document_id: int | None, size: int, mtime_ns: int) -> None:
    """Note that a document's file was written anew with the same content."""
    transaction.update("documents", {"document_id": document_id}, {"size": size, "mtime_ns": mtime_ns})


def ids_on(transaction: Transaction, disks: Collection[str]) -> list[int]:
    """The documents that were read from these disks."""
    rows = transaction.execute(
        "SELECT document_id FROM documents WHERE org_id = :org AND disk_id IN :disks", {"disks": disks}
    )
    return [document_id for (document_id,) in rows]
