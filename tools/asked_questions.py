"""The questions of `bench/data` with the candidates that Bob has for each, for tools that fit and train."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from bob import Bob
from bob.answers.candidates import Candidate, best_first
from bob.answers.gate import Evidence
from bob.answers.read_texts import read_after, texts_to_read
from bob.answers.score_sentences import before_reading
from bob.core.search import NO_FILTERS

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

import judgement

LEAST_SHARED = 12
"""A candidate is gold that has so many characters of a gold passage."""


def given_paths(description: str | None, *names: str) -> list[Path]:
    """The paths that a tool's command line gives, one for each name."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in names:
        parser.add_argument(name, type=Path)
    given = parser.parse_args()
    return [getattr(given, name) for name in names]


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question without its typing errors, the candidates that models judged, the best first, each as it is
    read, and which of them are gold; and all candidates as they were before, and which of them are."""

    record: dict[str, Any]
    question: str
    evidence: Evidence
    candidates: Sequence[Candidate]
    texts: Sequence[str]
    gold: Sequence[bool]
    unread: Sequence[Candidate]
    unread_gold: Sequence[bool]

    @property
    def answerable(self) -> bool:
        """Whether the documents answer it."""
        return not self.record["unanswerable"]

    @property
    def question_read(self) -> str:
        """The question as a reader is given it."""
        return read_after(self.question, *self.record.get("turns", ())[-1:])


def ask_questions(folder: Path, corpus: str, work: Path, split: str) -> Iterator[AskedQuestion]:
    """The questions of a corpus' part that anything was found for; `work` keeps an index of each corpus."""
    work.mkdir(parents=True, exist_ok=True)
    with Bob(work / f"{corpus}.db") as bob:
        bob.index(folder / corpus)
        yield from _asked(bob, folder, corpus, split)


def ask_unread(folder: Path, corpus: str, work: Path) -> Iterator[AskedQuestion]:
    """All questions of a corpus with what words alone find, which no network has read; `work` keeps the
    index."""
    work.mkdir(parents=True, exist_ok=True)
    with Bob(work / f"{corpus}.db") as bob:
        bob._engine.index_files.index_folder(folder / corpus, embed_seconds=0)
        bob._engine.ask._units._reader = _Unread()
        yield from _asked(bob, folder, corpus)


class _Unread:
    """A `bob.core.protocols.Reader` that has nothing to say."""

    model_id = "none"

    def score_passages(self, question: str, passages: Sequence[str]) -> list[float]:
        return [0.0] * len(passages)

    def score_parts(
        self, question: str, passages: Sequence[tuple[str, Sequence[tuple[int, int]]]]
    ) -> list[list[float | None]]:
        return [[0.0] * len(parts) for _, parts in passages]


def _asked(bob: Bob, folder: Path, corpus: str, split: str | None = None) -> Iterator[AskedQuestion]:
    for record in judgement.questions(corpus):
        if split not in (None, record["split"]):
            continue
        earlier = tuple(record.get("turns", ()))
        found = bob._engine.ask._find(record["question"], earlier, NO_FILTERS, date.today())
        every = found.scored.candidates
        quotes = [(gold["path"], judgement.quote(folder / corpus, gold)) for gold in record.get("gold", ())]
        gold = [any(_shares(each, path, quote) for path, quote in quotes) for each in every]
        places = [place for place in best_first(every) if every[place].cosine is not None]
        texts = texts_to_read(every, places)
        yield AskedQuestion(
            record,
            found.meant.text,
            found.scored.evidence,
            [every[place] for place in places],
            texts,
            [gold[place] for place in places],
            before_reading(found.result, every),
            gold,
        )


def _shares(candidate: Candidate, path: str, quote: str) -> bool:
    if not candidate.chunk.path.endswith(f"/{path}"):
        return False
    at = candidate.chunk.text.find(quote)
    shared = min(candidate.unit.end, at + len(quote)) - max(candidate.unit.start, at)
    return at >= 0 and shared >= min(LEAST_SHARED, len(quote))
