"""Git repositories for tests, written object by object: a commit is a dictionary of files."""

import stat
from pathlib import Path

from dulwich.objects import Blob, Commit, Tag, Tree
from dulwich.repo import Repo

LINK = stat.S_IFLNK
SUBMODULE = 0o160000
DAY = 86_400
FIRST = 1_577_880_000  # noon of 1 January 2020, UTC


class SmallRepository:
    """A repository at a path; `commit` gives the ids back as text, and moves the branch along."""

    def __init__(self, path, *, bare=False):
        self.path = Path(path)
        self.path.mkdir(parents=True)
        self.repo = Repo.init_bare(str(path)) if bare else Repo.init(str(path))
        self.day = 0

    def commit(self, files, *, day=None, parents=None, branch="master", time=None):
        """A commit of `files`: path to text or bytes, or to (mode, text). `day` counts from 1 January 2020,
        and is the day after the last commit's unless given."""
        self.day = self.day + 1 if day is None else day
        ref = f"refs/heads/{branch}".encode()
        if parents is None:
            parents = [self.repo.refs[ref].decode()] if ref in self.repo.refs else []
        made = Commit()
        made.tree = self._tree({as_bytes(path): content for path, content in files.items()})
        made.parents = [each.encode() for each in parents]
        made.author = made.committer = b"Gardener <gardener@garden.example>"
        made.author_time = made.commit_time = FIRST + self.day * DAY if time is None else time
        made.author_timezone = made.commit_timezone = 0
        made.message = b"A day in the garden"
        self._add(made)
        self.repo.refs.set_symbolic_ref(b"HEAD", b"refs/heads/master")
        self.repo.refs[ref] = made.id
        return made.id.decode()

    def tag(self, name, commit):
        """An annotated tag."""
        made = Tag()
        made.object = (Commit, commit.encode())
        made.name = name.encode()
        made.tagger, made.tag_time, made.tag_timezone = b"Gardener <gardener@garden.example>", FIRST, 0
        made.message = b"Harvest"
        self._add(made)
        self.repo.refs[f"refs/tags/{name}".encode()] = made.id

    def move(self, branch, commit):
        """Let a branch lead to a commit."""
        self.repo.refs[f"refs/heads/{branch}".encode()] = commit.encode()

    def object_file(self, object_id):
        """Where a loose object lies."""
        controls = Path(self.repo.controldir())
        return controls / "objects" / object_id[:2] / object_id[2:]

    def close(self):
        self.repo.close()

    def _tree(self, files):
        made, folders = Tree(), {}
        for path, content in files.items():
            first, slash, rest = path.partition(b"/")
            if slash:
                folders.setdefault(first, {})[rest] = content
                continue
            mode, data = content if isinstance(content, tuple) else (0o100644, content)
            if mode == SUBMODULE:
                made.add(first, mode, data.encode())
            else:
                blob = Blob.from_string(as_bytes(data))
                self._add(blob)
                made.add(first, mode, blob.id)
        for name, below in folders.items():
            made.add(name, 0o040000, self._tree(below))
        self._add(made)
        return made.id

    def _add(self, made):
        if made.id not in self.repo.object_store:
            self.repo.object_store.add_object(made)


def blob_id(content):
    return Blob.from_string(as_bytes(content)).id.decode()


def as_bytes(text):
    return text.encode() if isinstance(text, str) else text
