"""Fifty turns of a chat, replayed: the project's bytes stay, and what changed is named."""

import json
import subprocess
import sys
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from small_memory import engine_over, write_files

from bob.core.errors import UsageError

BEGAN = datetime(2025, 6, 1, 12, tzinfo=UTC)
LONG = "The hedge by the river is cut after 15 August, row by row, by two neighbours. " * 90
FILES = {f"plot-{n}.md": f"# Plot {n}\n\n{LONG}\n" for n in range(4)}


@pytest.fixture
def engine(tmp_path):
    made = engine_over(tmp_path / "bob.db")
    made.index_files.index_folder(write_files(tmp_path / "garden", FILES), "garden")
    yield made
    made.close()


def simulated(engine, turns=6, **more):
    conversations = engine.conversations
    return conversations.simulate.simulate_turns(conversations.scope("garden"), turns, BEGAN, **more)


def test_the_project_stays_and_caches_read_it(engine):
    found = simulated(engine, 8)
    assert (found.turns, found.same, found.misses, found.memories_written) == (8, 8, (), 8)
    assert found.prefix_bytes_share > 0.9 and found.prefix_tokens_share > 0.9
    assert {each.model.provider for each in found.shares} == {"anthropic", "openai", "gemini"}
    for each in found.shares:
        # Seven of eight prompts find the project in the cache; what is recalled first changes all after it.
        assert each.naive_share < 0.1 < 0.7 < each.read_share < 7 / 8
        assert Decimal(0) < each.dollars < each.uncached_dollars <= each.naive_dollars


def test_nothing_is_kept(engine):
    simulated(engine)
    assert engine.conversations.chats.recent("me", 9) == []
    assert engine.conversations.memories.of("me") == []


def test_the_same_again_has_the_same_digest_and_another_question_has_not(engine):
    first = simulated(engine)
    assert first == simulated(engine)
    assert first.digest != simulated(engine, question="Who cuts it?").digest


def test_a_document_that_changes_in_between_is_named_by_its_turns(engine, tmp_path):
    def changed(done, total):
        if done == 3:
            write_files(tmp_path / "garden", {"plot-2.md": "# Plot 2\n\nIt is let.\n"})
            engine.index_files.index_folder(tmp_path / "garden", "garden")

    found = simulated(engine, 6, progress=changed)
    assert found.same == 3
    assert found.misses == tuple(f"turn {n}: plot-2.md changed" for n in (4, 5, 6))
    assert all(each.read_share < 0.7 for each in found.shares)


def test_a_project_without_documents_cannot_be_simulated(engine):
    with pytest.raises(UsageError, match="requires a project with documents"):
        engine.conversations.simulate.simulate_turns(engine.conversations.scope("nothing"), 5, BEGAN)


def test_two_processes_agree(engine, bob, tmp_path):
    """The command itself, whatever the order in which Python happens to keep sets."""
    seen = set()
    for seed in ("0", "1"):
        command = [sys.executable, "-m", "bob.cli.main", "context", "--project", "garden", "--simulate", "5"]
        environment = bob.environment | {"BOB_DATABASE": str(tmp_path / "bob.db"), "PYTHONHASHSEED": seed}
        run = subprocess.run(
            [*command, "--json"], capture_output=True, text=True, check=True, env=environment
        )
        seen.add(json.loads(run.stdout)["sha256"])
    assert len(seen) == 1
