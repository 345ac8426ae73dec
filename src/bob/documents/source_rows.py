"""The folders that were indexed, and the project that their files belong to."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from bob.documents.disk_rows import ONE_DISK
from bob.storage.database import Transaction


def project_of(transaction: Transaction, path: str, disks: Collection[str] | None = None) -> str | None:
    """The project of the nearest indexed folder that holds `path`, or is it; None if there is none."""
    return nearest(every(transaction, disks), path)


def nearest(folders: Sequence[tuple[str, str]], path: str) -> str | None:
    """As `project_of`, for folders that were read before."""
    holding = [(len(folder), project) for folder, project in folders if within(path, folder)]
    return max(holding)[1] if holding else None


def remember(transaction: Transaction, path: str, project: str, disk_id: str = "") -> None:
    """Note that a folder of a disk was indexed, under this project."""
    forget(transaction, path, (disk_id,))
    transaction.insert("sources", {"path": path, "project": project, "disk_id": disk_id})


def forget(transaction: Transaction, path: str, disks: Collection[str] = ONE_DISK) -> None:
    """Drop the note of a folder of these disks."""
    transaction.execute(
        "DELETE FROM sources WHERE org_id = :org AND path = :path AND disk_id IN :disks",
        {"path": path, "disks": disks},
    )


def every(transaction: Transaction, disks: Collection[str] | None = None) -> list[tuple[str, str]]:
    """All indexed folders with their projects, by path. Of some disks: with those of which the disk is not
    known, except where one of these disks says something else of the same folder."""
    rows = transaction.execute(
        "SELECT path, project, disk_id FROM sources WHERE org_id = :org ORDER BY path, disk_id"
    ).fetchall()
    if disks is None:
        return [(path, project) for path, project, _ in rows]
    return list({path: project for path, project, disk_id in rows if disk_id in (*disks, *ONE_DISK)}.items())


def within(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or lies below it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")
