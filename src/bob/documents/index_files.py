"""Brings the index in line with a folder: what is new or changed is read, what is gone is removed.

Documents become searchable by their words as they are read; their vectors follow by jobs.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bob.core.errors import UsageError
from bob.documents import disk_rows, failure_rows, rows, source_rows
from bob.documents.disk_rows import ONE_DISK
from bob.documents.disks import LocalDisks
from bob.documents.find_changes import find_changes
from bob.documents.formats.parser_registry import ParserRegistry
from bob.documents.git import rows as git_rows
from bob.documents.index_report import IndexReport, Progress
from bob.documents.ingest_changes import IngestChanges, ReadOptions
from bob.documents.rows import KnownFile
from bob.documents.scan import scan
from bob.search.index import SearchIndex
from bob.storage.database import Database
from bob.storage.paths import absolute


class IndexFiles:
    """Indexes folders and files into one organization's memory."""

    def __init__(
        self,
        database: Database,
        index: SearchIndex,
        changes: IngestChanges,
        options: ReadOptions,
        local_disks: LocalDisks,
    ) -> None:
        self._database = database
        self._index = index
        self._changes = changes
        self._options = options
        self._disks = local_disks
        self._registry = ParserRegistry()

    def index_folder(
        self,
        root: Path,
        project: str | None = None,
        *,
        report: Callable[[Progress], None] = lambda _: None,
        embed_seconds: float | None = None,
    ) -> IndexReport:
        """Index `root`, a folder or one file. `embed_seconds` bounds the time for vectors (None: all).

        Interrupted by Ctrl-C it keeps what it has, says so in the report, and goes on the next time.

        Raises:
            UsageError: there is no such folder or file.
        """
        root = absolute(root)
        if not _exists(root):
            raise UsageError(
                f"{root}: no such file or folder (to remove it from the index: bob index --remove)"
            )
        folder = root if root.is_dir() else root.parent
        done = IndexReport(str(root), self._changes.adopt(str(root), project, folder.name or "root"))

        def read() -> None:
            self._read(root, project is not None, done, report)

        return self._changes.ingest_changes(done, read, report, embed_seconds)

    def remove(self, root: Path, disk_id: str | None = None) -> int:
        """Take a folder out of the index, whether it still exists or not: as this machine knows it, or as
        another disk has it. How many documents it had."""
        path, removed = str(absolute(root)), 0
        with self._database.write() as transaction:
            for disk in {*self._disks.names, *ONE_DISK} if disk_id is None else {disk_id}:
                known_files = rows.known_files(transaction, path, (disk,))
                rows.remove(transaction, [file.document_id for file in known_files.values()])
                failed = failure_rows.known(transaction, path, (disk,))
                failure_rows.forget(transaction, failed, (disk,))
                for folder, _ in source_rows.every(transaction):
                    if source_rows.within(folder, path):
                        source_rows.forget(transaction, folder, (disk,))
                git_rows.forget_within(transaction, path, (disk,))
                removed += len(known_files)
        self._changes.follow()
        self._index.compact()
        return removed

    def _read(
        self, root: Path, reassign: bool, done: IndexReport, report: Callable[[Progress], None]
    ) -> None:
        here = self._disks.names
        with self._database.read() as transaction:
            known_files = rows.known_files(transaction, str(root), here)
            unclaimed = rows.known_files(transaction, str(root))
            failed = failure_rows.known(transaction, str(root), here)
            folders = source_rows.every(transaction, here)
            of_git = [source.root for source in git_rows.every(transaction, (*here, *ONE_DISK))]
        # What was read from commits lies beside the folder of its repository, and is no file that is gone.
        known_files = {path: file for path, file in known_files.items() if not _below(of_git, path)}
        failed = {path: seen for path, seen in failed.items() if not _below(of_git, path)}
        scanned = scan(root, hidden=self._options.hidden, ignore=self._options.ignore)
        if self._disks.shared:
            seen = {file.path for file in scanned.files} - known_files.keys()
            known_files |= self._claimed({path: file for path, file in unclaimed.items() if path in seen})
        # A folder in this one that was indexed as a project of its own stays one.
        nested = [
            folder
            for folder in folders
            if source_rows.within(folder[0], str(root)) and folder[0] != str(root)
        ]
        changes = find_changes(
            scanned,
            known_files,
            failed,
            self._registry,
            lambda path: source_rows.nearest(nested, path) or done.project,
        )
        if reassign and known_files:
            with self._database.write() as transaction:
                for folder, name in [(str(root), done.project), *sorted(nested)]:
                    rows.set_project(transaction, folder, name, here)
        self._changes.read(changes, set(failed) - {file.path for file in scanned.files}, done, report)
        self._changes.note(scanned.unreadable, done)

    def _claimed(self, seen: dict[str, KnownFile]) -> dict[str, KnownFile]:
        """The documents whose file is on this machine, and of which no disk was known: ours from now on."""
        if not seen:
            return {}
        with self._database.write() as transaction:
            claimed: set[int] = set()
            for disk_id in self._disks.names:
                own = [
                    file.document_id for path, file in seen.items() if self._disks.holding(path) == disk_id
                ]
                claimed |= disk_rows.claim(transaction, own, disk_id)
        return {path: file for path, file in seen.items() if file.document_id in claimed}


def _below(folders: list[str], path: str) -> bool:
    return any(source_rows.within(path, folder) for folder in folders)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
