"""Files that could not be read, and why (SPEC B5)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from bob.store.paths import path_range
from bob.store.schema import failures


@dataclass(frozen=True, slots=True)
class Failure:
    """A file that could not be read: `code` for programs, `reason` for its owner."""

    path: str
    code: str
    reason: str


def known(connection: Connection, org_id: str, folder: str) -> dict[str, tuple[int, int]]:
    """Size and mtime (ns) of the unreadable files in a folder, by path."""
    rows = connection.execute(
        select(failures.c.path, failures.c.size, failures.c.mtime_ns).where(
            failures.c.org_id == org_id, path_range(failures.c.path, folder)
        )
    )
    return {path: (size, mtime_ns) for path, size, mtime_ns in rows}


def every(connection: Connection, org_id: str) -> list[Failure]:
    """All failures, by path."""
    rows = connection.execute(
        select(failures.c.path, failures.c.code, failures.c.reason)
        .where(failures.c.org_id == org_id)
        .order_by(failures.c.path)
    )
    return [Failure(*row) for row in rows]


def at(connection: Connection, org_id: str, paths: Iterable[str]) -> list[Failure]:
    """The failures of these paths."""
    wanted = set(paths)
    return [failure for failure in every(connection, org_id) if failure.path in wanted]


def record(connection: Connection, org_id: str, failure: Failure, size: int, mtime_ns: int) -> None:
    """Note a failure; the file is tried again when it changes, or by `bob retry`."""
    forget(connection, org_id, [failure.path])
    connection.execute(
        insert(failures).values(
            org_id=org_id,
            path=failure.path,
            code=failure.code,
            reason=failure.reason,
            size=size,
            mtime_ns=mtime_ns,
        )
    )


def forget(connection: Connection, org_id: str, paths: Iterable[str]) -> None:
    """Drop the notes of these paths, if there are any."""
    rows = [{"gone": path} for path in paths]
    if rows:
        connection.execute(
            delete(failures).where(failures.c.org_id == org_id, failures.c.path == bindparam("gone")), rows
        )


def mark_for_retry(connection: Connection, org_id: str) -> int:
    """Make the next run read all failed files again; how many there are."""
    return connection.execute(
        update(failures).where(failures.c.org_id == org_id).values(mtime_ns=-1)
    ).rowcount
