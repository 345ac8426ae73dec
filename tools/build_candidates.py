"""Writes what the reader learns from last: questions over public documents with the candidates that Bob has.

    python bench/judgement.py build FOLDER --set reading
    python tools/build_candidates.py FOLDER WORK DATA

DATA gets a row for each question of `bench/data/reading` that is for training: in
`reader_candidates.jsonl.gz` the question and its candidates as the reader is given them, which of them are
gold, and in which round the question was written; in `reader_contexts.jsonl.gz`, for those of the last
round, the stretches of text around the candidates that promise most, and around gold where none of them has
it. WORK keeps the indexes.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from asked_questions import AskedQuestion, ask_questions, given_paths, judgement

from bob.answers.candidates import Candidate, best_first
from bob.answers.read_texts import Surroundings, surroundings
from bob.answers.score_sentences import MOST_SURROUNDINGS, MOST_UNITS

CANDIDATES, CONTEXTS = "reader_candidates.jsonl.gz", "reader_contexts.jsonl.gz"


def main() -> None:
    """Ask every question, and write down its candidates and where they stand."""
    folder, work, data = given_paths(__doc__, "folder", "work", "data")
    listed = judgement.corpora("reading")
    newest = max(each["round"] for each in listed.values())
    with (
        gzip.GzipFile(data / CANDIDATES, "wb", mtime=0) as candidates,
        gzip.GzipFile(data / CONTEXTS, "wb", mtime=0) as contexts,
    ):
        for corpus in listed:
            count = 0
            for asked in ask_questions(folder, corpus, work, "train"):
                row = {
                    "id": asked.record["id"],
                    "source": corpus,
                    "round": asked.record.get("round", listed[corpus]["round"]),
                    "split": "train",
                    "question": asked.question_read,
                }
                if len(asked.texts) > 1 and any(asked.gold) == asked.answerable:
                    candidates.write(_line(row | _passages(asked)))
                    count += 1
                stretches = stretches_of(asked.unread, asked.unread_gold)
                has_gold = any(gold for stretch in stretches for *_, gold in stretch["parts"])
                if row["round"] == newest and stretches and has_gold == asked.answerable:
                    contexts.write(_line(row | {"stretches": stretches}))
            print(f"{corpus}: {count} questions", flush=True)


def _passages(asked: AskedQuestion) -> dict[str, Any]:
    # As they stand in what was found: their order by score depends on the reader that is trained.
    places = [(each.order, each.unit.start, each.unit.end) for each in asked.candidates]
    order = sorted(range(len(places)), key=places.__getitem__)
    return {"passages": [asked.texts[n] for n in order], "gold": [asked.gold[n] for n in order]}


def stretches_of(unread: Sequence[Candidate], gold: Sequence[bool]) -> list[dict[str, Any]]:
    """The stretches of text around what promises most, each with where its candidates begin and end, and
    whether they are gold."""
    places = best_first(unread, attrgetter("promise"))
    found = surroundings(unread, places[:MOST_UNITS], MOST_SURROUNDINGS)
    if not any(gold[place] for stretch in found for place in stretch.places):
        found += surroundings(unread, [place for place in places if gold[place]], 1)
    return [{"text": stretch.text, "parts": _parts(stretch, gold)} for stretch in found]


def _parts(stretch: Surroundings, gold: Sequence[bool]) -> list[tuple[int, int, bool]]:
    return [
        (begin, end, gold[place]) for place, (begin, end) in zip(stretch.places, stretch.parts, strict=True)
    ]


def _line(row: dict[str, Any]) -> bytes:
    return (json.dumps(row, ensure_ascii=False) + "\n").encode()


if __name__ == "__main__":
    main()
