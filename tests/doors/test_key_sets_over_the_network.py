"""An issuer's key set that is slow, wrong or hostile, and tokens that try to have another one read.

The keys come over a real connection, from a server that can do what no library for servers would.
"""

import base64
import gzip
import json
import socketserver
import ssl
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import httpx
import jwt
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from served_memory import GARDEN, index, served
from signed_tokens import AUDIENCE, ISSUER, by_hand, by_key, claims, new_key, packed, public_pem
from small_memory import engine_over

from bob.access import signing_keys
from bob.access.signing_keys import read_address
from bob.app.authentication import authenticate_over
from bob.core.errors import SettingsError
from bob.core.principal import Role

KEY, OTHER, SHORT = new_key(), new_key(), new_key(1024)
PAUSE, STALE = 61, 601


def described(key, kid="first", **more):
    """A key as a set has it; a member that is changed to None is left out."""
    made = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key()))
    members = made | {"kid": kid, "use": "sig"} | more
    return {name: value for name, value in members.items() if value is not None}


def key_set(*keys):
    return json.dumps({"keys": keys}).encode()


GOOD = key_set(described(KEY))


class Issuer:
    """A server of keys. `answer` is the bytes of a body, or what to do with a connection."""

    def __init__(self, context=None):
        self.answer = GOOD
        self.asked, self.paths = 0, []
        self.over = threading.Event()
        issuer = self

        class Connection(socketserver.BaseRequestHandler):
            def handle(self):
                try:
                    received = b""
                    connection = context.wrap_socket(self.request, True) if context else self.request
                    while b"\r\n\r\n" not in received:
                        block = connection.recv(4096)
                        if not block:
                            return
                        received += block
                    issuer.asked += 1
                    issuer.paths.append(received.split(b" ")[1].decode())
                    if callable(issuer.answer):
                        issuer.answer(connection, issuer.over)
                    else:
                        connection.sendall(head(len(issuer.answer)) + issuer.answer)
                except OSError:
                    pass

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = daemon_threads = True

        self._server = Server(("127.0.0.1", 0), Connection)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        self.port = self._server.server_address[1]
        self.url = f"http{'s' if context else ''}://127.0.0.1:{self.port}/keys"

    def close(self):
        self.over.set()
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()


def head(length, status="200 OK", **more):
    named = {"Content-Type": "application/json", "Content-Length": length, "Connection": "close"} | more
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in named.items() if value is not None]
    return (f"HTTP/1.1 {status}\r\n" + "\r\n".join(lines) + "\r\n\r\n").encode()


class Team:
    """A server that takes tokens by an issuer's set, with a clock of ours."""

    def __init__(self, engine, server):
        self.engine, self.address = engine, server.address
        self.passed = 0.0

    def now(self):
        return datetime.now(UTC) + timedelta(seconds=self.passed)

    def seconds(self):
        return 1_000 + self.passed

    def token(self, key=KEY, kid="first", **changed):
        return by_key(key, claims(**changed), **({"kid": kid} if kid else {}))

    def status(self, token, path="/v1/models"):
        headers = {"Authorization": f"Bearer {token}"}
        return httpx.get(f"{self.address}{path}", headers=headers, timeout=60).status_code


@pytest.fixture
def issuer():
    made = Issuer()
    yield made
    made.close()


def teams(tmp_path, address):
    engine = engine_over(
        tmp_path / "bob.db",
        auth={"jwks_url": address, "audience": AUDIENCE, "issuer": ISSUER, "requests_per_minute": 100_000},
    )
    index(engine, tmp_path, garden=GARDEN)
    with served(engine) as server:
        team = Team(engine, server)
        engine.team.authenticate = authenticate_over(
            engine.database, engine.settings.auth, team.now, team.seconds
        )
        yield team
    engine.close()


@pytest.fixture
def team(tmp_path, issuer):
    yield from teams(tmp_path, issuer.url)


def trickled(content, pause):
    def send(connection, over):
        for each in content:
            connection.sendall(bytes([each]))
            if over.wait(pause):
                return

    return send


def silent(_, over):
    over.wait()


def endless(start):
    def send(connection, over):
        connection.sendall(start)
        while not over.is_set():
            connection.sendall(b" " * 65_536)

    return send


def redirected(place, status="302 Found"):
    return lambda connection, _: connection.sendall(head(0, status, Location=place))


def sent(*pieces):
    return lambda connection, _: connection.sendall(b"".join(pieces))


