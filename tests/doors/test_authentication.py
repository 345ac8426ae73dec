"""Who may ask a server: tokens, API keys, roles, scopes and limits, over real connections (SPEC L2, P3)."""

import json
import logging
import time
from datetime import UTC, datetime, timedelta

import httpx
import openai
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from served_memory import GARDEN, KITCHEN, index, served
from signed_tokens import (
    AUDIENCE,
    ISSUER,
    SECRET,
    KeySetServer,
    by_hand,
    by_key,
    by_secret,
    claims,
    new_key,
    packed,
    public_pem,
)
from small_memory import engine_over

from bob.access.api_key import WrittenKey
from bob.access.api_keys import ApiKeys
from bob.app.authentication import authenticate_over
from bob.core.errors import RefusedError
from bob.core.principal import Role
from bob.http.authenticate import Authenticator

QUESTION = [{"role": "user", "content": "When is the hedge cut?"}]
KEY = new_key()
OTHER_KEY = new_key()


@pytest.fixture(scope="module")
def by_keys(tmp_path_factory):
    """A server that takes tokens by a public key."""
    folder = tmp_path_factory.mktemp("key")
    (folder / "issuer.pem").write_bytes(public_pem(KEY))
    auth = {"public_key_file": str(folder / "issuer.pem"), "audience": AUDIENCE, "issuer": ISSUER}
    engine = engine_over(folder / "bob.db", auth=auth)
    with served(engine) as made:
        yield made
    engine.close()


@pytest.fixture(scope="module")
def refusal(by_secrets):
    """What is answered to a request without a credential."""
    return seen(httpx.get(f"{by_secrets.address}/v1/models"))


def seen(told):
    headers = {name: value for name, value in told.headers.items() if name not in ("date", "x-request-id")}
    return told.status_code, headers, told.content


def ask(server, credential, path="/v1/models"):
    return httpx.get(f"{server.address}{path}", headers={"Authorization": f"Bearer {credential}"})


def answer(server, credential, model):
    with openai.OpenAI(base_url=f"{server.address}/v1", api_key=credential, max_retries=0) as client:
        reply = client.chat.completions.create(model=model, messages=QUESTION)
        return reply.choices[0].message.content


def new_api_key(engine, role=Role.MEMBER, scopes=(), valid_for=None, user="ana"):
    return engine.team.api_keys.create("test", user, role, scopes, valid_for)


def test_the_refusal_says_nothing_but_what_is_needed(by_secrets, refusal):
    status, headers, content = refusal
    assert (status, headers["www-authenticate"]) == (401, "Bearer")
    assert json.loads(content)["error"] == {
        "message": "this server requires a valid bearer token or API key",
        "type": "invalid_request_error",
        "param": None,
        "code": "invalid_api_key",
    }
    elsewhere = httpx.get(f"{by_secrets.address}/openapi.json")
    assert (elsewhere.status_code, elsewhere.headers["www-authenticate"]) == (401, "Bearer")
    assert elsewhere.headers["content-type"] == "application/problem+json"
    assert elsewhere.json() == {
        "type": "about:blank",
        "title": "Unauthorized",
        "status": 401,
        "detail": "this server requires a valid bearer token or API key",
    }
    assert httpx.get(f"{by_secrets.address}/health").json() == {"status": "ok"}


def test_the_body_of_a_stranger_is_not_looked_at(by_secrets, refusal):
    for path in ("/v1/chat/completions", "/v1/embeddings", "/v1/nothing", "/v1/models"):
        told = httpx.post(f"{by_secrets.address}{path}", content=b"{ no JSON")
        assert seen(told) == refusal


NOW = int(time.time())
FAR = 10**10
TIMES = [
    {"exp": None},
    {"exp": NOW - 60},
    {"exp": 0},
    {"exp": str(FAR)},
    {"exp": True},
    {"exp": [FAR]},
    {"exp": float("inf")},
    {"exp": FAR, "nbf": FAR},
    {"exp": FAR, "iat": FAR},
    {"exp": FAR, "nbf": "0"},
]
WRONG = [
    {"aud": "other"},
    {"aud": None},
    {"aud": ["other", "another"]},
    {"aud": 7},
    {"iss": "https://other.example"},
    {"iss": None},
    {"iss": [ISSUER]},
    {"sub": None},
    {"sub": ""},
    {"sub": "x" * 129},
    {"sub": "a\nb"},
    {"sub": "\ud800"},
    {"sub": 7},
    {"org_id": None},
    {"org_id": "*"},
    {"org_id": "../other"},
    {"org_id": "Local"},
    {"org_id": "local\n"},
    {"org_id": ["local"]},
    {"role": None},
    {"role": "owner"},
    {"role": "ADMIN"},
    {"role": ["admin"]},
    {"role": {"admin": True}},
]


