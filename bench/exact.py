"""Queries by an exact name, a version or a dotted name, or a word with a typing error: is the passage first?

    python bench/exact.py make FOLDER [--database-folder FOLDER]
    python bench/exact.py ask FOLDER [--database-folder FOLDER] [--split dev] [--json]

FOLDER is what `bench/judgement.py build` made. `make` draws the queries of `bench/data/exact.jsonl` from the
passages of its corpora with a fixed seed: a word that at most two passages have, and beside it two words that
many have, of the same sentence or (for half of the names and versions) of anywhere. `ask` searches, and
counts how often the first hit has the word as it is written. A third of the queries is set aside as `test`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import judgement
import measure
from json_lines import records_in

from bob.app import Engine
from bob.app.settings import Settings
from bob.core.search import Query
from bob.text.sentences import sentence_ranges
from bob.text.stop_words import QUERY_STOP_WORDS

DATA = Path(__file__).parent / "data" / "exact.jsonl"
KINDS = {"name": 48, "version": 40, "typo": 40}
"""How many queries of each kind."""

SEED = 1
COMMON = 12
"""Passages that a word beside the exact one is in, at least."""

_VERSION = re.compile(
    r"(?<![\w.\-/])(?:v?\d+(?:\.\d+)+|[A-Za-z]{2,}[-_]\d+(?:[-_.]\d+)*|[a-z]\w+(?:\.[a-z_]\w+)+(?:\(\))?|"
    r"\d+/\d{4}|[A-Z]\w*[#+]+)(?![\w\-/])"
)
_NAME = re.compile(r"(?<![\w.\-/])(?:[A-Z][^\W\d_]{3,}|[A-Za-z]+_[A-Za-z_]+|[a-z]+[A-Z]\w+)(?![\w\-/.])")
_PLAIN = re.compile(r"(?<![\w.\-/@])[^\W\d_]{6,14}(?![\w\-/@])")
_WORD = re.compile(r"[^\W\d_]{4,}")


def main() -> None:
    """Make the queries, or ask them."""
    parser = measure.options(__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("what", choices=["make", "ask"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--database-folder", type=Path)
    parser.add_argument("--split", choices=["dev", "test"], default="dev")
    parser.add_argument("--misses", action="store_true", help="print the queries whose first hit is another")
    chosen = parser.parse_args()
    databases = chosen.database_folder or chosen.folder
    if chosen.what == "make":
        records = list(drawn(databases))
        DATA.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in records), "utf-8")
        print(Counter((each["kind"], each["split"]) for each in records))
        return
    ask(databases, chosen)


def opened(databases: Path, corpus: str) -> Engine:
    """The corpus as it was indexed by `bench/judgement.py ask`."""
    if not (databases / f"{corpus}.db").is_file():
        raise SystemExit(f"{databases} has no {corpus}.db. Run: bench/judgement.py ask, or --database-folder")
    return Engine(Settings(database=str(databases / f"{corpus}.db")))


def drawn(databases: Path) -> Iterator[dict[str, Any]]:
    """The queries, as many of each kind from each corpus."""
    corpora = sorted(judgement.corpora())
    for kind, count in KINDS.items():
        for position, corpus in enumerate(corpora):
            share = count // len(corpora) + (position < count % len(corpora))
            yield from _of_corpus(databases, corpus, kind, share)


def _of_corpus(databases: Path, corpus: str, kind: str, count: int) -> Iterator[dict[str, Any]]:
    engine = opened(databases, corpus)
    with engine.database.read() as transaction:
        texts = [row[0] for row in transaction.execute("SELECT text FROM chunks WHERE org_id = :org")]
    engine.close()
    rng = random.Random(f"{SEED} {corpus} {kind}")
    pattern = {"name": _NAME, "version": _VERSION, "typo": _PLAIN}[kind]
    holds = Counter(word for text in texts for word in {each.lower() for each in _WORD.findall(text)})
    common = sorted(w for w, n in holds.items() if n >= COMMON and w not in QUERY_STOP_WORDS)
    found = Counter(match for text in texts for match in set(pattern.findall(text)))
    rare = sorted(word for word, n in found.items() if n <= 2 and _is_rare(word, kind, holds, texts))
    rng.shuffle(rare)
    made = 0
    for word in rare:
        text = next(text for text in texts if word in text)
        at = text.index(word)
        begin, end = next((a, b) for a, b in sentence_ranges(text) if a <= at < b)
        beside = [
            each
            for each in dict.fromkeys(_WORD.findall(text[begin:end]))
            if each.lower() in common and each not in word and each.lower() != word.lower()
        ]
        anywhere = kind != "typo" and made % 2 == 1
        if made == count or (len(beside) < 2 and not anywhere):
            continue
        others = rng.sample(common if anywhere else beside, 2)
        asked = _mistyped(word, rng) if kind == "typo" else word
        if kind == "typo" and any(asked in each.lower() for each in texts):
            continue
        made += 1
        words = [asked, *others]
        rng.shuffle(words)
        query = " ".join(words)
        digest = hashlib.sha256(f"{corpus} {query}".encode()).digest()[0]
        yield {
            "corpus": corpus,
            "kind": kind,
            "query": query,
            "word": word,
            "beside": "anywhere" if anywhere else "sentence",
            "split": "test" if digest % 3 == 0 else "dev",
        }


def _is_rare(word: str, kind: str, holds: Counter[str], texts: Sequence[str]) -> bool:
    if kind == "version":
        return len(word) >= 3
    lower = word.lower()
    return sum(lower in text.lower() for text in texts) <= 2 and (kind != "typo" or word == lower)


def _mistyped(word: str, rng: random.Random) -> str:
    """The word with one letter lost, doubled, replaced by its neighbour, or two that changed places."""
    at = rng.randrange(1, len(word) - 2)
    how = rng.randrange(4)
    if how == 0:
        return word[:at] + word[at + 1 :]
    if how == 1:
        return word[:at] + word[at] + word[at:]
    if how == 2 and word[at] != word[at + 1]:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return word[:at] + rng.choice("aeiourstn") + word[at + 1 :]


def ask(databases: Path, chosen: argparse.Namespace) -> None:
    """Search for each query, and print how often the first hit has the word."""
    records = records_in(DATA)
    right: Counter[tuple[str, str]] = Counter()
    every: Counter[tuple[str, str]] = Counter()
    for corpus in sorted({each["corpus"] for each in records}):
        engine = opened(databases, corpus)
        for record in records:
            if record["corpus"] != corpus or record["split"] != chosen.split:
                continue
            hits = engine.search.search_chunks(Query(record["query"]), 1, today=date(2026, 11, 24)).hits
            first = hits[0].chunk if hits else None
            place = "" if first is None else " ".join((first.text, first.title, *first.heading_path))
            is_right = record["word"].lower() in place.lower()
            for key in (record["kind"], "all"):
                every[key, record["beside"]] += 1
                right[key, record["beside"]] += is_right
            if chosen.misses and not is_right:
                print(f"{corpus} {record['kind']} {record['beside']}: {record['query']} ({record['word']})")
        engine.close()
    rows = [
        [kind, beside, right[kind, beside], every[kind, beside]]
        for kind in (*KINDS, "all")
        for beside in ("sentence", "anywhere")
    ]
    measure.show("The first hit has the word", ["kind", "beside", "first", "of"], rows, as_json=chosen.json)


if __name__ == "__main__":
    main()
