"""A chat's turn over a real database: what is kept, what is asked, and what happens when the model fails."""

import pytest
from small_memory import engine_over

from bob.conversations.chat import ContextReady, Replied
from bob.core.errors import LanguageModelError
from bob.core.prompt import TextPiece
from bob.llm.complete import ScriptedModel


@pytest.fixture
def engine(tmp_path):
    (tmp_path / "garden").mkdir()
    (tmp_path / "garden" / "rules.md").write_text("# Rules\n\nThe hedge is cut after 15 August.\n", "utf-8")
    made = engine_over(tmp_path / "bob.db")
    made.index_files.index_folder(tmp_path / "garden", "garden")
    yield made
    made.close()


def chat_about(engine, project="garden"):
    conversations = engine.conversations
    return conversations.chats.start(conversations.scope(project), conversations.turn._clock())


def said(engine, chat, text, smart=False):
    return list(engine.conversations.turn.send_message(chat, text, smart=smart))


def kept(engine, chat):
    return [(each.role, each.text) for each in engine.conversations.chats.messages(chat)]


def test_without_a_model_the_reply_is_quoted_and_kept(engine):
    chat = chat_about(engine)
    ready, replied = said(engine, chat, "When is the hedge cut?")
    assert isinstance(ready, ContextReady) and ready.prediction is None and ready.compiled.pinned
    assert isinstance(replied, Replied) and replied.written_by is None
    assert "15 August" in replied.answer.text
    assert kept(engine, chat) == [("user", "When is the hedge cut?"), ("assistant", replied.answer.text)]
    assert engine.conversations.chats.at("me", chat.chat_id).title == "When is the hedge cut?"


def test_with_a_model_the_reply_streams_from_the_compiled_prompt(engine):
    engine.llm = ScriptedModel(["After 15 August, dear.", "Members do."])
    chat = chat_about(engine)
    ready, *pieces, replied = said(engine, chat, "When is the hedge cut?")
    assert "".join(each.text for each in pieces) == "After 15 August, dear." == replied.message.text
    assert all(isinstance(each, TextPiece) for each in pieces) and replied.written_by == "scripted"
    said(engine, chat, "Who cuts it?")
    first, second = engine.llm.prompts
    assert first.system[0] == second.system[0] and first.system[0].cached
    assert "The hedge is cut after 15 August." in first.system[0].text
    assert [each.text for each in second.messages] == [
        "When is the hedge cut?",
        "After 15 August, dear.",
        "Who cuts it?",
    ]
    assert ready.compiled.system == "\n\n".join(each.text for each in first.system)


def test_what_a_reply_states_is_checked_against_the_project(engine):
    engine.llm = ScriptedModel(["The hedge is cut after 15 August. The hedge is cut after 3 May."])
    *_, replied = said(engine, chat_about(engine), "When is the hedge cut?")
    verdicts = [each.judgement.verdict for each in replied.checked]
    assert verdicts == ["supported", "contradicted"]
    assert replied.message.text.endswith("The hedge is cut after 3 May.")
    engine.llm = ScriptedModel(["Hello."])
    *_, replied = said(engine, chat_about(engine, ""), "Hi, who are you?")
    assert replied.checked is None


@pytest.mark.parametrize("reply", [LanguageModelError("the server is gone"), "", "  \n"])
def test_when_the_model_fails_the_reply_is_quoted_with_a_notice(engine, reply):
    engine.llm = ScriptedModel([reply])
    chat = chat_about(engine)
    *_, replied = said(engine, chat, "When is the hedge cut?")
    assert replied.written_by is None and "15 August" in replied.message.text
    assert len(replied.notices) == 1 and replied.notices[0].startswith("Quoted from the sources: ")
    assert len(kept(engine, chat)) == 2


def test_a_message_is_kept_before_anything_can_fail(engine):
    chat = chat_about(engine)
    events = engine.conversations.turn.send_message(chat, "A message.", smart=False)
    next(events)
    events.close()
    assert kept(engine, chat) == [("user", "A message.")]


def test_a_document_that_changes_is_named_on_the_next_turn(engine, tmp_path):
    from bob.conversations.context import PredictCost
    from bob.llm.prices import prompt_rules

    rules = prompt_rules("openai", "m", "http://localhost:1/v1")
    engine.conversations.predict_cost = PredictCost(rules, lambda: None)
    chat = chat_about(engine)
    first, _ = said(engine, chat, "When is the hedge cut?")
    assert first.prediction.prefix.outcome == "first" and first.prediction.differs == ()
    second, _ = said(engine, chat, "And now?")
    assert second.prediction.prefix.outcome == "read" and second.prediction.differs == ()
    (tmp_path / "garden" / "rules.md").write_text("# Rules\n\nThe hedge is never cut.\n", "utf-8")
    (tmp_path / "garden" / "new.md").write_text("# New\n\nA pond.\n", "utf-8")
    engine.index_files.index_folder(tmp_path / "garden", "garden")
    third, _ = said(engine, chat, "And now?")
    assert third.prediction.prefix.read_tokens == 0 and third.prediction.prefix.outcome == "changed"
    assert third.prediction.differs == ("new.md is new", "rules.md changed")
    (tmp_path / "garden" / "new.md").unlink()
    engine.index_files.index_folder(tmp_path / "garden", "garden")
    fourth, _ = said(engine, chat, "And now?")
    assert fourth.prediction.differs == ("new.md is gone",)


def test_a_preview_keeps_nothing_and_knows_the_last_prompt(engine):
    from datetime import date

    from bob.conversations.context import PredictCost
    from bob.llm.prices import model_prices, prompt_rules

    prices = model_prices("anthropic", "claude-sonnet-5", date(2026, 11, 22))
    rules = prompt_rules("anthropic", "claude-sonnet-5")
    engine.conversations.predict_cost = PredictCost(rules, lambda: prices)
    turn, chat = engine.conversations.turn, chat_about(engine)
    first = turn.preview(chat.scope, chat, "When is the hedge cut?", smart=False)
    assert first.last_dollars is None and kept(engine, chat) == []
    ready, _ = said(engine, chat, "When is the hedge cut?")
    assert ready.compiled == first.compiled and ready.prediction == first.prediction
    second = turn.preview(chat.scope, chat, "And now?", smart=False)
    assert second.last_dollars == ready.prediction.dollars > 0
    assert len(kept(engine, chat)) == 2


def test_what_is_remembered_is_given_with_its_number_and_counted_as_recalled(engine):
    conversations = engine.conversations
    memory = conversations.remember.tell(
        conversations.scope("garden"), "The cider press costs 5 euros a day."
    )
    chat = chat_about(engine)
    ready, replied = said(engine, chat, "What does the cider press cost?", smart=True)
    assert ready.compiled.memory_ids == (memory.memory_id,)
    assert f"The cider press costs 5 euros a day. [memory {memory.memory_id}]" in replied.message.text
    ready, replied = said(engine, chat_about(engine), "What does the cider press cost?", smart=False)
    assert ready.compiled.memory_ids == () and "5 euros" not in replied.message.text
