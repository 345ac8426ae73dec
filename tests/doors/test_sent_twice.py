"""Requests with an `Idempotency-Key`: done once, answered again to who sent them and to nobody else, and
never with a secret."""

import itertools
import re
import time

import httpx
import pytest
from every_route import every_route, rows_of, world_in
from served_memory import served
from served_team import until
from signed_tokens import AUDIENCE, ISSUER, SECRET, by_secret, claims
from small_memory import engine_over

from bob.http.idempotency import REPLAYED
from bob.storage import idempotency
from bob.storage.idempotency import Reservation, StoredAnswer

KEYED = [each for each in every_route() if each.keyed]
NUMBERS = itertools.count(1)
SHOWN_ONCE = {"POST /keys", "POST /session", "POST /session/links"}
NOT_KEPT = SHOWN_ONCE | {"POST /memories/forget"}
NOT_THERE = {
    *("POST /open", "POST /eval/runs", "POST /import/bookmarks", "POST /import/highlights"),
    *("POST /import/pdf-annotations", "POST /personas/{name}/interview", "POST /personas/{name}/questions"),
}
"""What would need a file or program of this machine; they are refused, and a refusal is not kept."""


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    with world_in(tmp_path_factory.mktemp("world")) as made:
        yield made


def new_key():
    return {"Idempotency-Key": f"key {next(NUMBERS)}"}


def secrets_in(answer):
    """What an answer gives that opens something."""
    found = re.findall(r"bobkey\.[\w.-]+|(?<=token=)[\w-]+", answer.text)
    return found + re.findall(r"(?<=bob_session_)\d+=([\w-]+)", answer.headers.get("set-cookie", ""))


def counted(world):
    """All that a request may leave behind."""
    world.until_idle()
    return rows_of(world.engine, "local"), len(world.engine.team.api_keys.every())


def test_the_keyed_routes_are_all_posts_but_openais():
    assert len(KEYED) > 40
    assert {
        each.path.split("/")[1] for each in every_route() if each.method == "POST" and not each.keyed
    } == {"v1"}


@pytest.mark.parametrize("route", KEYED, ids=str)
def test_what_was_answered_is_given_again_to_who_was_answered_and_to_nobody_else(world, route):
    first = world.home() if route.at_home else world.admin
    place, kwargs = world.request(route, first)
    key = new_key()

    def send(sender):
        return world.http.post(place, headers=sender.headers | key, **kwargs)

    answer = send(first)
    handed_out = secrets_in(answer)
    world.secrets += handed_out
    assert REPLAYED not in answer.headers
    if str(route) in NOT_THERE:
        assert answer.status_code in (400, 403, 404), answer.text
    else:
        assert answer.status_code < 300, answer.text
    assert bool(handed_out) == (str(route) in SHOWN_ONCE)
    there = counted(world)
    again = send(first)
    if str(route) in NOT_KEPT:
        assert again.status_code == 409 and "was already done" in again.json()["detail"], again.text
    elif str(route) not in NOT_THERE:
        assert again.headers[REPLAYED] == "true" and again.status_code == answer.status_code
        assert again.text == answer.text and again.headers.get("location") == answer.headers.get("location")
    assert counted(world) == there
    for sender in world.senders.values():
        if sender is first:
            continue
        told = send(sender)
        assert REPLAYED not in told.headers, (sender.name, told.text)
        allowed = sender.may(route)
        if allowed != "2xx":
            assert told.status_code == allowed, (sender.name, told.text)
        assert not any(each in told.text + str(told.headers) for each in handed_out), sender.name
        world.secrets += secrets_in(told)


def test_no_secret_is_kept(world):
    named = {str(each): each for each in KEYED}
    for route in SHOWN_ONCE:
        sender = world.home() if named[route].at_home else world.admin
        made = world.ask(named[route], sender, **{"key": f"key {next(NUMBERS)}"})
        assert made.status_code < 300 and secrets_in(made), made.text
        world.secrets += secrets_in(made)
    with world.engine.database.read() as connection:
        rows = connection.execute("SELECT * FROM idempotency_keys WHERE org_id = :org").fetchall()
    kept = b"".join(each if isinstance(each, bytes) else str(each).encode() for row in rows for each in row)
    files = b"".join(each.read_bytes() for each in world.engine.database.files())
    assert len(rows) >= 3 and len(world.secrets) > 20
    for secret in world.secrets:
        # Of a key the part that opens something: its number is shown to admins.
        opening = secret.rpartition(".")[2].encode()
        assert opening not in kept and opening not in files


