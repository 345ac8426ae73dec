"""Rows of questions with passages that the reader learns from beside Bob's own candidates, as tokens.

Rows have a question, a passage, answers with their offsets, a source and a split. "No answer" is the first
token (SQuAD 2.0's convention, Devlin et al. 2019). Bob reads sentences and stretches, so most passages are
cut to one to three sentences, and half of those without the answer: the sentence beside the answer is the
nearest miss there is.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pair_network
from pair_network import Encoder, Pair, Vocabulary
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

from squad import MOST_TOKENS, f1, sentences

ENGLISH = ("reader.jsonl.gz", "reader_generated.jsonl.gz")
LANGUAGES = "reader_languages.jsonl.gz"
FILES = (*ENGLISH, LANGUAGES)
LONGEST, QUESTION = 256, 40
"""Tokens of a question with its window, and of the question alone."""
MOST_SCORED = 500
TIMES = {
    "squad2-dev": 2.0,
    "squad2-train-part": 2.0,
    "squad1-dev-rest": 1.0,
    "squad1-train-part": 1.0,
    "squadshifts-new_wiki": 1.0,
    "clapnq": 2.0,
    "selqa": 1.0,
    "nq-swap": 0.5,
    "quac": 1.0,
    "qed": 1.0,
    "covid-qa": 1.0,
    "condaqa": 2.0,
    "squad1-train-sentences": 0.3,
    "qamr": 0.3,
    "gen-cut": 1.0,
    "gen-near": 1.0,
    "xquad-de": 3.0,
    "xquad-es": 1.0,
    "xquad-ro": 0.5,
    "squad2-pt": 1.0,
    "squad1-pt": 1.0,
    "faquad": 2.0,
    "omos-de": 3.0,
    "omos-en": 1.0,
}
"""How often an epoch takes each row of a source, by its name or the part of it before the colon."""
OTHER_LANGUAGES = ("xquad-de", "xquad-es", "xquad-ro", "squad2-pt", "faquad", "omos-de", "omos-en")
CUT, WITHOUT = 0.6, 0.45
"""The share of passages cut to sentences, and the share of those that then lack the answer."""


class Windows(Vocabulary):
    """Cuts rows to windows of tokens."""

    @property
    def end(self) -> int:
        """The id behind each of the two texts."""
        return int(self._sep)

    def frame(self, question: str) -> tuple[list[int], int]:
        """The ids of a question with what stands before and behind it, and where what is read begins."""
        asked = self.tokens(question)[:QUESTION]
        return [self._cls, *asked, self._sep], len(asked) + 2

    def ids(self, question: str, passage: str) -> tuple[list[int], int]:
        """The ids of a question with as much of a passage as there is room for, and where that begins."""
        framed, second = self.frame(question)
        read = self.tokens(passage)
        return [*framed, *read[: LONGEST - second - 1], self._sep], second

    def row(self, row: dict[str, Any], rng: random.Random | None) -> tuple[Pair, list[tuple[int, int]]]:
        """The window, and each token's characters in the passage; with `rng` it begins anywhere."""
        if rng is not None:
            row = _cut(row, rng)
        framed, second = self.frame(row["question"])
        passage = self._tokenizer.encode(row["passage"], add_special_tokens=False)
        room = LONGEST - second - 1
        start = end = None
        if row["answerable"]:
            answer = row["answers"][0]
            first, last = answer["start"], answer["start"] + len(answer["text"])
            inside = [n for n, (a, b) in enumerate(passage.offsets) if a < last and b > first]
            if inside:
                start, end = inside[0], inside[-1]
        begin = 0
        if len(passage.ids) > room:
            if rng is None:
                begin = (
                    0
                    if start is None or end is None
                    else max(0, min(start - room // 2, len(passage.ids) - room))
                )
            elif start is None or end is None:
                begin = rng.randint(0, len(passage.ids) - room)
            else:
                low, high = max(0, end - room + 1), min(start, len(passage.ids) - room)
                begin = rng.randint(min(low, high), max(low, high))
        ids = [*framed, *passage.ids[begin : begin + room], self._sep]
        offset = second - begin
        span = (0, 0)
        if start is not None and end is not None and begin <= start and end < begin + room:
            span = (start + offset, end + offset)
        places = [(0, 0)] * (second) + passage.offsets[begin : begin + room] + [(0, 0)]
        return Pair(ids, second, span), places


def _cut(row: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The row, or, for most rows, the row with one to three sentences of its passage."""
    passage = row["passage"]
    bounds = sentences(passage)
    if len(bounds) < 2 or rng.random() >= CUT:
        return row
    count, without = rng.randint(1, 3), rng.random() < WITHOUT
    if not row["answerable"]:
        first = rng.randrange(len(bounds))
        return row | {"passage": passage[bounds[first][0] : bounds[min(first + count, len(bounds)) - 1][1]]}
    answer = row["answers"][0]
    runs = [
        (bounds[n][0], bounds[min(n + count, len(bounds)) - 1][1])
        for n in range(max(len(bounds) - count, 0) + 1)
    ]
    holds = [start <= answer["start"] and answer["start"] + len(answer["text"]) <= end for start, end in runs]
    wanted = [
        (start, end)
        for (start, end), held in zip(runs, holds, strict=True)
        if (answer["text"].lower() not in passage[start:end].lower() if without else held)
    ]
    if not wanted:
        return row
    start, end = rng.choice(wanted)
    if without:
        return row | {"passage": passage[start:end], "answers": [], "answerable": False}
    moved = {"text": answer["text"], "start": answer["start"] - start}
    return row | {"passage": passage[start:end], "answers": [moved]}


def span_scores(logits: Tensor, ids: Tensor, types: Tensor) -> Tensor:
    """Logits where an answer may begin or end: the first token and those of the passage."""
    allowed = (types == 1) & (ids != 0)
    allowed[:, 0] = True
    return logits.masked_fill(~allowed[:, :, None], -1e4)


def loss_of(logits: Tensor, ids: Tensor, types: Tensor, labels: Tensor) -> Tensor:
    """The mean of the cross entropies of where the answer begins and where it ends."""
    allowed = span_scores(logits, ids, types)
    begin, end = (nn.functional.cross_entropy(allowed[:, :, side], labels[:, side]) for side in (0, 1))
    return (begin + end) / 2


def epoch(data: Path, seed: int) -> list[dict[str, Any]]:
    """The rows of an epoch."""
    return pair_network.drawn(pair_network.rows_of(data, FILES, "train"), TIMES, seed)


def predict(model: Encoder, rows: list[Pair]) -> list[tuple[float, float, int, int]]:
    """Of each row: the score of no answer, that of the best span, and the span."""
    found = []
    for outputs, row in zip(pair_network.outputs_of(model, rows), rows, strict=True):
        starts, ends = outputs.numpy().T
        pairs = starts[:, None] + ends[None, :]
        allowed = np.triu(np.ones_like(pairs, bool)) & ~np.triu(np.ones_like(pairs, bool), MOST_TOKENS)
        allowed[: row.second, :] = allowed[:, : row.second] = allowed[-1, :] = allowed[:, -1] = False
        pairs = np.where(allowed, pairs, -np.inf)
        start, end = np.unravel_index(int(pairs.argmax()), pairs.shape)
        found.append((float(starts[0] + ends[0]), float(pairs[start, end]), int(start), int(end)))
    return found


def score_passages(model: Encoder, windows: Windows, data: Path, limit: int) -> None:
    """F1 and whether a whole passage has an answer, of SQuAD's reserved part: one half chooses the threshold,
    the other is measured."""
    rows = [row for row in pair_network.rows_of(data, ENGLISH, "dev") if row["source"] == "squad2-dev"]
    rows = random.Random(0).sample(rows, min(limit, len(rows)))
    cut = [windows.row(row, None) for row in rows]
    scored = []
    for row, (_, places), (none, best, start, end) in zip(
        rows, cut, predict(model, [window for window, _ in cut]), strict=True
    ):
        text = row["passage"][places[start][0] : places[end][1]]
        gold = [answer["text"] for answer in row["answers"]]
        scored.append((best - none, bool(row["answerable"]), f1(text, gold) if gold else 0.0))
    chosen, measured = scored[::2], scored[1::2]

    def total(some: list[tuple[float, bool, float]], threshold: float) -> tuple[float, float]:
        value = np.mean([(f if a else 0.0) if m >= threshold else float(not a) for m, a, f in some])
        yes = np.mean([m >= threshold for m, a, _ in some if a])
        no = np.mean([m < threshold for m, a, _ in some if not a])
        return float(value), float((yes + no) / 2)

    for name, kind in (("F1", 0), ("balanced accuracy", 1)):
        threshold = max((m for m, *_ in chosen), key=lambda value: total(chosen, value)[kind])
        print(f"SQuAD 2.0, of {len(measured)}: {name} {100 * total(measured, threshold)[kind]:.1f}")
    print(f"always abstaining: {100 * np.mean([not a for _, a, _ in measured]):.1f}")


def score_sentences(model: Encoder, windows: Windows, data: Path) -> None:
    """Of each reserved set, how often the best of a passage's sentences, each read alone as Bob reads them,
    has the answer."""
    reserved = [row for row in pair_network.rows_of(data, FILES, "dev") if row["answerable"]]
    for source in ("squad2-dev", *OTHER_LANGUAGES):
        rows = [row for row in reserved if row["source"] == source]
        right = 0
        for row in random.Random(0).sample(rows, min(MOST_SCORED, len(rows))):
            bounds = sentences(row["passage"])
            cut = [row | {"passage": row["passage"][start:end], "answerable": False} for start, end in bounds]
            found = predict(model, [windows.row(sentence, None)[0] for sentence in cut])
            start, end = bounds[max(range(len(bounds)), key=lambda n: found[n][1] - found[n][0])]
            right += start <= row["answers"][0]["start"] < end
        if rows:
            print(f"{source}: right sentence {100 * right / min(MOST_SCORED, len(rows)):.1f}, of {len(rows)}")
