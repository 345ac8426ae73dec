"""Brings the index in line with a commit of a git repository, and on demand with the versions before it.

A document's date is that of the commit that gave the file its content, and its place names that commit, so it
opens to the same lines when the branch has moved on. Nothing is read when the tree is the one of last time.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path

from bob.core.errors import UnreadableError, UsageError
from bob.core.place import git_path
from bob.documents import disk_rows, failure_rows, past_rows, rows, source_rows
from bob.documents.disk_rows import ONE_DISK
from bob.documents.disks import LocalDisks
from bob.documents.find_changes import Changes
from bob.documents.formats.parser_registry import ParserRegistry
from bob.documents.formats.source import too_large
from bob.documents.git import rows as git_rows
from bob.documents.git import version_rows as git_version_rows
from bob.documents.git.files import Include, Listing, Selection
from bob.documents.git.history import Version, first_end, versions
from bob.documents.git.repository import Commit, GitRepository, open_repository
from bob.documents.git.rows import GitSource
from bob.documents.git.version_rows import KnownVersion
from bob.documents.index_report import IndexReport, Progress
from bob.documents.ingest_changes import IngestChanges, ReadOptions
from bob.documents.parse_file import GitVersion, ParseJob
from bob.documents.rows import READING
from bob.search.index import SearchIndex
from bob.storage.database import Database
from bob.storage.paths import absolute

_POINTER = b"version https://git-lfs.github.com/spec/v1"
_NANOSECONDS = 1_000_000_000
_LAST_SECOND = 9_000_000_000
"""In the year 2255: its nanoseconds fit into 64 bits. A commit may claim any time."""


@dataclass(frozen=True, slots=True)
class _Run:
    """What one run compares: the source as it was, the commit that the ref leads to, and what is known."""

    git: GitRepository
    source: GitSource
    head: Commit
    known: dict[str, KnownVersion]
    failed: dict[str, tuple[int, int]]
    done: IndexReport


class IndexGit:
    """Indexes refs of git repositories into one organization's memory."""

    def __init__(
        self,
        database: Database,
        index: SearchIndex,
        changes: IngestChanges,
        options: ReadOptions,
        local_disks: LocalDisks,
        max_bytes: int,
    ) -> None:
        self._database = database
        self._index = index
        self._changes = changes
        self._options = options
        self._disks = local_disks
        self._max_bytes = max_bytes
        self._registry = ParserRegistry()

    def index_ref(
        self,
        repository: Path,
        ref: str = "HEAD",
        project: str | None = None,
        *,
        include: Include | None = None,
        history: bool | None = None,
        report: Callable[[Progress], None] = lambda _: None,
        embed_seconds: float | None = None,
    ) -> IndexReport:
        """Index the files of a branch, tag or commit. `include` ("docs" unless said before) and `history`
        (each version of each file, not unless said before) are remembered with the ref.

        Raises:
            UsageError: there is no such repository or ref.
            UnreadableError: the repository is damaged.
        """
        path = absolute(repository)
        with open_repository(path) as git:
            head = git.commit_at(ref)
            with self._database.read() as transaction:
                before = git_rows.find(transaction, str(path), ref, self._disks.names)
            if before is None and self._disks.shared:
                before = self._claimed(git, str(path), ref)
            options = dict(before.options) if before else {"include": "docs", "history": False}
            options |= {} if include is None else {"include": include}
            options |= {} if history is None else {"history": history}
            options |= {"hidden": self._options.hidden, "ignore": list(self._options.ignore)}
            disk_id = self._disks.holding(str(path))
            source = before or GitSource(str(path), ref, "", "", "", options, disk_id)
            name = self._changes.adopt(source.root, project, path.name.removesuffix(".git"))
            if source.options != options:
                source = replace(source, options=options, commit_id="", tree_id="")
            if name != source.project:
                self._rename(source, name)
            done = IndexReport(source.root, name, head.commit_id.decode())

            def read() -> None:
                self._read(git, head, replace(source, project=name), done, report)

            return self._changes.ingest_changes(done, read, report, embed_seconds)

    def again(
        self,
        root: str,
        report: Callable[[Progress], None] = lambda _: None,
        embed_seconds: float | None = None,
    ) -> IndexReport:
        """Index a ref once more, as it was told to; `root` is as in `roots`."""
        source = self.roots()[root]
        return self.index_ref(Path(source.repository), source.ref, report=report, embed_seconds=embed_seconds)

    def roots(self) -> dict[str, GitSource]:
        """What was indexed, by the folder of its documents."""
        with self._database.read() as transaction:
            return {source.root: source for source in git_rows.every(transaction, self._disks.names)}

    def remove(self, repository: Path, ref: str | None = None, disk_id: str | None = None) -> int:
        """Take a ref (None: all) of a repository out of the index: as this machine knows it, or as another
        disk has it. How many documents it had."""
        path, removed = str(absolute(repository)), 0
        disks = {*self._disks.names, *ONE_DISK} if disk_id is None else {disk_id}
        with self._database.write() as transaction:
            for source in git_rows.every(transaction, disks):
                if source.repository == path and ref in (None, source.ref):
                    own = (source.disk_id,)
                    known_files = rows.known_files(transaction, source.root, own)
                    rows.remove(transaction, [file.document_id for file in known_files.values()])
                    failed = failure_rows.known(transaction, source.root, own)
                    failure_rows.forget(transaction, failed, own)
                    source_rows.forget(transaction, source.root, own)
                    git_rows.forget(transaction, source)
                    removed += len(known_files)
        self._index.compact()
        return removed

    def _claimed(self, git: GitRepository, repository: str, ref: str) -> GitSource | None:
        """What is known of a ref without its disk, if the commit is in this repository: ours from now on."""
        with self._database.write() as transaction:
            source = git_rows.find(transaction, repository, ref)
            if source is None or not source.commit_id or not _has(git, source.commit_id):
                return None
            files = rows.known_files(transaction, source.root).values()
            claimed = replace(source, disk_id=self._disks.holding(repository))
            disk_rows.claim(transaction, [file.document_id for file in files], claimed.disk_id)
            git_rows.forget(transaction, source)
            git_rows.save(transaction, claimed)
        return claimed

    def _rename(self, source: GitSource, project: str) -> None:
        with self._database.write() as transaction:
            rows.set_project(transaction, source.root, project, (source.disk_id,))
            git_rows.save(transaction, replace(source, project=project))

    def _read(
        self,
        git: GitRepository,
        head: Commit,
        source: GitSource,
        done: IndexReport,
        report: Callable[[Progress], None],
    ) -> None:
        read_to = replace(source, commit_id=head.commit_id.decode(), tree_id=head.tree.decode())
        here = (source.disk_id,)
        with self._database.read() as transaction:
            failed = failure_rows.known(transaction, source.root, here)
            if (
                source.commit_id == read_to.commit_id
                and not _asked_again(failed)
                and not rows.read_by_older(transaction, source.root, here)
            ):
                done.failures += failure_rows.of_paths(transaction, failed, here)
                done.unchanged = git_version_rows.count(transaction, source.root, here)
                return
            known_versions = git_version_rows.known_versions(transaction, source.root, here)
        run = _Run(git, source, head, known_versions, failed, done)
        # Until the end it counts as not read: what a killed run has left is then compared file by file.
        with self._database.write() as transaction:
            git_rows.save(transaction, replace(source, commit_id="", tree_id=""))
        selection = Selection(
            self._registry,
            source.options["include"],
            hidden=self._options.hidden,
            ignore=self._options.ignore,
        )
        listing = selection.list(git, head.tree)
        versions_wanted = self._versions(run, selection, listing)
        changes = self._compared(run, versions_wanted, listing)
        gone_failures = {path for path in failed if path not in versions_wanted}
        self._changes.read(
            changes, gone_failures, done, report, lambda job: _loaded(git, job, self._max_bytes)
        )
        self._changes.note([(git_path(source.root, name), why) for name, why in listing.unnamed], done)
        with self._database.write() as transaction:
            for path, version in versions_wanted.items():
                if path in known_versions and known_versions[path].until != _until(version):
                    document_id = known_versions[path].document.document_id
                    past_rows.mark(transaction, document_id, _until(version))
            git_rows.save(transaction, read_to)

    def _versions(self, run: _Run, selection: Selection, listing: Listing) -> dict[str, Version]:
        """What the index should have, by path, but for files that have not changed since they failed."""
        root, past = run.source.root, bool(run.source.options["history"])
        present = {file.encode(): blob.encode() for file, blob in listing.blobs.items()}
        current = {
            path: version
            for path, each in run.known.items()
            if each.until is None and present.get((version := _version(each)).file) == version.blob
        }
        # A file that was not looked into must be one that was read, or that is known to fail.
        stop = None if past or _asked_again(run.failed) else run.source.commit_id.encode()
        while True:
            by_path: dict[str, Version] = {}
            for each in versions(
                run.git, run.head, present, past=past, is_wanted=selection.takes, stop=stop or None
            ):
                path = git_path(root, each.file.decode(), each.commit.decode() if each.until else None)
                twice = by_path.get(path)
                by_path[path] = replace(each, until=first_end(twice.until, each.until)) if twice else each
            paths = {git_path(root, file) for file in listing.blobs}
            by_path |= {path: current[path] for path in paths - by_path.keys() if path in current}
            if not stop or not paths - by_path.keys() - run.failed.keys():
                return by_path
            stop = None

    def _compared(self, run: _Run, versions_wanted: dict[str, Version], listing: Listing) -> Changes:
        todo: list[ParseJob] = []
        still_failing = [
            path for file in listing.blobs if (path := git_path(run.source.root, file)) not in versions_wanted
        ]
        unchanged = 0
        sizes = run.git.sizes(
            {version.blob for path, version in versions_wanted.items() if not _is_known(run, path, version)}
        )
        # Past versions first: what they share with later ones is then embedded once.
        for path, version in sorted(versions_wanted.items(), key=lambda pair: pair[1].until or _LAST_SECOND):
            if _is_known(run, path, version):
                unchanged += 1
            elif run.failed.get(path, (0, 0))[1] == _stamp(version):
                still_failing.append(path)
            else:
                todo.append(self._job(run, path, version, sizes.get(version.blob, 0)))
        left = versions_wanted.keys() | set(still_failing)
        gone = {path: version.document for path, version in run.known.items() if path not in left}
        return Changes(todo, gone, unchanged, still_failing, dict(listing.skipped.most_common()))

    def _job(self, run: _Run, path: str, version: Version, size: int) -> ParseJob:
        source, known_version = run.source, run.known.get(path)
        return ParseJob(
            path,
            size,
            _stamp(version),
            run.done.project,
            known_version.document.document_id if known_version else None,
            git=GitVersion(
                source.repository,
                version.file.decode(),
                version.commit.decode(),
                version.blob.decode(),
                _day(version.time),
                _until(version),
            ),
            read_again=known_version is not None and _is_same(known_version, version),
        )


