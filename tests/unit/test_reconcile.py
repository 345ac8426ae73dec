import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from bob.conversations.compare_statements import New, Same, Supersedes, reconcile
from bob.core.conversation import Memory, Scope
from bob.models.networks import OnnxEmbedder

LINES = (Path(__file__).parents[1] / "data" / "memory" / "pairs.jsonl").read_text(encoding="utf-8")
PAIRS = [json.loads(line) for line in LINES.splitlines()]
EXPECTED = {"same": Same(1), "ends": Supersedes((1,)), "apart": New()}
NOW = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.fixture(scope="module")
def embedder():
    return OnnxEmbedder(threads=1)


def memory(number, summary, until=None):
    return Memory(number, Scope("local", "me"), None, summary, 60, "fact", NOW, until)


def against(embedder, new, *memories):
    vectors = embedder.embed([new, *(each.summary for each in memories)])
    return reconcile(new, vectors[0], memories, vectors[1:])


@pytest.mark.parametrize("pair", PAIRS, ids=lambda each: each["new"])
def test_pairs(embedder, pair):
    assert against(embedder, pair["new"], memory(1, pair["old"])) == EXPECTED[pair["relation"]]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda each: each["new"])
def test_a_statement_is_the_same_as_itself(embedder, pair):
    assert against(embedder, pair["new"], memory(1, pair["new"])) == Same(1)


def test_all_that_a_statement_ends_is_named_and_what_ended_is_passed_over(embedder):
    old = "We use PostgreSQL for the billing service."
    memories = [memory(1, old, until=NOW), memory(2, old), memory(3, "Billing service: PostgreSQL it is.")]
    found = against(embedder, "We no longer use PostgreSQL for the billing service.", *memories)
    assert isinstance(found, Supersedes) and set(found.memory_ids) == {2, 3}
    assert against(embedder, old, memories[0]) == New()


def test_changing_back_is_a_change(embedder):
    now = memory(1, "We heat our house with gas now instead of oil.")
    assert against(embedder, "We heat our house with oil now instead of gas.", now) == Supersedes((1,))
    now = memory(1, "Our family doctor is Dr. Becker now, no longer Dr. Almeida.")
    back = "Our family doctor is Dr. Almeida now, no longer Dr. Becker."
    assert against(embedder, back, now) == Supersedes((1,))


def test_what_held_before_is_no_part_of_what_holds_now(embedder):
    now = memory(1, "Our rent is 1,390 euros a month now, not 1,250 euros any more.")
    assert against(embedder, "Our rent is 1,390 euros a month.", now) == Same(1)
    assert against(embedder, "Our rent is 1,250 euros a month.", now) == Supersedes((1,))


def test_the_first_memory_is_new():
    assert reconcile("x", np.ones(2, np.float32), (), np.empty((0, 2), np.float32)) == New()
