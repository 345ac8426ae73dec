"""Writes what the reader learns from last: questions over public documents with the candidates that Bob has.

    python bench/judgement.py build FOLDER --set reading
    python tools/build_candidates.py FOLDER WORK DATA/reader_candidates.jsonl.gz

The file has a row for each question of `bench/data/reading` that is for training: the question and its
candidates as the reader is given them, which of them are gold, and in which round the question was written.
WORK keeps the indexes.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

from asked_questions import ask_questions, judgement


def main() -> None:
    """Ask every question, and write down its candidates."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("folder", "work", "file"):
        parser.add_argument(name, type=Path)
    given = parser.parse_args()
    with gzip.GzipFile(given.file, "wb", mtime=0) as file:
        for corpus, listed in judgement.corpora("reading").items():
            count = 0
            for asked in ask_questions(given.folder, corpus, given.work, "train"):
                if len(asked.texts) < 2 or (asked.answerable and not any(asked.gold)):
                    continue
                # As they stand in what was found: their order by score depends on the reader that is trained.
                places = [(each.order, each.unit.start, each.unit.end) for each in asked.candidates]
                order = sorted(range(len(places)), key=places.__getitem__)
                row = {
                    "id": asked.record["id"],
                    "source": corpus,
                    "round": asked.record.get("round", listed["round"]),
                    "split": "train",
                    "question": asked.question_read,
                    "passages": [asked.texts[n] for n in order],
                    "gold": [asked.gold[n] for n in order],
                }
                file.write((json.dumps(row, ensure_ascii=False) + "\n").encode())
                count += 1
            print(f"{corpus}: {count} questions", flush=True)


if __name__ == "__main__":
    main()
