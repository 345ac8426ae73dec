"""`bob keys`, and when `bob serve` refuses to start, as people meet them (SPEC L2)."""

import socket
import sys
from contextlib import closing

import httpx
import pytest
from signed_tokens import AUDIENCE, SECRET, new_key, public_pem

from bob.access.api_key import WrittenKey
from bob.access.rate_limit import LimitRequests
from bob.app.settings import Settings, SettingsError, load_settings

ANA = ("--user", "ana")


def test_keys_are_made_listed_and_revoked(bob):
    assert "No keys yet" in bob("keys", "list").stdout
    made = bob.json(
        "keys",
        "create",
        "ci",
        "--role",
        "reader",
        "--scope",
        "rag",
        "--scope",
        "v1",
        "--expires",
        "90d",
        "--user",
        "build",
    )
    written = WrittenKey.read(made["key"])
    assert (written.org_id, written.key_id) == ("local", made["key_id"])
    assert (made["role"], made["scopes"], made["user"]) == ("reader", ["rag", "v1"], "build")
    assert made["expires_at"] > made["created_at"] and made["revoked_at"] is None
    shown = bob("keys", "create", "laptop", "--user", "ana").stdout.splitlines()
    assert WrittenKey.read(shown[0]) and "member ana, all parts, until it is revoked" in shown[1]
    listed = bob.json("keys", "list")
    assert [each["name"] for each in listed] == ["ci", "laptop"]
    assert not any("key" in each or "secret" in "".join(each) for each in listed)
    assert bob("keys", "revoke", made["key_id"]).stdout == f"Key {made['key_id']} (ci) is revoked.\n"
    assert bob.json("keys", "list")[0]["revoked_at"]
    assert "revoked" in bob("keys", "list").stdout.splitlines()[0]


@pytest.mark.parametrize(
    "arguments, why",
    [
        (("create", "x", "--role", "owner", *ANA), "owner"),
        (("create", "x", "--scope", "all", *ANA), "there are: ai, ask, chats, eval, hippocampus"),
        (("create", "x", "--expires", "soon", *ANA), "use for example 12h, 90d or 52w"),
        (("create", "x", "--expires", "0d", *ANA), "use for example 12h, 90d or 52w"),
        (("create", " ", *ANA), "name must have 1 to 100 characters"),
        (("create", "a\nb", *ANA), "name must have 1 to 100 characters"),
        (("create", "x" * 101, *ANA), "name must have 1 to 100 characters"),
        (("create", "x"), "bob keys create x --user ana"),
        (("create", "x", "--user", ""), "user must have"),
        (("create", "x", "--user", " "), "user must have"),
        (("create", "x", "--user", "a\nb"), "user must have"),
        (("create", "x", "--user", "x" * 129), "user must have"),
        (("revoke", "0000000000000000"), "bob keys list"),
    ],
)
def test_what_keys_cannot_be(bob, arguments, why):
    done = bob("keys", *arguments)
    assert done.returncode == 2 and why in done.stderr
    assert bob.json("keys", "list") == []


def test_where_others_reach_it_the_server_starts_only_when_it_can_tell_who_asks(bob):
    def refused(*arguments, **environment):
        done = bob("serve", "--port", "0", *arguments, **environment)
        assert (done.returncode, done.stdout) == (2, ""), done
        return done.stderr

    outside = ("--host", "0.0.0.0")
    for arguments, environment in [(outside, {}), ((), {"BOB_SERVER__HOSTS": "[bob.example]"})]:
        told = refused(*arguments, **environment)
        assert "bob keys create" in told and "auth.jwt_secret" in told
    ended = bob.json("keys", "create", "ended", "--user", "ana")["key_id"]
    bob("keys", "revoke", ended)
    assert "bob keys create" in refused(*outside)
    bob("keys", "create", "laptop", "--user", "ana")
    assert "server.hosts" in refused(*outside)
    assert "no such address" in refused("--host", "nowhere.invalid", BOB_SERVER__HOSTS="[bob.example]")
    assert "at least 32 bytes" in refused(BOB_AUTH__JWT_SECRET="short")
    assert "no such file" in refused(BOB_AUTH__JWKS_FILE="keys.json", BOB_AUTH__AUDIENCE="bob")


def test_a_team_on_postgresql_needs_a_key(bob, postgres_server, tmp_path):
    address = postgres_server.new_database(tmp_path / "cache")
    environment = {"BOB_DATABASE": address, "BOB_CACHE": str(tmp_path / "cache")}
    done = bob("serve", "--port", "0", **environment)
    assert done.returncode == 2 and "a PostgreSQL database is a team's" in done.stderr
    assert "bob keys create" in done.stderr and address not in done.stderr
    made = bob.json("keys", "create", "laptop", "--user", "ana", **environment)
    assert [each["key_id"] for each in bob.json("keys", "list", **environment)] == [made["key_id"]]


def test_others_are_served_with_a_warning(bob):
    key = bob("keys", "create", "laptop", "--user", "ana").stdout.splitlines()[0]
    process = bob.start("serve", "--port", "0", "--host", "0.0.0.0", BOB_SERVER__HOSTS="[bob.example]")
    try:
        lines = [process.stdout.readline() for _ in range(3)]
        assert "OPENAI_API_KEY=KEY" in lines[1], (lines, process.stderr.read())
        assert "without TLS" in process.stderr.readline()
        port = lines[0].split()[3].rstrip(",").rsplit(":", 1)[1]
        address = f"http://127.0.0.1:{port}/v1/models"
        assert httpx.get(address).status_code == 401
        headers = {"Authorization": f"Bearer {key}", "Host": "bob.example"}
        assert httpx.get(address, headers=headers).status_code == 200
    finally:
        process.terminate()
        out, err = process.communicate(timeout=30)
    assert key not in out + err and "refused: no credential" in err


