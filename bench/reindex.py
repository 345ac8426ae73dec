"""Indexing again: with nothing changed, against a bare walk of the tree; and with one paragraph changed.

python bench/reindex.py TREE [--repeat 5]

The tree is copied first, and indexed by words only. "In process" is what the service itself takes; the whole
command is set against the walk plus a `bob status` of an empty database, which is the start-up.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from statistics import median

import measure

from bob.app import Engine
from bob.app.settings import Settings
from bob.documents.index_files import IndexReport


def walk(root: Path) -> int:
    """Look at every file once, as bare as Python can."""
    count = 0
    for folder, _, names in os.walk(root):
        for name in names:
            os.stat(os.path.join(folder, name))  # noqa: PTH116, PTH118 - the baseline is the bare call
            count += 1
    return count


def change_a_paragraph(root: Path) -> Path:
    """Put a word into the middle paragraph of the largest text file of moderate size."""
    files = [path for path in root.rglob("*") if path.suffix in (".txt", ".rst", ".md") and path.is_file()]
    sizes = {path: path.stat().st_size for path in files}
    if not files:
        raise SystemExit(f"{root}: holds no .txt, .rst or .md file to change")
    chosen = max((path for path in files if sizes[path] < 100_000), key=sizes.__getitem__, default=files[0])
    paragraphs = chosen.read_text(encoding="utf-8", errors="replace").split("\n\n")
    prose = [at for at, each in enumerate(paragraphs) if each[:1].isalpha() and len(each) > 100]
    at = prose[len(prose) // 2] if prose else len(paragraphs) // 2
    paragraphs[at] = paragraphs[at].replace(" ", " changed ", 1)
    chosen.write_text("\n\n".join(paragraphs), encoding="utf-8")
    return chosen


def index(engine: Engine, root: Path) -> IndexReport:
    """Bring the words of the tree up to date."""
    return engine.index_files.index_folder(root, embed_seconds=0.0)


def main() -> None:
    """Index a copy of the tree, then measure again and again."""
    parser = measure.options(__doc__)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--repeat", type=int, default=5)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        root, database = Path(temporary) / "tree", Path(temporary) / "bob.db"
        shutil.copytree(chosen.tree, root, symlinks=True)
        engine = Engine(Settings(database=database))
        first: list[float] = []
        with measure.timed(first):
            report = index(engine, root)
        documents, chunks = report.added, report.chunks_added
        files = walk(root)
        walked: list[float] = []
        inside: list[float] = []
        start: list[float] = []
        whole: list[float] = []
        bob = measure.bob_command()
        command = [*bob, "index", str(root), "--words-only", "--quiet", "--database", str(database)]
        empty = [*bob, "status", "--database", str(Path(temporary) / "empty.db")]
        measure.run(empty)
        for _ in range(chosen.repeat):
            walked += measure.seconds(lambda: walk(root), 1)
            inside += measure.seconds(lambda: index(engine, root), 1)
            start.append(measure.run(empty))
            whole.append(measure.run(command))
        changed_path = change_a_paragraph(root)
        changed: list[float] = []
        with measure.timed(changed):
            after = index(engine, root)
        engine.close()
    bare = median(walked)
    again = median(i / w for i, w in zip(inside, walked, strict=True))
    beyond = median(whole) - median(start)
    rows: list[measure.Row] = [
        ["os.walk and os.stat", 1000 * bare, 1.0],
        ["index again, in process", 1000 * median(inside), again],
        ["start-up (bob status)", 1000 * median(start), median(start) / bare],
        ["bob index, whole command", 1000 * median(whole), median(whole) / bare],
        ["  less the start-up", 1000 * beyond, beyond / bare],
        ["one paragraph changed, in process", 1000 * changed[0], changed[0] / bare],
        ["first time, words only", 1000 * first[0], first[0] / bare],
    ]
    measure.show(
        f"index again: {files:,} files, {documents:,} documents, {chunks:,} chunks",
        ["what", "median ms", "times the walk"],
        rows,
        as_json=chosen.json,
        changed=str(changed_path.relative_to(root)),
        chunks_embedded_anew=after.chunks_added,
        chunks_kept=after.chunks_kept,
    )


if __name__ == "__main__":
    main()
