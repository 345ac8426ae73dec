"""What each signal of recall gives and costs, against BM25 in the same run.

    python bench/recall.py LOCOMO.json [--tuning 2] [--no-captions] [--sizes 1000,5000]

The first conversations of the file (`--tuning`) chose the weights; the table is of the others. A part alone
ranks with its weight only; «alone» also takes each message's neighbours away. The second table is the time
of one question over so many messages, the file's own repeated: their features unpacked from bytes, then
ranked, the question's embedding included.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean, median

import measure

from bob.engine import Engine
from bob.eval.conversations import Conversation, read_locomo
from bob.retrieval.message_features import MessageFeatures
from bob.retrieval.recall import (
    DEFAULT_WEIGHTS,
    ChatMessage,
    RecallWeights,
    ranked_messages,
)
from bob.services.benchmark_recall import chat_messages
from bob.settings import load_settings

DEPTHS = (5, 10, 20)
NOTHING = RecallWeights(late=0, words=0, meaning=0, author=0)

PARTS: dict[str, tuple[RecallWeights, bool]] = {
    "BM25, alone": (replace(NOTHING, words=1), False),
    "vector, alone": (replace(NOTHING, meaning=1), False),
    "BM25, with neighbours": (replace(NOTHING, words=1), True),
    "vector, with the turn before": (replace(NOTHING, meaning=1), True),
    "BM25 and vector, with neighbours": (replace(DEFAULT_WEIGHTS, late=0, author=0), True),
    "and the author": (replace(DEFAULT_WEIGHTS, late=0), True),
    # A trace of the first signals chooses the candidates, and no more.
    "late interaction": (replace(NOTHING, late=1, words=0.002, meaning=0.0025, author=0.0015), True),
    "all": (DEFAULT_WEIGHTS, True),
    "all, without neighbours": (DEFAULT_WEIGHTS, False),
}


class Asked:
    """One conversation with its features and analysed questions."""

    def __init__(self, engine: Engine, conversation: Conversation) -> None:
        recall = engine.benchmark_recall
        self.turns = conversation.turns
        self.questions = conversation.questions
        self.messages = chat_messages(conversation)
        self.apart = [replace(each, chat=at) for at, each in enumerate(self.messages)]
        self.features = recall.features(conversation, lambda count: None)
        self.analysed = [recall.recall.analysed(each.text) for each in self.questions]

    def scored(self, weights: RecallWeights, *, neighbours: bool) -> list[tuple[str, list[float], float]]:
        """For each question its category, recall at the depths, and the seconds of CPU that it took."""
        messages = self.messages if neighbours else self.apart
        found = []
        for question, analysed in zip(self.questions, self.analysed, strict=True):
            began = time.process_time()
            ranked = ranked_messages(analysed, messages, self.features, max(DEPTHS), weights)
            seconds = time.process_time() - began
            ids = [self.turns[each.index].id for each in ranked]
            shares = [len(question.evidence & set(ids[:k])) / len(question.evidence) for k in DEPTHS]
            found.append((question.category, shares, seconds))
        return found


def parts(conversations: Sequence[Asked]) -> list[list[object]]:
    """A row for each part: recall at each depth, of multi-hop questions at 10, and milliseconds of CPU."""
    rows: list[list[object]] = []
    for name, (weights, neighbours) in PARTS.items():
        found = [row for each in conversations for row in each.scored(weights, neighbours=neighbours)]
        at_depths = [fmean(shares[at] for _, shares, _ in found) for at in range(len(DEPTHS))]
        multi_hop = fmean(shares[1] for category, shares, _ in found if category == "multi-hop")
        rows.append([name, *at_depths, multi_hop, 1000 * median(seconds for *_, seconds in found)])
    return rows


def times(engine: Engine, conversations: Sequence[Asked], size: int) -> list[object]:
    """Median milliseconds, by the wall clock, of unpacking, of ranking and of both, over `size` messages."""
    packed: list[bytes] = []
    messages: list[ChatMessage] = []
    again = 0
    while len(packed) < size:
        for number, each in enumerate(conversations):
            packed += [features.pack() for features in each.features]
            messages += [ChatMessage((again, number, m.chat), m.author) for m in each.messages]
        again += 1
    packed, messages = packed[:size], messages[:size]
    recall = engine.benchmark_recall.recall
    unpacking: list[float] = []
    ranking: list[float] = []
    for question in conversations[0].questions[:20]:
        with measure.timed(unpacking):
            features = [MessageFeatures.unpack(each) for each in packed]
        with measure.timed(ranking):
            recall.rank(question.text, messages, features, 10)
    both = [one + other for one, other in zip(unpacking, ranking, strict=True)]
    bytes_each = sum(map(len, packed)) // size
    return [size, *(1000 * median(each) for each in (unpacking, ranking, both)), bytes_each]


def main() -> None:
    """Measure and print the tables."""
    parser = measure.options(__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--tuning", type=int, default=2, help="conversations left out, from the first")
    parser.add_argument("--no-captions", action="store_true", help="leave out captions of shared pictures")
    parser.add_argument("--sizes", default="1000,5000")
    chosen = parser.parse_args()
    engine = Engine(load_settings().settings)
    conversations = read_locomo(chosen.file, captions=not chosen.no_captions)[chosen.tuning :]
    asked = [Asked(engine, each) for each in conversations]
    names = ", ".join(each.name for each in conversations)
    head = ["part", *(f"recall@{k}" for k in DEPTHS), "multi-hop @10", "CPU ms"]
    questions = sum(len(each.questions) for each in asked)
    measure.show(f"recall: {names}", head, parts(asked), as_json=chosen.json, questions=questions)
    head = ["messages", "unpacking ms", "ranking ms", "both ms", "bytes a message"]
    rows = [times(engine, asked, int(each)) for each in chosen.sizes.split(",")]
    measure.show("cost of a question", head, rows, as_json=chosen.json)


if __name__ == "__main__":
    main()