BOMB = gzip.compress(b" " * 50_000_000)
NUMBER = base64.urlsafe_b64encode(b"\xff" * 300_000).rstrip(b"=").decode()
WRONG = {
    "a page": b"<!doctype html><title>Sign in</title>",
    "nothing": b"",
    "no JSON": b"{",
    "another encoding": GOOD.decode().encode("cp037"),
    "null": b"null",
    "a list": b"[]",
    "a number": b"1e999999",
    "a text": b'"keys"',
    "keys that are none": b'{"keys": "first"}',
    "keys by name": json.dumps({"keys": {"first": described(KEY)}}).encode(),
    "an empty set": key_set(),
    "one key, and no set": json.dumps(described(KEY)).encode(),
    "lists in lists": b'{"keys": ' + b"[" * 200_000,
    "a number of a million digits": b'{"keys": ' + b"9" * 900_000 + b"}",
    "odd members": key_set(None, 5, "x", [], {}, {"kty": None}, {"kty": ["RSA"]}, {"kty": "RSA"}),
    "too much": b" " * 1_100_000 + GOOD,
    "no end": endless(head(None)),
    "no end of chunks": endless(head(None, Transfer_Encoding="chunked") + b"FFFFFFFF\r\n"),
    "no end of headers": endless(b"HTTP/1.1 200 OK\r\nX: "),
    "packed": sent(head(len(gzip.compress(GOOD)), Content_Encoding="gzip"), gzip.compress(GOOD)),
    "packed, and large": sent(head(len(BOMB), Content_Encoding="gzip"), BOMB),
    "less than announced": sent(head(len(GOOD) + 1), GOOD),
    "no HTTP": sent(b"SSH-2.0-OpenSSH_9.6\r\n"),
    "closed at once": sent(),
    "an error": sent(head(len(GOOD), "500 Oops"), GOOD),
    "no content": sent(head(len(GOOD), "203 Non-Authoritative Information"), GOOD),
    "a part": sent(head(len(GOOD), "206 Partial Content"), GOOD),
    "redirected to a file": redirected("file:///etc/passwd"),
    "redirected to the cloud's secrets": redirected("http://169.254.169.254/latest/meta-data/"),
    "redirected in a circle": redirected("/keys", "307 Temporary Redirect"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_key_set_lets_nobody_in_and_throws_nobody_out(team, issuer, case):
    issuer.answer = WRONG[case]
    assert team.status(team.token()) == 401
    asked = issuer.asked
    assert [team.status(team.token()), issuer.asked] == [401, asked], "it is not asked again at once"
    assert asked == 1 and issuer.paths == ["/keys"]
    issuer.answer = GOOD
    team.passed += PAUSE
    assert team.status(team.token()) == 200
    # Later the same: the keys that were read last stay.
    issuer.answer = WRONG[case] if case not in ("an empty set", "odd members") else b"{"
    team.passed += STALE
    assert [team.status(team.token()), team.status(team.token(OTHER))] == [200, 401]


def test_a_redirect_leads_nowhere_not_even_to_good_keys(team, issuer):
    other = Issuer()
    try:
        for status in ("301 Moved", "302 Found", "303 See", "307 Temporary", "308 Permanent", "300 Choices"):
            issuer.answer = redirected(other.url, status)
            assert team.status(team.token()) == 401
            team.passed += PAUSE
        assert (issuer.asked, other.asked) == (6, 0)
    finally:
        other.close()


EC_KEY = ec.generate_private_key(ec.SECP256R1())
EC_JWK = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(EC_KEY.public_key())) | {"kid": "first"}
UNUSABLE = {
    "another kind": described(KEY, kty="EC"),
    "no kind": described(KEY, kty=None),
    "a curve": EC_JWK,
    "a secret": {"kty": "oct", "kid": "first", "k": packed(b"x" * 40), "alg": "HS256"},
    "a secret that says RS256": {"kty": "oct", "kid": "first", "k": packed(b"x" * 40), "alg": "RS256"},
    "of HS256": described(KEY, alg="HS256"),
    "of RS512": described(KEY, alg="RS512"),
    "of no algorithm": described(KEY, alg="none"),
    "algorithms": described(KEY, alg=["RS256"]),
    "to encrypt": described(KEY, use="enc"),
    "of an odd use": described(KEY, use={"sig": True}),
    "too short": described(SHORT),
    "a number as its name": described(KEY, kid=5),
    "a list as its name": described(KEY, kid=["first"]),
    "a modulus that is a number": described(KEY, n=65537),
    "a modulus that is a list": described(KEY, n=["AQAB"]),
    "a modulus that is an object": described(KEY, n={}),
    "no modulus": described(KEY, n=None),
    "an empty modulus": described(KEY, n=""),
    "a modulus in another alphabet": described(KEY, n="ä" * 342),
    "a modulus without end": described(KEY, n=NUMBER),
    "an exponent of one": described(KEY, e="AQ"),
    "an exponent of nothing": described(KEY, e="AA"),
    "an even exponent": described(KEY, e="Ag"),
    "an exponent without end": described(KEY, e=NUMBER),
    "an exponent that is null": described(KEY) | {"e": None},
    "a private key": json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY)) | {"kid": "first"},
    "half of a private key": described(KEY, d="AQAB"),
    "a private key that is none": described(KEY, d=5),
    "of many primes": described(KEY, d="AQAB", oth=[{"r": "AQAB"}]),
}


