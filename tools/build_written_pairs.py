"""Pairs for the verifier from claims that were written about passages of documents: `bench/data/claims`.

    pip install scikit-learn
    python tools/build_written_pairs.py DATA [--git-dir CORPUS=PATH]... [--claims FILE]

Writes `DATA/verifier_written.jsonl.gz`. Each corpus is read at the commit that
`bench/data/claims/corpora.json` names, from its git directory where one is given, or else from a clone. A
claim stands beside what Bob reads beside it: the two sentences of the passage that bear it out best, and once
more one or more of them or the best in its passage. Rows of corpora that are set aside are `dev`;
their claims are written to FILE beside the whole passage, as `tools/train_grading.py` reads them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict

from bob.answers.answer import Span
from bob.answers.claims.judge_claims import Compared, JudgeClaims, SourceText
from bob.models.networks import OnnxEmbedder
from bob.text.sentences import sentence_ranges

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

from clones import accept_git_dirs, clone_of, file_at, git_dirs_of

CLAIMS = Path(__file__).parents[1] / "bench" / "data" / "claims"

RETOLD_FROM = 7_000
"""The number of the first passage whose claims are as a colleague tells what he has read."""

SEED = 5
TELLING = 2.0
"""By the words of a claim alone its label is so much likelier than otherwise: half of these are left
out, since they teach nothing about the evidence."""
LEFT_OUT, NOT_SAID_LEFT_OUT = 0.5, 0.25
ELSEWHERE = 0.15
"""So many claims also stand beside another passage of their corpus, which does not say them."""
LEAST, MOST = 45, 130
"""Words of a passage: shorter ones are joined with what follows up to so many."""
WIDE = 70
"""A passage of fewer words may be read whole."""
UNDER_HEADING, AROUND = 0.4, 0.4
"""So many claims stand beside their sentences behind the title and heading, and the second time beside the
best sentence with what stands around it."""
ONE = 0.35
OF_ONE_SENTENCE = ("para", "neg", "num", "quant", "role", "attr", "comp")
"""Kinds of claims of which the best sentence alone mostly tells."""

_WORD = re.compile(r"[a-z]{4,}")


@dataclass(frozen=True)
class Passage:
    """Lines of a document without markup, with the title and the heading above them."""

    title: str
    heading: str
    lines: tuple[int, int]
    text: str


@dataclass(frozen=True)
class Claim:
    """A claim beside its passage."""

    corpus: str
    passage: int
    split: str
    label: str
    kind: str
    written: str
    beside: Compared


def without_markup(text: str) -> str:
    """A paragraph in Markdown, reStructuredText or AsciiDoc as its reader sees it."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\[([^\]]+)\]\[[^\]]*\]", r"\1", text)
    text = re.sub(r"`([^`<]+?)\s*<[^>`]+>`_+", r"\1", text)
    text = re.sub(r":[\w:]+:`~?([^`<]+?)(?:\s*<[^`>]*>)?`", r"\1", text)
    text = re.sub(r"link:\S+?\[([^\]]*)\]|xref:\S+?\[([^\]]*)\]", lambda link: link[1] or link[2] or "", text)
    text = re.sub(r"javadoc:([\w.]+)\[[^\]]*\]", r"\1", text)
    for shows_nothing in (r"<[^>]{1,200}>", r"\{%.*?%\}|\{\{.*?\}\}", r"\*\*|__|``|`"):
        text = re.sub(shows_nothing, "", text)
    text = re.sub(r"\|([\w-]+)\|", r"\1", text)
    return re.sub(r"\s+", " ", text).strip()


def passages(text: str, form: str) -> Iterator[Passage]:
    """The paragraphs and lists of a document; short ones under one heading are joined."""
    title = ""
    if front := re.match(r"---\n(.*?)\n---\n", text, re.S):
        named = re.search(r"^title:\s*[\"']?(.+?)[\"']?$", front[1], re.M)
        title, text = named[1] if named else "", text[front.end() :]
    text = re.sub(r"```.*?```|~~~.*?~~~|<!--.*?-->", "\n\n", text, flags=re.S)
    joined: list[tuple[str, int, int, str]] = []
    goes_on = False
    for heading, first, last, paragraph in _paragraphs(text.split("\n"), title, form):
        if _SHOWS.match(paragraph) or re.search(r"^\s{0,3}\|", paragraph, re.M):
            goes_on = False
            continue
        said = "\n".join(map(without_markup, re.split(r"\n(?=\s*(?:[-*+]|\d+\.) )", paragraph)))
        if not said:
            continue
        before = joined[-1] if joined and goes_on else None
        words = len(before[3].split()) if before else 0
        if before and before[0] == heading and words < LEAST and words + len(said.split()) <= MOST:
            joined[-1] = (heading, before[1], last, f"{before[3]}\n{said}")
        else:
            joined.append((heading, first, last, said))
        goes_on = True
    for heading, first, last, said in joined:
        yield Passage("" if title == heading else title, heading, (first, last), said)


