"""How well Bob knows when not to answer: fits the rule of `bob.answers.question` and measures it.

    python bench/abstention.py --data DIR [--evidence FILE]

DIR holds `retrieval/` with BEIR sets and `decisions/govuk-aws`. Sets are embedded where
`bob eval benchmark` keeps them, if they are not yet. Three kinds of questions are asked:

own    of their own corpus; answerable when a relevant document is among the hits
other  of another corpus, which cannot answer them
near   of their own corpus with all relevant documents taken out of the hits, and, of the decision records,
       questions a person might ask that the records do not answer (`data/adr_questions.jsonl`)

Weights and threshold are chosen on the parts called dev; all else is only measured. FILE keeps the evidence,
which takes minutes to gather, for the next run.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from json_lines import records_in

from bob.answers.ask import CHUNKS_READ
from bob.answers.gate import Evidence
from bob.app import Engine
from bob.app.settings import Settings
from bob.core.search import Hit, Query
from bob.evaluation import beir
from bob.search.service import Search, SearchResult

Floats = npt.NDArray[np.float64]

SETS = {
    "scifact": ("train", "dev", 50),
    "cranfield": ("test", "dev", 50),
    "gitbugs-seamonkey": ("test", "dev", 30),
    "medline": ("test", "test", 30),
    "adi": ("test", "test", 35),
    "cacm": ("test", "test", 40),
}
"""Each set's split, the part it belongs to, and how many of its questions are asked."""

OTHER = {
    "scifact": "cranfield",
    "cranfield": "scifact",
    "gitbugs-seamonkey": "cranfield",
    "adr": "gitbugs-seamonkey",
    "medline": "cacm",
    "adi": "medline",
    "cacm": "adr",
}
"""The corpus that cannot answer a set's questions; dev sets are asked of dev sets, test sets of test sets."""

QUESTIONS = Path(__file__).parent / "data" / "adr_questions.jsonl"
FEATURES = tuple(asdict(Evidence()))
BASELINES = ("chunk_cosine", "chunk_coverage")
RIDGE = 0.002
"""Weight of the squared weights in the loss, beside the mean loss of a question."""


@dataclass(frozen=True, slots=True)
class Case:
    """One question asked of one corpus."""

    asked_of: str
    part: str
    kind: str
    answerable: bool
    evidence: dict[str, float]


def half(question: str) -> str:
    """The part a question of the decision records belongs to, by its hash."""
    return "dev" if hashlib.sha256(f"bob:{question}".encode()).digest()[0] % 2 else "test"