def test_a_head_that_is_too_large_does_no_harm(bob):
    bob("keys", "create", "laptop", "--user", "ana")
    process = bob.start("serve", "--port", "0")
    try:
        port = int(process.stdout.readline().split()[3].rstrip(",").rsplit(":", 1)[1])
        with closing(socket.create_connection(("127.0.0.1", port), timeout=30)) as asking:
            asking.sendall(b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ")
            asking.sendall(b"x" * 300_000 + b"\r\n\r\n")
            assert asking.recv(12) in (b"HTTP/1.1 400", b"HTTP/1.1 431")
        assert httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200
    finally:
        process.terminate()
        process.communicate(timeout=30)


def loaded(folder, **environment):
    return load_settings(environment=environment, home=folder / "home", folder=folder).settings.auth


@pytest.mark.parametrize(
    "auth, why",
    [
        ({"JWT_SECRET": "x" * 31}, "at least 32 bytes"),
        ({"JWT_SECRET": public_pem(new_key()).decode()}, "public_key_file"),
        ({"JWT_SECRET": SECRET, "PUBLIC_KEY_FILE": "x.pem"}, "only one of"),
        ({"JWKS_URL": "http://issuer.example/keys", "AUDIENCE": "bob"}, "https://"),
        ({"JWKS_URL": "http://localhost.issuer.example/keys", "AUDIENCE": "bob"}, "https://"),
        ({"JWKS_URL": "https://user:pass@issuer.example/keys", "AUDIENCE": "bob"}, "https://"),
        ({"JWKS_URL": "file:///keys", "AUDIENCE": "bob"}, "https://"),
        ({"JWKS_URL": "https://issuer.example/keys"}, "audience is required"),
        ({"PUBLIC_KEY_FILE": "x.pem"}, "audience is required"),
        ({"AUDIENCE": "bob"}, "require one of"),
        ({"ISSUER": "x"}, "require one of"),
        ({"LEEWAY_SECONDS": "301"}, "auth.leeway_seconds"),
        ({"ALGORITHM": "none"}, "unknown setting auth.algorithm"),
    ],
    # By name alone: a key that is drawn anew would be another test in each process of the suite.
    ids=lambda value: value if isinstance(value, str) else "+".join(value),
)
def test_settings_that_would_let_others_in_are_errors(tmp_path, auth, why):
    with pytest.raises(SettingsError, match=why) as caught:
        loaded(tmp_path, **{f"BOB_AUTH__{name}": value for name, value in auth.items()})
    assert SECRET not in str(caught.value) and "pass@" not in str(caught.value)


def test_the_kind_of_key_decides_the_algorithm(tmp_path):
    assert loaded(tmp_path).algorithm is None
    assert loaded(tmp_path, BOB_AUTH__JWT_SECRET=SECRET).algorithm == "HS256"
    for name, value in (
        ("JWKS_URL", "https://issuer.example/keys?v=1"),
        ("JWKS_URL", "http://127.0.0.1:9/keys"),
        ("JWKS_FILE", "keys.json"),
        ("PUBLIC_KEY_FILE", "key.pem"),
    ):
        found = loaded(tmp_path, **{f"BOB_AUTH__{name}": value, "BOB_AUTH__AUDIENCE": AUDIENCE})
        assert found.algorithm == "RS256"


@pytest.mark.parametrize(
    "key",
    [
        "auth:\n  jwt_secret: " + SECRET,
        "server:\n  hosts: [evil.example]",
        "server:\n  uploads: /home/you/.ssh",
        "open:\n  command: [sh, -c, evil]",
    ],
)
def test_a_folders_file_cannot_let_its_author_in(tmp_path, key):
    path = tmp_path / "bob.yaml"
    path.write_text(key)
    found = load_settings(environment={}, home=tmp_path / "home", folder=tmp_path)
    assert found.settings == Settings() and len(found.ignored.values) == 1
    named = load_settings(path, environment={}, home=tmp_path / "home", folder=tmp_path)
    path.rename(tmp_path / "home-bob.yaml")
    (tmp_path / "home" / "bob").mkdir(parents=True)
    (tmp_path / "home-bob.yaml").rename(tmp_path / "home" / "bob" / "bob.yaml")
    own = load_settings(environment={}, home=tmp_path / "home", folder=tmp_path)
    assert own.settings == named.settings != Settings()


@pytest.mark.parametrize(
    "content",
    [b"", b"no PEM", public_pem(new_key(1024)), None],
    ids=["empty", "no PEM", "a short key", "no file"],
)
def test_a_public_key_that_cannot_be_one_is_told_at_the_start(tmp_path, content):
    from bob.access.signing_keys import PublicKey

    path = tmp_path / "key.pem"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SettingsError, match="public_key_file"):
        PublicKey(path)


def test_callers_that_have_been_quiet_are_forgotten():
    now = 0.0
    limit = LimitRequests(60, lambda: now)
    for caller in range(10_000):
        assert limit.take(caller) is None
    now = 5.0
    assert limit.take("last") is None and len(limit._buckets) == 1


def test_without_the_optional_part_its_name_is_told(bob):
    hidden = {"PYTHONPATH": str(bob.home / "hidden") + ":" + ":".join(filter(None, sys.path))}
    (bob.home / "hidden").mkdir()
    (bob.home / "hidden" / "jwt.py").write_text("raise ImportError('no jwt')\n")
    process = bob.start("serve", "--port", "0", BOB_AUTH__JWT_SECRET=SECRET, **hidden)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 2 and "pip install 'boring-organizer-bot[team]'" in told