def is_bare(folder: Path) -> bool:
    """Whether a folder is a git repository without files beside it, so that only its commits can be read.
    Raises UsageError, as `absolute` does."""
    path = absolute(folder)
    return all(os.path.exists(path / name) for name in ("HEAD", "objects", "refs"))  # noqa: PTH110 - never raises


def _is_known(run: _Run, path: str, version: Version) -> bool:
    known_version = run.known.get(path)
    return (
        known_version is not None
        and known_version.document.reading == READING
        and _is_same(known_version, version)
    )


def _is_same(known_version: KnownVersion, version: Version) -> bool:
    return (known_version.commit, known_version.blob) == (version.commit.decode(), version.blob.decode())


def _version(known_version: KnownVersion) -> Version:
    time = known_version.document.mtime_ns // _NANOSECONDS
    return Version(
        known_version.file.encode(), known_version.blob.encode(), known_version.commit.encode(), time
    )


def _has(git: GitRepository, commit_id: str) -> bool:
    try:
        git.commit_at(commit_id)
    except UsageError:
        return False
    return True


def _asked_again(failed: dict[str, tuple[int, int]]) -> bool:
    """Whether `bob retry` marked one; those of size -1 are found anew by every run."""
    return any(mtime_ns == -1 for size, mtime_ns in failed.values() if size != -1)


def _stamp(version: Version) -> int:
    """What is stored as the time of change, in nanoseconds: the commit's second, and of its content as many
    digits as fit below it, since a file may be committed twice in a second."""
    return _second(version.time) * _NANOSECONDS + int(version.blob[:7], 16)


def _until(version: Version) -> date | None:
    return None if version.until is None else _day(version.until)


def _day(time: int) -> date:
    """The day of UTC, so that it is the same on every machine."""
    return datetime.fromtimestamp(_second(time), UTC).date()


def _second(time: int) -> int:
    return min(max(time, 0), _LAST_SECOND)


def _loaded(git: GitRepository, job: ParseJob, max_bytes: int) -> ParseJob:
    """The job with the content of its blob, or with the reason why that cannot be read."""
    assert job.git is not None, "every job of this service is one of git"
    content: bytes | UnreadableError
    if job.size > max_bytes:
        content = too_large(job.size, max_bytes)
    else:
        try:
            content = git.blob(job.git.blob.encode())
        except UnreadableError as error:
            content = error
        else:
            if content.startswith(_POINTER):
                content = UnreadableError(
                    "lfs", "its content is outside of the repository (Git LFS) and is not fetched"
                )
    return replace(job, git=replace(job.git, content=content))
