"""The clock goes back an hour, or forward ten years, while Bob works or between two runs: nothing crashes,
nothing waits for ever, and nobody stays signed in."""

import re
import time
from datetime import UTC, datetime, timedelta

import pytest
from served_memory import GARDEN, index
from signed_tokens import AUDIENCE, ISSUER, SECRET, by_secret, claims
from small_memory import engine_over

from bob.access.answer_once import KEPT, AnswerOnce
from bob.access.rate_limit import LimitRequests
from bob.app import conversations
from bob.core.errors import RefusedError
from bob.http import authenticate as sessions_module
from bob.http.authenticate import Sessions
from bob.search.fusion import with_age
from bob.storage import jobs
from bob.storage.idempotency import Reservation, StoredAnswer
from bob.text.dates import day_before

ORG = "local"
NOW = 1_750_000_000.0
HOUR, YEARS = 3600.0, 10 * 365 * 86_400.0
ELSEWHERE = "another-machine:1:abcdef"
JUMPS = pytest.mark.parametrize("jump", [-HOUR, -YEARS, YEARS], ids=["back an hour", "back", "ahead"])


def claim(database, now):
    with database.write() as connection:
        return jobs.claim(connection, "embed", 10, now)


def waiting(database, now):
    with database.read() as connection:
        return jobs.waiting_kinds(connection, now).get(ORG, [])


@pytest.fixture
def queue(database):
    with database.write() as connection:
        jobs.enqueue(connection, "embed", 1)
    return database


@JUMPS
def test_a_job_of_a_worker_that_died_elsewhere_is_taken_up_after_a_jump(queue, jump):
    """Nobody can see whether it lives, so the end of its lease decides."""
    assert len(claim(queue, NOW)) == 1
    with queue.write() as connection:
        connection.update("jobs", {"state": "running"}, {"worker": ELSEWHERE})
    later = NOW + jump + jobs.LEASE_SECONDS + 1
    assert waiting(queue, later) == ["embed"] and len(claim(queue, later)) == 1


@JUMPS
def test_a_job_that_waits_after_an_error_is_tried_again_after_a_jump(queue, jump):
    (job,) = claim(queue, NOW)
    with queue.write() as connection:
        jobs.fail(connection, job, "away", NOW)
    assert claim(queue, NOW + 29) == []
    assert len(claim(queue, NOW + jump + 31)) == 1


def test_clocks_that_differ_by_minutes_take_no_job_away(queue):
    assert len(claim(queue, NOW)) == 1
    with queue.write() as connection:
        connection.update("jobs", {"state": "running"}, {"worker": ELSEWHERE})
    for minutes in (0, 1, 5, 20):
        assert claim(queue, NOW - 60 * minutes) == [] and waiting(queue, NOW - 60 * minutes) == []


class Clock:
    def __init__(self):
        self.now = datetime.fromtimestamp(NOW, UTC)

    def __call__(self):
        return self.now


@JUMPS
def test_a_request_under_one_key_is_not_under_way_for_ever(database, jump):
    clock = Clock()
    once = AnswerOnce(database, clock)
    assert once.begin(Reservation(ORG, "ana", "r", "d", "first")) is None
    with database.write() as connection:
        connection.update("idempotency_keys", {"token": "first"}, {"worker": ELSEWHERE})
    clock.now += timedelta(seconds=jump + 301)
    again = Reservation(ORG, "ana", "r", "d", "second")
    assert once.begin(again) is None
    once.finish(again, StoredAnswer(201, [], b"{}"))
    clock.now -= timedelta(hours=1)
    assert once.begin(Reservation(ORG, "ana", "r", "d", "third")).status == 201
    once.prune()
    clock.now += KEPT + timedelta(hours=2)
    once.prune()
    assert once.begin(Reservation(ORG, "ana", "r", "d", "fourth")) is None