def test_a_secret_is_shown_once(world):
    key, body = new_key(), {"name": "newadmin", "user": "ana", "role": "admin"}
    first = world.http.post("/keys", json=body, headers=world.admin.headers | key)
    again = world.http.post("/keys", json=body, headers=world.admin.headers | key)
    assert (first.status_code, again.status_code) == (201, 409)
    assert again.headers["content-type"] == "application/problem+json"
    assert "its secret is shown only once" in again.json()["detail"]
    assert [each.name for each in world.engine.team.api_keys.every()].count("newadmin") == 1
    assert first.json()["key"].rpartition(".")[2] not in again.text


def test_another_body_or_query_is_an_error_and_another_path_another_request(world):
    key, headers = new_key(), world.admin.headers
    first = world.http.post("/work/items", json={"title": "A gate"}, headers=headers | key)
    for path, body in (
        ("/work/items", {"title": "A hedge"}),
        ("/work/items?suggest=true", {"title": "A gate"}),
    ):
        other = world.http.post(path, json=body, headers=headers | key)
        assert (other.status_code, other.json()["field"]) == (422, "Idempotency-Key"), path
    assert (
        world.http.post("/work/categories", json={"name": "Gates"}, headers=headers | key).status_code == 201
    )
    again = world.http.post("/work/items", json={"title": "A gate"}, headers=headers | key)
    assert again.json() == first.json()


def test_a_form_that_is_sent_again_has_another_boundary(world):
    key, headers = new_key(), world.admin.headers

    def send(content):
        files = [("files", ("gate.md", content))]
        return world.http.post("/files", files=files, headers=headers | key)

    first, again = send(b"# A gate\n"), send(b"# A gate\n")
    assert first.status_code == 202 and again.text == first.text and again.headers[REPLAYED] == "true"
    assert send(b"# Another gate\n").status_code == 422


def test_what_was_refused_may_be_sent_again_with_its_key(world):
    key, headers = new_key(), world.admin.headers
    body = {"title": "A gate", "category": "Later"}
    assert world.http.post("/work/items", json=body, headers=headers | key).status_code == 400
    world.http.post("/work/categories", json={"name": "Later"}, headers=headers)
    assert world.http.post("/work/items", json=body, headers=headers | key).status_code == 201


def test_a_stream_is_gone_on_with_by_the_key_that_began_it_alone(world):
    key, body = new_key(), {"question": "When is the hedge cut?"}
    told = [world.http.post("/ask/stream", json=body, headers=world.admin.headers | key) for _ in range(2)]
    assert told[0].headers["x-bob-stream"] == told[1].headers["x-bob-stream"]
    assert told[0].text == told[1].text and told[1].headers[REPLAYED] == "true"
    path = f"/streams/{told[0].headers['x-bob-stream']}"
    for name in ("reader", "member", "only chats", "only ask", "ben, admin", "ana, elsewhere"):
        assert world.http.get(path, headers=world.senders[name].headers).status_code == 404, name
        assert world.http.delete(path, headers=world.senders[name].headers).status_code == 404, name


def test_what_is_forgotten_is_not_given_again(world):
    headers, key = world.admin.headers, new_key()
    body = {"text": "The cormorant of ana eats MACKEREL on Mondays.", "project": "garden"}
    told = world.http.post("/memories", json=body, headers=headers | key)
    number = told.json()["memories"][0]["memory_id"]
    forgetting = {"memory_ids": [number], "yes": True}
    done = world.http.post("/memories/forget", json=forgetting, headers=headers | new_key())
    assert done.json()["done"]["gone"] is True, done.text
    again = world.http.post("/memories", json=body, headers=headers | key)
    assert (again.status_code, "MACKEREL" in again.text) == (409, False)
    world.engine.database.truncate_log()
    assert not [each for each in world.engine.database.files() if b"MACKEREL" in each.read_bytes()]


