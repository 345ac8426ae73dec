"""Chats, messages, memories and receipts in a real database: what one user has, no other sees."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from small_memory import ORG

from bob.conversations import memory_rows, message_feature_rows, receipt_rows
from bob.conversations import rows as conversation_rows
from bob.core.conversation import Assessment, Memory, Scope
from bob.llm.cache_rows import StoredCaches
from bob.storage import jobs

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
ME, YOU = Scope(ORG, "me", "garden"), Scope(ORG, "you", "garden")
THEM = Scope("other", "me", "garden")
VECTOR = np.array([0.5, -1, 0], "<f2").tobytes()


@pytest.fixture
def connection(database):
    with database.write() as opened:
        yield opened


@pytest.fixture
def theirs(database):
    """The other organization has a chat, a memory and features of its own, committed before all else."""
    with database.for_organization("other").write() as opened:
        chat, (said,) = begun(opened, THEM, "theirs", name="notes")
        remembered(opened, THEM, "of others")
        message_feature_rows.keep_for_messages(opened, "a", {said.message_id: (b"t", VECTOR, b"tt")})
    yield chat
    with database.for_organization("other").read() as opened:
        assert conversation_rows.by_id(opened, "you", chat.chat_id) is None
        assert [each.title for each in conversation_rows.recent(opened, "me", 9)] == [""]
        assert [each.summary for each in memory_rows.of_user(opened, "me")] == ["of others"]
        assert kept(opened) == {(said.message_id, "a"): b"tt"}


def begun(connection, scope, *texts, name=None):
    chat = conversation_rows.start(connection, scope, name, "", NOON)
    said = [
        conversation_rows.add(
            connection,
            chat.chat_id,
            "user" if at % 2 == 0 else "assistant",
            text,
            NOON + timedelta(minutes=at),
        )
        for at, text in enumerate(texts)
    ]
    return chat, said


def remembered(connection, scope, summary, *message_ids, chat_id=None, **more):
    memory = Memory(0, scope, chat_id, summary, 50, "fact", NOON, **more)
    return memory_rows.add(connection, memory, message_ids)


def test_messages_are_kept_word_for_word_and_in_order(connection):
    texts = ["  Spaces stay.\n\n", "So do ümlauts, 語 and \u200b", "a" * 100_000]
    chat, _ = begun(connection, ME, *texts)
    found = conversation_rows.messages_of(connection, chat.chat_id)
    assert [each.text for each in found] == texts
    assert [each.role for each in found] == ["user", "assistant", "user"]
    assert [each.sent_at for each in found] == [NOON + timedelta(minutes=n) for n in range(3)]
    assert conversation_rows.by_id(connection, "me", chat.chat_id).messages == 3


def test_the_last_messages_come_in_order_and_the_ones_before_them(connection):
    chat, said = begun(connection, ME, "one", "two", "three", "four", "five")
    begun(connection, ME, "of another chat")

    def last(most, before=None):
        found = conversation_rows.last_messages_of(connection, chat.chat_id, most, before)
        return [each.text for each in found]

    assert last(2) == ["four", "five"]
    assert last(2, said[3].message_id) == ["two", "three"]
    assert last(9) == ["one", "two", "three", "four", "five"] and last(9, said[0].message_id) == []


def test_each_message_waits_for_the_funnel(connection):
    _, said = begun(connection, ME, "one", "two")
    waiting = jobs.claim(connection, conversation_rows.REMEMBER, 9, 0.0)
    assert sorted(job.subject for job in waiting) == [each.message_id for each in said]


def test_what_the_funnel_found_stays_with_the_message(connection):
    chat, (message,) = begun(connection, ME, "We chose PostgreSQL.")
    found = Assessment(90, "We chose PostgreSQL.", "decision", None, "rules", 0, "decided")
    conversation_rows.assess(connection, message.message_id, found)
    assert conversation_rows.messages_of(connection, chat.chat_id)[0].assessment == found
    _, (trivial, _) = begun(connection, ME, "hi", "unseen")
    conversation_rows.assess(
        connection, trivial.message_id, Assessment(0, "", "chat", "heuristics", judge_tokens=7)
    )
    counts = conversation_rows.funnel_counts(connection, "me")
    assert counts == {"waiting": 1, "heuristics": 1, "recalled": 0, "judge": 0, "kept": 1, "judge_tokens": 7}
    assert sum(conversation_rows.funnel_counts(connection, "you").values()) == 0


def test_a_chat_is_found_by_its_owner_only(theirs, connection):
    mine, _ = begun(connection, ME, "mine", name="notes")
    assert theirs.chat_id == mine.chat_id == 1
    assert conversation_rows.by_id(connection, "you", mine.chat_id) is None
    assert conversation_rows.named(connection, ME, "notes").chat_id == mine.chat_id
    assert conversation_rows.named(connection, YOU, "notes") is None
    assert conversation_rows.recent(connection, "you", 9) == []


def test_the_last_chats_come_first(connection):
    old, _ = begun(connection, ME, "old")
    new, _ = begun(connection, Scope(ORG, "me", "shop"), "new")
    conversation_rows.add(connection, old.chat_id, "user", "again", NOON + timedelta(days=1))
    assert [each.chat_id for each in conversation_rows.recent(connection, "me", 9)] == [
        old.chat_id,
        new.chat_id,
    ]
    assert [each.chat_id for each in conversation_rows.recent(connection, "me", 9, "shop")] == [new.chat_id]
    assert len(conversation_rows.recent(connection, "me", 1)) == 1


def test_a_memory_knows_who_said_it_and_how_often(connection):
    chat, (first, second) = begun(connection, ME, "a", "b")
    kept = remembered(connection, ME, "We rent.", first.message_id, chat_id=chat.chat_id)
    memory_rows.say_again(connection, kept.memory_id, second.message_id)
    memory_rows.say_again(connection, kept.memory_id, second.message_id)
    found = memory_rows.by_id(connection, "me", kept.memory_id)
    assert found.times_said == 2 and found.summary == "We rent."
    assert memory_rows.sources_of(connection, [kept.memory_id]) == [first.message_id, second.message_id]
    assert memory_rows.by_id(connection, "you", kept.memory_id) is None


def test_what_was_contradicted_stays_with_its_time(connection):
    old = remembered(connection, ME, "We use MySQL.")
    new = remembered(connection, ME, "We use PostgreSQL.")
    memory_rows.supersede(connection, [old.memory_id], new.memory_id, NOON + timedelta(days=2))
    assert [each.summary for each in memory_rows.of_user(connection, "me")] == ["We use PostgreSQL."]
    both = memory_rows.of_user(connection, "me", current=False)
    assert both[0].superseded_by == new.memory_id and both[0].valid_until == NOON + timedelta(days=2)
    memory_rows.remove(connection, [new.memory_id])
    (left,) = memory_rows.of_user(connection, "me", current=False)
    assert left.superseded_by is None and left.valid_until is not None


def test_memories_come_from_the_last_chats_but_this_one(theirs, connection):
    kept = []
    for at in range(4):
        chat, (message,) = begun(connection, ME, f"chat {at}")
        conversation_rows.add(connection, chat.chat_id, "user", "x", NOON + timedelta(days=at))
        kept.append(remembered(connection, ME, f"m{at}", message.message_id, chat_id=chat.chat_id))
    loose = remembered(connection, ME, "imported")
    memory_rows.change(connection, kept[0].memory_id, pinned=True)
    remembered(connection, YOU, "not mine")
    found = memory_rows.of_last_chats(connection, "me", 2, but=kept[3].chat_id)
    assert [each.summary for each in found] == ["m0", "m2", loose.summary]


def test_forgetting_a_memory_leaves_no_row_of_it(connection):
    chat, (said,) = begun(connection, ME, "a")
    kept = remembered(connection, ME, "gone", said.message_id)
    memory_rows.keep_features(connection, "m", kept.memory_id, b"1")
    receipt_rows.save(connection, chat.chat_id, said.message_id, {}, [kept.memory_id])
    assert memory_rows.injected_in(connection, chat.chat_id) == ["gone"]
    memory_rows.remove(connection, [kept.memory_id])
    assert memory_rows.injected_in(connection, chat.chat_id) == []
    assert memory_rows.features_of(connection, "m", [kept.memory_id]) == {}
    assert memory_rows.of_message(connection, said.message_id) == []


def test_features_are_of_one_model(theirs, connection):
    message_feature_rows.keep_for_messages(
        connection, "a", {1: (b"x", VECTOR, b""), 2: (b"y", VECTOR, b"yy")}
    )
    message_feature_rows.keep_for_messages(connection, "b", {1: (b"z", VECTOR, b"zz")})
    message_feature_rows.keep_for_messages(connection, "a", {1: (b"w", VECTOR, b"ww")})
    assert kept(connection) == {(1, "a"): b"ww", (2, "a"): b"yy", (1, "b"): b"zz"}
    message_feature_rows.remove_of_messages(connection, [2], "b")
    assert len(kept(connection)) == 3
    message_feature_rows.remove_of_messages(connection, [1])
    assert kept(connection) == {(2, "a"): b"yy"}


def kept(connection):
    statement = "SELECT message_id, model, vector, word_vectors FROM message_features WHERE org_id = :org"
    rows = connection.execute(statement).fetchall()
    assert all(vector == VECTOR for _, _, vector, _ in rows)
    return {(message_id, model): words for message_id, model, _, words in rows}


def test_the_last_receipt_is_that_of_the_last_reply(connection):
    chat, (one, two) = begun(connection, ME, "a", "b")
    assert receipt_rows.last(connection, chat.chat_id) is None
    for at, message in enumerate((one, two)):
        receipt_rows.save(connection, chat.chat_id, message.message_id, {"turn": at}, [])
    assert receipt_rows.last(connection, chat.chat_id) == {"turn": 1}


def test_what_providers_keep_is_known_to_a_later_process(database):
    first, second = StoredCaches(database), StoredCaches(database)
    first.keep("gemini", "m", "k", "caches/1", NOON)
    first.keep("gemini", "m", "k", "caches/2", NOON + timedelta(minutes=5))
    found = second.find("gemini", "m", "k")
    assert (found.name, found.expires_at) == ("caches/2", NOON + timedelta(minutes=5))
    assert StoredCaches(database.for_organization("other")).find("gemini", "m", "k") is None
    second.drop("gemini", "m", "k")
    second.drop("gemini", "m", "k")
    assert first.find("gemini", "m", "k") is None
