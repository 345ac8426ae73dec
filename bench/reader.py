"""How often the reader that Bob ships finds the sentence that answers: `python bench/reader.py DATA`.

DATA holds `reader.jsonl.gz` and, for languages other than English, `reader_languages.jsonl.gz` (written by
`tools/build_reader_languages.py`). Of each source at most `--most` of the questions that are reserved as
`dev` are asked, of each sentence of their passage alone, as Bob reads them: how often the best sentence has
the answer, by the reader, by the cosine of question and sentence, and by the question's words that it has.

Of SQuAD 2.0 also whether a passage has an answer at all (balanced accuracy), by the best sentence for each
of the three, and F1 of the span that the reader finds in its best one, abstaining below a threshold; and both
for the whole passage, as far as the reader reads. Thresholds are chosen on every other question.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Any

import measure
import numpy as np
from squad import MOST_TOKENS, f1, sentences
from verifier import reserved

from bob.models.networks import DEFAULT_MODEL, OnnxEmbedder
from bob.models.pair_models import OnnxReader
from bob.text.words import stems_of

FILES = ("reader.jsonl.gz", "reader_languages.jsonl.gz")
SQUAD = "squad2-dev"
SOURCES = (SQUAD, "xquad-de", "xquad-es", "xquad-ro", "squad2-pt", "faquad")

Row = dict[str, Any]
Score = Callable[[str, Sequence[str]], Sequence[float]]
"""How well each of some texts answers a question."""


def main() -> None:
    """Ask, and print two tables."""
    parser = measure.options(__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--most", type=int, default=240)
    chosen = parser.parse_args()
    embedder = OnnxEmbedder()
    reader = SpanReader(embedder)

    def cosines(question: str, texts: Sequence[str]) -> Sequence[float]:
        vectors = embedder.embed([question, *texts])
        return [float(value) for value in vectors[1:] @ vectors[0]]

    scores: dict[str, Score] = {"reader": reader.score_passages, "cosine": cosines, "words": words_shared}
    rows: dict[str, list[Row]] = defaultdict(list)
    for row in reserved(chosen.data, [name for name in FILES if (chosen.data / name).exists()]):
        rows[row["source"]].append(row)
    lines: list[list[Any]] = []
    for source in SOURCES:
        answerable = [row for row in rows[source] if row["answerable"]]
        if answerable:
            asked = random.Random(0).sample(answerable, min(chosen.most, len(answerable)))
            lines.append(
                [source, len(asked), *(100 * right_sentences(asked, score) for score in scores.values())]
            )
    head = ["source", "questions", *scores]
    measure.show(f"Right sentence, per cent: {reader.model_id}", head, lines, as_json=chosen.json)
    asked = random.Random(0).sample(rows[SQUAD], min(4 * chosen.most, len(rows[SQUAD])))
    answers = [bool(row["answerable"]) for row in asked]
    lines = []
    for name, texts_of in (("reader", sentence_texts), ("reader, of whole passages", whole_text)):
        spans = [reader.best_span(row["question"], texts_of(row)) for row in asked]
        margins = [margin for margin, _ in spans]
        lines.append([name, 100 * balanced_accuracy(margins, answers), 100 * f1_of(spans, asked)])
    for name in ("cosine", "words"):
        found = [max(scores[name](row["question"], sentence_texts(row))) for row in asked]
        lines.append([name, 100 * balanced_accuracy(found, answers), ""])
    lines.append(["always abstaining", 50.0, 100 * fmean(not each for each in answers[1::2])])
    head = [f"{len(asked) // 2} questions of SQuAD 2.0", "balanced accuracy", "F1"]
    measure.show("Whether there is an answer, per cent", head, lines, as_json=chosen.json)


def right_sentences(rows: Sequence[Row], score: Score) -> float:
    """The share of questions for which the best sentence of the passage has the answer."""
    right = 0
    for row in rows:
        bounds = sentences(row["passage"])
        found = score(row["question"], sentence_texts(row))
        start, end = bounds[int(np.argmax(found))]
        right += start <= row["answers"][0]["start"] < end
    return right / len(rows)


def sentence_texts(row: Row) -> list[str]:
    """The sentences of a row's passage."""
    return [row["passage"][start:end] for start, end in sentences(row["passage"])]


def whole_text(row: Row) -> list[str]:
    """A row's passage as one text."""
    return [row["passage"]]


def words_shared(question: str, texts: Sequence[str]) -> list[float]:
    """The share of the question's words that each text has, by their stems."""
    asked = stems_of(question)
    return [len(asked & stems_of(text)) / max(len(asked), 1) for text in texts]


def balanced_accuracy(found: Sequence[float], answerable: Sequence[bool]) -> float:
    """That of a threshold chosen on every other question, on the rest."""

    def accuracy(threshold: float, first: int) -> float:
        pairs = list(zip(found[first::2], answerable[first::2], strict=True))
        yes = fmean(value >= threshold for value, answers in pairs if answers)
        return (yes + fmean(value < threshold for value, answers in pairs if not answers)) / 2

    return accuracy(max(found[::2], key=lambda threshold: accuracy(threshold, 0)), 1)


class SpanReader(OnnxReader):
    """The reader with the words of its best span."""

    def best_span(self, question: str, texts: Sequence[str]) -> tuple[float, str]:
        """The margin and the words of the best span in some texts."""
        return max(self._spans(question, texts))

    def _spans(self, question: str, texts: Sequence[str]) -> list[tuple[float, str]]:
        pieces = (DEFAULT_MODEL / "vocab.txt").read_text(encoding="utf-8").split("\n")
        tokens, second, _ = self._framed(question, [(text, ()) for text in texts])
        spans = [(-math.inf, "")] * len(texts)
        found = self._run(("spans",), tokens, [second] * len(tokens))
        for number, logits in chain.from_iterable(
            zip(numbers, rows, strict=True) for numbers, (rows,) in found
        ):
            end = len(tokens[number]) - 1
            starts, ends = logits[second:end, 0], logits[second:end, 1]
            best, start, end = max(
                (float(starts[start] + ends[end]), start, end)
                for start in range(len(starts))
                for end in range(start, min(start + MOST_TOKENS, len(ends)))
            )
            ids = tokens[number][second + start : second + end + 1]
            spans[number] = (
                best - float(logits[0].sum()),
                " ".join(pieces[each] for each in ids).replace(" ##", ""),
            )
        return spans


def f1_of(spans: Sequence[tuple[float, str]], rows: Sequence[Row]) -> float:
    """F1 as SQuAD 2.0 has it, of the best span of each passage, or of none below a threshold chosen on every
    other question."""
    every = [(*span, row) for span, row in zip(spans, rows, strict=True)]

    def mean(threshold: float, first: int) -> float:
        return fmean(_f1(span if margin >= threshold else "", row) for margin, span, row in every[first::2])

    return mean(max((margin for margin, *_ in every[::2]), key=lambda margin: mean(margin, 0)), 1)


def _f1(span: str, row: Row) -> float:
    if not row["answerable"] or not span:
        return float(not span and not row["answerable"])
    return f1(span, (answer["text"] for answer in row["answers"]))


if __name__ == "__main__":
    main()
