"""Documents and their chunks: saved whole or not at all, with the job that embeds them (SPEC A5, C3, C4)."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, bindparam, delete, insert, or_, select, update

from bob.core.document import Chunk, SourceDate
from bob.core.locator import locator_to_json
from bob.documents import failure_rows, past_rows
from bob.documents.disk_rows import ONE_DISK
from bob.search.vector_rows import EMBED
from bob.storage import jobs, removals
from bob.storage.counters import next_ids
from bob.storage.paths import path_range
from bob.storage.schema import chunk_postings, chunks, documents, vectors
from bob.storage.schema_knowledge import extracted_documents

_AT_ONCE = 500
"""Values in one IN list: SQLite allows 32,766 parameters, older builds 999."""


@dataclass(frozen=True, slots=True)
class KnownFile:
    """What the index last saw of a file."""

    document_id: int
    size: int
    mtime_ns: int
    content_hash: str


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


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk with its packed postings (`bob.text.terms.postings`)."""

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
    connection: Connection, org_id: str, folder: str, disks: Collection[str] = ONE_DISK
) -> dict[str, KnownFile]:
    """The documents in a folder of these disks (or the one document at that path), by path."""
    rows = connection.execute(
        select(
            documents.c.path,
            documents.c.document_id,
            documents.c.size,
            documents.c.mtime_ns,
            documents.c.content_hash,
        ).where(_in_folder(org_id, folder, disks))
    )
    return {row[0]: KnownFile(row[1], row[2], row[3], row[4]) for row in rows}


def all_paths(connection: Connection, org_id: str) -> set[str]:
    """The paths of all documents."""
    rows = connection.execute(select(documents.c.path).where(documents.c.org_id == org_id))
    return {row[0] for row in rows}


def save(
    connection: Connection, org_id: str, record: DocumentRecord, indexed: Sequence[IndexedChunk], model: str
) -> Saved:
    """Save a document in place of its older version, keeping the chunks whose text is the same.

    Vectors of equal text that the index already has are reused; for the others a job is queued in the same
    transaction.
    """
    known_id = _known_id(connection, org_id, record)
    document_id = known_id or next_ids(connection, org_id, "document", 1)[0]
    previous = _by_hash(connection, org_id, document_id) if known_id else {}
    added: list[tuple[int, IndexedChunk]] = []
    moved: list[dict[str, Any]] = []
    for each in indexed:
        same = previous.get(each.content_hash)
        if same:
            moved.append(
                {
                    "kept_id": same.popleft(),
                    "new_ordinal": each.chunk.ordinal,
                    "new_locator": locator_to_json(each.chunk.locator),
                }
            )
        else:
            added.append((0, each))
    ids = next_ids(connection, org_id, "chunk", len(added)) if added else range(0)
    added = [(chunk_id, each) for chunk_id, (_, each) in zip(ids, added, strict=True)]
    gone = [chunk_id for left in previous.values() for chunk_id in left]
    _save_record(connection, org_id, document_id, record, len(indexed), new=known_id is None)
    _remove_chunks(connection, org_id, gone)
    _move_chunks(connection, org_id, moved)
    _insert_chunks(connection, org_id, document_id, added)
    pending = _reuse_vectors(connection, org_id, added, model)
    if pending:
        jobs.enqueue(connection, org_id, EMBED, document_id)
    failure_rows.forget(connection, org_id, [record.path], (record.disk_id,))
    return Saved(document_id, len(added), len(moved), len(gone), pending)


def _known_id(connection: Connection, org_id: str, record: DocumentRecord) -> int | None:
    """The id of the document that the record replaces: the one at its path, else the one it names.

    Both are looked up now, since another process may have saved or removed the file since it was read.
    """
    rows = connection.execute(
        select(documents.c.path, documents.c.document_id).where(
            documents.c.org_id == org_id,
            documents.c.disk_id == record.disk_id,
            or_(documents.c.path == record.path, documents.c.document_id == record.document_id),
        )
    )
    found: dict[str, int] = {row.path: row.document_id for row in rows}
    return found.get(record.path) or next(iter(found.values()), None)


def _by_hash(connection: Connection, org_id: str, document_id: int) -> dict[str, deque[int]]:
    found: dict[str, deque[int]] = defaultdict(deque)
    rows = connection.execute(
        select(chunks.c.content_hash, chunks.c.chunk_id)
        .where(chunks.c.org_id == org_id, chunks.c.document_id == document_id)
        .order_by(chunks.c.ordinal)
    )
    for content_hash, chunk_id in rows:
        found[content_hash].append(chunk_id)
    return found


def _save_record(
    connection: Connection,
    org_id: str,
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
        "source_date": record.source_date.value if record.source_date else None,
        "source_date_kind": record.source_date.kind if record.source_date else None,
        "tags": list(record.tags),
        "extra": record.extra,
        "content_hash": record.content_hash,
        "size": record.size,
        "mtime_ns": record.mtime_ns,
        "chunk_count": chunk_count,
        "disk_id": record.disk_id,
    }
    if new:
        connection.execute(insert(documents).values(org_id=org_id, document_id=document_id, **values))
    else:
        connection.execute(
            update(documents)
            .where(documents.c.org_id == org_id, documents.c.document_id == document_id)
            .values(**values)
        )


