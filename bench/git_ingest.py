"""Indexing a git repository: at first, again with nothing changed, after a commit, and with its history.

python bench/git_ingest.py [--commits 1000] [--documents 300]

The repository is made with random words, the same for the same numbers. "Words" is what a run takes until all
can be searched by words; vectors follow by jobs, and are timed apart. The baseline reads the same documents
from files on the disk. Every passage is then opened at its place and compared.
"""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path

import measure
from dulwich.objects import Blob, Commit, Tree
from dulwich.repo import Repo

from bob.app import Engine
from bob.app.settings import Settings
from bob.documents.index_report import IndexReport
from bob.documents.read_source import text_at
from bob.search.index import found_chunks

_FIRST = 1_500_000_000
_DAY = 86_400
_CHANGED = 3  # documents that a commit changes
_PROSE = """tank rain pump hose seed bed tool shed path stone frost leaf root stream hedge gate bench key plan
    meeting water litre week spring autumn harvest compost soil shade light"""


class Made:
    """A repository whose commits change a few documents each; `folders` of them, so that trees are deep."""

    def __init__(self, path: Path, documents: int) -> None:
        self.path = path
        self.repo = Repo.init_bare(str(path), mkdir=True)
        self._chance = random.Random(documents)
        self._blobs: dict[bytes, dict[bytes, bytes]] = {}
        self._names = [(b"part%02d" % (at % 20), b"page%04d.md" % at) for at in range(documents)]
        self._commits = 0

    def commit(self, changes: int) -> None:
        """One commit: the first gives all documents, each other one changes some."""
        chosen = self._chance.sample(self._names, changes) if self._commits else self._names
        for folder, name in chosen:
            blob = Blob.from_string(self._text(name))
            self.repo.object_store.add_object(blob)
            self._blobs.setdefault(folder, {})[name] = blob.id
        docs, root = Tree(), Tree()
        for folder, pages in sorted(self._blobs.items()):
            tree = Tree()
            for name, blob_id in pages.items():
                tree.add(name, 0o100644, blob_id)
            self.repo.object_store.add_object(tree)
            docs.add(folder, 0o040000, tree.id)
        root.add(b"docs", 0o040000, docs.id)
        self.repo.object_store.add_object(docs)
        self.repo.object_store.add_object(root)
        made = Commit()
        made.tree, made.message = root.id, b"A day in the garden"
        made.parents = [self.repo.head()] if self._commits else []
        made.author = made.committer = b"Gardener <gardener@garden.example>"
        made.author_time = made.commit_time = _FIRST + self._commits * _DAY
        made.author_timezone = made.commit_timezone = 0
        self.repo.object_store.add_object(made)
        self.repo.refs[b"refs/heads/master"] = made.id
        self._commits += 1

    def _text(self, name: bytes) -> bytes:
        paragraphs = [" ".join(self._chance.choices(_PROSE.split(), k=60)) for _ in range(4)]
        return b"# " + name + b"\n\n" + "\n\n".join(paragraphs).encode() + b"\n"

    def write_files(self, folder: Path) -> None:
        """The documents as files."""
        for part, pages in self._blobs.items():
            for name, blob_id in pages.items():
                place = folder / part.decode() / name.decode()
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(self.repo.object_store[blob_id].as_raw_string())


def opened(engine: Engine) -> tuple[int, int]:
    """How many passages there are, and how many do not open to their text."""
    with engine.database.read() as connection:
        ids = [row[0] for row in connection.execute("SELECT chunk_id FROM chunks WHERE org_id = :org")]
        chosen = random.Random(1).sample(ids, min(len(ids), 2_000))
        found = [
            each
            for at in range(0, len(chosen), 500)
            for each in found_chunks(connection, chosen[at : at + 500]).values()
        ]
    return len(found), sum(text_at(Path(each.path), each.locator) != each.text for each in found)


def main() -> None:
    """Make the repository, index it in the ways that there are, open what was indexed."""
    parser = measure.options(__doc__)
    parser.add_argument("--commits", type=int, default=1_000)
    parser.add_argument("--documents", type=int, default=300)
    chosen = parser.parse_args()
    rows: list[measure.Row] = []
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        made = Made(place / "garden.git", chosen.documents)
        for _ in range(chosen.commits):
            made.commit(min(_CHANGED, chosen.documents))
        made.repo.object_store.pack_loose_objects()
        made.write_files(place / "files")
        engine = Engine(Settings(database=str(place / "bob.db")))
        git = engine.index_git

        def measured(what: str, report: IndexReport, seconds: float) -> None:
            read = report.added + report.changed + report.moved
            vectors = report.vectors_seconds if report.chunks_embedded else None
            rows.append([what, read, report.words_seconds, report.chunks_embedded, vectors, seconds])

        def run(what: str, **more: bool) -> None:
            began = time.perf_counter()
            report = git.index_ref(made.path, "master", **more)
            measured(what, report, time.perf_counter() - began)

        began = time.perf_counter()
        files = engine.index_files.index_folder(place / "files", embed_seconds=0.0)
        measured("the same documents as files (vectors left out)", files, time.perf_counter() - began)
        engine.index_files.remove(place / "files")
        run("at first")
        run("again, nothing changed")
        made.commit(1)
        run("after a commit of one document")
        command = [*measure.bob_command(), "index", str(made.path), "--at", "master", "--quiet"]
        whole, cpu = measure.run_timed([*command, "--database", str(place / "bob.db")])
        rows.append(["bob index --at, nothing changed, whole command", 0, None, 0, None, whole])
        began = time.perf_counter()
        report = git.index_ref(made.path, "master", history=True, embed_seconds=0.0)
        measured("with history (vectors left for later)", report, time.perf_counter() - began)
        passages, wrong = opened(engine)
        engine.close()
        made.repo.close()
    measure.show(
        f"git: {chosen.commits:,} commits, {chosen.documents:,} documents",
        ["run", "documents read", "words s", "vectors", "vectors s", "whole s"],
        rows,
        as_json=chosen.json,
        command_cpu_seconds=cpu,
        passages_opened=passages,
        differ=wrong,
    )
    if wrong:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
