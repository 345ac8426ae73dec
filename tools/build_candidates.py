"""Writes what the reader learns from last: questions over public documents with the candidates that Bob has.

    python bench/judgement.py build FOLDER --set reading
    python tools/build_candidates.py FOLDER WORK DATA/reader_candidates.jsonl.gz

The file has a row for each question of `bench/data/reading` that is for training: the question and its
candidates as the reader is given them, which of them are gold, and in which round the question was written.
WORK keeps the indexes.
"""

from __future__ import annotations

import gzip
import json

from asked_questions import ask_questions, given_paths, judgement


def main() -> None:
    """Ask every question, and write down its candidates."""
    folder, work, file = given_paths(__doc__, "folder", "work", "file")
    with gzip.GzipFile(file, "wb", mtime=0) as written:
        for corpus, listed in judgement.corpora("reading").items():
            count = 0
            for asked in ask_questions(folder, corpus, work, "train"):
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
                written.write((json.dumps(row, ensure_ascii=False) + "\n").encode())
                count += 1
            print(f"{corpus}: {count} questions", flush=True)


if __name__ == "__main__":
    main()
