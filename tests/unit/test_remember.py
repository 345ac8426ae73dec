"""From messages to memories, with the real model: what is kept, merged, ended, and never kept."""

from datetime import UTC, datetime, timedelta

import pytest
from small_memory import engine_over, rows_in

from bob.conversations import memory_rows
from bob.conversations import rows as conversation_rows
from bob.core.errors import ModelError, UsageError
from bob.storage import jobs

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
KEY = "sk-proj-" + "a8Bq" * 10


@pytest.fixture
def engine(tmp_path):
    made = engine_over(tmp_path / "bob.db")
    yield made
    made.close()


def tell(engine, *texts, project="garden", chat=None):
    """Messages of the user, each in a chat of its own unless one is given; the chat."""
    with engine.database.write() as connection:
        for at, text in enumerate(texts):
            chat = chat or conversation_rows.start(
                connection, engine.conversations.scope(project), None, "", NOON
            )
            conversation_rows.add(connection, chat.chat_id, "user", text, NOON + timedelta(minutes=at))
    return chat


def remembered(engine, **more):
    return engine.conversations.memories.of("me", **more)


def test_gold_is_kept_and_noise_is_not(engine):
    tell(engine, "hi", "We decided to rent out the cider press.", "Good morning!", "What is a monad?")
    report = engine.conversations.remember.process_messages()
    assert (report.messages, report.added, report.error) == (4, 1, None)
    (memory,) = remembered(engine)
    assert "cider press" in memory.summary and memory.message_type == "decision"
    assert memory.level == "critical" and memory.valid_from == NOON + timedelta(minutes=1)
    assert engine.conversations.memories.funnel("me") == {
        "waiting": 0,
        "heuristics": 3,
        "recalled": 0,
        "judge": 0,
        "kept": 1,
        "judge_tokens": 0,
    }
    (source,) = engine.conversations.memories.sources(memory)
    assert source.assessment.importance == memory.importance
    assert engine.conversations.remember.process_messages().messages == 0


def test_what_is_said_again_is_counted_and_not_doubled(engine):
    tell(engine, "We decided to rent out the cider press.")
    tell(engine, "we decided to rent out the cider press!")
    tell(engine, "We decided to rent out the cider press.", project="shop")
    report = engine.conversations.remember.process_messages()
    assert (report.added, report.said_again) == (2, 1)
    assert [(each.scope.project, each.times_said) for each in remembered(engine)] == [
        ("garden", 2),
        ("shop", 1),
    ]


def test_a_newer_word_ends_an_older_one_and_both_stay(engine):
    tell(engine, "Our app uses MySQL for the billing service.")
    engine.conversations.remember.process_messages()
    tell(engine, "Our app uses PostgreSQL for the billing service.")
    assert engine.conversations.remember.process_messages().superseded == 1
    (now,) = remembered(engine)
    before, _ = remembered(engine, current=False)
    assert "PostgreSQL" in now.summary and before.superseded_by == now.memory_id
    assert before.valid_until == now.valid_from


def test_no_secret_reaches_a_memory_or_its_features(engine):
    tell(engine, f"Our deploy key for the billing project is {KEY}, and we prefer Tuesdays for releases.")
    engine.conversations.remember.process_messages()
    with engine.database.read() as connection:
        (message,) = conversation_rows.said_by(connection, "me")
        model = engine.conversations._features.model_id
        (row,) = rows_in(connection, "message_features", message_id=message.message_id)
    assert KEY in message.text and KEY not in message.assessment.summary
    assert all(KEY not in each.summary for each in remembered(engine))
    expected = engine.conversations._features.build([message.text.replace(KEY, "[api key removed]")])[0]
    assert (row.model, row.terms, row.vector, row.word_vectors) == (
        model,
        *expected.pack_columns(),
    )


def test_what_bob_put_into_a_prompt_is_not_remembered_again(engine):
    conversations = engine.conversations
    conversations.remember.tell(conversations.scope("garden"), "We decided to rent out the cider press.")
    chat = conversations.chats.start(conversations.scope("garden"), NOON)
    asked = "Is the cider press rented out?"
    *_, replied = conversations.turn.send_message(chat, asked, smart=True)
    assert "cider press" in replied.message.text
    tell(engine, "As you said: we decided to rent out the cider press.", chat=chat)
    report = conversations.remember.process_messages()
    assert (report.added, report.superseded) == (0, 0)
    assert conversations.memories.funnel("me")["recalled"] == 2  # The reply, and what was made of it.


def test_what_a_person_asks_to_remember_is_kept_in_the_persons_words(engine):
    conversations = engine.conversations
    scope = conversations.scope("garden")
    kept = conversations.remember.tell(scope, "  the   blue one\n")
    assert (kept.summary, kept.importance, kept.chat_id) == ("the blue one", 60, None)
    assert conversations.remember.tell(scope, "The blue one.").memory_id == kept.memory_id
    assert conversations.remember.tell(scope, "Bring 5 cakes on Monday.", 95).importance == 95
    assert conversations.remember.tell(scope, " \n ") is None


