"""What the index has of the files of git repositories, each as a commit has it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date

from sqlalchemy import Connection, func, select

from bob.documents.disk_rows import ONE_DISK
from bob.documents.rows import KnownFile
from bob.storage.paths import path_range
from bob.storage.schema import documents
from bob.storage.schema_knowledge import past_documents


@dataclass(frozen=True, slots=True)
class KnownVersion:
    """What the index has of a file of a git repository; `until` as in `past_documents`."""

    document: KnownFile
    file: str
    commit: str
    blob: str
    until: date | None


def count(connection: Connection, org_id: str, folder: str, disks: Collection[str] = ONE_DISK) -> int:
    """How many documents were read from commits into a folder."""
    counted = select(func.count()).where(
        documents.c.org_id == org_id,
        path_range(documents.c.path, folder),
        documents.c.disk_id.in_(list(disks)),
    )
    return int(connection.execute(counted).scalar_one())


def known_versions(
    connection: Connection, org_id: str, folder: str, disks: Collection[str] = ONE_DISK
) -> dict[str, KnownVersion]:
    """What was read from commits of repositories on these disks into a folder, by path."""
    rows = connection.execute(
        select(
            documents.c.path,
            documents.c.document_id,
            documents.c.size,
            documents.c.mtime_ns,
            documents.c.content_hash,
            documents.c.extra,
            past_documents.c.valid_until,
        )
        .outerjoin(
            past_documents,
            (past_documents.c.org_id == documents.c.org_id)
            & (past_documents.c.document_id == documents.c.document_id),
        )
        .where(
            documents.c.org_id == org_id,
            path_range(documents.c.path, folder),
            documents.c.disk_id.in_(list(disks)),
        )
    )
    return {
        path: KnownVersion(KnownFile(*file), extra["git_file"], extra["git_commit"], extra["git_blob"], until)
        for path, *file, extra, until in rows
        if "git_blob" in extra
    }
