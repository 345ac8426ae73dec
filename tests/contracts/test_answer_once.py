"""Which of two requests with one key is served, on both databases: also after a crash, and by a server that
was taken for dead."""

import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest

from bob.access import answer_once as answer_once_module
from bob.access.answer_once import AnswerOnce, Conflict
from bob.core.errors import StoreError
from bob.storage import idempotency
from bob.storage.idempotency import Reservation, StoredAnswer, serving
from bob.storage.organizations import get_config as get
from bob.storage.organizations import set_config as put

DONE = StoredAnswer(201, [("location", "/chats/1")], b'{"chat_id": 1}')
DEAD = "another-machine:1:abcdef"


class Clock:
    def __init__(self):
        self.now = datetime(2025, 6, 15, tzinfo=UTC)

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def once(database, clock):
    return AnswerOnce(database, clock)


def asked(token="a", request="r", digest="d", org_id="local"):
    return Reservation(org_id, "ana", request, digest, token)


@contextmanager
def changing(database, name="done"):
    """A write of a request's, on either kind of transaction."""
    with database.write() as connection:
        put(connection, name, "yes")
        yield


def was_done(database, name="done"):
    with database.read() as connection:
        return get(connection, name) is not None


def test_the_second_waits_and_then_gets_the_answer_of_the_first(once, database):
    first = asked()
    assert once.begin(first) is None and first.held
    assert once.begin(asked("b")).status == 409
    assert once.begin(asked("b", digest="other")).status == 422
    assert once.begin(asked("c", request="another")) is None
    with serving(first), changing(database):
        pass
    once.finish(first, DONE)
    assert once.begin(asked("d")) == DONE and once.begin(asked("d", digest="other")).status == 422


def test_of_many_at_once_one_is_served(once):
    found, start = [], threading.Barrier(8)

    def begin(token):
        start.wait()
        found.append(once.begin(asked(token)))

    threads = [threading.Thread(target=begin, args=(str(number),)) for number in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found.count(None) == 1 and all(each is None or each.status == 409 for each in found)


@pytest.fixture
def of_dead(monkeypatch):
    """Reserve as a server on another machine."""

    @contextmanager
    def reserving():
        with monkeypatch.context() as patch:
            patch.setattr(answer_once_module, "worker_name", lambda: DEAD)
            yield

    return reserving


def test_what_a_dead_server_did_not_begin_is_done_by_another(once, database, clock, of_dead):
    lost, next_one = asked("lost"), asked("next")
    with of_dead():
        once.begin(lost)
    assert once.begin(next_one).status == 409
    clock.now += timedelta(seconds=301)
    assert once.begin(next_one) is None
    # It was not dead but slow: what it writes now must not be there beside what the other one writes.
    with pytest.raises(StoreError, match="replaced this one"), serving(lost), changing(database, "twice"):
        pass
    assert not was_done(database, "twice")
    with (
        pytest.raises(StoreError, match="replaced this one"),
        serving(lost),
        database.write(1) as connection,
    ):
        connection.execute("DELETE FROM users WHERE org_id = :org AND user_id = 'nobody'")
    once.finish(lost, DONE)
    with serving(next_one), changing(database):
        pass
    once.finish(next_one, DONE)
    assert was_done(database) and once.begin(asked("b")) == DONE


def test_what_a_dead_server_began_is_not_done_again(once, database, clock, of_dead):
    lost = asked("lost")
    with of_dead():
        once.begin(lost)
    with serving(lost), changing(database):
        pass
    clock.now += timedelta(seconds=301)
    told = once.begin(asked("next"))
    assert isinstance(told, Conflict) and told.status == 409 and "check what was done" in told.reason


def test_the_note_that_something_changed_is_in_the_transaction_that_changed_it(
    once, database, clock, of_dead
):
    lost = asked("lost")
    with of_dead():
        once.begin(lost)
    with pytest.raises(ZeroDivisionError), serving(lost), changing(database):
        raise ZeroDivisionError
    assert not was_done(database)
    clock.now += timedelta(seconds=301)
    assert once.begin(asked("next")) is None


def test_a_process_of_this_machine_that_ended_is_not_waited_for(once, monkeypatch):
    host, process, _ = answer_once_module.worker_name().rsplit(":", 2)
    with monkeypatch.context() as patch:
        patch.setattr(answer_once_module, "worker_name", lambda: f"{host}:{process}:earlier1")
        assert once.begin(asked("lost")) is None
    assert once.begin(asked("next")) is None


def test_a_failure_that_changed_nothing_may_be_sent_again_and_another_is_kept(once, database):
    failed = StoredAnswer(502, [], b"{}")
    for answer in (failed, StoredAnswer(404, [], b"{}"), None):
        refused = asked()
        assert once.begin(refused) is None
        once.finish(refused, answer)
    again = asked()
    assert once.begin(again) is None
    with serving(again), changing(database):
        pass
    once.finish(again, failed)
    assert once.begin(asked("b")) == failed


def test_work_that_goes_on_after_the_answer_may_write(once, database, clock):
    first = asked()
    once.begin(first)
    once.finish(first, DONE)
    clock.now += timedelta(days=2)
    once.prune()
    with serving(first), changing(database):
        pass
    assert was_done(database)


def test_keys_are_forgotten_after_a_day(once, database, clock):
    first = asked()
    once.begin(first)
    once.finish(first, DONE)
    clock.now += timedelta(hours=23)
    assert once.begin(asked("b")) == DONE
    clock.now += timedelta(hours=2)
    once.prune()
    with database.read() as connection:
        assert idempotency.find(connection, "r") is None
    assert once.begin(asked("c")) is None


def test_organizations_have_keys_of_their_own(once, database, clock):
    other = AnswerOnce(database.for_organization("other"), clock)
    first = asked()
    once.begin(first)
    once.finish(first, DONE)
    assert other.begin(asked("b", org_id="other")) is None
    with database.for_organization("other").read() as connection:
        assert idempotency.find(connection, "r").token == "b"


def test_what_is_forgotten_is_known_to_be_done(once, database):
    first, ben = asked(), Reservation("local", "ben", "bens", "d", "t")
    for each in (first, ben):
        once.begin(each)
        once.finish(each, DONE)
    with database.write() as connection:
        idempotency.forget_answers(connection, "ana")
    assert once.begin(asked("b")) == StoredAnswer(201, [], b"", "forgotten")
    assert once.begin(Reservation("local", "ben", "bens", "d", "u")) == DONE
