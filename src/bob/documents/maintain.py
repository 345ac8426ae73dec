"""Tries failed work again, and rebuilds all that is derived."""

from __future__ import annotations

import os
from pathlib import Path

from sqlalchemy import Connection, delete, select

from bob.documents import disk_rows, failure_rows, git_rows, source_rows
from bob.documents import rows as documents
from bob.documents.disks import LocalDisks
from bob.storage import jobs, schema
from bob.storage.database import Database


class Maintain:
    """Repairs one organization's index."""

    def __init__(self, database: Database, org_id: str, local_disks: LocalDisks) -> None:
        self._database = database
        self._org_id = org_id
        self._disks = local_disks

    def retry(self) -> tuple[list[Path], int, int]:
        """Queue failed jobs and mark failed files to be read again.

        Returns:
            the folders to index again, and how many files and jobs will be tried.
        """
        with self._database.write() as connection:
            files = failure_rows.mark_for_retry(connection, self._org_id)
            jobs_queued = jobs.retry_failed(connection, self._org_id)
        return self.folders(), files, jobs_queued

    def folders(self) -> list[Path]:
        """The indexed folders that still exist, and those of refs whose repository does."""
        here = self._disks.names
        with self._database.read() as connection:
            every = {path: path for path, _ in source_rows.every(connection, self._org_id, here)}
            refs = git_rows.every(connection, self._org_id, here)
            every |= {each.root: each.repository for each in refs}
        return [Path(path) for path, place in sorted(every.items()) if Path(place).exists()]

    def drop_index(self) -> None:
        """Drop all that is derived from the folders of this machine; what was indexed, and as which project,
        is kept. What other machines have read stays: nobody here could read it again."""
        here = self._disks.names
        with self._database.write() as connection:
            if self._disks.shared:
                self._claim(connection)
            own = schema.documents.c.org_id == self._org_id, schema.documents.c.disk_id.in_(here)
            ids = connection.execute(select(schema.documents.c.document_id).where(*own)).scalars().all()
            documents.remove(connection, self._org_id, ids)
            connection.execute(
                delete(schema.failures).where(
                    schema.failures.c.org_id == self._org_id, schema.failures.c.disk_id.in_(here)
                )
            )
            git_rows.read_again(connection, self._org_id, here)

    def _claim(self, connection: Connection) -> None:
        """Take the documents of which no disk is known, and whose file is on this machine."""
        rows = connection.execute(
            select(schema.documents.c.document_id, schema.documents.c.path).where(
                schema.documents.c.org_id == self._org_id, schema.documents.c.disk_id == ""
            )
        ).all()
        for document_id, path in rows:
            if os.path.lexists(path):
                disk_rows.claim(connection, self._org_id, [document_id], self._disks.holding(path))
