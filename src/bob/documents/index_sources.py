"""Reads into the index whatever a path is: files on the disk, or a ref of a git repository (SPEC A6, B6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bob.core.errors import UsageError
from bob.documents.git.files import Include
from bob.documents.git.index_git import IndexGit, is_bare
from bob.documents.index_files import IndexFiles
from bob.documents.index_report import IndexReport, Progress


@dataclass(frozen=True, slots=True)
class GitWish:
    """Which ref of a repository to read (None: HEAD), and what of it; None: as the last time, at first docs
    without their history."""

    at: str | None = None
    include: Include | None = None
    history: bool | None = None


_AS_BEFORE = GitWish()


class IndexSources:
    """The index of one organization."""

    def __init__(self, files: IndexFiles, git: IndexGit) -> None:
        self._files = files
        self._git = git

    def index_sources(
        self,
        path: Path,
        project: str | None = None,
        git: GitWish = _AS_BEFORE,
        *,
        report: Callable[[Progress], None] = lambda _: None,
        embed_seconds: float | None = None,
    ) -> IndexReport:
        """Bring the index in line with a folder or file; with a ref, or of a repository without files, with
        its commits.

        Raises:
            UsageError: there is no such path, repository or ref, or a folder of files was asked for commits.
            UnreadableError: the repository is damaged.
        """
        if git.at is not None or is_bare(path):
            ref, include, history = git.at or "HEAD", git.include, git.history
            return self._git.index_ref(
                path,
                ref,
                project,
                include=include,
                history=history,
                report=report,
                embed_seconds=embed_seconds,
            )
        if git.include is not None or git.history is not None:
            raise UsageError("include and history require at, for a git repository")
        return self._files.index_folder(path, project, report=report, embed_seconds=embed_seconds)

    def again(
        self,
        root: Path,
        *,
        report: Callable[[Progress], None] = lambda _: None,
        embed_seconds: float | None = None,
    ) -> IndexReport:
        """Read once more what was indexed: a folder, or the one that stands for a ref."""
        if str(root) in self._git.roots():
            return self._git.again(str(root), report, embed_seconds)
        return self._files.index_folder(root, report=report, embed_seconds=embed_seconds)

    def remove(self, path: Path, at: str | None = None, disk_id: str | None = None) -> int:
        """Take a folder or file out of the index, with what was read from the commits of its repository; or
        one ref alone. What other machines have at the same path stays, unless their disk is named. No file is
        touched. How many documents it had."""
        of_files = self._files.remove(path, disk_id) if at is None else 0
        return of_files + self._git.remove(path, at, disk_id)