def test_a_model_that_fails_leaves_the_message_waiting(engine):
    tell(engine, "We decided to rent out the cider press.")

    class Broken:
        def assess(self, *arguments, **more):
            raise ModelError("the model is damaged")

    good = engine.conversations.remember._funnel
    engine.conversations.remember._funnel = Broken
    assert engine.conversations.remember.process_messages().error == "the model is damaged"
    with engine.database.read() as connection:
        assert jobs.counts(connection)["queued"] == 1
    engine.conversations.remember._funnel = good
    assert engine.conversations.remember.process_messages().added == 0, "it waits before the next try"
    with engine.database.write() as connection:
        jobs.retry_failed(connection)
    assert engine.conversations.remember.process_messages().added == 1


def test_a_message_that_cannot_be_remembered_does_not_keep_the_others_waiting(engine):
    remember = engine.conversations.remember
    funnel = remember._funnel()

    class Particular:
        def assess(self, text, *arguments, **more):
            if "Friday" in text:
                raise OverflowError("no such day")
            return funnel.assess(text, *arguments, **more)

    remember._funnel = Particular
    tell(engine, "We decided to mow on Fridays.", "We decided to rent out the cider press.")
    report = remember.process_messages()
    assert (report.messages, report.added, report.error) == (1, 1, None)
    with engine.database.read() as connection:
        # It is tried again later, twice.
        assert jobs.counts(connection) == {"queued": 1, "running": 0, "failed": 0}


def test_a_moment_that_no_calendar_has_hides_no_memory(engine):
    scope = engine.conversations.scope("garden")
    kept = engine.conversations.remember.tell(scope, "The cider press costs 5 euros.")
    with engine.database.write() as connection:
        memory_rows.change(connection, kept.memory_id, valid_from=-62135600400.0)
    assert [each.valid_from.year for each in remembered(engine)] == [1]
    assert engine.conversations.memories.export("me")
    tell(engine, "We decided to rent out the barrel.")
    assert engine.conversations.remember.process_messages().added == 1


def test_a_run_can_be_stopped_between_messages(engine):
    tell(engine, *(f"We decided on rule number {n} for the hedge." for n in range(5)))
    seen = []
    report = engine.conversations.remember.process_messages(seen.append, stopped=lambda: len(seen) >= 2)
    assert report.messages == 2 and seen == [1, 2]
    assert engine.conversations.remember.process_messages().messages == 3


def test_what_is_forgotten_while_it_is_judged_stays_forgotten(engine):
    chat = tell(engine, "We decided to rent out the cider press.")
    good = engine.conversations.remember._funnel

    class Meanwhile:
        def assess(self, *arguments, **more):
            with engine.database.write() as connection:
                (message,) = conversation_rows.messages_of(connection, chat.chat_id)
                conversation_rows.blank(connection, [message.message_id])
            return good().assess(*arguments, **more)

    engine.conversations.remember._funnel = Meanwhile
    engine.conversations.remember.process_messages()
    assert remembered(engine) == []


def test_the_background_works_while_its_block_lasts(engine):
    tell(engine, "We decided to rent out the cider press.")
    with engine.conversations.remembering():
        deadline = datetime.now(UTC) + timedelta(seconds=60)
        while not remembered(engine) and datetime.now(UTC) < deadline:
            pass
    assert len(remembered(engine)) == 1


def test_memories_are_exported_and_taken_in_again_once(engine, tmp_path):
    conversations = engine.conversations
    tell(engine, "Our app uses MySQL for the billing service.")
    conversations.remember.process_messages()
    tell(engine, "Our app uses PostgreSQL for the billing service.")
    conversations.remember.process_messages()
    records = conversations.memories.export("me")
    other = engine_over(tmp_path / "other.db")
    service, scope = other.conversations.memories, other.conversations.scope()
    lines = [(f"line {n}", each) for n, each in enumerate(records, 1)]
    wrong = [
        ("line 3", {}),
        ("line 4", {"summary": "x", "importance": 0}),
        ("line 5", {"summary": "x", "message_type": "rumour"}),
        ("line 6", {"summary": "x", "valid_from": "soon"}),
        ("line 7", {"summary": "x", "valid_from": "0001-01-01T00:00:00+01:00"}),
        ("line 8", {"summary": "x", "valid_until": "9999-12-31T23:59:59-03:00"}),
        ("line 9", {"summary": "x", "valid_until": "9999-12-31T23:59:59.999999Z"}),
        ("line 10", {"summary": "x", "valid_from": "2999-01-01T00:00:00Z"}),
        ("line 11", {"summary": "x", "valid_from": "2024-01-02", "valid_until": "2024-01-01"}),
    ]
    done = service.import_records(scope, [*lines, *wrong], NOON)
    assert (done.added, done.known) == (2, 0)
    assert [each.split(":")[0] for each in done.errors] == [line for line, _ in wrong]
    assert done.errors[4] == "line 7: valid_from is not between the years 1 and 9999 in UTC"
    assert done.errors[-2:] == (
        "line 10: valid_from is in the future",
        "line 11: valid_until is before valid_from",
    )
    assert service.import_records(scope, lines, NOON).known == 2
    (holds,) = service.of("me")
    assert "PostgreSQL" in holds.summary and holds.scope.project == "garden"
    assert (
        other.conversations.recall_memories.search(scope, "which database", 1, everywhere=True)[0].memory
        == holds
    )
    other.close()


