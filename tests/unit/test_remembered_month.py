"""A part of the month of conversations through the real database, model and background work: what is kept."""

import sys
from pathlib import Path

import pytest
from small_memory import engine_over

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

import remembered_month
from memory_stream import JUNK, memory_stream

from bob.conversations import memory_rows, message_feature_rows
from bob.conversations import rows as conversation_rows


@pytest.fixture(scope="module")
def month(tmp_path_factory):
    stream = memory_stream(seed=5, count=200)
    engine = engine_over(tmp_path_factory.mktemp("month") / "bob.db")
    lived = remembered_month.live(engine, stream)
    yield engine, lived, remembered_month.counted(engine, lived, stream)
    engine.close()


def test_nothing_is_there_twice_and_nothing_feeds_on_itself(month):
    _, lived, found = month
    assert found.recalled_in_prompts > 5 and len(lived.turns) > 10, "else nothing is proven"
    assert (found.exact, found.near, found.loops) == ([], [], [])


def test_junk_is_no_source_and_secrets_stay_in_the_messages_alone(month):
    _, _, found = month
    spoken = [kind for kind in JUNK if kind != "recalled"]
    assert sum(found.said[kind] for kind in spoken) > 100
    assert sum(found.sources[kind] for kind in spoken) == 0
    assert found.said["secret"] > 0 and found.secrets == []


def test_the_last_word_on_each_subject_holds(month):
    _, _, found = month
    assert found.said["contradiction"] > 0 and found.superseded >= found.said["contradiction"]
    assert (found.stale, found.lost, found.mixed) == ([], [], [])


def test_a_secret_and_a_second_copy_would_be_found(month):
    """Run last: it spoils the month."""
    engine, lived, _ = month
    number, message = next((n, each) for n, each in lived.labels.items() if each.secret)
    with engine.database.write() as connection:
        held = memory_rows.of_user(connection, "me")[0]
        memory_rows.add(connection, held, [])
        memory_rows.change(connection, held.memory_id, summary=f"{held.summary} Really.")
        chat = conversation_rows.chat_of(connection, number)
        last = memory_rows.of_user(connection, "me", project=chat.scope.project)[-1]
        memory_rows.change(connection, last.memory_id, summary=f"It is {message.secret}.")
        builder = engine.conversations.remember._builder
        packed = builder.build([message.text])[0].pack_columns()
        message_feature_rows.keep_for_messages(connection, builder.model_id, {number: packed})
    found = remembered_month.counted(engine, lived, list(lived.labels.values()))
    assert found.near or found.exact
    assert {each.partition(":")[0] for each in found.secrets} >= {"memory", "words of features"}
