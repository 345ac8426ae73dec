"""Reads indexed documents for whoever may see only some of them (SPEC L4, P3).

What may not be seen is not told from what is not there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from bob.core.errors import NotFoundError
from bob.core.search import Filters
from bob.documents import failure_rows, left_out_rows, source_rows, text_rows
from bob.documents.disks import LocalDisks
from bob.documents.failure_rows import Failure
from bob.documents.left_out_rows import ReadInPart
from bob.documents.text_rows import DocumentHead
from bob.search import vector_rows
from bob.storage.database import Database, Transaction

PAGE = 100
"""So many documents are listed at a time."""


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document, and its text from `start` (characters); `next_start` is where to go on, None at the end."""

    head: DocumentHead
    text: str
    characters: int
    next_start: int | None


@dataclass(frozen=True, slots=True)
class ProjectCount:
    """How many documents of a project may be seen."""

    project: str
    documents: int


@dataclass(frozen=True, slots=True)
class Visible:
    """What the index holds of what may be seen; `pending` counts chunks that have no vector yet, of all."""

    projects: tuple[ProjectCount, ...]
    chunks: int
    pending: int
    failures: tuple[Failure, ...]
    read_in_part: tuple[ReadInPart, ...]

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return sum(project.documents for project in self.projects)


class ReadDocuments:
    """The documents of one organization. Every call says by `allowed` what may be seen."""

    def __init__(self, database: Database, model: str, disks: LocalDisks) -> None:
        self._database = database
        self._model = model
        self._disks = disks

    def page(self, allowed: Filters, after: int = 0) -> tuple[list[DocumentHead], bool]:
        """The next documents by id, `PAGE` at the most, and whether there are more."""
        with self._database.read() as transaction:
            ids = text_rows.ids_of(transaction, allowed)
            left = [document_id for document_id in ids if document_id > after]
            return text_rows.heads(transaction, left[:PAGE]), len(left) > PAGE

    def read(self, document_id: int, allowed: Filters, start: int, most: int) -> ReadDocument:
        """A document's text from `start`, `most` characters of it. Raises NotFoundError."""
        with self._database.read() as transaction:
            heads = text_rows.heads(transaction, [document_id])
            seen = self._at(transaction, heads[0].path, allowed) if heads else None
            if seen is None:
                raise NotFoundError(f"no document {document_id}; search returns the ids")
            text = text_rows.text_of(transaction, document_id)
        end = start + most
        return ReadDocument(seen, text[start:end], len(text), end if end < len(text) else None)

    def at(self, path: str, allowed: Filters) -> DocumentHead | None:
        """The document at exactly this path, None when there is none or it may not be seen."""
        with self._database.read() as transaction:
            return self._at(transaction, path, allowed)

    def _at(self, transaction: Transaction, path: str, allowed: Filters) -> DocumentHead | None:
        only = Filters(path_prefixes=(path,), within=allowed)
        ids = text_rows.ids_of(transaction, only)
        heads = text_rows.heads(transaction, ids)
        return next((head for head in heads if head.path == path), None)

    def folders(self) -> list[str]:
        """The folders and files that were indexed on this machine."""
        with self._database.read() as transaction:
            return [path for path, _ in source_rows.every(transaction, self._disks.names)]

    def visible(self, allowed: Filters) -> Visible:
        """What the index holds, counted over what may be seen."""
        with self._database.read() as transaction:
            ids = text_rows.ids_of(transaction, allowed)
            heads = text_rows.heads(transaction, ids)
            partial = left_out_rows.read_in_part(transaction, ids)
            pending = vector_rows.pending_count(transaction, self._model)
            unread = failure_rows.every(transaction)
            folders = source_rows.every(transaction)
        counted = Counter(head.project for head in heads)
        return Visible(
            tuple(ProjectCount(name, count) for name, count in sorted(counted.items())),
            sum(head.chunks for head in heads),
            pending,
            tuple(failure for failure in unread if _may_see(failure, allowed, folders)),
            tuple(partial),
        )


def _may_see(failure: Failure, allowed: Filters, folders: Sequence[tuple[str, str]]) -> bool:
    """A file that could not be read is no document: its place and its folder's project say who may know."""
    places, projects = allowed.path_prefixes, {project.lower() for project in allowed.projects}
    inside = not places or any(source_rows.within(failure.path, place_path) for place_path in places)
    return inside and (not projects or (source_rows.nearest(folders, failure.path) or "").lower() in projects)