_SHOWS = re.compile(
    r"\s*(\.\. |:\w+:|\||\+[-=]|\{|<|\[\w|image|include|!!!|export|import|\$|>>>|    \S.*[;{(=]|\t\S)"
)
"""How code, tables and directives begin."""


def _paragraphs(lines: Sequence[str], heading: str, form: str) -> Iterator[tuple[str, int, int, str]]:
    begun: list[str] = []
    first = number = 0
    while number < len(lines):
        line, rule = lines[number], lines[number + 1] if number + 1 < len(lines) else ""
        marked = re.match(r"#{1,5} |={1,5} \w", line)
        is_rule = re.match(r"^([=\-~^\"+*#])\1{3,}\s*$", rule) and len(rule.strip()) >= len(line.strip()) - 2
        underlined = line.strip() and is_rule and form in ("rst", "md", "txt") and not begun
        if (marked or not line.strip()) and begun:
            yield heading, first + 1, number, "\n".join(begun)
            begun = []
        if marked:
            heading = without_markup(line.lstrip("#= ").rstrip("#= ").split("{#")[0])
        elif underlined:
            heading = without_markup(line)
            number += 1
        elif line.strip():
            first = first if begun else number
            begun.append(line)
        number += 1
    if begun:
        yield heading, first + 1, number, "\n".join(begun)


def evidence_of(passage: Passage) -> list[SourceText]:
    """The sentences of a passage, and its headings."""
    somewhere: Any = Span
    said = [
        sentence
        for line in passage.text.split("\n")
        for start, end in sentence_ranges(line)
        if (sentence := line[start:end].strip())
    ]
    heading = " ".join(filter(None, (passage.title, passage.heading)))
    sentences = [SourceText(sentence, somewhere, said, index, heading) for index, sentence in enumerate(said)]
    return [*sentences, *([SourceText(heading, None)] if heading else [])]


def claims_of(git_dirs: Mapping[str, str]) -> list[Claim]:
    """All claims in the order in which they were written, each beside its passage."""
    rows: list[tuple[dict[str, Any], dict[str, str], Passage]] = []
    for corpus in json.loads((CLAIMS / "corpora.json").read_text(encoding="utf-8")):
        with clone_of(corpus, git_dirs) as git_dir:
            read = reader_of(git_dir, corpus["commit"])
            for line in (CLAIMS / f"{corpus['name']}.jsonl").read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                passage = next(each for each in read(row["path"]) if list(each.lines) == row["lines"])
                rows.append((row, corpus, passage))
    embedder, claims = OnnxEmbedder(), list[Claim]()
    judge = JudgeClaims(embedder, None)
    for row, corpus, passage in sorted(rows, key=lambda written: int(written[0]["passage"])):
        evidence = evidence_of(passage)
        written = [claim["claim"] for claim in row["claims"]]
        beside = judge.compare([(claim, evidence) for claim in written], embedder.rarity)
        where = (corpus["repository"], row["passage"], "dev" if corpus["split"] == "test" else "train")
        claims += [
            Claim(*where, claim["label"], claim["kind"], claim["claim"], compared)
            for claim, compared in zip(row["claims"], beside, strict=True)
            if isinstance(compared, Compared)
        ]
    return claims


def reader_of(git_dir: Path, commit: str) -> Callable[[str], list[Passage]]:
    """Gives the passages of a file of a git directory."""
    known: dict[str, list[Passage]] = {}

    def read(path: str) -> list[Passage]:
        if path not in known:
            text = file_at(git_dir, commit, path).decode("utf-8", "replace")
            known[path] = list(passages(text, path.rpartition(".")[2]))
        return known[path]

    return read


def told_by_words(claims: Sequence[Claim]) -> list[float]:
    """How much likelier than otherwise the words of each claim alone make it that it is supported, by claims
    of other corpora."""
    supported = np.array([claim.label == "supported" for claim in claims])
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=3, sublinear_tf=True)
    likely = cross_val_predict(
        LogisticRegression(C=1, max_iter=500),
        words.fit_transform([claim.written for claim in claims]),
        supported,
        groups=np.array([claim.corpus for claim in claims]),
        cv=GroupKFold(6),
        method="predict_proba",
    )[:, 1]
    mean = supported.mean()
    return list((likely / (1 - likely)) / (mean / (1 - mean)))


