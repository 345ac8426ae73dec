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


def judged(folder: Path, split: str) -> tuple[dict[str, dict[str, int]], dict[str, str]]:
    """The judged documents of each query, with their grades, for one split; and the queries' texts by id.

    Raises:
        UsageError: a file is missing or damaged, nothing is judged, or a query that is has no text.
    """
    judgements = qrels(folder, split)
    texts = queries(folder)
    lacking = [query for query in judgements if query not in texts]
    if lacking:
        where = folder / "queries.jsonl"
        raise UsageError(f"{where}: no query {lacking[0]}, which {folder / 'qrels' / split}.tsv judges")
    return judgements, texts


def qrels(folder: Path, split: str) -> dict[str, dict[str, int]]:
    """The judged documents of each query, with their grades, for one split.

    Raises:
        UsageError: there is no such split, a line is not as it should be, or there is none.
    """
    path = folder / "qrels" / f"{split}.tsv"
    if not path.is_file():
        names = ", ".join(sorted(path.stem for path in (folder / "qrels").glob("*.tsv"))) or "none"
        raise UsageError(f"{path}: no such split; use one of {names}")
    judgements: dict[str, dict[str, int]] = {}
    for number, line in _lines(path):
        row = next(csv.reader([line], delimiter="\t"))
        if number == 1 and row[-1] == "score":
            continue
        try:
            query, document, grade = row
            judgements.setdefault(query, {})[document] = int(grade)
        except ValueError as error:
            raise UsageError(f"{path}:{number}: not query, document and grade: {row}") from error
    if not judgements:
        raise UsageError(f"{path}: no query is judged")
    return judgements


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not empty, without their ends, each with its number."""
    try:
        with path.open("rb") as raw_lines:
            for number, raw in enumerate(raw_lines, 1):
                try:
                    line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
                except UnicodeDecodeError as error:
                    raise UsageError(f"{path}:{number}: not UTF-8 text") from error
                if line.strip():
                    yield number, line
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error


def _records(path: Path) -> Iterator[dict[str, object]]:
    if not path.is_file():
        raise UsageError(f"{path}: no such file; a BEIR set has corpus.jsonl, queries.jsonl and qrels/")
    for number, line in _lines(path):
        try:
            record = json.loads(line)
            record["_id"], record["text"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise UsageError(f"{path}:{number}: not a record with _id and text") from error
        yield record
