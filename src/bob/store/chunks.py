"""Reads chunks with their documents, and the documents that pass a filter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, func, literal, or_, select

from bob.domain.filters import Filters
from bob.domain.hit import FoundChunk
from bob.domain.locator import locator_from_json
from bob.store.paths import path_range
from bob.store.schema import chunks, documents

_CHUNK_ROWS = (
    select(
        chunks.c.chunk_id,
        chunks.c.document_id,
        chunks.c.ordinal,
        documents.c.path,
        documents.c.title,
        documents.c.project,
        documents.c.source_type,
        documents.c.language,
        documents.c.source_date,
        documents.c.source_date_kind,
        chunks.c.heading_path,
        chunks.c.context,
        chunks.c.locator,
        chunks.c.text,
        chunks.c.content_hash,
    )
    .join(
        documents,
        (documents.c.org_id == chunks.c.org_id) & (documents.c.document_id == chunks.c.document_id),
    )
    .where(chunks.c.org_id == bindparam("org_id"))
)
_BY_IDS = _CHUNK_ROWS.where(chunks.c.chunk_id.in_(bindparam("chunk_ids", expanding=True)))
"""Built once: putting it together takes as long as running it."""


def found_chunks(connection: Connection, org_id: str, chunk_ids: Sequence[int]) -> dict[int, FoundChunk]:
    """The chunks that still exist, by id."""
    rows = connection.execute(_BY_IDS, {"org_id": org_id, "chunk_ids": list(chunk_ids)})
    return {row[0]: _found(row) for row in rows}


def _found(row: Any) -> FoundChunk:
    return FoundChunk(
        chunk_id=row.chunk_id,
        document_id=row.document_id,
        ordinal=row.ordinal,
        path=row.path,
        title=row.title,
        project=row.project,
        source_type=row.source_type,
        language=row.language,
        source_date=row.source_date,
        source_date_kind=row.source_date_kind,
        heading_path=tuple(row.heading_path),
        context=row.context,
        locator=locator_from_json(row.locator),
        text=row.text,
        content_hash=row.content_hash,
    )


def documents_matching(connection: Connection, org_id: str, filters: Filters) -> list[int]:
    """The ids of the documents that pass all conditions."""
    conditions = [documents.c.org_id == org_id, *_conditions(filters)]
    rows = connection.execute(select(documents.c.document_id, documents.c.tags).where(*conditions))
    wanted = {tag.lower() for tag in filters.tags}
    return [row[0] for row in rows if not wanted or wanted & {str(tag).lower() for tag in row[1]}]


def _conditions(filters: Filters) -> list[ColumnElement[bool]]:
    table = documents.c
    conditions: list[ColumnElement[bool]] = []
    if filters.projects:
        conditions.append(func.lower(table.project).in_([each.lower() for each in filters.projects]))
    if filters.languages:
        conditions.append(table.language.in_([each.lower() for each in filters.languages]))
    if filters.source_types:
        # "type:docx" is what people type for what is called "word".
        conditions.append(
            or_(
                *(
                    or_(
                        table.source_type == each.lower(),
                        func.lower(table.path).endswith(f".{each.lower()}", autoescape=True),
                    )
                    for each in filters.source_types
                )
            )
        )
    if filters.path_prefixes:
        conditions.append(or_(*(_below(prefix) for prefix in filters.path_prefixes)))
    if filters.after is not None:
        conditions.append(table.source_date >= filters.after)
    if filters.before is not None:
        conditions.append(table.source_date < filters.before)
    return conditions


def _below(prefix: str) -> ColumnElement[bool]:
    """A path from the root is a folder or file; any other is found below any folder."""
    if prefix.startswith("/"):
        return path_range(documents.c.path, prefix.rstrip("/") or "/")
    inside = literal("/") + prefix.strip("/")
    return or_(
        func.instr(documents.c.path, inside + "/") > 0,
        documents.c.path.endswith("/" + prefix.strip("/"), autoescape=True),
    )
