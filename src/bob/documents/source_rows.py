"""The folders that were indexed, and the project that their files belong to."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Connection, delete, insert, select

from bob.documents.disk_rows import ONE_DISK
from bob.storage.schema import sources


def project_of(
    connection: Connection, org_id: str, path: str, disks: Collection[str] | None = None
) -> str | None:
    """The project of the nearest indexed folder that holds `path`, or is it; None if there is none."""
    return nearest(every(connection, org_id, disks), path)


def nearest(folders: Sequence[tuple[str, str]], path: str) -> str | None:
    """As `project_of`, for folders that were read before."""
    holding = [(len(folder), project) for folder, project in folders if within(path, folder)]
    return max(holding)[1] if holding else None


def remember(connection: Connection, org_id: str, path: str, project: str, disk_id: str = "") -> None:
    """Note that a folder of a disk was indexed, under this project."""
    forget(connection, org_id, path, (disk_id,))
    connection.execute(insert(sources).values(org_id=org_id, path=path, project=project, disk_id=disk_id))


def forget(connection: Connection, org_id: str, path: str, disks: Collection[str] = ONE_DISK) -> None:
    """Drop the note of a folder of these disks."""
    connection.execute(
        delete(sources).where(
            sources.c.org_id == org_id, sources.c.path == path, sources.c.disk_id.in_(list(disks))
        )
    )


def every(connection: Connection, org_id: str, disks: Collection[str] | None = None) -> list[tuple[str, str]]:
    """All indexed folders with their projects, by path. Of some disks: with those of which the disk is not
    known, except where one of these disks says something else of the same folder."""
    rows = connection.execute(
        select(sources.c.path, sources.c.project, sources.c.disk_id)
        .where(sources.c.org_id == org_id)
        .order_by(sources.c.path, sources.c.disk_id)
    ).all()
    if disks is None:
        return [(path, project) for path, project, _ in rows]
    return list({path: project for path, project, disk_id in rows if disk_id in (*disks, *ONE_DISK)}.items())


def within(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or lies below it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")
