"""More pairs for the verifier, from parts of MultiNLI, SNLI and WANLI that public repositories hold.

    python tools/build_verifier_pairs.py DATA LLMS_KNOW O_LORA CAT DISCO

DATA is the folder of `verifier.jsonl.gz`; `verifier_more.jsonl.gz` is written beside it. The others are
checkouts: technion-cs-nlp/LLMsKnow (`data/mnli_train.csv`) and cmnfriend/O-LoRA
(`CL_Benchmark/NLI/MNLI/train.json`) hold 13,000 pairs of MultiNLI's training set (Williams et al. 2018; OANC
and CC BY), academic-repository/cat (`data/snli/train.csv`) 18,000 of SNLI's (CC BY-SA 4.0), and
eric11eca/disco (`data/input/wanli`) 15,000 of WANLI (Liu et al. 2022; CC BY 4.0). Pairs whose evidence is
a text of a reserved row are left out.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

Pair = tuple[str, str, str, str]
"""Source, evidence, claim and label."""

_ASKED = re.compile(
    r'For the statement, "(?P<evidence>.+)", does the hypothesis "(?P<claim>.+)" represent entailment, ', re.S
)
_SENTENCES = re.compile(r"sentence 1: (?P<evidence>.+)\nsentence 2: (?P<claim>.+)", re.S)
LABELS = {
    "entailment": "supported",
    "contradiction": "contradicted",
    "neutral": "not_said",
    "3": "supported",
    "2": "contradicted",
    "1": "not_said",
}
"""Ours, by those of the sets."""


def pairs_of(llms_know: Path, o_lora: Path, cat: Path, disco: Path) -> Iterator[Pair]:
    """All pairs of the checkouts."""
    with (llms_know / "data" / "mnli_train.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            if asked := _ASKED.match(row["Question"]):
                yield "mnli-train", asked["evidence"], asked["claim"], LABELS[row["Answer"]]
    rows = json.loads((o_lora / "CL_Benchmark" / "NLI" / "MNLI" / "train.json").read_text(encoding="utf-8"))
    for row in rows:
        if said := _SENTENCES.match(row["sentence"]):
            yield "mnli-train", said["evidence"], said["claim"], LABELS[row["label"]]
    with (cat / "data" / "snli" / "train.csv").open(encoding="utf-8", newline="") as lines:
        for label, _, evidence, claim in csv.reader(lines, delimiter="\t"):
            yield "snli-train", evidence, claim, LABELS[label]
    for label in ("entailment", "contradiction", "neutral"):
        with (disco / "data" / "input" / "wanli" / f"{label}_spans.jsonl").open(encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                yield "wanli", row["premise"], row["hypothesis"], LABELS[row["label"]]


def words_of(text: str) -> str:
    """A text by which it is known again, whatever its marks and capitals."""
    return " ".join(re.findall(r"\w+", text.lower()))


def main() -> None:
    """Write the rows, and print how many there are of each kind."""
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    data, *checkouts = map(Path, sys.argv[1:])
    reserved: set[str] = set()
    for name in ("verifier.jsonl.gz", "verifier_generated.jsonl.gz"):
        with gzip.open(data / name, "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                if row["split"] == "dev":
                    reserved.update(map(words_of, (row["claim"], *row["evidence"])))
    counts: Counter[tuple[str, str]] = Counter()
    seen: set[str] = set()
    # No file name and time in the header: the same rows are the same bytes.
    with (
        (data / "verifier_more.jsonl.gz").open("wb") as target,
        gzip.GzipFile(fileobj=target, mode="wb", mtime=0, filename="") as file,
    ):
        for source, evidence, claim, label in pairs_of(*checkouts):
            key = hashlib.sha256(f"{words_of(evidence)} / {words_of(claim)}".encode()).hexdigest()[:14]
            if key in seen or words_of(evidence) in reserved:
                continue
            seen.add(key)
            row = {"id": key, "claim": claim.strip(), "evidence": [evidence.strip()], "label": label}
            file.write((json.dumps(row | {"source": source, "split": "train"}) + "\n").encode())
            counts[source, label] += 1
    for (source, label), count in sorted(counts.items()):
        print(f"{source:12} {label:13} {count:6}")


if __name__ == "__main__":
    main()
