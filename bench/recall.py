"""What each signal of recall gives and costs, against BM25 in the same run.

    python bench/recall.py LOCOMO.json [--tuning 2] [--no-captions] [--chats LONGMEMEVAL.json.gz]

The first conversations of the file (`--tuning`) chose the weights; the table is of the others. A part alone
ranks with its weight only; «alone» also takes each message's neighbours away. With `--chats`, a table of
LongMemEval's chats, as `bob eval benchmark longmemeval` ranks them, and of BM25 over whole chats. The last
table is the time of one `bob chats search` over so many messages, the file's own repeated, in Bob's own
database: what every message is ranked by is read and unpacked, the question embedded, the rows of words read
for the best, and the texts of those that are shown.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean, median

import measure
import numpy as np

from bob.app import Engine
from bob.app.settings import load_settings
from bob.conversations import message_feature_rows
from bob.conversations import rows as conversation_rows
from bob.conversations.message_feature_rows import last_messages
from bob.conversations.recall_memories import Recall
from bob.conversations.search_chats import SearchChats
from bob.core.conversation import Scope
from bob.evaluation.benchmark_recall import chat_messages
from bob.evaluation.conversation_sets import Conversation, read_locomo, read_longmemeval
from bob.search.message_features import FeatureBuilder, MessageColumns, MessageFeatures
from bob.search.message_ranking import (
    CANDIDATES,
    DEFAULT_WEIGHTS,
    ChatMessage,
    RecallWeights,
    ranked_messages,
)
from bob.storage.database import SqliteDatabase
from bob.storage.organizations import ensure_organization

DEPTHS = (5, 10, 20)
ME = Scope("local", "me")
SENT = datetime(2025, 6, 1, 12, tzinfo=UTC)
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
        recall = engine.evaluation.benchmark_recall
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


def chats_table(pool: Asked) -> list[list[object]]:
    """A row for each part: the share of questions with an evidence chat among the first 1, 5 and 10, and with
    all of them among 10."""
    names = [each.chat for each in pool.turns]
    rows: list[list[object]] = []
    for part in ("BM25, alone", "vector, alone", "BM25, with neighbours", "late interaction", "all"):
        weights, neighbours = PARTS[part]
        messages = pool.messages if neighbours else pool.apart
        rows.append([part, *_chats_found(pool, messages, pool.features, names, weights)])
    whole = list(dict.fromkeys(names))
    merged = [
        _merged([features for features, name in zip(pool.features, names, strict=True) if name == chat])
        for chat in whole
    ]
    apart = [ChatMessage(each) for each in whole]
    rows.insert(
        0, ["BM25, whole chats", *_chats_found(pool, apart, merged, whole, replace(NOTHING, words=1))]
    )
    return rows


def _chats_found(
    pool: Asked,
    messages: Sequence[ChatMessage],
    features: Sequence[MessageFeatures],
    names: Sequence[str],
    weights: RecallWeights,
) -> list[float]:
    found = []
    for question, analysed in zip(pool.questions, pool.analysed, strict=True):
        ranked = ranked_messages(analysed, messages, features, CANDIDATES, weights)
        order = list(dict.fromkeys(names[each.index] for each in ranked))
        any_of = [bool(question.evidence & set(order[:k])) for k in (1, 5, 10)]
        found.append([*any_of, question.evidence <= set(order[:10])])
    return [fmean(column) for column in zip(*found, strict=True)]


def _merged(features: Sequence[MessageFeatures]) -> MessageFeatures:
    """The words of a whole chat as one message's; its meaning is not asked for."""
    terms, places = np.unique(np.concatenate([each.terms for each in features]), return_inverse=True)
    counts = np.bincount(places, np.concatenate([each.counts for each in features]), len(terms))
    return replace(features[0], terms=terms, counts=np.minimum(counts, 255).astype(np.uint8))


def times(engine: Engine, conversations: Sequence[Asked], size: int) -> list[object]:
    """Median milliseconds, by the wall clock, of a search over `size` messages and of two of its steps, and
    the bytes that a message's features take."""
    turns = [(each, at) for each in conversations for at in range(len(each.turns))]
    builder = FeatureBuilder(engine.shipped_model)
    reading: list[float] = []
    unpacking: list[float] = []
    every: list[float] = []
    packed: dict[int, tuple[bytes, bytes, bytes]] = {}
    begun: dict[tuple[object, ...], int] = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(SqliteDatabase(Path(folder) / "bob.db", "local")) as database,
    ):
        ensure_organization(database, ME.org_id)
        with database.write() as connection:
            for at in range(size):
                source, place = turns[at % len(turns)]
                key = (at // len(turns), id(source), source.messages[place].chat)
                if key not in begun:
                    begun[key] = conversation_rows.start(connection, ME, None, "", SENT).chat_id
                text = source.turns[place].text
                message = conversation_rows.add(connection, begun[key], "user", text, SENT)
                packed[message.message_id] = source.features[place].pack_columns()
            message_feature_rows.keep_for_messages(connection, builder.model_id, packed)
        database.truncate_log()
        search = SearchChats(database, ME.org_id, builder, Recall(engine.shipped_model), similarity=0)
        for question in conversations[0].questions[:20]:
            with database.read() as connection:
                with measure.timed(reading):
                    rows = last_messages(connection, ME.user_id, None, builder.model_id, size)
                with measure.timed(unpacking):
                    MessageColumns.unpack([row[2] or b"" for row in rows], [row[3] or b"" for row in rows])
            with measure.timed(every):
                search.search_chunks(ME.user_id, question.text, 10)
    large = sum(len(part) for parts in packed.values() for part in parts)
    return [size, *(1000 * median(each) for each in (reading, unpacking, every)), large // size]


def main() -> None:
    """Measure and print the tables."""
    parser = measure.options(__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--tuning", type=int, default=2, help="conversations left out, from the first")
    parser.add_argument("--no-captions", action="store_true", help="leave out captions of shared pictures")
    parser.add_argument("--chats", type=Path, help="LongMemEval's file")
    parser.add_argument("--sizes", default="1000,5000")
    chosen = parser.parse_args()
    engine = Engine(load_settings().settings)
    conversations = read_locomo(chosen.file, captions=not chosen.no_captions)[chosen.tuning :]
    asked = [Asked(engine, each) for each in conversations]
    names = ", ".join(each.name for each in conversations)
    head = ["part", *(f"recall@{k}" for k in DEPTHS), "multi-hop @10", "CPU ms"]
    questions = sum(len(each.questions) for each in asked)
    measure.show(f"recall: {names}", head, parts(asked), as_json=chosen.json, questions=questions)
    if chosen.chats:
        pool = Asked(engine, read_longmemeval(chosen.chats))
        head = ["part", "any@1", "any@5", "any@10", "all@10"]
        measure.show(f"chats: {chosen.chats.name}", head, chats_table(pool), as_json=chosen.json)
    head = ["messages", "reading ms", "unpacking ms", "whole search ms", "bytes a message"]
    rows = [times(engine, asked, int(each)) for each in chosen.sizes.split(",")]
    measure.show("cost of a question", head, rows, as_json=chosen.json)


if __name__ == "__main__":
    main()
