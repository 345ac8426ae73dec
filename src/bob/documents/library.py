"""The library: what is indexed, page by page (SPEC L2, L5)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from bob.core.errors import NotFoundError
from bob.core.search import NO_FILTERS, Filters
from bob.documents import failure_rows, left_out_rows, library_rows, source_rows
from bob.documents.git import rows as git_rows
from bob.documents.library_rows import Order, Position, StoredChunk, StoredDocument
from bob.search.query import documents_matching
from bob.storage.database import Database


@dataclass(frozen=True, slots=True)
class DocumentsPage:
    """Documents in an order; `following` is where the next page begins, None when there is none."""

    documents: list[StoredDocument]
    following: Position | None


class Library:
    """Lists one organization's projects and documents."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def folders(self) -> list[str]:
        """The folders and files that were indexed, and the repositories whose refs were read."""
        with self._database.read() as transaction:
            indexed = {path for path, _ in source_rows.every(transaction)}
            indexed |= {source.repository for source in git_rows.every(transaction)}
        return sorted(indexed)

    def projects(self) -> list[dict[str, Any]]:
        """Every project with counts, its newest source and its folders, by name."""
        with self._database.read() as transaction:
            return library_rows.projects(transaction)

    def page(self, filters: Filters, order: Order, after: Position | None, limit: int) -> DocumentsPage:
        """The documents that pass, in an order, after a position."""
        allowed = None
        with self._database.read() as transaction:
            if filters != NO_FILTERS:
                allowed = set(documents_matching(transaction, filters))
            documents = library_rows.page(transaction, allowed, order, after, limit + 1)
        shown = documents[:limit]
        more = len(documents) > limit
        return DocumentsPage(shown, library_rows.position_of(shown[-1], order) if more else None)

    def document(self, document_id: int) -> StoredDocument:
        """One document.

        Raises:
            NotFoundError: there is none with this id.
        """
        with self._database.read() as transaction:
            document = library_rows.document_at(transaction, document_id)
        if document is None:
            raise NotFoundError(f"no document {document_id}")
        return document

    def failures(self) -> list[dict[str, Any]]:
        """The files that could not be read, by path, each with its reason and what to do about it."""
        with self._database.read() as transaction:
            failures = failure_rows.every(transaction)
        return [
            {
                "path": failure.path,
                "code": failure.code,
                "reason": failure.reason,
                "advice": _advice(failure.code),
            }
            for failure in failures
        ]

    def read_in_part(self) -> list[dict[str, Any]]:
        """The documents that were read in part, by path, each with what was left out."""
        with self._database.read() as transaction:
            documents = left_out_rows.read_in_part(transaction)
        return [asdict(document) for document in documents]

    def chunks(self, document_id: int, first: int, limit: int) -> list[StoredChunk]:
        """The document's chunks from an ordinal on."""
        with self._database.read() as transaction:
            return library_rows.chunks_of(transaction, document_id, first, limit)

    def chunk(self, document_id: int, chunk_id: int) -> StoredChunk:
        """One chunk of a document.

        Raises:
            NotFoundError: the document has no such chunk (any more).
        """
        with self._database.read() as transaction:
            chunk = library_rows.chunk_at(transaction, document_id, chunk_id)
        if chunk is None:
            raise NotFoundError(f"document {document_id} has no chunk {chunk_id}")
        return chunk


_ADVICE = {
    "permission": "Give your user permission to read the file, then try again.",
    "io": "Check that the disk or share is connected, then try again.",
    "timeout": "Try again, or allow more time: the setting ingest.timeout_seconds.",
    "memory": "Allow more memory: the setting ingest.memory_mb.",
    "too-large": "Allow larger files (the setting ingest.max_file_mb), or leave it out with .bobignore.",
    "encrypted": "Save a copy without the password, or leave it out with .bobignore.",
    "no-text": "Run text recognition (OCR) over it, or leave it out with .bobignore.",
    "unsupported": "Save it in another format, or leave it out with .bobignore.",
}


def _advice(code: str) -> str:
    return _ADVICE.get(
        code, "Check that its own program can open it, then save it again; else leave it out with .bobignore."
    )
