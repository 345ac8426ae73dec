"""Names what is read from git repositories: each ref of a repository is like a folder of its own.

`/home/you/garden@main/docs/x.md` is the file as the branch has it, and
`/home/you/garden@main/docs/x.md@1a2b3c4d5e6f` the version of that commit, which a newer one has replaced.
"""

from __future__ import annotations

from pathlib import Path

_SHOWN = 7
_NAMED = 12
_ESCAPES = (("%", "%25"), ("/", "%2F"), ("@", "%40"))
"""In the name of a ref: so its end, and the end of the repository's path, can be told."""


def git_root(repository: str, ref: str) -> str:
    """The folder of the ref's documents.

    >>> git_root("/home/you/garden", "feature/tank")
    '/home/you/garden@feature%2Ftank'
    """
    for character, escape in _ESCAPES:
        ref = ref.replace(character, escape)
    return f"{repository}@{ref}"


def git_path(root: str, file: str, commit: str | None = None) -> str:
    """Where a document of that folder is; `commit` is given for a version that was replaced."""
    return f"{root}/{file}" + (f"@{commit[:_NAMED]}" if commit else "")


def repository_of(path: str, file: str) -> Path:
    """The repository that a document's path leads to; `file` is its name there.

    >>> repository_of("/home/you/garden@main/docs/x.md@1a2b3c4d5e6f", "docs/x.md").as_posix()
    '/home/you/garden'

    Raises:
        LookupError: the path is not one of `git_path`.
    """
    root, found, _ = path.rpartition(f"/{file}")
    repository, at, _ = root.rpartition("@")
    if not found or not at:
        raise LookupError(f"{path}: is no document of a git repository")
    return Path(repository)


def short_commit(commit: str) -> str:
    """The first digits of a commit's id, as people write it."""
    return commit[:_SHOWN]