def test_an_edit_changes_what_is_found_and_a_pin_what_is_given(engine):
    conversations = engine.conversations
    scope = conversations.scope("garden")
    press = conversations.remember.tell(scope, "The cider press costs 5 euros.")
    hedge = conversations.remember.tell(scope, "The hedge is cut in August by the neighbours.")

    def given(asked):
        found = conversations.recall_memories.for_prompt(scope, None, asked)
        return [each.memory_id for each in found]

    assert given("What does the cider press cost?") == [press.memory_id]
    assert given("Tell me about quantum tunnelling") == []
    service = conversations.memories
    changed = service.edit("me", press.memory_id, f"The wine barrel costs 5 euros. Key {KEY}")
    assert changed.edited and KEY not in changed.summary
    assert given("How much is the wine barrel?") == [press.memory_id]
    service.pin("me", hedge.memory_id, True)
    assert given("Tell me about quantum tunnelling") == [hedge.memory_id]
    told = ["Ann bakes rye bread.", "The stable burnt down in 1911.", "Our boat is Swift.", "Tea at four."]
    told += ["Ben plays the horn.", "The mill has two wheels.", "Geese come in March.", "The lock is red."]
    pinned = [conversations.remember.tell(scope, text) for text in told]
    for memory in pinned:
        service.pin("me", memory.memory_id, True)
    every = {hedge.memory_id, *(memory.memory_id for memory in pinned)}
    assert len(every) == 9 and every == set(given("Tell me about quantum tunnelling"))
    for wrong in ({"importance": 0}, {"summary": "  "}, {"summary": "x" * 3000}):
        with pytest.raises(UsageError):
            service.edit("me", press.memory_id, **wrong)
    with pytest.raises(UsageError, match="no memory 99"):
        service.pin("me", 99, True)
    with engine.database.read() as connection:
        assert memory_rows.by_id(connection, "you", press.memory_id) is None


def test_a_message_makes_a_memory_of_each_thing_that_it_says(engine):
    tell(engine, "I am allergic to walnuts. Our rent is 910 euros a month. We decided to sell the boat.")
    assert engine.conversations.remember.process_messages().added == 3
    assert [each.summary for each in remembered(engine)] == [
        "I am allergic to walnuts.",
        "Our rent is 910 euros a month.",
        "We decided to sell the boat.",
    ]
    tell(engine, "Our rent is 950 euros a month. We decided to sell the boat.")
    report = engine.conversations.remember.process_messages()
    assert (report.added, report.said_again, report.superseded) == (1, 1, 1)
    assert "Our rent is 910 euros a month." not in [each.summary for each in remembered(engine)]


def test_the_items_of_a_list_are_remembered_each_and_what_goes_on_stays_with_its_sentence(engine):
    tell(
        engine,
        "Notes:\n- keys: Mara has the only spare key for the boat house\n"
        "- our next meeting is on 14 October at 7 pm in the Red Swan",
        "I don't eat meat. Well, fish is fine.",
    )
    engine.conversations.remember.process_messages()
    assert {each.summary for each in remembered(engine)} == {
        "keys: Mara has the only spare key for the boat house",
        "our next meeting is on 14 October at 7 pm in the Red Swan",
        "I don't eat meat. Well, fish is fine.",
    }


def test_what_a_message_says_besides_holds_again_when_what_ended_it_is_forgotten(engine):
    tell(engine, "We decided to sell the boat. Our rent is 910 euros a month.")
    tell(engine, "Our rent is 950 euros a month.")
    engine.conversations.remember.process_messages()
    (later,) = [each for each in remembered(engine) if "950" in each.summary]
    forget = engine.conversations.forget
    forget.forget_memories(forget.plan("me", [later.memory_id]))
    assert sorted(each.summary for each in remembered(engine)) == [
        "Our rent is 910 euros a month.",
        "We decided to sell the boat.",
    ]
