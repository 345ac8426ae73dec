"""Reads sets in the form of the BEIR benchmark (Thakur et al. 2021): corpus.jsonl, queries.jsonl, qrels/."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bob.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class BeirDocument:
    """One record of the corpus."""

    id: str
    title: str
    text: str


def corpus(folder: Path) -> Iterator[BeirDocument]:
    """The corpus in file order.

    Raises:
        UsageError: the file is missing, or a line is not as it should be.
    """
    for record in _records(folder / "corpus.jsonl"):
        yield BeirDocument(str(record["_id"]), str(record.get("title") or ""), str(record["text"]))


def queries(folder: Path) -> dict[str, str]:
    """The queries' texts by id."""
    return {str(record["_id"]): str(record["text"]) for record in _records(folder / "queries.jsonl")}


def qrels(folder: Path, split: str) -> dict[str, dict[str, int]]:
    """The judged documents of each query, with their grades, for one split."""
    path = folder / "qrels" / f"{split}.tsv"
    if not path.is_file():
        names = ", ".join(sorted(path.stem for path in (folder / "qrels").glob("*.tsv"))) or "none"
        raise UsageError(f"{path}: no such split; use one of {names}")
    judgements: dict[str, dict[str, int]] = {}
    with path.open(encoding="utf-8", newline="") as lines:
        for number, row in enumerate(csv.reader(lines, delimiter="\t"), 1):
            if number == 1 and row[-1] == "score":
                continue
            try:
                query, document, grade = row
                judgements.setdefault(query, {})[document] = int(grade)
            except ValueError as error:
                raise UsageError(f"{path}:{number}: not query, document and grade: {row}") from error
    return judgements


def _records(path: Path) -> Iterator[dict[str, object]]:
    if not path.is_file():
        raise UsageError(f"{path}: no such file; a BEIR set has corpus.jsonl, queries.jsonl and qrels/")
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
                record["_id"], record["text"]
            except (json.JSONDecodeError, KeyError, TypeError) as error:
                raise UsageError(f"{path}:{number}: not a record with _id and text") from error
            yield record
