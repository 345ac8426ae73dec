"""The refs of git repositories that were read, and how far."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from bob.core.place import git_root
from bob.documents.disk_rows import ONE_DISK
from bob.documents.source_rows import within
from bob.storage.database import Transaction


@dataclass(frozen=True, slots=True)
class GitSource:
    """A ref that was read to its end at a commit and its tree; both are empty while it is being read."""

    repository: str
    ref: str
    project: str
    commit_id: str
    tree_id: str
    options: Mapping[str, Any]
    disk_id: str = ""

    @property
    def root(self) -> str:
        """The folder of its documents."""
        return git_root(self.repository, self.ref)


def every(transaction: Transaction, disks: Collection[str] | None = None) -> list[GitSource]:
    """All of them, or those of these disks, by repository and ref."""
    of_disks = "" if disks is None else "AND disk_id IN :disks"
    rows = transaction.execute(
        "SELECT repository, ref, project, commit_id, tree_id, options, disk_id FROM git_sources"
        f" WHERE org_id = :org {of_disks} ORDER BY repository, ref, disk_id",
        {"disks": disks},
    )
    return [
        GitSource(repository, ref, project, commit_id, tree_id, json.loads(options), disk_id)
        for repository, ref, project, commit_id, tree_id, options, disk_id in rows
    ]


def find(
    transaction: Transaction, repository: str, ref: str, disks: Collection[str] = ONE_DISK
) -> GitSource | None:
    """The one of this ref, None before its first run."""
    source = (
        sources
        for sources in every(transaction, disks)
        if (sources.repository, sources.ref) == (repository, ref)
    )
    return next(source, None)


def save(transaction: Transaction, source: GitSource) -> None:
    """Keep it in place of what was known of the ref."""
    forget(transaction, source)
    transaction.insert(
        "git_sources",
        {
            "repository": source.repository,
            "ref": source.ref,
            "project": source.project,
            "commit_id": source.commit_id,
            "tree_id": source.tree_id,
            "options": json.dumps(dict(source.options)),
            "disk_id": source.disk_id,
        },
    )


def forget(transaction: Transaction, source: GitSource) -> None:
    """Drop what is known of a ref."""
    transaction.execute(
        "DELETE FROM git_sources"
        " WHERE org_id = :org AND repository = :repository AND ref = :ref AND disk_id = :disk_id",
        {"repository": source.repository, "ref": source.ref, "disk_id": source.disk_id},
    )


def forget_within(transaction: Transaction, folder: str, disks: Collection[str]) -> None:
    """Drop those whose documents lie in the folder of these disks."""
    for source in every(transaction, disks):
        if within(source.root, folder):
            forget(transaction, source)


def read_again(transaction: Transaction, disks: Collection[str]) -> None:
    """Make the next run of every ref of these disks read all of it."""
    transaction.execute(
        "UPDATE git_sources SET commit_id = '', tree_id = '' WHERE org_id = :org AND disk_id IN :disks",
        {"disks": disks},
    )
