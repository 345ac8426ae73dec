"""What the index has of the files of git repositories, each as a commit has it."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date

from bob.documents.disk_rows import ONE_DISK
from bob.documents.rows import IN_FOLDER, KnownFile, in_folder
from bob.storage.database import Transaction


@dataclass(frozen=True, slots=True)
class KnownVersion:
    """What the index has of a file of a git repository; `until` as in `past_documents`."""

    document: KnownFile
    file: str
    commit: str
    blob: str
    until: date | None


def count(transaction: Transaction, folder: str, disks: Collection[str] = ONE_DISK) -> int:
    """How many documents were read from commits into a folder."""
    row = transaction.execute(
        f"SELECT count(*) FROM documents d WHERE {IN_FOLDER}", in_folder(folder, disks)
    ).fetchone()
    return int(row[0])


def known_versions(
    transaction: Transaction, folder: str, disks: Collection[str] = ONE_DISK
) -> dict[str, KnownVersion]:
    """What was read from commits of repositories on these disks into a folder, by path."""
    rows = transaction.execute(
        "SELECT d.path, d.document_id, d.size, d.mtime_ns, d.content_hash, d.reading, d.extra, p.valid_until"
        " FROM documents d LEFT JOIN past_documents p ON p.org_id = :org AND p.document_id = d.document_id"
        f" WHERE {IN_FOLDER}",
        in_folder(folder, disks),
    )
    versions = {}
    for path, *file, packed, until in rows:
        extra = json.loads(packed)
        if "git_blob" in extra:
            place_in_git = extra["git_file"], extra["git_commit"], extra["git_blob"]
            versions[path] = KnownVersion(
                KnownFile(*file), *place_in_git, date.fromisoformat(until) if until else None
            )
    return versions