def rows_of(claims: Sequence[Claim]) -> Iterator[dict[str, Any]]:
    """The rows for training, and those that are set aside."""
    lot = random.Random(SEED)
    for claim, odds in zip(claims, told_by_words(claims), strict=True):
        ranked, texts = claim.beside.ranked, claim.beside.evidence
        if claim.split == "dev":
            yield _row(claim, claim.beside.read_beside(ranked[:2]))
            continue
        is_told = odds > TELLING if claim.label == "supported" else odds < 1 / TELLING
        if is_told and lot.random() < LEFT_OUT:
            continue
        if claim.label == "not_said" and lot.random() < NOT_SAID_LEFT_OUT:
            continue
        is_under = lot.random() < UNDER_HEADING
        read_beside = claim.beside.read_under_heading if is_under else claim.beside.read_beside
        yield _row(claim, read_beside(ranked[:2]))
        whole = sum(len(text.text.split()) for text in texts) < WIDE
        read = ranked if whole else ranked[:3]
        if lot.random() < ONE and claim.kind in OF_ONE_SENTENCE:
            read = ranked[:1]
        is_around = lot.random() < AROUND
        yield _row(claim, claim.beside.read_around(ranked[0]) if is_around else read_beside(read))
    yield from elsewhere(claims, lot)


def elsewhere(claims: Sequence[Claim], lot: random.Random) -> Iterator[dict[str, Any]]:
    """Claims beside the two sentences nearest to them of another passage of their corpus."""
    by_corpus: dict[str, list[Claim]] = defaultdict(list)
    for claim in claims:
        by_corpus[claim.corpus].append(claim)
    for own in by_corpus.values():
        if own[0].split == "dev":
            continue
        last = {claim.passage: claim for claim in own}
        words = {
            number: set[str]().union(*(_words(text.text) for text in claim.beside.evidence))
            for number, claim in last.items()
        }
        for claim in own:
            if claim.label == "not_said" or lot.random() > ELSEWHERE:
                continue
            said = _words(claim.beside.said)
            others = (number for number in sorted(last) if number != claim.passage)
            nearest = last[max(others, key=lambda number: len(said & words[number]))].beside
            shared = [len(said & _words(text.text)) for text in nearest.evidence]
            best = sorted(range(len(shared)), key=lambda index: -shared[index])[:2]
            read = claim.beside.read_beside(())[0], nearest.read_beside(best)[1]
            yield _row(claim, read) | {"label": "not_said", "kind": "elsewhere"}


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _row(claim: Claim, read: tuple[str, str]) -> dict[str, Any]:
    said, evidence = read
    source = "retold" if claim.passage >= RETOLD_FROM else "written"
    row = {"source": source, "split": claim.split, "claim": said, "evidence": [evidence]}
    return row | {"label": claim.label, "kind": claim.kind}


def written_claims(claims: Sequence[Claim]) -> Iterator[dict[str, Any]]:
    """The claims that are set aside, each with all that stands in its passage."""
    for number, claim in enumerate(claims):
        if claim.split == "dev":
            evidence = [text.text for text in claim.beside.evidence]
            row = {"id": f"written-{number}", "claim": claim.written, "evidence": evidence}
            yield row | {"label": "supported" if claim.label == "supported" else "not_supported"}


def main() -> None:
    """Write the rows, and say how many of each label."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    accept_git_dirs(parser)
    parser.add_argument("--claims", type=Path, metavar="FILE")
    chosen = parser.parse_args()
    claims = claims_of(git_dirs_of(chosen))
    if chosen.claims:
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in written_claims(claims))
        chosen.claims.write_text("".join(lines), encoding="utf-8")
    rows = list(rows_of(claims))
    written = (
        json.dumps(row | {"id": f"written {n}"}, ensure_ascii=False) + "\n" for n, row in enumerate(rows)
    )
    # Without the time of day in it, the same rows are the same file.
    packed = gzip.compress("".join(written).encode(), mtime=0)
    (chosen.data / "verifier_written.jsonl.gz").write_bytes(packed)
    print(f"{len(rows):,} rows, {sum(row['split'] == 'dev' for row in rows):,} of them set aside")


if __name__ == "__main__":
    main()
