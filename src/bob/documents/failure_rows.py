"""Files that could not be read, and why (SPEC B5)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, delete, insert, select, true, update

from bob.documents.disk_rows import ONE_DISK
from bob.storage.paths import path_range
from bob.storage.schema import failures


@dataclass(frozen=True, slots=True)
class Failure:
    """A file that could not be read: `code` for programs, `reason` for its owner."""

    path: str
    code: str
    reason: str


def known(
    connection: Connection, org_id: str, folder: str, disks: Collection[str] = ONE_DISK
) -> dict[str, tuple[int, int]]:
    """Size and mtime (ns) of the unreadable files in a folder of these disks, by path."""
    rows = connection.execute(
        select(failures.c.path, failures.c.size, failures.c.mtime_ns).where(
            failures.c.org_id == org_id,
            path_range(failures.c.path, folder),
            failures.c.disk_id.in_(list(disks)),
        )
    )
    return {path: (size, mtime_ns) for path, size, mtime_ns in rows}


def every(connection: Connection, org_id: str, disks: Collection[str] | None = None) -> list[Failure]:
    """All failures, or those of these disks, by path."""
    of_disks = true() if disks is None else failures.c.disk_id.in_(list(disks))
    rows = connection.execute(
        select(failures.c.path, failures.c.code, failures.c.reason)
        .where(failures.c.org_id == org_id, of_disks)
        .order_by(failures.c.path, failures.c.disk_id)
    )
    return [Failure(*row) for row in rows]


def at(
    connection: Connection, org_id: str, paths: Iterable[str], disks: Collection[str] = ONE_DISK
) -> list[Failure]:
    """The failures of these paths on these disks."""
    wanted = set(paths)
    return [failure for failure in every(connection, org_id, disks) if failure.path in wanted]


def record(
    connection: Connection, org_id: str, failure: Failure, size: int, mtime_ns: int, disk_id: str = ""
) -> None:
    """Note a failure; the file is tried again when it changes, or by `bob retry`."""
    forget(connection, org_id, [failure.path], (disk_id, *ONE_DISK))
    connection.execute(
        insert(failures).values(
            org_id=org_id,
            path=failure.path,
            code=failure.code,
            reason=failure.reason,
            size=size,
            mtime_ns=mtime_ns,
            disk_id=disk_id,
        )
    )


def forget(
    connection: Connection, org_id: str, paths: Iterable[str], disks: Collection[str] = ONE_DISK
) -> None:
    """Drop the notes of these paths on these disks, if there are any."""
    rows = [{"gone": path, "gone_disk": disk_id} for path in paths for disk_id in disks]
    if rows:
        connection.execute(
            delete(failures).where(
                failures.c.org_id == org_id,
                failures.c.path == bindparam("gone"),
                failures.c.disk_id == bindparam("gone_disk"),
            ),
            rows,
        )


def mark_for_retry(connection: Connection, org_id: str) -> int:
    """Make the next run read all failed files again; how many there are."""
    return connection.execute(
        update(failures).where(failures.c.org_id == org_id).values(mtime_ns=-1)
    ).rowcount
