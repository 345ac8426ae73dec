"""Transcripts of clients, and how they become chats: each word once, whatever is handed over again."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_memory import ORG

from bob.conversations import rows as conversation_rows
from bob.conversations.transcript import ImportTranscript, Said, read_transcript
from bob.core.conversation import Scope

NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)
ME = Scope(ORG, "me", "garden")


def lines(*records):
    return "".join(f"{json.dumps(each)}\n" for each in records)


def pairs(text):
    return [(each.role, each.text) for each in read_transcript(text).messages]


CLIENTS = lines(
    {"type": "summary", "summary": "Numbers of plots", "leafUuid": "a"},
    {"type": "user", "isMeta": True, "message": {"role": "user", "content": "Caveat: made by the client."}},
    {"type": "user", "message": {"role": "user", "content": "<command-name>/clear</command-name>"}},
    {
        "type": "user",
        "timestamp": "2025-05-31T08:00:00.000Z",
        "message": {"role": "user", "content": "Number the plots by rows.\n"},
    },
    {
        "type": "assistant",
        "timestamp": "2025-05-31T08:00:05.000Z",
        "message": {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "By rows, then."},
                {"type": "text", "text": "I look at the map."},
                {"type": "tool_use", "id": "1", "name": "Read", "input": {"file_path": "plots.csv"}},
            ],
        },
    },
    {
        "type": "user",
        "message": {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "1", "content": "A1"}],
        },
    },
    {"type": "assistant", "isSidechain": True, "message": {"role": "assistant", "content": "To another."}},
    {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}},
    {"type": "user", "isCompactSummary": True, "message": {"role": "user", "content": "It was continued."}},
    {"type": "file-history-snapshot", "snapshot": {}},
)


@pytest.mark.parametrize(
    "records",
    [
        [{"role": "human", "content": "Plots by rows."}, {"role": "ai", "content": "Noted."}],
        [{"role": "Human", "content": "Plots by rows."}, {"role": "Model", "content": "Noted."}],
        [{"from": "human", "value": "Plots by rows."}, {"from": "gpt", "value": "Noted."}],
        [{"type": "human", "content": "Plots by rows."}, {"type": "ai", "content": "Noted."}],
    ],
)
def test_those_who_speak_have_other_names_elsewhere(records):
    said = [("user", "Plots by rows."), ("assistant", "Noted.")]
    others = [{"from": "system", "value": "Be kind."}, {"type": "agent", "content": "x"}, {"role": ["ai"]}]
    assert pairs(lines(*others, *records)) == pairs(json.dumps(records)) == said
    for name in ("messages", "conversations"):
        assert pairs(json.dumps({"id": "a", name: records})) == said


def test_what_claude_code_keeps():
    found = read_transcript(CLIENTS)
    assert [(each.role, each.text) for each in found.messages] == [
        ("user", "Number the plots by rows.\n"),
        ("assistant", "I look at the map."),
        ("assistant", "Done."),
    ]
    assert found.messages[0].sent_at == datetime(2025, 5, 31, 8, tzinfo=UTC)
    assert found.messages[2].sent_at is None and found.unreadable == 0


def test_lines_arrays_and_objects_with_role_and_content():
    said = [
        {"role": "user", "content": "a"},
        {"role": "system", "content": "x"},
        {"role": "assistant", "content": "b"},
    ]
    expected = [("user", "a"), ("assistant", "b")]
    assert (
        pairs(lines(*said))
        == pairs(json.dumps(said))
        == pairs(json.dumps({"messages": said}, indent=1))
        == expected
    )


def test_a_line_that_is_still_being_written_is_counted():
    found = read_transcript(lines({"role": "user", "content": "a"}) + '{"role": "assist')
    assert [each.text for each in found.messages] == ["a"] and found.unreadable == 1


def test_plain_text_with_and_without_speakers():
    text = "User: When?\nAnd where?\n\n**Assistant:** In May.\n- at noon\nHuman: Thanks\n"
    assert pairs(text) == [
        ("user", "When?\nAnd where?"),
        ("assistant", "In May.\n- at noon"),
        ("user", "Thanks"),
    ]
    assert pairs("  just a note: really\n") == [("user", "just a note: really")]
    assert pairs("[not json") == [("user", "[not json")]
    assert pairs("") == []


@given(st.text(max_size=200))
def test_any_text_is_read(text):
    for each in read_transcript(text).messages:
        assert each.text.strip() and each.role in ("user", "assistant")


@pytest.fixture
def taking(database):
    return ImportTranscript(database, lambda: NOW)


def kept(database, chat):
    with database.read() as connection:
        return conversation_rows.messages_of(connection, chat.chat_id)


def test_a_transcript_is_kept_word_for_word_and_once(database, taking):
    said = read_transcript(CLIENTS).messages
    first = taking.import_transcript(ME, "monday", said)
    again = taking.import_transcript(ME, "monday", said)
    grown = taking.import_transcript(ME, "monday", [*said, Said("user", "Done.", NOW + timedelta(days=9))])
    assert (first.added, first.known) == (3, 0) and (again.added, again.known) == (0, 3)
    assert (grown.added, grown.known) == (1, 3) and grown.chat.chat_id == first.chat.chat_id
    assert first.chat.title == "Number the plots by rows."
    messages = kept(database, first.chat)
    assert [each.text for each in messages] == [*(each.text for each in said), "Done."]
    assert messages[0].sent_at.day == 31 and messages[-1].sent_at == NOW, "no message is of the future"


def test_forgotten_words_stay_forgotten(database, taking):
    said = [Said("user", "a"), Said("assistant", "b"), Said("user", "secret"), Said("assistant", "c")]
    chat = taking.import_transcript(ME, "monday", said).chat
    with database.write() as connection:
        conversation_rows.blank(connection, [3])
    assert taking.import_transcript(ME, "monday", [*said, Said("user", "d")]).added == 1
    assert [each.text for each in kept(database, chat)] == ["a", "b", conversation_rows.FORGOTTEN, "c", "d"]
