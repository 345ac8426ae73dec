"""The folders that were indexed, and the project that their files belong to."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, delete, insert, select

from bob.store.schema import sources


def project_of(connection: Connection, org_id: str, path: str) -> str | None:
    """The project of the nearest indexed folder that holds `path`, or is it; None if there is none."""
    return nearest(every(connection, org_id), path)


def nearest(folders: Sequence[tuple[str, str]], path: str) -> str | None:
    """As `project_of`, for folders that were read before."""
    holding = [(len(folder), project) for folder, project in folders if within(path, folder)]
    return max(holding)[1] if holding else None


def remember(connection: Connection, org_id: str, path: str, project: str) -> None:
    """Note that a folder was indexed, under this project."""
    forget(connection, org_id, path)
    connection.execute(insert(sources).values(org_id=org_id, path=path, project=project))


def forget(connection: Connection, org_id: str, path: str) -> None:
    """Drop the note of a folder."""
    connection.execute(delete(sources).where(sources.c.org_id == org_id, sources.c.path == path))


def every(connection: Connection, org_id: str) -> list[tuple[str, str]]:
    """All indexed folders with their projects, by path."""
    rows = connection.execute(
        select(sources.c.path, sources.c.project).where(sources.c.org_id == org_id).order_by(sources.c.path)
    )
    return [(path, project) for path, project in rows]


def within(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or lies below it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")
