"""Messages of chats are found by what they say, as the ranking over all of them in memory finds them."""

from datetime import UTC, datetime, timedelta

import pytest
from small_memory import ORG, engine_over

from bob.conversations import message_feature_rows, search_chats
from bob.conversations import rows as conversation_rows
from bob.conversations.recall_memories import Recall
from bob.conversations.search_chats import SearchChats, excerpt
from bob.core.conversation import Scope
from bob.search.message_features import FeatureBuilder
from bob.search.message_ranking import ChatMessage
from bob.text.secrets import redacted
from bob.text.words import query_terms

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
ME, YOU = Scope(ORG, "me", "garden"), Scope(ORG, "you", "garden")
TALK = [
    "Which shredder did we buy?",
    "The red one from Hofer, for 400 euros.",
    "Thanks. The key of the shed hangs under the blue pot.",
    "Noted.",
]
WORK = ["We keep PostgreSQL as the database.", "Then the migration comes on Monday."]


@pytest.fixture
def engine(tmp_path):
    opened = engine_over(tmp_path / "bob.db")
    yield opened
    opened.close()


@pytest.fixture
def search(engine):
    model = engine.shipped_model
    return SearchChats(engine.database, FeatureBuilder(model), Recall(model), 0.3)


def said(engine, scope, *texts):
    with engine.database.write() as connection:
        chat = conversation_rows.start(connection, scope, None, texts[0], NOON)
        for at, text in enumerate(texts):
            role = "user" if at % 2 == 0 else "assistant"
            conversation_rows.add(connection, chat.chat_id, role, text, NOON + timedelta(minutes=at))
    return chat


def found(result):
    return [each.message.text for each in result.messages]


def test_what_was_said_is_found_with_its_chat(engine, search):
    chat = said(engine, ME, *TALK)
    said(engine, Scope(ORG, "me", "work"), *WORK)
    result = search.search_messages("me", "where is the key", 1)
    (best,) = result.messages
    assert best.message.text == TALK[2] and best.chat.chat_id == chat.chat_id and result.searched == 6
    assert best.excerpt == "… The key of the shed hangs under the blue pot."
    assert best.to_json()["project"] == "garden" and best.to_json()["role"] == "user"
    assert TALK[1] in found(search.search_messages("me", "which shredder did we buy", 2)), (
        "by the question before it"
    )


def test_it_is_the_ranking_of_all_messages_in_memory(engine, search):
    said(engine, ME, *TALK)
    said(engine, ME, *WORK)
    search.search_messages("me", "so that all are prepared", 1)
    every = [*TALK, *WORK]
    builder, recall = FeatureBuilder(engine.shipped_model), Recall(engine.shipped_model)
    apart = [ChatMessage(0)] * len(TALK) + [ChatMessage(1)] * len(WORK)
    for question in ("which database", "what did the shredder cost", "key"):
        ranked = recall.rank(question, apart, builder.build(every), len(every))
        near = [each for each in ranked if each.words > 0 or each.nearness >= 0.3]
        result = search.search_messages("me", question, len(every))
        assert found(result) == [every[each.index] for each in near]
        for one, other in zip(result.messages, near, strict=True):
            assert one.score == pytest.approx(other.score, abs=0.01)


def test_nobody_finds_what_another_said(engine, search):
    said(engine, YOU, *TALK)
    with engine.database.for_organization("other").write() as connection:
        theirs = conversation_rows.start(connection, Scope("other", "me", ""), None, "", NOON)
        conversation_rows.add(connection, theirs.chat_id, "user", TALK[2], NOON)
    result = search.search_messages("me", "where is the key", 9)
    assert result.messages == () and result.searched == result.waiting == 0


def test_a_project_narrows_and_nothing_like_it_is_nothing(engine, search):
    said(engine, ME, *TALK)
    said(engine, Scope(ORG, "me", "work"), *WORK)
    assert WORK[0] in found(search.search_messages("me", "which database", 9))
    assert not set(WORK) & set(found(search.search_messages("me", "which database", 9, "garden")))
    assert found(search.search_messages("me", "xylophone zzqx", 9)) == []


def test_more_messages_than_can_be_prepared_are_counted_and_the_newest_come_first(
    engine, search, monkeypatch
):
    monkeypatch.setattr(search_chats, "MOST_MADE", 2)
    said(engine, ME, *TALK)
    result = search.search_messages("me", "where is the key", 9)
    assert (result.searched, result.waiting) == (2, 2) and found(result)[0] == TALK[2]
    assert search.search_messages("me", "where is the key", 9).waiting == 0


def test_only_the_last_messages_are_searched(engine, search, monkeypatch):
    monkeypatch.setattr(search_chats, "MOST_MESSAGES", 3)
    said(engine, ME, *TALK)
    assert search.search_messages("me", "which shredder did we buy", 9).searched == 3


def test_forgotten_words_are_not_found_and_secrets_are_in_no_features(engine, search):
    said(engine, ME, "My password: hunter2swordfish", "Noted.", *TALK)
    search.search_messages("me", "hunter2swordfish", 9)
    kept = FeatureBuilder(engine.shipped_model).build([redacted("My password: hunter2swordfish").text])[0]
    with engine.database.read() as connection:
        terms = connection.execute(
            "SELECT terms FROM message_features WHERE org_id = :org ORDER BY message_id"
        ).fetchone()[0]
    assert terms == kept.pack_columns()[0]
    with engine.database.write() as connection:
        conversation_rows.blank(connection, [3])
        message_feature_rows.remove_of_messages(connection, [3])
    result = search.search_messages("me", "forgotten", 9)
    assert result.searched == 5 and result.waiting == 0 and "[forgotten]" not in found(result)


def test_the_excerpt_is_the_sentence_with_the_words():
    wanted = query_terms("blue pots")
    text = "A first one. " + "Filler words here. " * 9 + "The blue pot is big.\n\n" + "More of it. " * 40
    part = excerpt(text, wanted)
    assert part.startswith("… The blue pot is big. More of it.") and part.endswith("…") and len(part) < 210
    assert excerpt("Short.", wanted) == "Short." and excerpt(" \n ", wanted) == ""
