"""Reads what is indexed: projects, pages of documents, and a document's chunks in order."""

from __future__ import annotations

import json
from collections.abc import Container
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Any, Literal

from bob.core.locator import Locator, locator_from_json, locator_to_json
from bob.storage.database import Transaction

Order = Literal["path", "title", "newest", "oldest"]
"""`newest` and `oldest` go by the source's date; documents without one come last."""


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as the index knows it. `mtime_ns` and `size` are those of the file when it was read."""

    document_id: int
    path: str
    project: str
    title: str
    source_type: str
    parser: str
    language: str | None
    source_date: date | None
    source_date_kind: str | None
    tags: tuple[str, ...]
    extra: dict[str, str]
    content_hash: str
    size: int
    mtime_ns: int
    chunk_count: int
    disk_id: str = ""
    left_out: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The document as JSON."""
        return {
            "document_id": self.document_id,
            "path": self.path,
            "project": self.project,
            "title": self.title,
            "source_type": self.source_type,
            "language": self.language,
            "source_date": None if self.source_date is None else self.source_date.isoformat(),
            "source_date_kind": self.source_date_kind,
            "tags": list(self.tags),
            "extra": self.extra,
            "content_hash": self.content_hash,
            "size": self.size,
            "chunks": self.chunk_count,
            "disk": self.disk_id or None,
            "left_out": list(self.left_out),
        }


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk of a document; `ordinal` counts from 0."""

    chunk_id: int
    ordinal: int
    heading_path: tuple[str, ...]
    locator: Locator
    text: str

    def to_json(self) -> dict[str, Any]:
        """The chunk as JSON."""
        return {
            "chunk_id": self.chunk_id,
            "ordinal": self.ordinal,
            "heading_path": list(self.heading_path),
            "locator": locator_to_json(self.locator),
            "text": self.text,
        }


@dataclass(frozen=True, slots=True)
class Position:
    """Where a page ended: the value that was sorted by, None for a missing date, and the document's id."""

    value: str | None
    document_id: int


def page(
    transaction: Transaction,
    allowed: Container[int] | None,
    order: Order,
    after: Position | None,
    limit: int,
) -> list[StoredDocument]:
    """The next documents in an order; `allowed` limits them to some ids, None to none."""
    conditions, values = ["org_id = :org"], dict[str, Any]()
    if after is not None:
        conditions.append(_beyond(order, after))
        values = {"value": after.value, "document_id": after.document_id}
    if allowed is not None:
        ids = transaction.execute(
            f"SELECT document_id FROM documents WHERE {' AND '.join(conditions)} ORDER BY {_ORDERING[order]}",
            values,
        )
        allowed_ids = list(islice((document_id for (document_id,) in ids if document_id in allowed), limit))
        conditions, values = ["org_id = :org", "document_id IN :ids"], {"ids": allowed_ids}
    rows = transaction.execute(
        f"{_DOCUMENT} WHERE {' AND '.join(conditions)} ORDER BY {_ORDERING[order]} LIMIT :limit",
        values | {"limit": limit},
    )
    return [_document(row) for row in rows]


_ORDERING: dict[Order, str] = {
    "path": "path, document_id",
    "title": "title, document_id",
    "newest": "source_date IS NULL, source_date DESC, document_id",
    "oldest": "source_date IS NULL, source_date, document_id",
}


def _beyond(order: Order, after: Position) -> str:
    if order in ("path", "title"):
        return f"({order} > :value OR {order} = :value AND document_id > :document_id)"
    if after.value is None:
        return "(source_date IS NULL AND document_id > :document_id)"
    further = "<" if order == "newest" else ">"
    return (
        f"(source_date {further} :value OR source_date = :value AND document_id > :document_id"
        " OR source_date IS NULL)"
    )


def position_of(document: StoredDocument, order: Order) -> Position:
    """Where a page ends whose last document this is."""
    if order in ("newest", "oldest"):
        value = None if document.source_date is None else document.source_date.isoformat()
    else:
        value = document.path if order == "path" else document.title
    return Position(value, document.document_id)


def document_at(transaction: Transaction, document_id: int) -> StoredDocument | None:
    """The document with this id."""
    row = transaction.execute(
        f"{_DOCUMENT} WHERE org_id = :org AND document_id = :document_id", {"document_id": document_id}
    ).fetchone()
    return None if row is None else _document(row)


def chunks_of(transaction: Transaction, document_id: int, first: int, limit: int) -> list[StoredChunk]:
    """The document's chunks from an ordinal on, in order."""
    rows = transaction.execute(
        f"{_CHUNK} AND ordinal >= :first ORDER BY ordinal LIMIT :limit",
        {"document_id": document_id, "first": first, "limit": limit},
    )
    return [_chunk(row) for row in rows]


def chunk_at(transaction: Transaction, document_id: int, chunk_id: int) -> StoredChunk | None:
    """A chunk, if it is one of the document."""
    row = transaction.execute(
        f"{_CHUNK} AND chunk_id = :chunk_id", {"document_id": document_id, "chunk_id": chunk_id}
    ).fetchone()
    return None if row is None else _chunk(row)


def projects(transaction: Transaction) -> list[dict[str, Any]]:
    """Every project with how much it has, when its newest source was written, and its indexed folders."""
    folders: dict[str, list[str]] = {}
    for path, project in transaction.execute(
        "SELECT path, project FROM sources WHERE org_id = :org ORDER BY path"
    ):
        folders.setdefault(project, []).append(path)
    counted = transaction.execute(
        "SELECT project, count(*), sum(chunk_count), max(source_date) FROM documents WHERE org_id = :org"
        " GROUP BY project"
    )
    by_name = {name: (count, chunks, newest) for name, count, chunks, newest in counted}
    rows_found = []
    for name in sorted({*by_name, *folders}):
        count, chunks, newest = by_name.get(name, (0, 0, None))
        rows_found.append(
            {
                "project": name,
                "documents": count,
                "chunks": int(chunks or 0),
                "newest": newest,
                "folders": list(dict.fromkeys(folders.get(name, []))),
            }
        )
    return rows_found


_DOCUMENT = """
SELECT document_id, path, project, title, source_type, parser, language, source_date, source_date_kind, tags,
       extra, content_hash, size, mtime_ns, chunk_count, disk_id, left_out
FROM documents
"""
_CHUNK = """
SELECT chunk_id, ordinal, heading_path, locator, text FROM chunks
WHERE org_id = :org AND document_id = :document_id
"""


def _document(row: tuple[Any, ...]) -> StoredDocument:
    document_id, path, project, title, source_type, parser, language, dated, dated_by, *rest = row
    tags, extra, content_hash, size, mtime_ns, chunk_count, disk_id, left_out = rest
    return StoredDocument(
        document_id,
        path,
        project,
        title,
        source_type,
        parser,
        language,
        date.fromisoformat(dated) if dated else None,
        dated_by,
        tuple(json.loads(tags)),
        json.loads(extra),
        content_hash,
        size,
        mtime_ns,
        chunk_count,
        disk_id,
        tuple(json.loads(left_out)),
    )


def _chunk(row: tuple[Any, ...]) -> StoredChunk:
    chunk_id, ordinal, heading_path, locator, text = row
    return StoredChunk(
        chunk_id, ordinal, tuple(json.loads(heading_path)), locator_from_json(json.loads(locator)), text
    )