# Numbered: a moment in a name would be another test in each process of the suite.
@pytest.mark.parametrize("changed", [*TIMES, *WRONG], ids=range(len(TIMES) + len(WRONG)))
def test_a_signed_token_that_says_something_wrong_is_refused(by_secrets, refusal, changed):
    # Written by hand: the library does not write all of them.
    token = by_hand({"alg": "HS256", "typ": "JWT"}, claims(**changed), SECRET.encode())
    assert seen(ask(by_secrets, token)) == refusal


def test_a_token_opens_the_server(by_secrets, by_keys):
    assert ask(by_secrets, by_secret()).status_code == 200
    assert ask(by_keys, by_key(KEY)).status_code == 200
    assert ask(by_keys, by_key(KEY, kid="whatever")).status_code == 200
    assert ask(by_secrets, by_secret(claims(aud=["x", AUDIENCE]))).status_code == 200
    told = httpx.get(f"{by_secrets.address}/v1/models", headers={"authorization": f"bEARER {by_secret()}"})
    assert told.status_code == 200


@pytest.mark.parametrize("changed", [{"exp": -25}, {"nbf": 25}, {"iat": 25}, {"nbf": 25, "iat": 25}], ids=str)
def test_clocks_may_differ_a_little(by_secrets, changed):
    now = int(time.time())
    token = by_secret(claims(**{name: now + seconds for name, seconds in changed.items()}))
    assert ask(by_secrets, token).status_code == 200


def forged():
    head, body, mac = by_secret().split(".")
    admin = packed(json.dumps(claims(role="admin")).encode())
    none = {"alg": "none", "typ": "JWT"}
    hs = {"alg": "HS256", "typ": "JWT"}
    yield "another secret", by_secret(secret=SECRET + "x")
    yield "no secret", by_hand(hs, claims(), b"")
    yield "tampered payload", f"{head}.{admin}.{mac}"
    yield "tampered head", f"{packed(json.dumps(hs | {'kid': 'x'}).encode())}.{body}.{mac}"
    yield "no signature", f"{head}.{body}."
    yield "without the last part", f"{head}.{body}"
    yield "a part more", f"{head}.{body}.{mac}.{mac}"
    for name in ("none", "None", "NONE", "nOnE", "", None, 0, ["HS256"], {"HS256": 1}, "HS512", "ES256"):
        yield f"algorithm {name}", by_hand(none | {"alg": name}, claims(), b"")
        yield f"algorithm {name} with a mac", by_hand(none | {"alg": name}, claims(), SECRET.encode())
    yield "of the other family", by_key(KEY)
    yield "unpacked", by_hand(hs | {"b64": False, "crit": ["b64"]}, claims(), SECRET.encode())
    yield "extensions", by_hand(hs | {"crit": ["exp"], "exp": 1}, claims(), SECRET.encode())
    for kid in (7, None, ["a"], {"a": 1}):
        yield f"kid {kid}", by_hand(hs | {"kid": kid, "alg": "RS256"}, claims(), SECRET.encode())
    yield "no object", ".".join([packed(b"[]"), packed(b"[]"), mac])
    yield "no JSON", ".".join([packed(b"{"), packed(b"{"), mac])
    yield "deep", ".".join([packed(b'{"alg":' + b"[" * 3000), body, mac])
    yield "deep and signed", by_hand(hs, claims(x=json.loads("[" * 300 + "]" * 300)), b"no")
    yield "huge", by_secret(claims(x="x" * 9000))
    yield "larger", "x" * 40_000
    yield "long number", ".".join([packed(b'{"alg":' + b"9" * 6000 + b"}"), body, mac])
    yield "spaces", f"{head} .{body}.{mac}"
    yield "a key's beginning", "bobkey."
    yield "a key's form", "bobkey.local.0123456789abcdef." + "A" * 49


FORGED = list(forged())


