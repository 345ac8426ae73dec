"""Checks every quote of many answers against the files themselves: `python bench/quotes.py DIR`.

Questions are made of the headings of a folder's own documents. A quote counts as true when the source, read
anew at the quote's locator, has the same text to the byte.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from datetime import date
from pathlib import Path

import measure

from bob.app import Engine
from bob.app.settings import Settings
from bob.documents.read_source import text_at

_FORMS = ("What is {}?", "How does {} work?", "How do I use {}?", "Why {}?", "{}")


def questions(engine: Engine, count: int, seed: int) -> list[str]:
    """Questions about what the headings name, the same for the same seed."""
    with engine.database.read() as connection:
        rows = connection.execute(
            "SELECT DISTINCT heading_path FROM chunks WHERE org_id = :org ORDER BY heading_path"
        )
        headings = sorted({path[-1] for (raw,) in rows if (path := json.loads(raw))})
    chosen = random.Random(seed).sample(headings, min(count, len(headings)))
    return [_FORMS[at % len(_FORMS)].format(heading) for at, heading in enumerate(chosen)]


def main() -> None:
    """Index, ask, compare."""
    arguments = measure.options(__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--answers", type=int, default=200)
    arguments.add_argument("--seed", type=int, default=1)
    chosen = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        engine = Engine(Settings(database=Path(scratch) / "bob.db"))
        engine.index_files.index_folder(chosen.folder, embed_seconds=0.0)
        answers = quotes = wrong = asked = 0
        for question in questions(engine, 4 * chosen.answers, chosen.seed):
            if answers >= chosen.answers:
                break
            asked += 1
            answer = engine.ask.answer_question(question, today=date(2026, 1, 1))
            answers += answer.found
            for source in answer.sources:
                quotes += 1
                start, end = source.quote_range
                same = text_at(Path(source.chunk.path), source.locator) == source.quote
                if not same or source.chunk.text[start:end] != source.quote or not source.quote:
                    wrong += 1
                    print(f"differs: {source.chunk.path} {source.locator}", file=sys.stderr)
        engine.close()
    measure.show(
        "quotes against their sources",
        ("questions", "answers", "quotes", "differ"),
        [(asked, answers, quotes, wrong)],
        as_json=chosen.json,
    )
    sys.exit(1 if wrong or not quotes else 0)


if __name__ == "__main__":
    main()