def _move_chunks(connection: Connection, org_id: str, moved: list[dict[str, Any]]) -> None:
    if moved:
        connection.execute(
            update(chunks)
            .where(chunks.c.org_id == org_id, chunks.c.chunk_id == bindparam("kept_id"))
            .values(ordinal=bindparam("new_ordinal"), locator=bindparam("new_locator")),
            moved,
        )


def _insert_chunks(
    connection: Connection, org_id: str, document_id: int, added: Sequence[tuple[int, IndexedChunk]]
) -> None:
    if not added:
        return
    connection.execute(
        insert(chunks),
        [
            {
                "org_id": org_id,
                "chunk_id": chunk_id,
                "document_id": document_id,
                "ordinal": each.chunk.ordinal,
                "text": each.chunk.text,
                "heading_path": list(each.chunk.heading_path),
                "context": each.chunk.context,
                "locator": locator_to_json(each.chunk.locator),
                "tokens": each.chunk.tokens,
                "content_hash": each.content_hash,
            }
            for chunk_id, each in added
        ],
    )
    connection.execute(
        insert(chunk_postings),
        [
            {"org_id": org_id, "chunk_id": chunk_id, "document_id": document_id, "postings": each.postings}
            for chunk_id, each in added
        ],
    )


def _reuse_vectors(
    connection: Connection, org_id: str, added: Sequence[tuple[int, IndexedChunk]], model: str
) -> int:
    """Give new chunks the vectors of equal text; the number of chunks that are left without one."""
    wanted = sorted({each.content_hash for _, each in added})
    known: dict[str, bytes] = {}
    for part in _parts(wanted):
        rows = connection.execute(
            select(chunks.c.content_hash, vectors.c.vector)
            .join(
                vectors,
                (vectors.c.org_id == chunks.c.org_id)
                & (vectors.c.chunk_id == chunks.c.chunk_id)
                & (vectors.c.model == model),
            )
            .where(chunks.c.org_id == org_id, chunks.c.content_hash.in_(part))
        )
        known.update((content_hash, vector) for content_hash, vector in rows)
    ready = [(chunk_id, known[each.content_hash]) for chunk_id, each in added if each.content_hash in known]
    complete = len(ready) == len(added)
    if ready:
        sequence = next_ids(connection, org_id, "vector", 1)[0] if complete else None
        connection.execute(
            insert(vectors),
            [
                {"org_id": org_id, "chunk_id": each, "model": model, "vector": vector, "sequence": sequence}
                for each, vector in ready
            ],
        )
    return len(added) - len(ready)


def _remove_chunks(connection: Connection, org_id: str, chunk_ids: Sequence[int]) -> None:
    for part in _parts(chunk_ids):
        for table in (chunks, chunk_postings, vectors):
            connection.execute(delete(table).where(table.c.org_id == org_id, table.c.chunk_id.in_(part)))
        removals.record(connection, org_id, part)


def remove(connection: Connection, org_id: str, document_ids: Iterable[int]) -> None:
    """Remove documents with all that was derived from them; their decisions are not found any more, and go
    when their projects are resolved again (`bob.decisions.write_rows`)."""
    for part in _parts(list(document_ids)):
        rows = connection.execute(
            select(chunks.c.chunk_id).where(chunks.c.org_id == org_id, chunks.c.document_id.in_(part))
        )
        _remove_chunks(connection, org_id, [row[0] for row in rows])
        jobs.drop(connection, org_id, EMBED, part)
        past_rows.forget(connection, org_id, part)
        for table in (documents, extracted_documents):
            connection.execute(delete(table).where(table.c.org_id == org_id, table.c.document_id.in_(part)))


def set_project(
    connection: Connection, org_id: str, folder: str, project: str, disks: Collection[str] = ONE_DISK
) -> None:
    """Move all documents of a folder of these disks to a project."""
    connection.execute(update(documents).where(_in_folder(org_id, folder, disks)).values(project=project))


def _in_folder(org_id: str, folder: str, disks: Collection[str]) -> ColumnElement[bool]:
    return and_(
        documents.c.org_id == org_id,
        path_range(documents.c.path, folder),
        documents.c.disk_id.in_(list(disks)),
    )


def touch(connection: Connection, org_id: str, document_id: int | None, size: int, mtime_ns: int) -> None:
    """Note that a document's file was written anew with the same content."""
    connection.execute(
        update(documents)
        .where(documents.c.org_id == org_id, documents.c.document_id == document_id)
        .values(size=size, mtime_ns=mtime_ns)
    )


def _parts(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(values), _AT_ONCE):
        yield values[start : start + _AT_ONCE]
