"""Files that could not be read, and why (SPEC B5)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from bob.documents.disk_rows import ONE_DISK
from bob.storage.database import Transaction
from bob.storage.paths import BELOW, path_values


@dataclass(frozen=True, slots=True)
class Failure:
    """A file that could not be read: `code` for programs, `reason` for its owner."""

    path: str
    code: str
    reason: str


def known(
    transaction: Transaction, folder: str, disks: Collection[str] = ONE_DISK
) -> dict[str, tuple[int, int]]:
    """Size and mtime (ns) of the unreadable files in a folder of these disks, by path."""
    rows = transaction.execute(
        "SELECT path, size, mtime_ns FROM failures"
        f" WHERE org_id = :org AND {BELOW.format(column='path')} AND disk_id IN :disks",
        {**path_values(folder), "disks": disks},
    )
    return {path: (size, mtime_ns) for path, size, mtime_ns in rows}


def every(transaction: Transaction, disks: Collection[str] | None = None) -> list[Failure]:
    """All failures, or those of these disks, by path."""
    of_disks = "" if disks is None else "AND disk_id IN :disks"
    rows = transaction.execute(
        f"SELECT path, code, reason FROM failures WHERE org_id = :org {of_disks} ORDER BY path, disk_id",
        {"disks": disks},
    )
    return [Failure(*row) for row in rows]


def of_paths(
    transaction: Transaction, paths: Iterable[str], disks: Collection[str] = ONE_DISK
) -> list[Failure]:
    """The failures of these paths on these disks."""
    path_set = set(paths)
    return [failure for failure in every(transaction, disks) if failure.path in path_set]


def record(transaction: Transaction, failure: Failure, size: int, mtime_ns: int, disk_id: str = "") -> None:
    """Note a failure; the file is tried again when it changes, or by `bob retry`."""
    forget(transaction, [failure.path], (disk_id, *ONE_DISK))
    transaction.insert(
        "failures",
        {
            "path": failure.path,
            "code": failure.code,
            "reason": failure.reason,
            "size": size,
            "mtime_ns": mtime_ns,
            "disk_id": disk_id,
        },
    )


def forget(transaction: Transaction, paths: Iterable[str], disks: Collection[str] = ONE_DISK) -> None:
    """Drop the notes of these paths on these disks, if there are any."""
    transaction.execute(
        "DELETE FROM failures WHERE org_id = :org AND path IN :paths AND disk_id IN :disks",
        {"paths": list(paths), "disks": disks},
    )


def forget_disks(transaction: Transaction, disks: Collection[str]) -> None:
    """Drop all notes of these disks."""
    transaction.execute("DELETE FROM failures WHERE org_id = :org AND disk_id IN :disks", {"disks": disks})


def mark_for_retry(transaction: Transaction) -> int:
    """Make the next run read all failed files again; how many there are."""
    return transaction.execute("UPDATE failures SET mtime_ns = -1 WHERE org_id = :org").rowcount