@pytest.mark.parametrize("token", [each[1] for each in FORGED], ids=[each[0] for each in FORGED])
def test_a_forged_token_is_refused(by_secrets, refusal, token):
    assert seen(ask(by_secrets, token)) == refusal
    told = httpx.get(f"{by_secrets.address}/v1/models", headers={"x-api-key": token})
    assert seen(told) == refusal


def test_the_public_key_is_no_secret(by_keys, refusal):
    pem = public_pem(KEY)
    for secret in (pem, pem.strip(), pem.replace(b"\n", b"")):
        token = by_hand({"alg": "HS256", "typ": "JWT"}, claims(), secret)
        assert seen(ask(by_keys, token)) == refusal
        token = by_hand({"alg": "RS256", "typ": "JWT"}, claims(), secret)
        assert seen(ask(by_keys, token)) == refusal
    for token in (
        by_key(OTHER_KEY),
        by_secret(),
        by_key(KEY, claims(exp=None)),
        by_key(KEY, claims(aud="x")),
    ):
        assert seen(ask(by_keys, token)) == refusal


@pytest.mark.parametrize(
    "more", [{"jku": "http://127.0.0.1:1/keys"}, {"jwk": {"kty": "oct", "k": "AA"}}, {"x5u": "file:///x"}]
)
def test_a_token_does_not_bring_its_key(by_keys, refusal, more):
    assert seen(ask(by_keys, by_key(OTHER_KEY, **more))) == refusal


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("Authorization", "")],
        [("Authorization", "Bearer")],
        [("Authorization", "Basic {token}")],
        [("Authorization", "{token}")],
        [("Authorization", "Bearer {token} x")],
        [("Authorization", "Bearer {token}"), ("Authorization", "Bearer {token}")],
        [("Authorization", "Bearer {token}"), ("x-api-key", "{token}")],
        [("x-api-key", "{token}"), ("X-API-KEY", "{token}")],
        [("Cookie", "Authorization=Bearer {token}")],
        [("Proxy-Authorization", "Bearer {token}")],
    ],
    ids=str,
)
def test_there_is_one_credential_in_its_place(by_secrets, refusal, headers):
    given_headers = [(name, value.replace("{token}", by_secret())) for name, value in headers]
    assert seen(httpx.get(f"{by_secrets.address}/v1/models", headers=given_headers)) == refusal


@pytest.fixture(scope="module")
def doors(by_secrets, by_keys):
    return [Authenticator(by_secrets.engine), Authenticator(by_keys.engine)]


NAMES = st.sampled_from([b"authorization", b"x-api-key"])
RIGHT = by_secret(claims(exp=FAR))


@settings(deadline=None, max_examples=300)
@given(NAMES, st.binary(max_size=200) | st.text("eyJ.-_AZ09bobkey", max_size=80).map(str.encode))
@example(b"authorization", b"Bearer " + b"\xff" * 20)
@example(b"x-api-key", b"bobkey.\xc3\xa9.\x00")
def test_no_bytes_but_a_credential_open_the_server(doors, name, value):
    for door in doors:
        for each in (value, b"Bearer " + value):
            with pytest.raises(RefusedError) as caught:
                door.identify([(name, each)])
            assert caught.value.status == 401


@settings(deadline=None, max_examples=300)
@given(st.integers(0, len(RIGHT) - 1), st.characters(min_codepoint=33, max_codepoint=126))
def test_no_character_of_a_token_can_be_another(doors, place, character):
    changed = RIGHT[:place] + character + RIGHT[place + 1 :]
    if changed == RIGHT:
        assert doors[0].identify([(b"x-api-key", RIGHT.encode())]).user_id == "ana"
        return
    with pytest.raises(RefusedError) as caught:
        doors[0].identify([(b"x-api-key", changed.encode())])
    assert caught.value.status == 401


def test_the_log_says_why_and_shows_no_credential(by_secrets, caplog):
    new = new_api_key(by_secrets.engine, valid_for=timedelta(0))
    with caplog.at_level(logging.DEBUG, "bob"):
        for credential in (by_secret(claims(exp=NOW - 60)), by_secret(secret=SECRET + "x"), new.text):
            ask(by_secrets, credential)
            assert credential not in caplog.text and credential[-20:] not in caplog.text
    for why in ("ExpiredSignatureError", "InvalidSignatureError", f"API key {new.key.key_id} is expired"):
        assert why in caplog.text


