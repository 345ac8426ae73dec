"""Whether PostgreSQL ranks as SQLite does: a BEIR set over the same rows on both engines.

    python bench/postgres_quality.py FOLDER

The set is indexed into SQLite, copied row by row to a PostgreSQL server (`bob db copy`), and every judged
query of the test split is asked on both.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from measure import options, show
from postgres import server

from bob.app import Engine
from bob.app.copy_database import CopyDatabase
from bob.app.settings import Settings

SPLIT, MODE = "test", "hybrid"


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("folder", type=Path, help="a set in BEIR's form")
    arguments = parser.parse_args()
    with server() as started, tempfile.TemporaryDirectory() as folder:
        here = _engine(str(Path(folder) / "bob.db"))
        rows = [_row("SQLite", here, arguments.folder)]
        there = _engine(started.new_database(Path(folder)))
        CopyDatabase(here.database, there.database).copy_organizations()
        rows.append(_row("PostgreSQL", there, arguments.folder))
        base = rows[0][2]
        show(
            "One set on both engines",
            ["engine", "queries", "ndcg@10", "to SQLite", "recall@100", "mrr@10"],
            [[*row[:3], row[2] - base, *row[3:]] for row in rows],
            as_json=arguments.json,
        )
        for engine in (here, there):
            engine.close()


def _engine(database: str) -> Engine:
    return Engine(Settings(database=database))


def _row(name: str, engine: Engine, folder: Path) -> list[Any]:
    found = engine.evaluation.beir_here(folder).measure_ranking(SPLIT, MODE)
    return [name, found.queries, found.ndcg_at_10, found.recall_at_100, found.mrr_at_10]


if __name__ == "__main__":
    main()