@pytest.mark.filterwarnings("ignore:The RSA key is 1024 bits")
@pytest.mark.parametrize("case", UNUSABLE)
def test_a_key_of_the_wrong_kind_checks_nothing_and_spoils_no_other(team, issuer, case):
    issuer.answer = key_set(UNUSABLE[case], described(OTHER, "second"))
    key = SHORT if case == "too short" else KEY
    assert team.status(team.token(key)) == 401
    assert team.status(team.token(OTHER, "second")) == 200
    # It is no secret either.
    for secret in (b"x" * 40, public_pem(key), json.dumps(UNUSABLE[case]).encode()):
        for algorithm in ("HS256", "RS256"):
            told = team.status(by_hand({"alg": algorithm, "kid": "first"}, claims(), secret))
            assert told == 401
    assert issuer.asked == 1


def tokens_with_another_algorithm(issuer):
    """Signed with what everybody can read, with nothing, and with keys that they bring along."""
    der = KEY.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    modulus = described(KEY)["n"].encode()
    for secret in (public_pem(KEY), public_pem(KEY).strip(), der, modulus, GOOD, b"first", b""):
        for algorithm in ("HS256", "HS384", "HS512", "hs256", "HS256 ", "RS256", "none"):
            yield by_hand({"alg": algorithm, "typ": "JWT", "kid": "first"}, claims(), secret)
    for algorithm in ("none", "None", "NONE", "nOnE", "", None, 5, [], ["RS256"], {"RS256": 1}, True):
        start = f"{packed(json.dumps({'alg': algorithm, 'kid': 'first'}).encode())}."
        start += packed(json.dumps(claims()).encode())
        yield from (f"{start}.", f"{start}.AA", start)
    for algorithm in ("RS384", "RS512", "PS256"):
        yield jwt.encode(claims(), KEY, algorithm, {"kid": "first"})
    yield jwt.encode(claims(), EC_KEY, "ES256", {"kid": "first"})
    yield by_key(OTHER, kid="first")
    yield by_key(SHORT, kid="first")


@pytest.mark.filterwarnings("ignore:The RSA key is 1024 bits")
def test_a_token_chooses_no_algorithm(team, issuer):
    assert team.status(team.token()) == 200
    told = [team.status(each) for each in tokens_with_another_algorithm(issuer)]
    assert set(told) == {401} and len(told) > 80
    assert issuer.asked == 1


def tokens_that_name_a_place(evil):
    """They bring their own key, or say where one is; it signed them."""
    own = described(OTHER, "mine")
    chain = [base64.b64encode(certificate(OTHER, "evil.example")[0]).decode()]
    for kid in ("first", "mine", None):
        for name, value in {
            "jku": evil.url,
            "x5u": evil.url,
            "jwk": own,
            "x5c": chain,
            "x5t": "AAAA",
            "jwks": {"keys": [own]},
            "jwks_uri": evil.url,
            "iss": evil.url,
            "url": evil.url,
            "zip": "DEF",
            "cty": "JWT",
            "b64": False,
            "crit": ["jku"],
        }.items():
            yield by_key(OTHER, **({"kid": kid} if kid else {}), **{name: value})
    yield by_key(OTHER, claims(iss=evil.url), kid="first")


