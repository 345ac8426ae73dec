"""What is remembered depends on what was said when, and not on when it was judged."""

from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_memory import HashingMessageEmbedder, engine_over, rows_in

from bob.conversations import memory_rows
from bob.conversations import rows as conversation_rows
from bob.conversations.remember import Remember
from bob.core.conversation import Assessment
from bob.search.message_features import FeatureBuilder

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
SUBJECTS = ["billing service", "garden shed door"]
VALUES = ["MySQL", "PostgreSQL", "Redis"]
SAYINGS = [
    *(f"Our app uses {value} for the {subject}." for subject in SUBJECTS for value in VALUES),
    *(f"our app uses {value} for the {subject}" for subject in SUBJECTS for value in VALUES[:2]),
    *(f"Our app does not use {value} for the {subject}." for subject in SUBJECTS for value in VALUES[:2]),
    "We decided to rent out the cider press.",
    "We decided not to rent out the cider press.",
    "The gate code is 4471.",
    "The gate code is 4472 now.",
]


class Literally:
    """A funnel that keeps every message in its own words."""

    def assess(self, text, role, injected=(), *, previous=""):
        return Assessment(60, text, "fact", None, "test")


class Memory:
    """An engine over a file, whose jobs can be run one by one in any order."""

    def __init__(self, folder):
        self.engine = engine_over(Path(folder) / "bob.db")
        self.now = NOON
        self.engine.shipped_model = HashingMessageEmbedder()
        builder = FeatureBuilder(self.engine.shipped_model)
        self.remember = Remember(self.engine.database, Literally, builder, lambda: self.now)
        self.scope = self.engine.conversations.scope("garden")
        self.chats = {}

    def say(self, chat, text, moment):
        with self.engine.database.write() as connection:
            if chat not in self.chats:
                self.chats[chat] = conversation_rows.start(connection, self.scope, chat, "", moment)
            return conversation_rows.add(
                connection, self.chats[chat].chat_id, "user", text, moment
            ).message_id

    def judge(self, message_id):
        """Run the job of one message, while all others wait."""
        with self.engine.database.write() as connection:
            connection.update(
                "jobs", {"kind": conversation_rows.REMEMBER}, {"not_before": self.now.timestamp() + 1_000}
            )
            connection.update("jobs", {"subject": message_id}, {"not_before": None})
        report = self.remember.process_messages()
        assert report.messages == 1 and report.error is None

    def state(self, plain=str):
        """All memories, without their numbers: words, validity, what ended them, and who said them."""
        with self.engine.database.read() as connection:
            found = memory_rows.of_user(connection, "me", current=False)
            sources = rows_in(connection, "memory_sources")
        words = {each.memory_id: (plain(each.summary), each.valid_from) for each in found}
        said = {number: [] for number in words}
        for each in sources:
            said[each.memory_id].append(each.message_id)
        return sorted(
            (
                *words[each.memory_id],
                str(each.valid_until),
                str(words.get(each.superseded_by)),
                sorted(said[each.memory_id]),
            )
            for each in found
        )

    def current(self):
        return sorted(each.summary for each in self.engine.conversations.memories.of("me"))


def bare(text):
    return text.lower().rstrip(".")


@contextmanager
def memory():
    with TemporaryDirectory() as folder:
        made = Memory(folder)
        yield made
        made.engine.close()


said = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(SAYINGS), st.integers(-2, 3)), min_size=2, max_size=8
)
"""Messages: in which chat, what, and how the clock moved since the one before, back at times."""


@settings(deadline=None, max_examples=12)
@given(said, st.randoms(use_true_random=False))
def test_every_order_of_the_jobs_gives_the_memories_of_the_order_of_time(messages, random):
    with memory() as one, memory() as other:
        moment, by_time = NOON, []
        for chat, text, step in messages:
            moment += timedelta(minutes=step)
            number = one.say(chat, text, moment)
            assert other.say(chat, text, moment) == number
            with one.engine.database.read() as connection:
                (kept,) = conversation_rows.messages_at(connection, [number]).values()
            by_time.append((kept.sent_at, number))
        for _, number in sorted(by_time):
            one.judge(number)
        shuffled = [number for _, number in by_time]
        random.shuffle(shuffled)
        for number in shuffled:
            other.judge(number)
        assert other.state() == one.state()


events = st.lists(
    st.tuples(st.sampled_from(["say", "say", "tell"]), st.sampled_from(SAYINGS)), min_size=2, max_size=8
)


