"""A chat that is deleted leaves no bytes; what else said the same stays."""

from datetime import UTC, datetime

import pytest
from small_memory import ORG

from bob.conversations import memory_rows, message_feature_rows, receipt_rows
from bob.conversations import rows as conversation_rows
from bob.conversations.chats import DeleteChat
from bob.core.conversation import Memory, Scope
from bob.core.errors import UsageError
from bob.storage import jobs

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
ME = Scope(ORG, "me", "garden")
FACT = "My sister Philomena is allergic to hazelnuts."


def told(database, scope=ME):
    with database.write() as connection:
        chat = conversation_rows.start(connection, scope, None, FACT, NOON)
        said = conversation_rows.add(connection, chat.chat_id, "user", FACT * 500, NOON)
        reply = conversation_rows.add(connection, chat.chat_id, "assistant", "Hazelnuts, noted.", NOON)
        own = memory_rows.add(
            connection,
            Memory(0, scope, chat.chat_id, "Philomena, sister", 60, "fact", NOON),
            [said.message_id],
        )
        packed = (b"t" * 40, b"v" * 40, b"w" * 9000)
        message_feature_rows.keep_for_messages(connection, "m", {said.message_id: packed})
        memory_rows.keep_features(connection, "m", own.memory_id, b"y" * 900)
        receipt_rows.save(connection, chat.chat_id, reply.message_id, {"a": 1}, [own.memory_id])
    return chat, said, own


def bytes_of(database):
    return b"".join(path.read_bytes() for path in database.path.parent.iterdir() if path.is_file())


def rows(database):
    names = ("chats", "messages", "message_features", "memory_sources", "recalls", "receipts", "jobs")
    with database.read() as connection:
        return {
            name: connection.execute(f"SELECT count(*) FROM {name} WHERE org_id = :org").fetchone()[0]
            for name in names
        }


def test_the_plan_changes_nothing_and_names_what_stays(database):
    chat, _, own = told(database)
    before = rows(database)
    plan = DeleteChat(database).plan("me", chat.chat_id, with_memories=False)
    assert plan.chat.messages == 2 and plan.memories == (own,) and rows(database) == before
    assert plan.to_json()["with_memories"] is False


# A server's files are not for its users to look into.
@pytest.mark.parametrize("database_address", ["sqlite"], indirect=True)
def test_no_byte_of_it_is_left(database):
    chat, *_ = told(database)
    service = DeleteChat(database)
    service.delete_chat(service.plan("me", chat.chat_id, with_memories=True))
    left = bytes_of(database)
    assert b"Philomena" not in left and b"azelnuts" not in left
    assert not any(each * 20 in left for each in (b"t", b"v", b"w", b"y"))
    assert set(rows(database).values()) == {0}
    with database.read() as connection:
        assert memory_rows.of_user(connection, "me") == []


def test_memories_stay_and_are_recalled_from_no_chat(database):
    chat, *_ = told(database)
    service = DeleteChat(database)
    service.delete_chat(service.plan("me", chat.chat_id, with_memories=False))
    with database.read() as connection:
        (kept,) = memory_rows.of_last_chats(connection, "me", 10, None)
    assert kept.summary == "Philomena, sister" and kept.chat_id is None and kept.times_said == 1
    assert set(rows(database).values()) == {0}


def test_what_another_chat_said_too_stays(database):
    chat, _, own = told(database)
    other, _, theirs = told(database)
    with database.write() as connection:
        memory_rows.say_again(
            connection,
            own.memory_id,
            conversation_rows.messages_of(connection, other.chat_id)[0].message_id,
        )
    service = DeleteChat(database)
    plan = service.plan("me", chat.chat_id, with_memories=True)
    assert plan.memories == ()
    service.delete_chat(plan)
    with database.read() as connection:
        left = [each.memory_id for each in memory_rows.of_user(connection, "me")]
        assert left == [own.memory_id, theirs.memory_id]
        assert len(conversation_rows.messages_of(connection, other.chat_id)) == 2
    with database.write() as connection:
        waiting = jobs.claim(connection, conversation_rows.REMEMBER, 9, 0.0)
    assert len(waiting) == 2, "those of the other chat"


def test_only_ones_own_chats(database):
    chat, *_ = told(database, Scope(ORG, "you", ""))
    with pytest.raises(UsageError, match="no chat"):
        DeleteChat(database).plan("me", chat.chat_id, with_memories=False)
