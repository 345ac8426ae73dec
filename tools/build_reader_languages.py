"""Rows for the reader in languages other than English, from public question sets in SQuAD's form.

    python tools/build_reader_languages.py DATA XQUAD FAQUAD SQUAD1_PT SQUAD2_PT OMOS

DATA is the folder of `reader.jsonl.gz`; `reader_languages.jsonl.gz` is written beside it. The others are
checkouts of google-deepmind/xquad (CC BY-SA 4.0, translated by people), liafacom/faquad (Portuguese texts
of universities and Wikipedia, asked by people), nunorc/squad-v1.1-pt and cjaniake/squad_v2.0_pt (SQuAD, CC
BY-SA 4.0, translated by machine; of the first only the sample that its pages show), and
digitalfabrik/integreat-qa-dataset (OMoS-QA, CC BY 4.0: pages of German cities for newcomers, asked by people
and a model, of whose answers people marked the lines; German and, by machine, English).

XQuAD and SQuAD's questions are translations of some that are reserved in English: a passage whose English
one is reserved is reserved too. XQuAD's has the same ids; a translation by machine is told by the numbers
and names that both have, and left out where none is near. Of FaQuAD one article in five is reserved, of
OMoS-QA what it calls test.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate, product
from pathlib import Path
from typing import Any

NEAR = 0.15
"""The share of numbers and names that a translation has in common with its original at least (Jaccard)."""

_MARKS = re.compile(r"\d+|\b[A-Z]\w{3,}")
_WORDS = re.compile(r"\w{4,}")
_AROUND = 120

Row = dict[str, Any]


def questions_in(file: Path) -> Iterator[tuple[str, str, Row]]:
    """Title, passage and question of a file in SQuAD's form."""
    for article in json.loads(file.read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            for question in paragraph["qas"]:
                yield article["title"], paragraph["context"], question


class Splits:
    """Which part an English passage belongs to, also asked by a translation of it."""

    def __init__(self, english: Path) -> None:
        self._splits: dict[str, str] = {}
        with gzip.open(english, "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                if row["source"] in ("squad2-dev", "squad1-dev-rest"):
                    self._splits[row["passage"]] = row["split"]
        self._marks = [(set(_MARKS.findall(passage)), split) for passage, split in self._splits.items()]
        self._nearest: dict[str, tuple[str, float]] = {}

    def of_english(self, passage: str) -> str:
        """The part of an English passage, or of the nearest one."""
        return self._splits.get(passage) or self._near(passage)[0]

    def of_translation(self, passage: str) -> str | None:
        """The part of the passage that this is a translation of; None where no passage is near."""
        split, share = self._near(passage)
        return split if share >= NEAR else None

    def _near(self, passage: str) -> tuple[str, float]:
        if passage not in self._nearest:
            marks = set(_MARKS.findall(passage))
            self._nearest[passage] = max(
                ((split, len(marks & other) / max(len(marks | other), 1)) for other, split in self._marks),
                key=lambda near: near[1],
            )
        return self._nearest[passage]


def row_of(source: str, passage: str, question: Row, split: str) -> Row | None:
    """The row; None where the answer does not stand in the passage."""
    answers = question.get("answers") or []
    key = f"{source}{question['id']}{question['question']}"
    row: Row = {
        "id": hashlib.sha256(key.encode()).hexdigest()[:14],
        "question": question["question"].strip(),
        "passage": passage,
        "answers": [],
        "answerable": bool(answers),
        "source": source,
        "split": split,
    }
    if not answers:
        return row if question.get("is_impossible") else None
    text, start = answers[0]["text"].strip(), int(answers[0].get("answer_start", -1))
    if not text:
        start = -1  # Lost in the translation: the answer stands nowhere.
    elif start < 0 or passage[start : start + len(text)] != text:
        # A translation by machine often does not know where the answer stands, and says 0.
        starts = [match.start() for match in re.finditer(re.escape(text.lower()), passage.lower())]
        if not starts or len(passage.lower()) != len(passage):
            return None
        if start > 0 and len(starts) > 1:
            start = min(starts, key=lambda place: abs(place - start))
        else:
            asked = set(_WORDS.findall(row["question"].lower()))
            start = max(starts, key=lambda place: len(asked & _words_around(passage, place)))
    row["answers"] = [{"text": passage[start : start + len(text)], "start": start}]
    return row


def _words_around(passage: str, place: int) -> set[str]:
    return set(_WORDS.findall(passage[max(place - _AROUND, 0) : place + _AROUND].lower()))


def rows_of_lines(language: str, part: str, omos: Path) -> Iterator[Row]:
    """OMoS-QA's rows, whose answer is the first of the most lines together that were marked."""
    split, file = "dev" if part == "test" else "train", f"{part}_{language}.json"
    path = omos / "dataset" / "languages" / language / "splits" / file
    for asked in json.loads(path.read_text(encoding="utf-8")):
        lines = asked["context"].split("\n")
        starts = [0, *accumulate(len(line) + 1 for line in lines)]
        runs: list[list[int]] = []
        for number in asked["answers"]:
            if runs and runs[-1][-1] == number - 1:
                runs[-1].append(number)
            elif lines[number].strip():
                runs.append([number])
        answers = []
        if runs:
            number = max(runs, key=len)[0]
            answers = [{"text": lines[number], "answer_start": starts[number]}]
        question = {"id": asked["id"], "question": asked["question"], "answers": answers}
        if answers or not asked["answers"]:
            row = row_of(
                f"omos-{language}", asked["context"], question | {"is_impossible": not answers}, split
            )
            yield from filter(None, [row])


def rows_of(
    splits: Splits, xquad: Path, faquad: Path, squad1_pt: Path, squad2_pt: Path, omos: Path
) -> Iterator[Row]:
    """All rows, those of reserved passages with the split `dev`."""
    english = {question["id"]: passage for _, passage, question in questions_in(xquad / "xquad.en.json")}
    for language in ("de", "es", "ro"):
        for _, passage, question in questions_in(xquad / f"xquad.{language}.json"):
            split = splits.of_english(english[question["id"]])
            yield from filter(None, [row_of(f"xquad-{language}", passage, question, split)])
    for _, passage, question in questions_in(squad2_pt / "dev-v2.0.json"):
        if near := splits.of_translation(passage):
            yield from filter(None, [row_of("squad2-pt", passage, question, near)])
    for _, passage, question in questions_in(squad1_pt / "docs" / "sample-v1.1-pt.json"):
        yield from filter(None, [row_of("squad1-pt", passage, question, "train")])
    for title, passage, question in questions_in(faquad / "data" / "dataset.json"):
        split = "dev" if int(hashlib.sha256(title.encode()).hexdigest(), 16) % 5 == 0 else "train"
        yield from filter(None, [row_of("faquad", passage, question, split)])
    for language, part in product(("de", "en"), ("train", "dev", "test")):
        yield from rows_of_lines(language, part, omos)


def main() -> None:
    """Write the rows, and print how many there are of each kind."""
    if len(sys.argv) != 7:
        sys.exit(__doc__)
    data, *checkouts = map(Path, sys.argv[1:])
    counts: Counter[tuple[str, str, bool]] = Counter()
    target = data / "reader_languages.jsonl.gz"
    # No file name and time in the header: the same rows are the same bytes.
    with target.open("wb") as file, gzip.GzipFile(fileobj=file, mode="wb", mtime=0, filename="") as packed:
        for row in rows_of(Splits(data / "reader.jsonl.gz"), *checkouts):
            counts[row["source"], row["split"], row["answerable"]] += 1
            packed.write((json.dumps(row, ensure_ascii=False) + "\n").encode())
    for (source, split, answerable), count in sorted(counts.items()):
        print(f"{source:10} {split:6} {'answerable' if answerable else 'not answerable':15} {count:6}")


if __name__ == "__main__":
    main()