class Clocks:
    """The clocks of a server under test."""

    def __init__(self):
        self.passed = 0.0
        self.began = datetime.now(UTC)

    def now(self):
        return self.began + timedelta(seconds=self.passed)

    def seconds(self):
        return 1000 + self.passed


@pytest.fixture
def clocks():
    return Clocks()


@pytest.fixture
def issuer():
    made = KeySetServer(first=KEY)
    yield made
    made.close()


@pytest.fixture
def by_set(tmp_path, clocks, issuer):
    """A server that takes tokens by an issuer's key set."""
    auth = {"jwks_url": issuer.url, "audience": AUDIENCE, "issuer": ISSUER}
    engine = engine_over(tmp_path / "bob.db", auth=auth)
    with_clocks(engine, clocks)
    with served(engine) as made:
        yield made
    engine.close()


def with_clocks(engine, clocks):
    engine.team.authenticate = authenticate_over(
        engine.database, engine.settings.auth, clocks.now, clocks.seconds
    )


def signed(key, kid):
    return by_key(key, claims(), kid=kid)


def test_the_keys_of_an_issuer_are_followed(by_set, clocks, issuer):
    def status(key, kid):
        return ask(by_set, signed(key, kid)).status_code

    assert [status(KEY, "first"), status(KEY, "first"), issuer.asked] == [200, 200, 1]
    assert ask(by_set, by_key(KEY)).status_code == 200
    issuer.keys["second"] = OTHER_KEY
    assert [status(OTHER_KEY, "second"), issuer.asked] == [401, 1]
    clocks.passed += 61
    assert [status(OTHER_KEY, "second"), issuer.asked] == [200, 2]
    assert [status(KEY, "first"), status(OTHER_KEY, "first"), status(KEY, "second")] == [200, 401, 401]
    assert ask(by_set, by_key(KEY)).status_code == 401
    # Unknown names do not make the server ask again and again.
    clocks.passed += 61
    for kid in ("../../etc/passwd", "' OR 1=1 --", "file:///dev/null", "third", "x" * 4000, "o", "broken"):
        assert status(KEY, kid) == 401
    assert issuer.asked == 3
    # A key that was taken back stops working, although no token names an unknown one.
    del issuer.keys["first"]
    clocks.passed += 599
    assert [status(KEY, "first"), issuer.asked] == [200, 3]
    clocks.passed += 2
    assert [status(KEY, "first"), status(OTHER_KEY, "second"), issuer.asked] == [401, 200, 4]


@pytest.mark.parametrize(
    "answer",
    [
        (500, {}, b""),
        (200, {}, b"no JSON"),
        (200, {}, b"[]"),
        (200, {}, b'{"keys": {}}'),
        (200, {}, b"[" * 100_000),
        (200, {}, b" " * 1_100_000),
        (302, {"Location": "http://127.0.0.1:1/"}, b""),
        (200, {"Content-Encoding": "gzip"}, b"no gzip"),
    ],
    ids=lambda each: f"{each[0]} {each[2][:12]!r}",
)
def test_an_issuer_that_is_away_changes_nothing(by_set, clocks, issuer, refusal, answer):
    issuer.answer = answer
    assert seen(ask(by_set, signed(KEY, "first"))) == refusal
    issuer.answer = None
    clocks.passed += 61
    assert ask(by_set, signed(KEY, "first")).status_code == 200
    issuer.answer = answer
    clocks.passed += 601
    assert ask(by_set, signed(KEY, "first")).status_code == 200


def test_the_key_set_may_be_a_file(tmp_path, clocks, issuer):
    path = tmp_path / "keys.json"
    path.write_bytes(issuer.content())
    engine = engine_over(tmp_path / "bob.db", auth={"jwks_file": str(path), "audience": AUDIENCE})
    with_clocks(engine, clocks)
    door = Authenticator(engine)
    assert door.identify([(b"x-api-key", by_key(KEY, kid="first").encode())]).user_id == "ana"
    issuer.keys = {"second": OTHER_KEY}
    path.write_bytes(issuer.content())
    clocks.passed += 61
    found = door.identify([(b"x-api-key", signed(OTHER_KEY, "second").encode())])
    assert (found.org_id, found.role) == ("local", Role.MEMBER)
    engine.close()


@pytest.fixture
def team(database_address, tmp_path):
    """A server over either engine, with a key each of two organizations."""
    engine = engine_over(database_address, cache=str(tmp_path / "cache"))
    index(engine, tmp_path / "local", garden=GARDEN)
    index(engine.for_organization("other"), tmp_path / "other", kitchen=KITCHEN)
    new_api_key(engine)
    with served(engine) as made:
        yield made
    engine.close()