KIDS = [
    *(
        "../../etc/passwd",
        "/dev/null",
        "file:///etc/passwd",
        "\\\\evil\\share",
        "' OR 1=1 --",
        "first\0",
        "FIRST",
    ),
    *(
        "first ",
        " first",
        "",
        "*",
        "%66irst",
        "first/../first",
        "${first}",
        "x" * 4_000,
        "\u202efirst",
        "ﬁrst",
    ),
    *(
        "__class__",
        "constructor",
        "None",
        "null",
        "0",
        "keys",
        "http://169.254.169.254/",
        "$(id)",
        "\r\nHost: evil",
    ),
]


def test_a_token_chooses_no_key_but_one_of_the_set(team, issuer):
    evil = Issuer()
    evil.answer = key_set(described(OTHER, "mine"), described(OTHER, "first"))
    try:
        assert team.status(team.token()) == 200
        told = [team.status(each) for each in tokens_that_name_a_place(evil)]
        team.passed += PAUSE
        for kid in (*KIDS, evil.url):
            told += [team.status(team.token(OTHER, kid)), team.status(by_key(OTHER, kid=kid))]
            if kid:
                told.append(team.status(team.token(KEY, kid)))
        for kid in (5, None, True, ["first"], {"first": 1}, 1.5, {"$ne": ""}):
            header = {"alg": "RS256", "typ": "JWT", "kid": kid}
            start = f"{packed(json.dumps(header).encode())}.{packed(json.dumps(claims()).encode())}"
            told.append(team.status(f"{start}.{packed(b'x' * 256)}"))
        assert set(told) == {401} and len(told) > 100
        assert evil.asked == 0 and issuer.asked == 2 and set(issuer.paths) == {"/keys"}
        assert team.status(team.token()) == 200
    finally:
        evil.close()


def test_two_keys_of_one_name_and_keys_without_names(team, issuer):
    """Without a name only the only key counts: a guess could check with a key that was meant for others."""
    issuer.answer = key_set(described(KEY, None), described(OTHER, "second"))
    assert team.status(team.token(KEY, None)) == 401
    assert [team.status(team.token(OTHER, "second")), team.status(team.token(KEY, ""))] == [200, 401]
    issuer.answer = key_set(described(KEY, None))
    team.passed += STALE
    assert team.status(team.token(OTHER, "second")) in (200, 401)
    assert [team.status(team.token(KEY, None)), team.status(team.token(OTHER, None))] == [200, 401]


def test_unknown_names_have_the_set_read_once_a_minute(team, issuer):
    assert team.status(team.token()) == 200
    with ThreadPoolExecutor(16) as threads:
        for minute in range(1, 4):
            team.passed += PAUSE
            flood = [team.token(OTHER, f"unknown-{minute}-{n}") for n in range(150)]
            assert set(threads.map(team.status, flood)) == {401}
            assert issuer.asked == 1 + minute
    assert team.status(team.token()) == 200


def test_keys_come_and_go(team, issuer):
    issuer.answer = key_set(described(KEY), described(OTHER, "second"))
    both = [team.token(), team.token(OTHER, "second")]
    assert [team.status(each) for each in both] == [200, 200]
    # The first one was stolen, and is taken back; its name is then another key's.
    issuer.answer = key_set(described(OTHER, "first"))
    team.passed += STALE
    team.status(team.token())
    told = [team.status(team.token(key, kid)) for key in (KEY, OTHER) for kid in ("first", "second")]
    assert told == [401, 401, 200, 401]
    issuer.answer = key_set()
    team.passed += STALE
    team.status(team.token(OTHER))
    assert team.status(team.token(OTHER)) == 401


def test_an_issuer_that_goes_away_keeps_who_is_known(team, issuer):
    assert team.status(team.token()) == 200
    issuer.close()
    for _ in range(3):
        team.passed += STALE
        assert [team.status(team.token()), team.status(team.token(OTHER, "second"))] == [200, 401]


def test_an_issuer_that_was_never_there_is_no_error_but_a_refusal(tmp_path, issuer):
    issuer.close()
    for team in teams(tmp_path, issuer.url):
        key = team.engine.team.api_keys.create("test", "ana", Role.READER, (), None).text
        assert [team.status(team.token()), team.status(key)] == [401, 200]


SLOW = {
    "silent": silent,
    "headers a byte at a time": trickled(head(len(GOOD)) * 100, 0.05),
    "a body a byte at a time": trickled(head(len(GOOD)) + GOOD, 0.05),
    "chunks a byte at a time": trickled(
        head(None, Transfer_Encoding="chunked") + b"1\r\n \r\n" * 1_000, 0.05
    ),
    "many small answers": trickled(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 1_000, 0.05),
}


