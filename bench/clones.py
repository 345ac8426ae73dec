"""The clone of a corpus' repository that a bench takes files from."""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def clone_of(corpus: Mapping[str, Any], git_dirs: Mapping[str, str]) -> Iterator[Path]:
    """The git directory given for a corpus, by its name, or else a clone from GitHub while it is needed."""
    if corpus["name"] in git_dirs:
        yield Path(git_dirs[corpus["name"]])
        return
    with tempfile.TemporaryDirectory() as clone:
        address = f"https://github.com/{corpus['repository']}"
        subprocess.run(["git", "clone", "--quiet", "--bare", address, clone], check=True)
        yield Path(clone)


def accept_git_dirs(command: argparse.ArgumentParser) -> None:
    """Let a command be told of clones that are there."""
    command.add_argument("--git-dir", action="append", default=[], metavar="CORPUS=PATH")


def git_dirs_of(given: argparse.Namespace) -> dict[str, str]:
    """The clones that a command was told of, by the names of their corpora."""
    return dict(each.split("=", 1) for each in given.git_dir)


def checked_file(git_dir: Path, commit: str, path: str, sha256: str) -> bytes:
    """A file as it is at a commit; the bench ends where it is not the one of this SHA-256."""
    content = file_at(git_dir, commit, path)
    if hashlib.sha256(content).hexdigest() != sha256:
        raise SystemExit(f"{git_dir}: {path} is not as it was")
    return content


def file_at(git_dir: Path, commit: str, path: str) -> bytes:
    """A file as it is at a commit."""
    command = ["git", "-C", str(git_dir), "show", f"{commit}:{path}"]
    return subprocess.run(command, check=True, capture_output=True).stdout
