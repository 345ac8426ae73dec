"""Is a passage that answers a question among the first that are found?

    python bench/judgement.py build FOLDER --set reading
    python bench/found.py FOLDER DATABASES --set reading --split fit [--together]

Asked are the answerable questions of a set of `bench/data`, with the questions that they follow. DATABASES
keeps an index of each corpus, or of all `--together`. Printed is how often a gold passage is among the first
1, 5, 10 and 16 passages of the search that `bob ask` begins with: as it combines words and meaning, as `bob
search` combines them, and by one signal alone; of all questions, and of those put in other words than their
passage.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import judgement

from bob import Bob
from bob.core.locator import locator_to_json
from bob.core.search import Query
from bob.search.fusion import Combined, combine, combine_for_question
from bob.search.ranking import Floats
from bob.search.service import Search

AMONG = (1, 5, 10, 16)
ORDERS = ("for a question", "as a query", "words", "vectors")
IN_OTHER_WORDS = "paraphrase"

Record = dict[str, Any]


def main() -> None:
    """Search for all questions and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("databases", type=Path)
    parser.add_argument("--set", choices=judgement.SETS, default=judgement.SETS[0])
    parser.add_argument("--split", choices=("dev", "test", "fit", "train"))
    parser.add_argument("--together", action="store_true", help="all corpora of the part in one database")
    chosen = parser.parse_args()
    chosen.databases.mkdir(parents=True, exist_ok=True)
    asked = {name: asked_of(name, chosen.split) for name in judgement.corpora(chosen.set)}
    names = [name for name, records in asked.items() if records]
    if not names:
        raise SystemExit(f"{chosen.set} has no questions of the part {chosen.split}")
    together = f"{chosen.set}-{chosen.split or 'all'}"
    found: Counter[tuple[str, str, int]] = Counter()
    total: Counter[str] = Counter()
    for group in [names] if chosen.together else [[name] for name in names]:
        with Bob(chosen.databases / f"{together if chosen.together else group[0]}.db") as bob:
            for name in group:
                bob.index(chosen.folder / name)
            for record, order, rank in ranks(
                bob._engine.search, chosen.folder, [each for name in group for each in asked[name]]
            ):
                for kind in ("all", record["kind"]):
                    total[kind] += order == ORDERS[0]
                    found.update((kind, order, most) for most in AMONG if rank is not None and rank <= most)
    for kind in ("all", IN_OTHER_WORDS):
        print(f"| {kind}, {total[kind]} | {' | '.join(map(str, AMONG))} |\n|{' --- |' * (1 + len(AMONG))}")
        for order in ORDERS:
            print(f"| {order} | {' | '.join(str(found[kind, order, most]) for most in AMONG)} |")


def asked_of(corpus: str, split: str | None) -> list[Record]:
    """The answerable questions of a part."""
    every = judgement.questions(corpus)
    return [each for each in every if not each["unanswerable"] and split in (None, each["split"])]


def ranks(
    search: Search, folder: Path, records: Sequence[Record]
) -> Iterator[tuple[Record, str, int | None]]:
    """For each question and order the rank of the first gold passage; None where none is among the first."""
    for record in records:
        query = Query(" ".join((*record.get("turns", ()), record["question"])))
        for order in ORDERS:
            mode = order if order in ("words", "vectors") else "hybrid"
            with mock.patch("bob.search.service.combine_for_question", ORDERED_BY[order]):
                result = search.search_chunks(
                    query, AMONG[-1], mode=mode, evidence_only=True, as_question=True
                )
            hits = (hit for hit in result.hits if is_gold(folder, record, hit.chunk.path, hit.chunk.locator))
            yield record, order, next((hit.rank for hit in hits), None)


def is_gold(folder: Path, record: Record, path: str, locator: Any) -> bool:
    """Whether a passage holds the first line of a gold passage."""
    root = f"{(folder / record['corpus']).resolve()}/"
    return path.startswith(root) and judgement.is_gold(
        record, path.removeprefix(root), locator_to_json(locator)
    )


def as_search(
    bm25: Floats, cosines: Floats, coverage: Floats, floor: float, vector_weight: float, worth: Floats
) -> Combined:
    """As `bob search` combines the signals, for rows that are to answer a question."""
    return combine(bm25, cosines, floor, vector_weight, worth)


ORDERED_BY = dict.fromkeys(ORDERS, as_search) | {ORDERS[0]: combine_for_question}
"""What `bob search` does with one signal alone is to order by it."""


if __name__ == "__main__":
    main()
