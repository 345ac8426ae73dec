"""What is forgotten is gone: rows, replies that repeat it, and the bytes of every file."""

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import pytest
from small_memory import ORG, HashingMessageEmbedder, engine_over, open_database

from bob.conversations import memory_rows, message_feature_rows, receipt_rows
from bob.conversations import rows as conversation_rows
from bob.conversations.forget import Forget
from bob.conversations.timeline import Timeline
from bob.core.conversation import Memory, Scope
from bob.core.errors import UsageError
from bob.search.message_features import FeatureBuilder
from bob.storage.agent_log import AgentLog

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
ME = Scope(ORG, "me", "garden")
FACT = "My sister Philomena is allergic to hazelnuts."


@pytest.fixture
def database(tmp_path):
    opened = open_database(tmp_path / "bob.db")
    yield opened
    opened.close()


def told(database, scope=ME):
    """A chat in which the fact is told, repeated in a reply, and recalled; and one that is about else."""
    with database.write() as connection:
        chat = conversation_rows.start(connection, scope, None, FACT, NOON)
        said = conversation_rows.add(connection, chat.chat_id, "user", f"By the way. {FACT}", NOON)
        echo = conversation_rows.add(
            connection,
            chat.chat_id,
            "assistant",
            "Noted: your sister Philomena is allergic to hazelnuts!",
            NOON,
        )
        other = conversation_rows.add(
            connection, chat.chat_id, "user", "And the hedge is cut in August.", NOON
        )
        memory = memory_rows.add(
            connection, Memory(0, scope, chat.chat_id, FACT, 60, "fact", NOON), [said.message_id]
        )
        memory_rows.keep_features(connection, "m", memory.memory_id, b"f" * 40)
        message_feature_rows.keep_for_messages(
            connection, "m", {said.message_id: (b"g" * 40, b"h" * 40, b"i" * 40)}
        )
        receipt_rows.save(connection, chat.chat_id, echo.message_id, {"a": 1}, [memory.memory_id])
    return memory, said, echo, other


def forgetting(database):
    timeline = Timeline(ORG, FeatureBuilder(HashingMessageEmbedder()))
    return Forget(database, timeline, lambda: [])


def test_the_plan_shows_all_that_goes_and_changes_nothing(database):
    memory, said, echo, _other = told(database)
    plan = forgetting(database).plan("me", [memory.memory_id])
    assert plan.memories == (memory,)
    assert [each.message_id for each in plan.said] == [said.message_id]
    assert [each.message_id for each in plan.repeated] == [echo.message_id]
    assert json.dumps(plan.to_json())
    with database.read() as connection:
        assert memory_rows.by_id(connection, "me", memory.memory_id) == memory


def test_nothing_of_it_is_left_in_any_file(database):
    memory, _said, _echo, other = told(database)
    service = forgetting(database)
    report = service.forget_memories(service.plan("me", [memory.memory_id]))
    assert report.gone and not report.compacted and report.messages == 2
    assert all(not each.found for each in report.probes) and len(report.probes) >= 1
    every = b"".join(path.read_bytes() for path in database.path.parent.iterdir() if path.is_file())
    assert (
        b"Philomena" not in every
        and b"hazelnut" not in every
        and not any(each * 6 in every for each in (b"f", b"g", b"h", b"i"))
    )
    with database.read() as connection:
        texts = [each.text for each in conversation_rows.messages_of(connection, 1)]
        assert texts == ["[forgotten]", "[forgotten]", other.text]
        assert conversation_rows.by_id(connection, "me", 1).title == "[forgotten]"


def test_words_that_were_deleted_without_being_overwritten_are_found_and_removed(tmp_path):
    database = open_database(tmp_path / "bob.db")
    memory, *_ = told(database)
    with closing(sqlite3.connect(database.path)) as careless:
        careless.execute("PRAGMA secure_delete=OFF")
        careless.execute("CREATE TABLE loose (text)")
        careless.executemany("INSERT INTO loose VALUES (?)", [(FACT,)] * 200)
        careless.commit()
        careless.execute("DELETE FROM loose")
        careless.commit()
    service = forgetting(database)
    report = service.forget_memories(service.plan("me", [memory.memory_id]))
    assert report.compacted and report.gone
    assert b"Philomena" not in database.path.read_bytes()
    database.close()


def test_a_users_own_document_is_named_and_not_touched(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "family.md").write_text(f"# Family\n\n{FACT}\n", "utf-8")
    engine = engine_over(tmp_path / "bob.db")
    engine.index_files.index_folder(tmp_path / "notes", "garden")
    memory, *_ = told(engine.database)
    service = forgetting(engine.database)
    report = service.forget_memories(service.plan("me", [memory.memory_id]))
    assert report.elsewhere == (str(tmp_path / "notes" / "family.md"),) and not report.compacted
    engine.close()