def test_a_key_opens_its_organization_and_no_other(team):
    engine = team.engine
    ours, theirs = new_api_key(engine), new_api_key(engine.for_organization("other"), user="zoe")
    models = {
        each: [model["id"] for model in ask(team, each).json()["data"]] for each in (ours.text, theirs.text)
    }
    assert models[ours.text] == ["bob", "bob/garden", "hashing@1"]
    assert models[theirs.text] == ["bob", "bob/kitchen", "hashing@1"]
    for name in ("authorization", "x-api-key"):
        value = f"Bearer {ours.text}" if name == "authorization" else ours.text
        assert httpx.get(f"{team.address}/v1/models", headers={name: value}).status_code == 200
    answers = [answer(team, ours.text, "bob/garden"), answer(team, theirs.text, "bob/kitchen")]
    assert "last week of August" in answers[0] and answers[1] == "Not found in sources."
    with pytest.raises(openai.NotFoundError):
        answer(team, theirs.text, "bob/garden")
    assert len(engine.for_organization("other").conversations.chats.recent("zoe", 10)) == 1
    assert engine.for_organization("other").conversations.chats.recent("ana", 10) == []
    assert [len(team.chats(user)) for user in ("ana", "zoe", "me")] == [1, 0, 0]


def test_a_key_that_is_not_in_force_is_like_none(team, refusal):
    engine = team.engine
    good, ended = new_api_key(engine), new_api_key(engine)
    assert ask(team, ended.text).status_code == 200
    engine.team.api_keys.revoke(ended.key.key_id)
    written = WrittenKey.read(good.text)
    other = WrittenKey.read(new_api_key(engine).text)
    wrong = {
        "revoked": ended.text,
        "expired": new_api_key(engine, valid_for=timedelta(0)).text,
        "of the other organization": WrittenKey("other", written.key_id, written.secret).text,
        "of no organization": WrittenKey("nobody", written.key_id, written.secret).text,
        "another's secret": WrittenKey("local", written.key_id, other.secret).text,
        "no such key": WrittenKey("local", "0" * 16, written.secret).text,
        "a digit": good.text[:-1] + ("A" if good.text[-1] != "A" else "B"),
        "twice": good.text + good.text,
        "upper case": good.text.upper(),
        "the hash": WrittenKey("local", written.key_id, written.secret_hash[:43]).text,
        "a token, and none are taken": by_secret(),
        "none": "none",
    }
    assert {name: seen(ask(team, each)) == refusal for name, each in wrong.items()} == dict.fromkeys(
        wrong, True
    )
    assert "nobody" not in engine._sides
    again = engine.team.api_keys.revoke(ended.key.key_id)
    assert again.revoked_at == engine.team.api_keys.revoke(ended.key.key_id).revoked_at


def test_the_last_use_is_noted_once_a_minute(database, clocks, tmp_path):
    made = ApiKeys(database, lambda count: bytes(range(count)), clocks.now)
    key = made.create("test", "ana", Role.READER, ["v1", "rag", "v1"], timedelta(days=1))
    authenticate = authenticate_over(
        database, engine_over(tmp_path / "x.db").settings.auth, clocks.now, clocks.seconds
    )

    def used_after(seconds):
        clocks.passed = seconds
        authenticate.identify_sender(key.text)
        (kept,) = made.every()
        return (kept.last_used_at - clocks.began).total_seconds()

    assert made.every() == [key.key] and key.key.last_used_at is None
    assert [round(used_after(each)) for each in (1, 30, 60, 62, 100)] == [1, 1, 1, 62, 62]
    found = authenticate.identify_sender(key.text)
    assert (found.org_id, found.user_id, found.role) == ("local", "ana", Role.READER)
    assert (found.scopes, found.key_id) == (frozenset({"rag", "v1"}), key.key.key_id)
    clocks.passed = 86_401
    with pytest.raises(RefusedError):
        authenticate.identify_sender(key.text)
    with database.read() as connection:
        rows = [
            tuple(map(str, row)) for row in connection.execute("SELECT * FROM api_keys WHERE org_id = :org")
        ]
    assert WrittenKey.read(key.text).secret not in "".join(rows[0])


