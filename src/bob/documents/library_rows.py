"""Reads what is indexed: projects, pages of documents, and a document's chunks in order."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Any, Literal

from sqlalchemy import Connection, Row, and_, func, or_, select

from bob.core.locator import Locator, locator_from_json, locator_to_json
from bob.storage.schema import chunks, documents, sources

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
    connection: Connection,
    org_id: str,
    allowed: Container[int] | None,
    order: Order,
    after: Position | None,
    limit: int,
) -> list[StoredDocument]:
    """The next documents in an order; `allowed` limits them to some ids, None to none."""
    condition = documents.c.org_id == org_id
    if after is not None:
        condition &= _beyond(order, after)
    if allowed is not None:
        # There may be more of them than a statement takes values.
        ids = connection.execute(select(documents.c.document_id).where(condition).order_by(*_ordering(order)))
        page_ids = list(islice((each for (each,) in ids if each in allowed), limit))
        condition = (documents.c.org_id == org_id) & documents.c.document_id.in_(page_ids)
    rows = connection.execute(select(documents).where(condition).order_by(*_ordering(order)).limit(limit))
    return [_document(row) for row in rows]


def position_of(document: StoredDocument, order: Order) -> Position:
    """Where a page ends whose last document this is."""
    if order in ("newest", "oldest"):
        value = None if document.source_date is None else document.source_date.isoformat()
    else:
        value = document.path if order == "path" else document.title
    return Position(value, document.document_id)


def _ordering(order: Order) -> list[Any]:
    if order in ("path", "title"):
        return [documents.c[order], documents.c.document_id]
    dated = documents.c.source_date
    return [
        dated.is_(None),
        dated.desc() if order == "newest" else dated.asc(),
        documents.c.document_id,
    ]


def _beyond(order: Order, after: Position) -> Any:
    later = documents.c.document_id > after.document_id
    if order in ("path", "title"):
        column = documents.c[order]
        return or_(column > after.value, and_(column == after.value, later))
    dated = documents.c.source_date
    if after.value is None:
        return and_(dated.is_(None), later)
    day = date.fromisoformat(after.value)
    further = dated < day if order == "newest" else dated > day
    return or_(further, and_(dated == day, later), dated.is_(None))


def document_at(connection: Connection, org_id: str, document_id: int) -> StoredDocument | None:
    """The document with this id."""
    found = select(documents).where(documents.c.org_id == org_id, documents.c.document_id == document_id)
    row = connection.execute(found).first()
    return None if row is None else _document(row)


def chunks_of(
    connection: Connection, org_id: str, document_id: int, first: int, limit: int
) -> list[StoredChunk]:
    """The document's chunks from an ordinal on, in order."""
    rows = connection.execute(
        select(chunks.c.chunk_id, chunks.c.ordinal, chunks.c.heading_path, chunks.c.locator, chunks.c.text)
        .where(chunks.c.org_id == org_id, chunks.c.document_id == document_id, chunks.c.ordinal >= first)
        .order_by(chunks.c.ordinal)
        .limit(limit)
    )
    return [
        StoredChunk(
            row.chunk_id, row.ordinal, tuple(row.heading_path), locator_from_json(row.locator), row.text
        )
        for row in rows
    ]


def chunk_at(connection: Connection, org_id: str, document_id: int, chunk_id: int) -> StoredChunk | None:
    """A chunk, if it is one of the document."""
    row = connection.execute(
        select(
            chunks.c.chunk_id, chunks.c.ordinal, chunks.c.heading_path, chunks.c.locator, chunks.c.text
        ).where(chunks.c.org_id == org_id, chunks.c.document_id == document_id, chunks.c.chunk_id == chunk_id)
    ).first()
    if row is None:
        return None
    return StoredChunk(
        row.chunk_id, row.ordinal, tuple(row.heading_path), locator_from_json(row.locator), row.text
    )


def projects(connection: Connection, org_id: str) -> list[dict[str, Any]]:
    """Every project with how much it has, when its newest source was written, and its indexed folders."""
    folders: dict[str, list[str]] = {}
    for path, project in connection.execute(
        select(sources.c.path, sources.c.project).where(sources.c.org_id == org_id).order_by(sources.c.path)
    ):
        folders.setdefault(project, []).append(path)
    counted = connection.execute(
        select(
            documents.c.project,
            func.count().label("documents"),
            func.sum(documents.c.chunk_count).label("chunks"),
            func.max(documents.c.source_date).label("newest"),
        )
        .where(documents.c.org_id == org_id)
        .group_by(documents.c.project)
    ).all()
    by_name = {row.project: row for row in counted}
    return [
        {
            "project": name,
            "documents": by_name[name].documents if name in by_name else 0,
            "chunks": int(by_name[name].chunks or 0) if name in by_name else 0,
            "newest": by_name[name].newest.isoformat() if name in by_name and by_name[name].newest else None,
            "folders": list(dict.fromkeys(folders.get(name, []))),
        }
        for name in sorted({*by_name, *folders})
    ]


def _document(row: Row[Any]) -> StoredDocument:
    return StoredDocument(
        row.document_id,
        row.path,
        row.project,
        row.title,
        row.source_type,
        row.parser,
        row.language,
        row.source_date,
        row.source_date_kind,
        tuple(row.tags),
        dict(row.extra),
        row.content_hash,
        row.size,
        row.mtime_ns,
        row.chunk_count,
        row.disk_id,
    )
