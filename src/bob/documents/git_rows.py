"""The refs of git repositories that were read, and how far."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, insert, select, true, update

from bob.core.place import git_root
from bob.documents.disk_rows import ONE_DISK
from bob.documents.source_rows import within
from bob.storage.schema_knowledge import git_sources


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


def every(connection: Connection, org_id: str, disks: Collection[str] | None = None) -> list[GitSource]:
    """All of them, or those of these disks, by repository and ref."""
    of_disks = true() if disks is None else git_sources.c.disk_id.in_(list(disks))
    rows = connection.execute(
        select(
            git_sources.c.repository,
            git_sources.c.ref,
            git_sources.c.project,
            git_sources.c.commit_id,
            git_sources.c.tree_id,
            git_sources.c.options,
            git_sources.c.disk_id,
        )
        .where(git_sources.c.org_id == org_id, of_disks)
        .order_by(git_sources.c.repository, git_sources.c.ref, git_sources.c.disk_id)
    )
    return [GitSource(*row) for row in rows]


def find(
    connection: Connection, org_id: str, repository: str, ref: str, disks: Collection[str] = ONE_DISK
) -> GitSource | None:
    """The one of this ref, None before its first run."""
    wanted = (
        each for each in every(connection, org_id, disks) if (each.repository, each.ref) == (repository, ref)
    )
    return next(wanted, None)


def save(connection: Connection, org_id: str, source: GitSource) -> None:
    """Keep it in place of what was known of the ref."""
    forget(connection, org_id, source)
    connection.execute(
        insert(git_sources).values(
            org_id=org_id,
            repository=source.repository,
            ref=source.ref,
            project=source.project,
            commit_id=source.commit_id,
            tree_id=source.tree_id,
            options=dict(source.options),
            disk_id=source.disk_id,
        )
    )


def forget(connection: Connection, org_id: str, source: GitSource) -> None:
    """Drop what is known of a ref."""
    connection.execute(
        delete(git_sources).where(
            git_sources.c.org_id == org_id,
            git_sources.c.repository == source.repository,
            git_sources.c.ref == source.ref,
            git_sources.c.disk_id == source.disk_id,
        )
    )


def forget_within(connection: Connection, org_id: str, folder: str, disks: Collection[str]) -> None:
    """Drop those whose documents lie in the folder of these disks."""
    for each in every(connection, org_id, disks):
        if within(each.root, folder):
            forget(connection, org_id, each)


def read_again(connection: Connection, org_id: str, disks: Collection[str]) -> None:
    """Make the next run of every ref of these disks read all of it."""
    connection.execute(
        update(git_sources)
        .where(git_sources.c.org_id == org_id, git_sources.c.disk_id.in_(list(disks)))
        .values(commit_id="", tree_id="")
    )