def test_a_message_of_two_memories_names_the_other_one(database):
    memory, said, *_ = told(database)
    with database.write() as connection:
        second = memory_rows.add(
            connection, Memory(0, ME, 1, "By the way.", 40, "fact", NOON), [said.message_id]
        )
    plan = forgetting(database).plan("me", [memory.memory_id])
    assert [each.memory_id for each in plan.other_memories] == [second.memory_id]


def test_only_ones_own_memories_can_be_forgotten(database):
    memory, *_ = told(database)
    with pytest.raises(UsageError, match="no memory"):
        forgetting(database).plan("you", [memory.memory_id])
    with pytest.raises(UsageError, match="no memory 99"):
        forgetting(database).plan("me", [99])


def test_what_another_user_said_in_the_same_words_stays(database):
    memory, *_ = told(database)
    _, theirs, *_ = told(database, Scope(ORG, "you", "garden"))
    service = forgetting(database)
    report = service.forget_memories(service.plan("me", [memory.memory_id]))
    with database.read() as connection:
        assert FACT in conversation_rows.messages_at(connection, [theirs.message_id])[theirs.message_id].text
    assert report.gone and not report.left


def test_the_title_of_a_chat_that_began_otherwise_stays(database):
    with database.write() as connection:
        chat = conversation_rows.start(connection, ME, None, "The hedge", NOON)
        conversation_rows.add(connection, chat.chat_id, "user", "The hedge", NOON)
        said = conversation_rows.add(connection, chat.chat_id, "user", FACT, NOON)
        memory = memory_rows.add(
            connection, Memory(0, ME, chat.chat_id, FACT, 60, "fact", NOON), [said.message_id]
        )
    service = forgetting(database)
    service.forget_memories(service.plan("me", [memory.memory_id]))
    with database.read() as connection:
        assert conversation_rows.by_id(connection, "me", chat.chat_id).title == "The hedge"


def test_nothing_is_told_of_what_other_users_said(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "family.md").write_text(f"# Family\n\n{FACT}\n", "utf-8")
    engine = engine_over(tmp_path / "bob.db")
    engine.index_files.index_folder(tmp_path / "notes", "garden")
    memory, *_ = told(engine.database)
    with engine.database.write() as connection:
        chat = conversation_rows.start(connection, Scope(ORG, "you", ""), None, "", NOON)
        conversation_rows.add(connection, chat.chat_id, "user", f"By the way. {FACT}", NOON)
    entry = {"organization": ORG, "user": "you", "tool": "remember", "arguments": {"text": FACT}}
    AgentLog(engine.database.path).append(entry)
    service = forgetting(engine.database)
    service._derived = lambda: AgentLog(engine.database.path).paths()
    report = service.forget_memories(service.plan("me", [memory.memory_id]))
    assert report.elsewhere and not report.compacted and report.gone
    assert {each.table for each in report.left} == {"chunks"}
    assert not any(each.found for each in report.probes)
    engine.close()


def said_of(database, summary, *others):
    """A memory that is told and forgotten again, and of the other messages those that are still there."""
    with database.write() as connection:
        chat = conversation_rows.start(connection, ME, None, "", NOON)
        source = conversation_rows.add(connection, chat.chat_id, "user", others[0], NOON)
        later = conversation_rows.start(connection, ME, None, "", NOON)
        said = [
            conversation_rows.add(connection, later.chat_id, "user", text, NOON).message_id for text in others
        ]
        memory = memory_rows.add(
            connection, Memory(0, ME, chat.chat_id, summary, 60, "fact", NOON), [source.message_id]
        )
    service = forgetting(database)
    report = service.forget_memories(service.plan("me", [memory.memory_id]))
    assert report.gone
    with database.read() as connection:
        messages = conversation_rows.messages_at(connection, said)
    return [text for number, text in zip(said, others, strict=True) if messages[number].text == text]


@pytest.mark.parametrize(
    ("summary", "other"),
    [
        ("We use Java", "At the mill we use JavaScript in the browser."),
        ("I live in York", "I live in Yorkshire."),
        ("Meet Ana at the mill", "I meet the banana sellers at the mill, said Ben."),
    ],
)
def test_longer_words_are_others(database, summary, other):
    assert said_of(database, summary, summary, other) == [other]


def test_words_in_a_script_without_blanks_are_found_inside_a_sentence(database):
    assert said_of(database, "ZANZIBAR77 我们 在 约克", "因为ZANZIBAR77 我们 在 约克见面") == []
    assert said_of(database, "ZANZIBAR77 is the codename of the mill", "代号是ZANZIBAR77。") == []


def test_what_a_message_answered_is_forgotten_and_not_its_words_elsewhere(database):
    agreed = "Sounds good, let's do that."
    assert said_of(database, "The cider press is rented out to the neighbours.", agreed) == [agreed]
