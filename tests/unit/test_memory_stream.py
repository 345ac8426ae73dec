"""What is left of thirty days of conversations: the claims that hold, once each, and nothing else."""

import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from memory_stream import JUNK, holding, memory_stream

from bob.conversations.compare_statements import New, Same, Supersedes, reconcile
from bob.conversations.judge import Funnel, RulesJudge
from bob.conversations.word_lists import FunnelWords
from bob.core.conversation import Memory, Scope
from bob.models.networks import OnnxEmbedder

NOW = datetime(2026, 3, 2, tzinfo=UTC)


class Shelf:
    """The memories that hold, by project, as the funnel and reconciliation leave them."""

    def __init__(self, embedder):
        self.embedder = embedder
        self.kept = {}
        self.made_of = {}

    def put(self, message, found):
        memories = self.kept.setdefault(message.project, {})
        vector = self.embedder.embed([found.summary])[0]
        vectors = np.array([each for _, each in memories.values()]).reshape(len(memories), len(vector))
        result = reconcile(found.summary, vector, [each for each, _ in memories.values()], vectors)
        if isinstance(result, Same):
            return result
        for ended in result.memory_ids if isinstance(result, Supersedes) else ():
            del memories[ended]
        number = len(self.made_of) + 1
        scope = Scope("local", "me", message.project)
        memory = Memory(number, scope, None, found.summary, found.importance, found.message_type, NOW)
        memories[number] = (memory, vector)
        self.made_of[number] = message
        return result

    def holding(self):
        return [memory for memories in self.kept.values() for memory, _ in memories.values()]


@pytest.fixture(scope="module")
def month():
    embedder = OnnxEmbedder(threads=1)
    funnel = Funnel(FunnelWords(), RulesJudge(embedder))
    shelf, stream, assessed = Shelf(embedder), memory_stream(seed=7), []
    for message in stream:
        found = funnel.assess(message.text, message.role, message.injected)
        assessed.append((message, found))
        if found.importance:
            shelf.put(message, found)
    return stream, assessed, shelf


def test_the_stream_is_the_same_again_and_has_all_kinds():
    stream = memory_stream(seed=3, count=2000)
    assert stream == memory_stream(seed=3, count=2000) != memory_stream(seed=4, count=2000)
    assert len(stream) == 2000 and set(JUNK) < {each.kind for each in stream}
    assert (stream[-1].at - stream[0].at).days == 29
    assert all(each.secret in each.text for each in stream if each.secret)


def test_junk_leaves_nothing(month):
    _, assessed, _ = month
    kept = Counter(message.kind for message, found in assessed if found.importance and message.kind in JUNK)
    assert not kept, [m.text for m, found in assessed if found.importance and m.kind in JUNK][:9]


def test_no_secret_is_kept(month):
    stream, assessed, _ = month
    secrets = {each.secret for each in stream if each.secret}
    assert len(secrets) > 20
    assert not [found.summary for _, found in assessed if any(each in found.summary for each in secrets)]


def test_what_bob_said_is_not_learned_again(month):
    _, assessed, _ = month
    recalled = [found for message, found in assessed if message.kind == "recalled"]
    assert len(recalled) > 50 and all(each.stopped_by == "recalled" for each in recalled)


def test_each_claim_that_holds_is_there_once_and_no_other(month):
    stream, _, shelf = month
    claims = Counter(shelf.made_of[each.memory_id].claim for each in shelf.holding())
    del claims[None]
    assert claims == Counter(holding(stream).values())


def test_a_claim_is_new_once(month):
    stream, _, _ = month
    assert isinstance(reconcile("x", np.ones(2, np.float32), [], np.empty((0, 2), np.float32)), New)
    assert {each.kind for each in stream if each.ends} == {"contradiction"}