@pytest.mark.parametrize("case", SLOW)
def test_an_issuer_that_is_slow_is_given_up(issuer, monkeypatch, case):
    """However it spreads what it sends: the whole has a limit, which is shortened here."""
    monkeypatch.setattr(signing_keys, "_TIMEOUT_SECONDS", 1.0)
    issuer.answer = SLOW[case]
    told = []

    def read():
        with pytest.raises(OSError) as caught:
            read_address(issuer.url)()
        told.append(caught.value)

    reading = threading.Thread(target=read, daemon=True)
    reading.start()
    # The trickles take twenty seconds and more.
    reading.join(timeout=15)
    assert told and not reading.is_alive()


def test_who_does_not_need_the_set_does_not_wait_for_it(team, issuer, monkeypatch):
    """The issuer hangs while strangers name unknown keys: everybody else is answered meanwhile."""
    monkeypatch.setattr(signing_keys, "_TIMEOUT_SECONDS", 20.0)
    key = team.engine.team.api_keys.create("test", "ana", Role.READER, (), None).text
    good, unknown = team.token(), team.token(OTHER, "unknown")
    assert team.status(good) == 200
    team.passed += PAUSE
    issuer.answer = silent
    good = team.token()
    with ThreadPoolExecutor(100) as threads:
        flood = [threads.submit(team.status, unknown) for _ in range(100)]
        while issuer.asked < 2:
            time.sleep(0.01)
        # More than the server has threads wait, or were told to come again.
        began = time.monotonic()
        for _ in range(10):
            assert [team.status(good), team.status(key)] == [200, 200]
            assert httpx.get(f"{team.address}/health", timeout=60).status_code == 200
        done = [each for each in flood if each.done()]
        assert not issuer.over.is_set() and time.monotonic() - began < 20
        assert {each.result() for each in done} <= {429} and len(done) >= 60
        issuer.over.set()
        assert {each.result() for each in flood} == {401, 429}
    assert issuer.asked == 2


ADDRESSES = [
    *(
        "http://issuer.example/keys",
        "http://10.0.0.1/keys",
        "http://169.254.169.254/keys",
        "ftp://localhost/keys",
    ),
    *("file:///etc/passwd", "//issuer.example/keys", "issuer.example/keys", "https://", "https:///keys"),
    *(
        "http://localhost.evil.example/keys",
        "http://localhost@evil.example/keys",
        "http://evil.example#localhost",
    ),
    *(
        "https://user:password@issuer.example/keys",
        "https://issuer.example/keys#part",
        "https://issuer.example:0/",
    ),
    *(
        "https://issuer.example:99999/",
        "https://issuer.example/\r\nX: y",
        "http://0.0.0.0/keys",
        "http://127.1/keys",
    ),
    *(
        "http://[::1",
        "https://[::1]evil/keys",
        "data:application/json,{}",
        "unix:///run/keys",
        "javascript:1",
    ),
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_keys_come_by_https_or_from_this_machine(tmp_path, address):
    with pytest.raises((SettingsError, ValueError)):
        engine_over(tmp_path / "bob.db", auth={"jwks_url": address, "audience": AUDIENCE})


@pytest.mark.parametrize(
    "address", ["https://a b.example/keys", "https://ex_ämple..test/", "https://-/", "https://*/"]
)
def test_an_address_that_no_client_takes_is_a_refusal(tmp_path, address):
    with pytest.raises((OSError, SettingsError, ValueError)) as caught:
        engine_over(tmp_path / "bob.db", auth={"jwks_url": address, "audience": AUDIENCE})
        read_address(address)()
    assert not isinstance(caught.value, UnicodeError)


def certificate(key, name):
    """A certificate of one's own, in DER and PEM, and its key."""
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    return made.public_bytes(serialization.Encoding.DER), made.public_bytes(serialization.Encoding.PEM)


def test_a_certificate_that_nobody_vouches_for_is_not_taken(tmp_path):
    pem = certificate(KEY, "127.0.0.1")[1]
    private = KEY.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (tmp_path / "server.pem").write_bytes(pem + private)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "server.pem")
    issuer = Issuer(context)
    try:
        for team in teams(tmp_path, issuer.url):
            assert team.status(team.token()) == 401
        assert issuer.asked == 0, "nothing was asked of it"
    finally:
        issuer.close()
