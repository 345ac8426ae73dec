"""What `bob health` finds of the faults that were planted in made-up vaults, and what else it finds; with a
tree, how long a look takes at a large memory in which every chunk links a note."""

from __future__ import annotations

import json
import sqlite3
import tempfile
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from corpus import database, material
from measure import DEFAULT_CACHE, options, peak_megabytes, show
from played_vault import compared, play
from seeded_vault import seeded_vault
from vault import NOW

from bob.app import Engine
from bob.app.settings import load_settings

DEVELOPED_WITH = 1
"""The seed that the rules were written with; results are told for others."""


def main() -> None:
    """Run the bench."""
    parser = options(__doc__)
    parser.add_argument("--seeds", default="2,3", help="comma-separated")
    parser.add_argument("--notes", type=int, default=500)
    parser.add_argument("--verbose", action="store_true", help="list what was missed and what is false")
    parser.add_argument("tree", type=Path, nargs="?", help="a tree of texts: measure the time of a look")
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--cache", type=Path, default=DEFAULT_CACHE)
    chosen = parser.parse_args()
    if chosen.tree is not None:
        head, row = (
            ["chunks", "documents", "answers", "findings", "first", "again", "megabytes"],
            large(chosen),
        )
        show("health of a large memory", head, [row], as_json=chosen.json)
        return
    rows = []
    for seed in (int(each) for each in chosen.seeds.split(",")):
        rows += run(seed, chosen.notes, chosen.verbose)
    head = ["seed", "rule", "planted", "found", "false"]
    show("health", head, rows, as_json=chosen.json)


def run(seed: int, notes: int, verbose: bool) -> list[list[object]]:
    """A row a rule, and one for all, of one vault."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        values = {"BOB_DATABASE": str(folder / "bob.db")}
        engine = Engine(load_settings(environment=values, home=folder, folder=folder).settings)
        expected = play(engine, seeded_vault(seed, notes), folder / "vault")
        began = time.perf_counter()
        report = engine.knowledge.check_health.check_health(NOW)
        seconds = time.perf_counter() - began
        result = compared(report, expected, folder / "vault")
        engine.close()
    if verbose:
        for name, listed in (("missed", result.missed), ("false", result.false)):
            for each in listed:
                print(name, each.rule, each.subject)
        print(f"seed {seed}: {seconds:.1f} s for {report.documents} documents, {report.answers} answers")
    planted = Counter(each.rule for each in expected)
    found = Counter(each.rule for each in expected) - Counter(each.rule for each in result.missed)
    false = Counter(each.rule for each in result.false)
    rows: list[list[object]] = [
        [seed, rule, planted[rule], found[rule], false[rule]] for rule in sorted({*planted, *false})
    ]
    share = false.total() / max(found.total() + false.total(), 1)
    rows.append([seed, "all", planted.total(), found.total(), f"{false.total()} ({share:.1%})"])
    return rows


def large(chosen: Namespace) -> list[object]:
    """A look at a large memory, and another in the same process, which knows the questions already."""
    cache = chosen.cache / "health"
    source = material(chosen.tree, cache, 200)
    engine = database(source, cache, chosen.chunks)
    _linked_and_asked(engine.database.path, source.sentences)
    check = engine.knowledge.check_health
    began = time.perf_counter()
    report = check.check_health(NOW)
    first = time.perf_counter()
    check.check_health(NOW)
    again = time.perf_counter()
    sizes = [chosen.chunks, report.documents, report.answers, len(report.findings)]
    return [*sizes, f"{first - began:.1f} s", f"{again - first:.1f} s", round(peak_megabytes())]


def _linked_and_asked(path: Path, sentences: list[str]) -> None:
    """Once: a link in every chunk, and a thousand answers."""
    with closing(sqlite3.connect(path)) as connection:
        if connection.execute("SELECT count(*) FROM answers").fetchone()[0]:
            return
        (count,) = connection.execute("SELECT count(*) FROM documents").fetchone()
        connection.execute(
            "UPDATE chunks SET text = replace(text, '``', '`') || char(10) || CASE chunk_id % 2"
            " WHEN 0 THEN 'See [[' || (chunk_id * 7919 % ? + 1) || ']].'"
            " ELSE (SELECT '[There](..' || substr(path, 7) || ') it is.' FROM documents"
            "    WHERE document_id = chunk_id * 104729 % ? + 1) END",
            (count, count),
        )
        connection.executemany(
            "INSERT INTO answers (org_id, answer_id, asked_at, question, filters, found, answer) "
            "VALUES ('local', ?, ?, ?, '{}', 1, ?)",
            _answers(connection, sentences),
        )
        connection.commit()


def _answers(connection: sqlite3.Connection, sentences: list[str]) -> Iterator[tuple[object, ...]]:
    paths = [path for (path,) in connection.execute("SELECT path FROM documents ORDER BY document_id")]
    for at in range(1, 1_001):
        retrieved = [{"path": paths[at * 31 * rank % len(paths)]} for rank in range(1, 11)]
        question = " ".join(sentences[at].split()[:12])
        answer = {"sources": [], "audit": {"retrieved": retrieved}}
        yield at, NOW.timestamp() - at, question, json.dumps(answer)


if __name__ == "__main__":
    main()