class Corpora:
    """The corpora and the units that their hits hold."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._engine = Engine(Settings())
        self._units = self._engine.score_sentences
        self._searches: dict[str, Search] = {}

    def evidence(self, result: SearchResult) -> dict[str, float]:
        """What the hits give."""
        return asdict(self._units.score_sentences(replace(result, hits=result.hits[:CHUNKS_READ])).evidence)

    def search(self, name: str, question: str) -> SearchResult:
        """More hits than an answer reads, so that some can be taken out."""
        if name not in self._searches:
            self._searches[name] = self._open(name)
        return self._searches[name].search_chunks(Query(question), 4 * CHUNKS_READ)

    def _open(self, name: str) -> Search:
        folder = self.folder(name)
        benchmark = self._engine.evaluation.beir(folder)
        if name == "adr":
            own = Engine(Settings(database=benchmark._database.path))
            own.index_files.index_folder(folder)
            return own.search
        benchmark._index_corpus(embed=True)
        return benchmark._search

    def folder(self, name: str) -> Path:
        """Where a corpus lies."""
        return self._data / ("decisions/govuk-aws" if name == "adr" else f"retrieval/{name}")


def cases(corpora: Corpora) -> Iterator[Case]:
    """All questions with their evidence."""
    yield from _of_records(corpora)
    for name, (split, part, count) in SETS.items():
        texts = beir.queries(corpora.folder(name))
        judged = beir.qrels(corpora.folder(name), split)
        for query in sorted(judged, key=lambda each: hashlib.sha256(each.encode()).digest())[:count]:
            relevant = {document for document, grade in judged[query].items() if grade > 0}
            result = corpora.search(name, texts[query])
            hits = [hit for hit in result.hits if hit.chunk.path != query]
            if any(hit.chunk.path in relevant for hit in hits[:CHUNKS_READ]):
                yield Case(name, part, "own", True, corpora.evidence(_only(result, hits)))
            left = [hit for hit in hits if hit.chunk.path not in relevant]
            yield Case(name, part, "near", False, corpora.evidence(_only(result, left)))
            other = corpora.search(OTHER[name], texts[query])
            yield Case(name, part, "other", False, corpora.evidence(other))


def _only(result: SearchResult, hits: Sequence[Hit]) -> SearchResult:
    """The result as if these hits alone had been found."""
    return replace(result, hits=list(hits), scores=tuple(hit.score for hit in hits))


def _of_records(corpora: Corpora) -> Iterator[Case]:
    for record in records_in(QUESTIONS):
        question, part = record["question"], half(record["question"])
        result = corpora.search("adr", question)
        paths = [Path(hit.chunk.path).name for hit in result.hits[:CHUNKS_READ]]
        if not record["answerable"]:
            yield Case("adr", part, "near", False, corpora.evidence(result))
        elif record["document"] in paths:
            yield Case("adr", part, "own", True, corpora.evidence(result))
        if part == "dev" or record["answerable"]:
            other = corpora.search(OTHER["adr"] if part == "dev" else "medline", question)
            yield Case("adr", part, "other", False, corpora.evidence(other))


def matrix(found: Sequence[Case]) -> tuple[Floats, Floats, Floats]:
    """Signals, labels, and how much each case counts: each corpus and kind the same, both labels half."""
    signals = np.array([[case.evidence[name] for name in FEATURES] for case in found])
    labels = np.array([float(case.answerable) for case in found])
    groups = [(case.asked_of, case.kind) for case in found]
    weights = np.array([1 / groups.count(each) for each in groups])
    for label in (0.0, 1.0):
        weights[labels == label] /= 2 * weights[labels == label].sum()
    return signals, labels, weights


def fitted(signals: Floats, labels: Floats, weights: Floats) -> tuple[float, Floats]:
    """Bias and weights of a logistic rule; no weight is negative, since no evidence speaks against itself."""
    bias, rule = 0.0, np.zeros(signals.shape[1])
    for _ in range(20_000):
        error = weights * (1 / (1 + np.exp(-(bias + signals @ rule))) - labels)
        bias -= 2.0 * float(error.sum())
        rule = np.maximum(rule - 2.0 * (signals.T @ error + RIDGE * rule), 0.0)
    return bias, rule


def threshold(scores: Floats, labels: Floats, weights: Floats) -> float:
    """The score from which to answer, by the mean of the two error rates."""
    ordered = np.unique(scores)
    middles = (ordered[1:] + ordered[:-1]) / 2
    costs = [float(weights[(scores >= at) != (labels == 1)].sum()) for at in middles]
    return float(middles[int(np.argmin(costs))])


def table(found: Sequence[Case], answers: dict[str, npt.NDArray[np.bool_]]) -> list[str]:
    """A row a corpus and kind, with the share of errors of every rule."""
    lines = [f"| asked of | kind | questions | {' | '.join(answers)} |", "| --- " * (3 + len(answers)) + "|"]
    groups = list(dict.fromkeys((case.part, case.asked_of, case.kind) for case in found))
    groups.sort(key=lambda each: (each[0], each[1], each[2]))
    for part, name, kind in groups:
        chosen = np.array([(case.part, case.asked_of, case.kind) == (part, name, kind) for case in found])
        lines.append(_row(f"{name} ({part}) | {kind}", found, chosen, answers))
    for kind in ("own", "near", "other"):
        chosen = np.array([case.part == "test" and case.kind == kind for case in found])
        lines.append(_row(f"**all held out** | {kind}", found, chosen, answers))
    return lines


def _row(
    head: str,
    found: Sequence[Case],
    chosen: npt.NDArray[np.bool_],
    answers: dict[str, npt.NDArray[np.bool_]],
) -> str:
    labels = np.array([case.answerable for case in found])
    rates = [f"{np.mean(each[chosen] != labels[chosen]):.3f}" for each in answers.values()]
    return f"| {head} | {int(chosen.sum())} | {' | '.join(rates)} |"


def main(arguments: Iterable[str] | None = None) -> None:
    """Gather, fit, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--evidence", type=Path)
    options = parser.parse_args(None if arguments is None else list(arguments))
    if options.evidence and options.evidence.exists():
        found = [Case(**record) for record in json.loads(options.evidence.read_text())]
    else:
        found = list(cases(Corpora(options.data)))
        if options.evidence:
            options.evidence.write_text(json.dumps([asdict(case) for case in found]))
    dev = [case for case in found if case.part == "dev"]
    signals, labels, weights = matrix(dev)
    bias, rule = fitted(signals, labels, weights)
    every = matrix(found)[0]
    at = threshold(signals @ rule + bias, labels, weights)
    answers = {"Bob": every @ rule + bias >= at}
    for name in BASELINES:
        column = FEATURES.index(name)
        answers[name] = every[:, column] >= threshold(signals[:, column], labels, weights)
    print(f"_BIAS = {bias - at:.2f}")
    print("_WEIGHTS = {")
    for name, weight in zip(FEATURES, rule, strict=True):
        print(f'    "{name}": {weight:.2f},')
    print("}\n")
    print("\n".join(table(found, answers)))


if __name__ == "__main__":
    main()
