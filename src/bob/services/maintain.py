"""Tries failed work again, and rebuilds all that is derived."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import delete, insert, select

from bob.store import failures, git_sources, jobs, schema, schema_knowledge, sources
from bob.store.database import Database
from bob.store.documents import EMBED

_DERIVED = (
    schema.vectors,
    schema.chunk_postings,
    schema.chunks,
    schema.documents,
    schema.failures,
    schema_knowledge.past_documents,
    schema_knowledge.extracted_documents,
)


class Maintain:
    """Repairs one organization's index."""

    def __init__(self, database: Database, org_id: str) -> None:
        self._database = database
        self._org_id = org_id

    def retry(self) -> tuple[list[Path], int, int]:
        """Queue failed jobs and mark failed files to be read again.

        Returns:
            the folders to index again, and how many files and jobs will be tried.
        """
        with self._database.write() as connection:
            files = failures.mark_for_retry(connection, self._org_id)
            jobs_queued = jobs.retry_failed(connection, self._org_id)
        return self.folders(), files, jobs_queued

    def folders(self) -> list[Path]:
        """The indexed folders that still exist, and those of refs whose repository does."""
        with self._database.read() as connection:
            every = {path: path for path, _ in sources.every(connection, self._org_id)}
            every |= {each.root: each.repository for each in git_sources.every(connection, self._org_id)}
        return [Path(path) for path, place in sorted(every.items()) if Path(place).exists()]

    def drop_index(self) -> None:
        """Drop all that is derived from the folders; what was indexed, and as which project, is kept."""
        own = schema.chunks.c.org_id == self._org_id
        with self._database.write() as connection:
            # The snapshot still has these chunks until it is made anew.
            connection.execute(
                insert(schema.removed_chunks).from_select(
                    ["org_id", "chunk_id"],
                    select(schema.chunks.c.org_id, schema.chunks.c.chunk_id).where(own),
                )
            )
            for table in _DERIVED:
                connection.execute(delete(table).where(table.c.org_id == self._org_id))
            git_sources.read_again(connection, self._org_id)
            queued = schema.jobs.c.org_id == self._org_id
            connection.execute(delete(schema.jobs).where(queued, schema.jobs.c.kind == EMBED))
