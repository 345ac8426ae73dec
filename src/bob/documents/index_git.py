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
from bob.documents import disk_rows, failure_rows, git_rows, git_version_rows, past_rows, rows, source_rows
from bob.documents.disk_rows import ONE_DISK
from bob.documents.disks import LocalDisks
from bob.documents.find_changes import Changes
from bob.documents.git import Commit, GitRepository, open_repository
from bob.documents.git_files import Include, Listing, Selection
from bob.documents.git_history import Version, first_end, versions
from bob.documents.git_rows import GitSource
from bob.documents.git_version_rows import KnownVersion
from bob.documents.index_report import IndexReport, Progress
from bob.documents.ingest_changes import IngestChanges, ReadOptions
from bob.documents.parse_file import GitVersion, ParseJob
from bob.documents.parser_registry import ParserRegistry
from bob.documents.source import too_large
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
            return {each.root: each for each in git_rows.every(transaction, self._disks.names)}

    def remove(self, repository: Path, ref: str | None = None, disk_id: str | None = None) -> int:
        """Take a ref (None: all) of a repository out of the index: as this machine knows it, or as another
        disk has it. How many documents it had."""
        path, removed = str(absolute(repository)), 0
        wanted = {*self._disks.names, *ONE_DISK} if disk_id is None else {disk_id}
        with self._database.write() as transaction:
            for source in git_rows.every(transaction, wanted):
                if source.repository == path and ref in (None, source.ref):
                    own = (source.disk_id,)
                    known = rows.known_files(transaction, source.root, own)
                    rows.remove(transaction, [each.document_id for each in known.values()])
                    failed = failure_rows.known(transaction, source.root, own)
                    failure_rows.forget(transaction, failed, own)
                    source_rows.forget(transaction, source.root, own)
                    git_rows.forget(transaction, source)
                    removed += len(known)
        self._index.compact()
        return removed

    def _claimed(self, git: GitRepository, repository: str, ref: str) -> GitSource | None:
        """What is known of a ref without its disk, if the commit is in this repository: ours from now on."""
        with self._database.write() as transaction:
            known = git_rows.find(transaction, repository, ref)
            if known is None or not known.commit_id or not _has(git, known.commit_id):
                return None
            files = rows.known_files(transaction, known.root).values()
            claimed = replace(known, disk_id=self._disks.holding(repository))
            disk_rows.claim(transaction, [file.document_id for file in files], claimed.disk_id)
            git_rows.forget(transaction, known)
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
            if source.commit_id == read_to.commit_id and not _asked_again(failed):
                done.failures += failure_rows.at(transaction, failed, here)
                done.unchanged = git_version_rows.count(transaction, source.root, here)
                return
            known = git_version_rows.known_versions(transaction, source.root, here)
        run = _Run(git, source, head, known, failed, done)
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
        wanted = self._versions(run, selection, listing)
        changes = self._compared(run, wanted, listing)
        gone_failures = {path for path in failed if path not in wanted}
        self._changes.read(
            changes, gone_failures, done, report, lambda job: _loaded(git, job, self._max_bytes)
        )
        self._changes.note([(git_path(source.root, name), why) for name, why in listing.unnamed], done)
        with self._database.write() as transaction:
            for path, version in wanted.items():
                if path in known and known[path].until != _until(version):
                    document_id = known[path].document.document_id
                    past_rows.mark(transaction, document_id, _until(version))
            git_rows.save(transaction, read_to)

    def _versions(self, run: _Run, selection: Selection, listing: Listing) -> dict[str, Version]:
        """What the index should have, by path, but for files that have not changed since they failed."""
        root, past = run.source.root, bool(run.source.options["history"])
        present = {file.encode(): blob.encode() for file, blob in listing.blobs.items()}
        kept = {
            path: version
            for path, each in run.known.items()
            if each.until is None and present.get((version := _version(each)).file) == version.blob
        }
        # A file that was not looked into must be one that was read, or that is known to fail.
        stop = None if past or _asked_again(run.failed) else run.source.commit_id.encode()
        while True:
            found: dict[str, Version] = {}
            for each in versions(
                run.git, run.head, present, past=past, wanted=selection.takes, stop=stop or None
            ):
                path = git_path(root, each.file.decode(), each.commit.decode() if each.until else None)
                twice = found.get(path)
                found[path] = replace(each, until=first_end(twice.until, each.until)) if twice else each
            paths = {git_path(root, file) for file in listing.blobs}
            found |= {path: kept[path] for path in paths - found.keys() if path in kept}
            if not stop or not paths - found.keys() - run.failed.keys():
                return found
            stop = None

    def _compared(self, run: _Run, wanted: dict[str, Version], listing: Listing) -> Changes:
        todo: list[ParseJob] = []
        still_failing = [
            path for file in listing.blobs if (path := git_path(run.source.root, file)) not in wanted
        ]
        unchanged = 0
        sizes = run.git.sizes({each.blob for path, each in wanted.items() if not _is_known(run, path, each)})
        # Past versions first: what they share with later ones is then embedded once.
        for path, version in sorted(wanted.items(), key=lambda each: each[1].until or _LAST_SECOND):
            if _is_known(run, path, version):
                unchanged += 1
            elif run.failed.get(path, (0, 0))[1] == _stamp(version):
                still_failing.append(path)
            else:
                todo.append(self._job(run, path, version, sizes.get(version.blob, 0)))
        left = wanted.keys() | set(still_failing)
        gone = {path: each.document for path, each in run.known.items() if path not in left}
        return Changes(todo, gone, unchanged, still_failing, dict(listing.skipped.most_common()))

    def _job(self, run: _Run, path: str, version: Version, size: int) -> ParseJob:
        source, known = run.source, run.known.get(path)
        return ParseJob(
            path,
            size,
            _stamp(version),
            run.done.project,
            known.document.document_id if known else None,
            git=GitVersion(
                source.repository,
                version.file.decode(),
                version.commit.decode(),
                version.blob.decode(),
                _day(version.time),
                _until(version),
            ),
        )


def is_bare(folder: Path) -> bool:
    """Whether a folder is a git repository without files beside it, so that only its commits can be read.
    Raises UsageError, as `absolute` does."""
    path = absolute(folder)
    return all(os.path.exists(path / name) for name in ("HEAD", "objects", "refs"))  # noqa: PTH110 - never raises


def _is_known(run: _Run, path: str, version: Version) -> bool:
    known = run.known.get(path)
    return known is not None and (known.commit, known.blob) == (
        version.commit.decode(),
        version.blob.decode(),
    )


def _version(known: KnownVersion) -> Version:
    time = known.document.mtime_ns // _NANOSECONDS
    return Version(known.file.encode(), known.blob.encode(), known.commit.encode(), time)


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