def test_sessions_and_limits_do_not_look_at_the_clock_that_can_be_set(monkeypatch):
    seconds = [1_000.0]
    monkeypatch.setattr(sessions_module.time, "time", lambda: pytest.fail("the clock was looked at"))
    monkeypatch.setattr(sessions_module.time, "monotonic", lambda: seconds[0])
    sessions = Sessions()
    word = sessions.begin("key")
    assert sessions.find(word) is not None
    seconds[0] += 12 * 3600 + 1
    assert sessions.find(word) is None
    limit = LimitRequests(2, lambda: seconds[0])
    assert [limit.take("ana") is None for _ in range(3)] == [True, True, False]
    # Even if it went back, nobody waits longer than a minute, nor gets more than one's share.
    seconds[0] -= 3600
    waits = [limit.take("ana") for _ in range(3)]
    assert all(wait is None or wait >= 0 for wait in waits)
    seconds[0] += 3600 + 61
    assert [limit.take("ana") is None for _ in range(3)] == [True, True, False]


def test_a_token_is_judged_by_the_clock_as_it_is(tmp_path):
    """Tokens that an issuer wrote before its clock, or ours, jumped: too old, or not valid yet."""
    auth = {"jwt_secret": SECRET, "audience": AUDIENCE, "issuer": ISSUER}
    engine = engine_over(tmp_path / "bob.db", auth=auth)
    verify = engine.team.authenticate._verify_token
    who = {"sub": "ana", "org_id": ORG, "role": "admin"}
    assert verify.verify_token(by_secret(claims(**who))).user_id == "ana"
    for jump in (-YEARS, -HOUR, HOUR, YEARS):
        with pytest.raises(RefusedError):
            verify.verify_token(by_secret(claims(time.time() + jump, **who)))
    leeway = engine.settings.auth.leeway_seconds
    # Far from either end of the leeway: a busy machine may take seconds between writing and reading.
    for apart in (-leeway / 2, leeway / 2):
        written = time.time()
        assert verify.verify_token(
            by_secret(claims(written, **who, iat=written + apart, exp=written + 300))
        ).org_id
        if apart < 0:
            assert verify.verify_token(
                by_secret(claims(written, **who, iat=None, exp=written + apart))
            ).org_id
    engine.close()


def test_messages_keep_the_order_in_which_they_were_said(tmp_path, monkeypatch):
    clock = Clock()
    monkeypatch.setattr(conversations, "_now", clock)
    engine = engine_over(tmp_path / "bob.db")
    index(engine, tmp_path, garden=GARDEN)
    talk = engine.conversations
    chat = talk.chats.start(talk.scope("garden", "me"), clock())
    asked = []
    for jump in (0, -HOUR, YEARS, -2 * YEARS, HOUR):
        clock.now += timedelta(seconds=jump)
        asked.append(f"When is the hedge cut, asked after {jump:.0f} seconds?")
        list(talk.turn.send_message(chat, asked[-1], smart=True))
    messages = talk.chats.messages(chat)
    assert [each.text for each in messages if each.role == "user"] == asked
    assert [each.role for each in messages] == ["user", "assistant"] * len(asked)
    found = talk.chats.recent("me", 10)
    assert [each.chat_id for each in found] == [chat.chat_id]
    engine.close()


def test_what_lies_ahead_is_new_and_has_no_negative_age():
    assert with_age(0.5, -3650.0, 30.0) == with_age(0.5, 0.0, 30.0) == 0.5
    assert with_age(0.5, 3650.0, 30.0) >= 0
    assert day_before("99999y", datetime.fromtimestamp(NOW, UTC).date()) is None


@pytest.mark.parametrize("jump", [-HOUR, -YEARS, YEARS], ids=["back an hour", "back", "ahead"])
def test_what_was_remembered_and_asked_before_a_jump_can_be_used_after_it(tmp_path, monkeypatch, jump):
    clock = Clock()
    monkeypatch.setattr(conversations, "_now", clock)
    engine = engine_over(tmp_path / "bob.db")
    index(engine, tmp_path, garden=GARDEN)
    talk = engine.conversations
    chat = talk.chats.start(talk.scope("garden", "me"), clock())
    list(
        talk.turn.send_message(
            chat, "We decided that the hedge is cut in the last week of August.", smart=True
        )
    )
    clock.now += timedelta(seconds=jump)
    for question in ("What did we decide today?", "What did I say last week?", "What happened 2 hours ago?"):
        *_, replied = talk.turn.send_message(chat, question, smart=True)
        assert replied.message.text and not re.search(
            r"-[0-9]+ (second|minute|hour|day|year)", replied.message.text
        )
    assert engine.ask.answer_question("What was decided today?", today=clock().date()).text
    assert len(talk.chats.messages(chat)) == 8
    engine.close()
