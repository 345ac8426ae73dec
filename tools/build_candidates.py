"""Writes what the reader learns from: questions over public documents with what Bob has it read for them.

    python bench/judgement.py build FOLDER --set reading
    python tools/build_candidates.py FOLDER WORK DATA

`DATA/reader_candidates.jsonl.gz` gets a line for each collection of `bench/data/reading`: a table of texts,
and a row for each question, with the part that it belongs to. A row has the numbers of the texts that are
read alone, those that promise most and some gold beside them, and which of them are gold; and the stretches
of text around those that promise most, and around gold where none of them has it, each with where its
candidates begin and end and whether they are gold. WORK keeps the indexes, which are of words alone: a
hundred thousand passages need not be embedded, and what was found is about the same.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from asked_questions import AskedQuestion, ask_unread, given_paths, judgement

from bob.answers.candidates import Candidate, best_first
from bob.answers.read_texts import Surroundings, surroundings, texts_to_read
from bob.answers.score_sentences import MOST_SURROUNDINGS, MOST_UNITS

CANDIDATES = "reader_candidates.jsonl.gz"
MOST_GOLD = 2
"""Gold candidates beyond those that promise most."""


def main() -> None:
    """Ask every question, and write down its candidates and where they stand."""
    folder, work, data = given_paths(__doc__, "folder", "work", "data")
    listed = judgement.corpora("reading")
    with gzip.GzipFile(data / CANDIDATES, "wb", compresslevel=6, mtime=0) as file:
        for corpus in listed:
            texts: dict[str, int] = {}
            rows = [
                row_of(asked, listed[corpus]["round"], texts)
                for asked in ask_unread(folder, corpus, work)
                if any(asked.unread_gold) or not asked.answerable
            ]
            line = {"source": corpus, "texts": list(texts), "rows": rows}
            file.write((json.dumps(line, ensure_ascii=False) + "\n").encode())
            print(f"{corpus}: {len(rows)} questions", flush=True)


def row_of(asked: AskedQuestion, asked_in: int, texts: dict[str, int]) -> dict[str, Any]:
    """The row of a question of a collection of that round; `texts` gets those that it speaks of."""
    unread, gold = asked.unread, asked.unread_gold
    order = best_first(unread, attrgetter("promise"))
    beyond = [place for place in order[MOST_UNITS:] if gold[place]][:MOST_GOLD]
    places = [*order[:MOST_UNITS], *beyond]
    return {
        "id": asked.record["id"],
        "round": asked.record.get("round", asked_in),
        "split": asked.record["split"],
        "answerable": asked.answerable,
        "question": asked.question_read,
        "candidates": [texts.setdefault(text, len(texts)) for text in texts_to_read(unread, places)],
        "gold": [number for number, place in enumerate(places) if gold[place]],
        "stretches": [
            (texts.setdefault(stretch.text, len(texts)), _parts(stretch, gold))
            for stretch in stretches_of(unread, gold)
        ],
    }


def stretches_of(unread: Sequence[Candidate], gold: Sequence[bool]) -> list[Surroundings]:
    """The stretches of text around what promises most, and around gold where none of them has it."""
    places = best_first(unread, attrgetter("promise"))
    found = surroundings(unread, places[:MOST_UNITS], MOST_SURROUNDINGS)
    if not any(gold[place] for stretch in found for place in stretch.places):
        found += surroundings(unread, [place for place in places if gold[place]], 1)
    return found


def _parts(stretch: Surroundings, gold: Sequence[bool]) -> list[tuple[int, int, int]]:
    return [
        (begin, end, int(gold[place]))
        for place, (begin, end) in zip(stretch.places, stretch.parts, strict=True)
    ]


if __name__ == "__main__":
    main()