@settings(deadline=None, max_examples=12)
@given(events, st.randoms(use_true_random=False))
def test_what_is_told_directly_stands_where_it_was_told(happened, random):
    """One memory judges each message at once, the other some time later, or last of all."""
    with memory() as one, memory() as other:
        waiting = []
        for minute, (kind, text) in enumerate(happened):
            moment = NOON + timedelta(minutes=minute)
            one.now = other.now = moment
            if kind == "tell":
                for each in (one, other):
                    assert each.remember.tell(each.scope, text).valid_until is None
            else:
                number = one.say("a", text, moment)
                assert other.say("a", text, moment) == number
                one.judge(number)
                waiting.append(number)
            # Of what is told twice the words of the first telling are kept, and a moment of the second.
            if waiting and random.random() < 0.3:
                other.judge(waiting.pop(random.randrange(len(waiting))))
        random.shuffle(waiting)
        for number in waiting:
            other.judge(number)
        assert other.state(bare) == one.state(bare)


def test_an_older_sentence_that_is_judged_late_does_not_end_a_newer_one():
    with memory() as it:
        number = it.say("a", "The gate code is 4471.", NOON)
        it.now = NOON + timedelta(minutes=1)
        told = it.remember.tell(it.scope, "The gate code is 4472.")
        it.judge(number)
        assert it.current() == ["The gate code is 4472."]
        every = it.engine.conversations.memories.of("me", current=False)
        assert [each.summary for each in every] == ["The gate code is 4471.", "The gate code is 4472."]
        assert every[0].valid_until == told.valid_from and every[0].superseded_by == told.memory_id
        assert all(each.valid_until is None or each.valid_until >= each.valid_from for each in every)


def test_an_old_conversation_that_is_taken_in_ends_nothing():
    with memory() as it:
        it.now = NOON
        it.remember.tell(it.scope, "Our app uses PostgreSQL for the billing service.")
        it.judge(it.say("old", "Our app uses MySQL for the billing service.", NOON - timedelta(days=400)))
        assert it.current() == ["Our app uses PostgreSQL for the billing service."]
        it.judge(it.say("new", "Our app uses Redis for the billing service.", NOON + timedelta(days=1)))
        assert it.current() == ["Our app uses Redis for the billing service."]


@pytest.mark.parametrize("hours", [0, 5])
def test_a_clock_that_went_back_does_not_make_what_is_told_old(hours):
    with memory() as it:
        it.judge(it.say("a", "The gate code is 4471.", NOON))
        it.now = NOON - timedelta(hours=hours)
        told = it.remember.tell(it.scope, "The gate code is 4472.")
        assert it.current() == ["The gate code is 4472."] and told.valid_from >= NOON


def test_messages_of_a_chat_are_never_sent_before_those_before_them():
    with memory() as it:
        first = it.say("a", "The gate code is 4471.", NOON)
        second = it.say("a", "The gate code is 4472.", NOON - timedelta(hours=5))
        it.judge(second)
        it.judge(first)
        assert it.current() == ["The gate code is 4472."]


def test_forgetting_what_ended_something_brings_it_back():
    with memory() as it:
        for minute, text in enumerate(SAYINGS[:3]):
            it.judge(it.say("a", text, NOON + timedelta(minutes=minute)))
        first, second, third = it.engine.conversations.memories.of("me", current=False)
        service = it.engine.conversations.forget
        service.forget_memories(service.plan("me", [second.memory_id]))
        # The third one speaks against it as well.
        again, last = it.engine.conversations.memories.of("me", current=False)
        assert again.superseded_by == third.memory_id and again.valid_until == third.valid_from
        service.forget_memories(service.plan("me", [third.memory_id]))
        (alone,) = it.engine.conversations.memories.of("me", current=False)
        assert (alone.summary, alone.valid_until, alone.superseded_by) == (first.summary, None, None)
        assert last.summary == third.summary


def test_a_pin_and_an_edit_stay_with_a_memory_whose_order_is_put_right():
    with memory() as it:
        late = it.say("a", "our app uses MySQL for the billing service", NOON)
        it.judge(it.say("b", "Our app uses MySQL for the billing service.", NOON + timedelta(minutes=1)))
        (kept,) = it.engine.conversations.memories.of("me")
        it.engine.conversations.memories.edit("me", kept.memory_id, None, 95)
        it.engine.conversations.memories.pin("me", kept.memory_id, True)
        it.judge(late)
        (found,) = it.engine.conversations.memories.of("me")
        assert (found.memory_id, found.pinned, found.importance) == (kept.memory_id, True, 95)
        assert found.valid_from == NOON and found.times_said == 2