def test_a_role_is_needed(by_secrets):
    def status(role):
        told = httpx.post(
            f"{by_secrets.address}/v1/chat/completions",
            json={"model": "bob/garden", "messages": QUESTION},
            headers={"Authorization": f"Bearer {by_secret(claims(role=role))}"},
        )
        return told.status_code, told.json().get("error", {}).get("message")

    assert status("reader") == (403, "this requires the role member; yours is reader")
    assert [status(role)[0] for role in ("member", "admin")] == [200, 200]
    assert [len(by_secrets.chats(user)) for user in ("ana", "me")] == [1, 0]
    assert ask(by_secrets, by_secret(claims(role="reader"))).status_code == 200


def test_a_key_is_for_its_parts_of_the_server(by_secrets):
    engine = by_secrets.engine
    assert ask(by_secrets, new_api_key(engine, scopes=["v1", "rag"]).text).status_code == 200
    told = ask(by_secrets, new_api_key(engine, Role.ADMIN, scopes=["rag", "work"]).text)
    assert told.status_code == 403
    assert told.json()["error"]["message"] == "this requires the scope v1; your key has: rag, work"
    assert told.json()["error"]["code"] == "forbidden"


def test_each_caller_has_a_limit(tmp_path, clocks):
    engine = engine_over(tmp_path / "bob.db", auth={"jwt_secret": SECRET, "requests_per_minute": 3})
    with_clocks(engine, clocks)
    plain = {"aud": None, "iss": None, "exp": FAR}
    key, ana, zoe = (
        new_api_key(engine).text,
        by_secret(claims(**plain)),
        by_secret(claims(sub="zoe", **plain)),
    )
    with served(engine) as server:
        for each in (key, ana):
            assert [ask(server, each).status_code for _ in range(4)] == [200, 200, 200, 429]
        assert ask(server, zoe).status_code == 200
        told = ask(server, ana)
        assert (told.headers["retry-after"], told.json()["error"]["code"]) == ("20", "rate_limit_exceeded")
        problem = ask(server, ana, "/openapi.json")
        assert (problem.status_code, problem.json()["title"]) == (429, "Too Many Requests")
        clocks.passed += 19.5
        assert ask(server, ana).headers["retry-after"] == "1"
        clocks.passed += 1
        assert [ask(server, ana).status_code for _ in range(2)] == [200, 429]
        clocks.passed += 3600
        assert [ask(server, ana).status_code for _ in range(4)] == [200, 200, 200, 429]
    engine.close()


def test_a_server_of_ones_own_asks_for_nothing_until_a_key_is_made(tmp_path):
    engine = engine_over(tmp_path / "bob.db")
    with served(engine) as server:
        address = f"{server.address}/v1/models"
        assert httpx.get(address).status_code == 200
        assert ask(server, "none").status_code == 200
        # Whoever comes through a proxy need not be on this machine.
        for name in ("X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"):
            assert httpx.get(address, headers={name: "203.0.113.7"}).status_code == 401
        key = new_api_key(engine.for_organization("other"))
        assert httpx.get(address).status_code == 401
        assert ask(server, key.text).status_code == 200
        engine.for_organization("other").team.api_keys.revoke(key.key.key_id)
        assert httpx.get(address).status_code == 401
    engine.close()


def test_names_of_the_settings_are_answered_and_their_own_pages(tmp_path):
    engine = engine_over(tmp_path / "bob.db", server={"hosts": ["bob.example", "fd00::1"]})
    key = new_api_key(engine).text
    with served(engine) as server:

        def status(host, origin=None, **more):
            headers = {"Host": host, "x-api-key": key} | ({"Origin": origin} if origin else {}) | more
            return httpx.get(f"{server.address}/v1/models", headers=headers).status_code

        assert [
            status(each) for each in ("bob.example", "BOB.example:8443", "[fd00::1]:80", "localhost")
        ] == [200] * 4
        assert [status("bob.example", f"{each}://bob.example") for each in ("https", "http")] == [200, 200]
        for host, origin in [
            ("evil.example", None),
            ("bob.example.evil.example", None),
            ("bob.example", "https://evil.example"),
            ("bob.example", "https://bob.example:8443"),
            ("bob.example", "null"),
            ("localhost", "https://localhost"),
            ("localhost", "https://bob.example"),
        ]:
            assert status(host, origin) == 403
        assert httpx.get(f"{server.address}/v1/models").status_code == 401
    engine.close()