def test_what_a_deleted_chat_said_is_not_given_again(world):
    headers, key = world.admin.headers, new_key()
    chat = world.http.post("/chats", json={}, headers=headers).json()["chat_id"]
    body = {"text": "Where does the PORPOISE sleep?"}
    other = {"text": "The heron of ben eats frogs on Fridays.", "project": "garden"}
    ben = world.senders["ben, admin"].headers
    assert world.http.post("/memories", json=other, headers=ben | new_key()).status_code == 201
    said = world.http.post(f"/chats/{chat}/messages", json=body, headers=headers | key)
    assert said.status_code == 200
    assert world.http.delete(f"/chats/{chat}?yes=true", headers=headers).json()["done"] is True
    again = world.http.post(f"/chats/{chat}/messages", json=body, headers=headers | key)
    assert (again.status_code, "PORPOISE" in again.text) == (409, False)
    with world.engine.database.read() as connection:
        kept = connection.execute(
            "SELECT body FROM idempotency_keys WHERE org_id = :org AND body IS NOT NULL"
        ).fetchall()
    assert kept and not [body for (body,) in kept if b"PORPOISE" in bytes(body)]


def test_a_server_that_starts_forgets_the_keys_of_days_ago_of_every_organization(tmp_path):
    engine = engine_over(tmp_path / "bob.db")
    other = engine.for_organization("other")
    for side in (engine, other):
        org_id = side.settings.organization
        with side.database.write(1) as connection:
            for request, at in (("old", time.time() - 90_000), ("new", time.time())):
                kept = Reservation(org_id, "ana", request, "d", "t")
                idempotency.reserve(connection, kept, "w", at, at)
                idempotency.keep_answer(connection, kept, StoredAnswer(201, [], b"MACKEREL"))

    def left():
        rows = []
        for side in (engine, other):
            with side.database.read() as connection:
                rows += connection.execute(
                    "SELECT org_id, request FROM idempotency_keys WHERE org_id = :org"
                ).fetchall()
        return sorted(rows)

    assert len(left()) == 4
    with served(engine):
        until(lambda: left() == [("local", "new"), ("other", "new")])
    engine.close()


def test_a_token_that_was_renewed_is_the_same_sender_and_its_role_is_looked_at_anew(tmp_path):
    auth = {"jwt_secret": SECRET, "audience": AUDIENCE, "issuer": ISSUER}
    engine = engine_over(tmp_path / "bob.db", auth=auth)
    with served(engine) as server, httpx.Client(base_url=server.address, timeout=30) as client:

        def send(path="/chats", body=None, **changed):
            token = by_secret(claims(org_id="local", **changed))
            headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": "one"}
            return client.post(path, json=body or {}, headers=headers)

        def read(stream, **changed):
            token = by_secret(claims(org_id="local", **changed))
            return client.get(f"/streams/{stream}", headers={"Authorization": f"Bearer {token}"})

        first = send(sub="ana", role="member", jti="1")
        again = send(sub="ana", role="admin", jti="2")
        assert first.status_code == again.status_code == 201 and first.json() == again.json()
        assert send(sub="ana", role="reader").status_code == 403
        assert send(sub="ben", role="member").json() != first.json()
        # A stream is read as long as one may do what began it.
        chat = first.json()["chat_id"]
        said = send(f"/chats/{chat}/messages/stream", {"text": "Hello"}, sub="ana", role="member")
        stream = said.headers["x-bob-stream"]
        assert read(stream, sub="ana", role="member").status_code == 200
        assert read(stream, sub="ana", role="reader").status_code == 403
        assert read(stream, sub="ben", role="admin").status_code == 404
    engine.close()


def test_a_run_is_stopped_by_who_may_begin_it(world):
    begun = world.http.post("/index/rebuild", json={"yes": True}, headers=world.admin.headers)
    path = f"/index/runs/{begun.json()['run']}"
    assert world.http.delete(path, headers=world.senders["member"].headers).status_code == 403
    assert world.http.get(path, headers=world.senders["reader"].headers).status_code == 200
    assert world.http.delete(path, headers=world.admin.headers).status_code == 202
    world.until_idle()
